import {
  type ArchivedCase,
  type ArchivedEnvironment,
  type ArchivedSuite,
  type ProjectArchive,
  sameValue,
} from '@engine/authoring'
import type { Fields } from '@engine/ruleset'
import type { Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import { conceptsOn, contractsOn, factsOn, fieldsOf } from '../catalog/repository.ts'
import type { WriteArchiveTask } from '../../compute/tasks.ts'
import { draftsOn, saveOf, saveText, type StoredDraft } from '../drafts/repository.ts'
import { casesOf, type SuiteRow, suitesOf, suiteTexts } from '../test-suites/suites.ts'
import { NO_CANARY, NO_RECORDING } from '../projects/model.ts'
import { canaryOf, type EnvironmentRow, environmentsOn, type ProjectRow } from '../projects/repository.ts'
import { refuseLarge } from './size-limit.ts'
import { contentsById, subRulesOn, type SubRuleRow } from '../sub-rules/repository.ts'

/** The stored state of a project: the content of its archive, and the rows that changes need. */
export interface PresentProject {
  readonly archive: ProjectArchive
  readonly environments: readonly EnvironmentRow[]
  readonly drafts: readonly StoredDraft[]
  readonly subRules: readonly SubRuleRow[]
  readonly suites: readonly SuiteRow[]
}

const { canary_target_env_id: _target, ...NO_STAGES } = NO_CANARY
/** Canary settings of an environment whose archive omits them. */
export const DEFAULT_CANARY: Fields = { ...NO_STAGES, canary_target: null }

/** Everything on one page, by name. */
export const ALL: Page = {
  limit: 1_000_000_000,
  bytes: Infinity,
  sort: 'name',
  descending: false,
  after: undefined,
  contains: undefined,
}

/** Read a project with its whole content. Throws 400 if the project is too large for an archive. */
export async function presentProject(scope: Scope, project: ProjectRow): Promise<PresentProject> {
  const { id } = project
  await refuseLarge(scope, id)
  const environments = await environmentsIn(scope, id)
  const drafts = await draftsIn(scope, id)
  const { rows: subRules } = await subRulesOn(scope, id, ALL)
  const suites = await suitesOf(
    scope,
    drafts.map(({ row }) => row.id),
  )
  const archive: ProjectArchive = {
    ...(await smallParts(scope, project, environments, subRules)),
    rulesets: drafts.map(({ ruleset }) => ruleset),
    suites: suites.map((row) => archivedSuite(row, drafts)),
  }
  return { archive, environments, drafts, subRules, suites }
}

/** Its arrays own their buffers, which are transferred to the thread that writes the archive. */
const UTF8 = new TextEncoder()

/** A project for export: its rulesets and suites stay text until a thread writes their files. Throws as `presentProject`. */
export async function exportedProject(scope: Scope, project: ProjectRow): Promise<ExportedProject> {
  const { id } = project
  await refuseLarge(scope, id)
  const environments = await environmentsIn(scope, id)
  const drafts = await draftsOn(scope, id, ALL, false)
  const rulesets: Uint8Array[] = []
  for (const row of drafts) {
    const save = await saveText(scope, row)
    if (save !== undefined) rulesets.push(UTF8.encode(save.text))
  }
  const names = new Map(drafts.map((row) => [row.id, row.name]))
  const suites = await suiteTexts(scope, [...names.keys()])
  const { rows: subRules } = await subRulesOn(scope, id, ALL)
  return {
    parts: await smallParts(scope, project, environments, subRules),
    rulesets,
    suites: suites.map(({ name, cases, draft_id }) => ({
      ruleset: names.get(draft_id) ?? '',
      name,
      cases: UTF8.encode(cases),
    })),
  }
}

/** A project with its rulesets and suites as JSON text in UTF-8. */
export interface ExportedProject extends Pick<WriteArchiveTask, 'rulesets' | 'suites'> {
  readonly parts: SmallParts
}

type SmallParts = Omit<ProjectArchive, 'rulesets' | 'suites'>

/** The parts of an archive other than rulesets and suites. */
async function smallParts(
  scope: Scope,
  project: ProjectRow,
  environments: readonly EnvironmentRow[],
  subRules: readonly SubRuleRow[],
): Promise<SmallParts> {
  const { id } = project
  const contents = await contentsById(scope, subRules)
  return {
    project: {
      name: project.name,
      description: project.description,
      current_environment: project.current_environment,
      contract_mode: project.contract_mode,
      environments: environments.map((row) => archivedEnvironment(row, environments)),
    },
    subRules: subRules.flatMap(({ id: own, name, version }) => {
      const content = contents.get(own)
      return content === undefined ? [] : [{ name, version, ...content }]
    }),
    contracts: (await contractsOn(scope, id, ALL)).rows.map(({ name, version, content }) => ({
      name,
      version,
      ...(content as Pick<ProjectArchive['contracts'][number], 'input' | 'outputs'>),
    })),
    facts: (await factsOn(scope, id, ALL)).rows.map(({ name, type, description, example, tags }) => ({
      name,
      type,
      ...(description !== '' && { description }),
      ...(example !== null && { example }),
      ...(tags.length > 0 && { tags }),
    })),
    concepts: (await conceptsOn(scope, id, ALL)).rows.map((row) => ({ name: row.name, fields: fieldsOf(row) })),
  }
}

async function environmentsIn(scope: Scope, project: string): Promise<readonly EnvironmentRow[]> {
  const { rows } = await environmentsOn(scope, project, ALL, null)
  return rows.toSorted((left, right) => left.position - right.position || (left.name < right.name ? -1 : 1))
}

async function draftsIn(scope: Scope, project: string): Promise<readonly StoredDraft[]> {
  const drafts: StoredDraft[] = []
  for (const row of await draftsOn(scope, project, ALL, false)) {
    const save = await saveOf(scope, row, row.seq)
    if (save !== undefined) drafts.push(save)
  }
  return drafts
}

function archivedSuite({ name, cases, draft_id }: SuiteRow, drafts: readonly StoredDraft[]): ArchivedSuite {
  const ruleset = drafts.find(({ row }) => row.id === draft_id)?.row.name ?? ''
  return { ruleset, name, cases: casesOf({ cases }).map(({ id: _id, ...one }) => one as ArchivedCase) }
}

function archivedEnvironment(row: EnvironmentRow, all: readonly EnvironmentRow[]): ArchivedEnvironment {
  const { name, position, requires_release, hold_before, allow_local_rulesets } = row
  const { canary_target_env_id: target, ...stages } = canaryOf(row)
  const canary = { ...stages, canary_target: all.find(({ id }) => id === target)?.name ?? null } as Fields
  const recording = { ...row.recording }
  return {
    name,
    order: position,
    requires_release,
    ...(hold_before && { hold_before }),
    ...(allow_local_rulesets && { allow_local_rulesets }),
    ...(!sameValue(canary, DEFAULT_CANARY) && { canary }),
    ...(!sameValue(recording, NO_RECORDING) && { recording }),
  }
}
