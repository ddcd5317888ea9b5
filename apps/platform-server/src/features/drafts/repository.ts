import type { DraftRuleset } from '@engine/authoring'
import type { Selectable } from 'kysely'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'

export type DraftRow = Selectable<Tables['drafts']>

/** A draft with its content, as of one of its saves. */
export interface StoredDraft {
  readonly row: DraftRow
  /** As `decodeDraft` gave it when it was saved. */
  readonly ruleset: DraftRuleset
  readonly seq: number
  readonly savedAt: Date
  readonly savedBy: string
}

/** The last save of a draft; undefined: the project has none of that name, or it is deleted. */
export async function currentDraft(scope: Scope, project: string, name: string): Promise<StoredDraft | undefined> {
  const row = await draftNamed(scope, project, name)
  return row && saveOf(scope, row, row.seq)
}

/**
 * A ruleset as it was saved under a name, also when the draft was renamed or deleted since: no name has the same number
 * twice. Undefined: there is no such save.
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

/** One save of a draft, under whatever name; undefined: there is none of that number. */
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

function stored(row: DraftRow, save: Selectable<Tables['draft_saves']>): StoredDraft {
  const { ruleset, seq, saved_at: savedAt, saved_by: savedBy } = save
  // Written by `appendSave` alone, which takes a decoded draft.
  return { row, ruleset: ruleset as unknown as DraftRuleset, seq, savedAt, savedBy }
}

/** A draft that is not deleted. */
export function draftNamed(scope: Scope, project: string, name: string): Promise<DraftRow | undefined> {
  return scope
    .read('drafts')
    .selectFrom('drafts')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

/** The draft of a name that was deleted last. */
export function deletedDraft(scope: Scope, project: string, name: string): Promise<DraftRow | undefined> {
  return scope
    .read('drafts')
    .selectFrom('drafts')
    .selectAll()
    .where('project_id', '=', project)
    .where('name', '=', name)
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
}

function draftById(scope: Scope, id: string): Promise<DraftRow | undefined> {
  return scope.read('drafts').selectFrom('drafts').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The drafts of a project without their contents. */
export function draftsOn(scope: Scope, project: string, page: Page, isDeleted: boolean): Promise<DraftRow[]> {
  const own = scope.read('drafts').selectFrom('drafts').selectAll().where('project_id', '=', project)
  const asked = own.where('deleted_at', isDeleted ? 'is not' : 'is', null)
  return onPage(asked, page, { key: page.sort, id: 'id', texts: ['name', 'description'] }).execute()
}

/** The last number under which something was saved with a name; 0: nothing ever was. */
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
