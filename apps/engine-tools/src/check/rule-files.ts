import { ARCHIVE_PATHS } from '@engine/authoring'
import { isObject } from '@engine/expression'
import { ENDINGS, endingOf, isNamedCompanion, readRuleFile, type ReadRuleFile } from '@engine/rule-file'
import type { Ruleset, RulesetDocument } from '@engine/ruleset'
import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, matchesGlob } from 'node:path'
import { contentOf, readError } from '../files.ts'
import { type CheckedFile, checkedFile } from './checked-file.ts'
import { placed } from '../problem.ts'
import { ToolError } from '../tool.ts'
import type { ProjectFolder } from './project.ts'

export interface FoundFiles {
  readonly files: readonly CheckedFile[]
  /** Folders that a platform has exported: their files are not rule files. */
  readonly projects: readonly ProjectFolder[]
}

/**
 * The rule files among paths, in their order. A folder stands for the rulesets and projects below it: files of other kinds,
 * those that are hidden, and `node_modules` are passed over. A file that is named is checked whatever is in it. Throws
 * `ToolError`.
 */
export async function findRuleFiles(paths: readonly string[]): Promise<FoundFiles> {
  const files: CheckedFile[] = []
  const projects: ProjectFolder[] = []
  const add = (path: string, { read, source }: NamedFile) => files.push({ path, ...checkedFile(path, read, source) })
  for (const path of paths) {
    const found = await stat(path).catch((cause: unknown) => {
      throw readError(path, cause)
    })
    if (!found.isDirectory()) {
      add(path, await readNamed(path))
      continue
    }
    for (const file of await filesBelow(path, projects)) {
      const named = await readNamed(file)
      if (looksLikeRuleset(file, named)) add(file, named)
    }
  }
  return { files, projects }
}

/** The ruleset of a rule file or draft, as engines have it. */
export interface Rules {
  readonly ruleset: Ruleset
  readonly document: RulesetDocument
}

/** The rules in one file, which may be a draft. Throws `ToolError` with all its problems. */
export async function readRules(path: string): Promise<Rules> {
  const [file, ...others] = (await findRuleFiles([path])).files
  if (file === undefined) throw new ToolError(`${path}: there is no rule file here`)
  if (others.length > 0) throw new ToolError(`${path}: it is a folder with several rule files: name one`)
  const { ruleset, document, problems } = file
  if (ruleset === undefined || !isObject(document))
    throw new ToolError(problems.map((problem) => placed(file.path, problem)).join('\n'))
  return { ruleset, document }
}

/**
 * The rulesets in the folder of a file by name, which `call_ruleset` finds, like a server in its rules directory: not those of
 * sub-folders. Files without a valid ruleset are passed over. Throws `ToolError`.
 */
export async function rulesetsInFolderOf(path: string): Promise<ReadonlyMap<string, Ruleset>> {
  const folder = dirname(path)
  const names = (await entriesOf(folder))
    .filter((entry) => !entry.isDirectory() && endingOf(entry.name) !== undefined && !isNamedCompanion(entry.name))
    .map(({ name }) => name)
  const files = await Promise.all(
    names.map(async (name) => checkedFile(name, (await readNamed(join(folder, name))).read, undefined)),
  )
  return new Map(files.flatMap(({ ruleset }) => (ruleset === undefined ? [] : [[ruleset.config.name, ruleset]])))
}

/** `rules/limit.json` has its cases in `rules/limit.cases.json`. */
export function casesPath(path: string): string {
  return `${path.slice(0, -(endingOf(path)?.length ?? 0))}.cases.json`
}

/** Rule files below a folder; those of projects are added to `projects`. */
async function filesBelow(directory: string, projects: ProjectFolder[]): Promise<readonly string[]> {
  const entries = await entriesOf(directory)
  const has = (wanted: string) => entries.some(({ name }) => name === wanted)
  if (has(ARCHIVE_PATHS.project) && has('rulesets')) {
    projects.push({ folder: directory, files: await documentsBelow(directory) })
    return []
  }
  const files: string[] = []
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await filesBelow(path, projects)))
    else if (endingOf(entry.name) !== undefined && !entry.name.endsWith('.cases.json')) files.push(path)
  }
  return files
}

async function documentsBelow(directory: string): Promise<readonly string[]> {
  const files: string[] = []
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) files.push(...(await documentsBelow(path)))
    else if (/\.(json|yaml)$/.test(entry.name)) files.push(path)
  }
  return files
}

/** Names or patterns of entries of its folder that are passed over, one a line; `#` begins a comment. */
const IGNORE_FILE = '.engineignore'

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const ignored = entries.some(({ name }) => name === IGNORE_FILE)
    ? ignoredIn(await contentOf(join(directory, IGNORE_FILE)))
    : []
  return entries
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules')
    .filter(({ name }) => !ignored.some((pattern) => matchesGlob(name, pattern)))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

function ignoredIn(bytes: Buffer): readonly string[] {
  const lines = bytes.toString('utf8').split('\n')
  return lines.map((line) => line.trim().replace(/\/$/, '')).filter((line) => line !== '' && !line.startsWith('#'))
}

/** A member that only rulesets and drafts have, in a text that is not JSON or YAML. */
const MEMBER = /(?:^|[\s{,"'])(?:config|steps|entry_step|startStepId)["']?\s*:/

/** In a folder of rulesets there may be other JSON and YAML: a package, a contract, data, manifests. */
function looksLikeRuleset(path: string, { read, source }: NamedFile): boolean {
  if (path.endsWith('.engine')) return true
  // An unreadable file may be a ruleset with a mistake.
  if ('reason' in read) return source === undefined || MEMBER.test(source)
  const { document } = read
  return isObject(document) && ('steps' in document || 'entry_step' in document)
}

interface NamedFile {
  readonly read: ReadRuleFile
  /** The text of JSON and YAML. */
  readonly source: string | undefined
}

/** The content of a rule file by its ending. Throws `ToolError`. */
export async function readNamed(path: string): Promise<NamedFile> {
  const ending = endingOf(path)
  if (ending === undefined)
    return { read: { reason: `expected a name that ends in ${ENDINGS.join(', ')}` }, source: undefined }
  const bytes = await contentOf(path)
  return { read: readRuleFile(path, bytes), source: ending === '.engine' ? undefined : bytes.toString('utf8') }
}
