import {
  type ArchivedSuite,
  type ArchiveFile,
  checkInput,
  convertArchived,
  type DraftRuleset,
  draftParts,
  type FileProblem,
  type ProjectArchive,
  ARCHIVE_PATHS,
  placedInJson,
  readArchive,
} from '@engine/authoring'
import { yamlForm } from '@engine/rule-file'
import { join, relative, sep } from 'node:path'
import { contentOf } from '../files.ts'
import { type CheckOptions, NOTHING_RUN, runCases } from './run-cases.ts'
import type { FileReport } from './report.ts'

/** The files of a project that a platform has exported. */
export interface ProjectFolder {
  readonly folder: string
  /** Below the folder. */
  readonly files: readonly string[]
}

/**
 * Check a project as its platform does: facts, concepts, contracts and sub-rules, each ruleset held to its contract, and its
 * suites. Throws `ToolError`.
 */
export async function projectReports(
  { folder, files: paths }: ProjectFolder,
  options: CheckOptions,
): Promise<readonly FileReport[]> {
  const files = await Promise.all(
    paths.map(async (path): Promise<ArchiveFile> => {
      const text = (await contentOf(path)).toString('utf8')
      return { path: relative(folder, path).split(sep).join('/'), text }
    }),
  )
  const { archive, problems } = readArchive(files, yamlForm)
  const of = Map.groupBy(problems, ({ file }) => file)
  if (archive === undefined) return [...of].map(([file, found]) => unreadable(folder, file, found))
  const texts = new Map(files.map(({ path, text }) => [path, text]))
  const reports: FileReport[] = []
  for (const draft of archive.rulesets) {
    const file = ARCHIVE_PATHS.ruleset(draft.config.name)
    reports.push(await rulesetReport({ folder, file, text: texts.get(file) ?? '', archive }, draft, options))
  }
  const checked = new Set(archive.rulesets.map(({ config }) => ARCHIVE_PATHS.ruleset(config.name)))
  const others = [...of].filter(([file]) => !checked.has(file))
  return [...others.map(([file, found]) => unreadable(folder, file, found)), ...reports]
}

function unreadable(folder: string, file: string, problems: readonly FileProblem[]): FileReport {
  return { file: join(folder, file), name: undefined, ...bySeverity(problems), ...NOTHING_RUN }
}

interface InProject {
  readonly folder: string
  readonly file: string
  readonly text: string
  readonly archive: ProjectArchive
}

async function rulesetReport(
  { folder, file, text, archive }: InProject,
  draft: DraftRuleset,
  options: CheckOptions,
): Promise<FileReport> {
  const { converted, contract, concepts } = convertArchived(archive, draft)
  const { name } = draft.config
  const found = { file: join(folder, file), name, ...bySeverity(placedInJson(text, converted.problems)) }
  const ruleset = converted.decoded()
  if (ruleset === undefined) return { ...found, ...NOTHING_RUN }
  const cases = archive.suites.filter((suite) => suite.ruleset === name).flatMap(named)
  const expected = join(folder, 'tests', name)
  const ran = await runCases(ruleset, cases.length === 0 ? undefined : cases, options, {
    expected,
    parts: draftParts(converted),
    stepOf: (id) => converted.editorStep(id)?.step_id ?? id,
    ...(contract && { contract: (input) => checkInput(contract, input, concepts) }),
  })
  return { ...found, ...ran }
}

/** Names of cases are of their suite. */
const named = ({ name: suite, cases }: ArchivedSuite) =>
  cases.map((one) => ({ ...one, name: `${suite}: ${one.name}`, suite }))

function bySeverity<Found extends { readonly severity: 'error' | 'warning' }>(problems: readonly Found[]) {
  return {
    problems: problems.filter(({ severity }) => severity === 'error'),
    warnings: problems.filter(({ severity }) => severity === 'warning'),
  }
}
