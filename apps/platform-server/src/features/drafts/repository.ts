import type { DraftRuleset, IntendedFinding } from '@engine/authoring'
import type { Value } from '@engine/expression'
import type { Selectable } from 'kysely'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import type { SavesPage } from '../../resources/saves.ts'
import { storedJson } from '../../database/long-json.ts'
import { namesUsed } from '../../compute/referenced-names.ts'

export type DraftRow = Selectable<Tables['drafts']>

/** A draft with the content of one of its saves. */
export interface StoredDraft {
  readonly row: DraftRow
  /** As decoded by `decodeDraft` when it was saved. */
  readonly ruleset: DraftRuleset
  readonly seq: number
  readonly savedAt: Date
  readonly savedBy: string
}

/** The last save of a draft, or undefined if no draft of the project has this name. */
export async function currentDraft(scope: Scope, project: string, name: string): Promise<StoredDraft | undefined> {
  const row = await draftNamed(scope, project, name)
  return row && saveOf(scope, row, row.seq)
}

/**
 * A save of a draft as text, so that a large one can be returned without parsing. Undefined if there is no such save.
 *
 * @param seq default: the last one
 */
export async function saveText(scope: Scope, { id, seq: last, uses }: DraftRow, seq = last) {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select((eb) => [eb.cast<string>('ruleset', 'text').as('text'), 'config', 'saved_at', 'saved_by'])
    .where('draft_id', '=', id)
    .where('seq', '=', seq)
    .executeTakeFirst()
  // Written only by `appendSave`, which takes a decoded draft.
  return (
    save && { ...save, uses: seq === last ? uses : namesUsed((await storedJson(save.text)) as unknown as DraftRuleset) }
  )
}

/**
 * A ruleset as saved under a name, even if the draft was renamed or deleted later: sequence numbers of a name are unique.
 * Undefined if there is no such save.
 */
export async function draftAt(
  scope: Scope,
  project: string,
  name: string,
  seq: number,
): Promise<StoredDraft | undefined> {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .where('seq', '=', seq)
    .executeTakeFirst()
  const row = save && (await draftById(scope, save.draft_id))
  return row && stored(row, save)
}

/** One save of a draft, under any of its names; undefined if there is none with this number. */
export async function saveOf(scope: Scope, row: DraftRow, seq: number): Promise<StoredDraft | undefined> {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .selectAll()
    .where('draft_id', '=', row.id)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return save && stored(row, save)
}

/** The settings in a save, which only `appendSave` writes: it takes a decoded draft. */
export const configIn = (config: Value): DraftRuleset['config'] => config as unknown as DraftRuleset['config']

/** The intended findings of the save before the last one. */
export async function intendedBefore(scope: Scope, { id, seq }: DraftRow): Promise<readonly IntendedFinding[]> {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select('config')
    .where('draft_id', '=', id)
    .where('seq', '<', seq)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return save === undefined ? [] : (configIn(save.config).intended ?? [])
}

/** Length in characters of a save under a name; undefined if there is no such save. */
export async function saveLength(scope: Scope, project: string, name: string, seq: number) {
  const save = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select((eb) => eb.fn<number>('length', [eb.cast<string>('ruleset', 'text')]).as('length'))
    .where('project_id', '=', project)
    .where('name', '=', name)
    .where('seq', '=', seq)
    .executeTakeFirst()
  return save?.length
}

/** Whether a draft has a save with this sequence number; does not load the content. */
export async function hasSave(scope: Scope, { id }: DraftRow, seq: number): Promise<boolean> {
  const saves = scope.read('draft_saves').selectFrom('draft_saves').select('seq')
  return (await saves.where('draft_id', '=', id).where('seq', '=', seq).executeTakeFirst()) !== undefined
}

function stored(row: DraftRow, save: Selectable<Tables['draft_saves']>): StoredDraft {
  const { ruleset, seq, saved_at: savedAt, saved_by: savedBy } = save
  // Written only by `appendSave`, which takes a decoded draft.
  return { row, ruleset: ruleset as unknown as DraftRuleset, seq, savedAt, savedBy }
}

const draftsIn = (scope: Scope, project: string) =>
  scope.read('drafts').selectFrom('drafts').selectAll().where('project_id', '=', project)

/** The draft of a name, unless it is deleted. */
export function draftNamed(scope: Scope, project: string, name: string): Promise<DraftRow | undefined> {
  return draftsIn(scope, project).where('name', '=', name).where('deleted_at', 'is', null).executeTakeFirst()
}

/** The most recently deleted draft of a name. */
export function deletedDraft(scope: Scope, project: string, name: string): Promise<DraftRow | undefined> {
  return draftsIn(scope, project)
    .where('name', '=', name)
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

function draftById(scope: Scope, id: string): Promise<DraftRow | undefined> {
  return scope.read('drafts').selectFrom('drafts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A page of a project's drafts without their content. */
export function draftsOn(scope: Scope, project: string, page: Page, isDeleted: boolean): Promise<DraftRow[]> {
  const asked = draftsIn(scope, project).where('deleted_at', isDeleted ? 'is not' : 'is', null)
  return onPage(asked, page, { key: page.sort, id: 'id', texts: ['name', 'description'] }).execute()
}

/** The last sequence number used with a name, or 0 if the name is unused. */
export async function lastSeqOf(scope: Scope, project: string, name: string): Promise<number> {
  const last = await scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select('seq')
    .where('project_id', '=', project)
    .where('name', '=', name)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.seq ?? 0
}

/** A page of a draft's saves without their content, the newest first, with one extra row when another page follows. */
export function savesOn(scope: Scope, draft: string, { limit, before }: SavesPage) {
  const all = scope
    .read('draft_saves')
    .selectFrom('draft_saves')
    .select(['seq', 'saved_at', 'saved_by'])
    .where('draft_id', '=', draft)
  return (before === undefined ? all : all.where('seq', '<', before))
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute()
}

/** The published ruleset of an environment. */
export interface LiveRuleset {
  readonly name: string
  readonly environment: string
  readonly version: string
  readonly digest: string
  readonly release_id: string | null
  /** The time since which the environment has had this desired content. */
  readonly since: Date
  /** The newest save with this content that was deployed to the environment; null: no longer known. */
  readonly seq: number | null
  /** Number of the release; null: it was published. */
  readonly release_number: number | null
}

/** Environments in which rulesets of these names are live, in the order of the environments. */
export async function liveOf(scope: Scope, project: string, names: readonly string[]): Promise<readonly LiveRuleset[]> {
  if (names.length === 0) return []
  return scope
    .read('desired_rulesets', 'environments', 'deployments', 'releases')
    .selectFrom('desired_rulesets as d')
    .innerJoin('environments as e', 'e.id', 'd.environment_id')
    .leftJoin('releases as r', 'r.id', 'd.release_id')
    .select(['d.name', 'e.name as environment', 'd.version', 'd.digest', 'd.release_id', 'd.updated_at as since'])
    .select(['r.number as release_number'])
    .select((query) =>
      query
        .selectFrom('deployments as p')
        .select('p.seq')
        .whereRef('p.environment_id', '=', 'd.environment_id')
        .whereRef('p.ruleset_name', '=', 'd.name')
        .whereRef('p.digest', '=', 'd.digest')
        .orderBy('p.deployed_at', 'desc')
        .limit(1)
        .as('seq'),
    )
    .where('e.project_id', '=', project)
    .where('d.name', 'in', [...names])
    .orderBy('e.position')
    .orderBy('e.name')
    .execute()
}

/**
 * Deployments of a ruleset, with the current names of the environments.
 *
 * @param only names of environments; null: all
 */
export function deploymentsOn(scope: Scope, project: string, name: string, page: Page, only: readonly string[] | null) {
  const all = scope
    .read('deployments', 'environments')
    .selectFrom('deployments as d')
    .innerJoin('environments as e', 'e.id', 'd.environment_id')
    .selectAll('d')
    .select('e.name as environment')
    .where('e.project_id', '=', project)
    .where('d.ruleset_name', '=', name)
  const reached = only === null ? all : all.where('e.name', 'in', [...only, ''])
  const columns = { key: 'd.deployed_at', id: 'd.id', texts: ['d.version', 'd.release_note', 'e.name'] } as const
  return onPage(reached, page, columns).execute()
}

/** All drafts of a project that are not deleted, by name. */
export function allDrafts(scope: Scope, project: string): Promise<DraftRow[]> {
  return draftsIn(scope, project).where('deleted_at', 'is', null).orderBy('name').execute()
}
