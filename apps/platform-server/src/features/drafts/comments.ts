import { randomUUIDv7 } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Caller, Person } from '../../access/caller.ts'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import type { DraftComment, DraftCommentChange, DraftCommentRequest } from './comment-model.ts'
import type { DraftRow } from './repository.ts'

export type DraftCommentRow = Selectable<OrgTables['draft_comments']>

/** Maximum number of comments on one ruleset; more are refused until some are deleted. */
const MAX_COMMENTS = 1000

export function draftCommentOf(row: DraftCommentRow): DraftComment {
  const { id, place, text, settled, created_at, created_by, updated_at, updated_by } = row
  return {
    id,
    place,
    text,
    settled,
    created_at: created_at.toISOString(),
    created_by,
    updated_at: updated_at.toISOString(),
    updated_by,
  }
}

const commentsOf = (scope: Scope, draft: string) =>
  scope.read('draft_comments').selectFrom('draft_comments').selectAll().where('draft_id', '=', draft)

/**
 * A page of the comments on a draft, with one extra row when another page follows. @param settled undefined: both kinds
 */
export function commentsOnDraft(
  scope: Scope,
  draft: string,
  page: Page,
  settled: boolean | undefined,
): Promise<DraftCommentRow[]> {
  const all = commentsOf(scope, draft)
  const found = settled === undefined ? all : all.where('settled', '=', settled)
  return onPage(found, page, { key: 'created_at', id: 'id', texts: ['text'] }).execute()
}

/** Throws `not-found`. */
export async function draftCommentBy(scope: Scope, draft: string, id: string): Promise<DraftCommentRow> {
  const row = isId(id) ? await commentsOf(scope, draft).where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('comment', id)
  return row
}

const objectOf = ({ id, name }: DraftRow) => ({ id, name })

/** Throws 403 for a key: programs can only read comments. */
export function commenterOf(caller: Caller): Person {
  if (caller.kind !== 'user') throw failures.forbidden('only a person who is signed in may comment', 'person')
  return caller
}

/** Add a comment to a part of a draft. Throws 400 if the ruleset has the maximum number of comments. */
export function addDraftComment(
  acting: Acting<InProject, Person>,
  draft: DraftRow,
  { place, text }: DraftCommentRequest,
): Promise<DraftComment> {
  const by = acting.caller.id
  return acting.change(async ({ scope, audit }) => {
    const { count } = await scope
      .read('draft_comments')
      .selectFrom('draft_comments')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('draft_id', '=', draft.id)
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_COMMENTS)
      throw failures.invalid('', `is refused: the ruleset has ${MAX_COMMENTS} comments; delete some first`, 'too-many')
    const row = await scope
      .insert('draft_comments', {
        id: randomUUIDv7(),
        draft_id: draft.id,
        place,
        text,
        created_by: by,
        updated_by: by,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const after = draftCommentOf(row)
    await audit({ action: 'comment.created', object: objectOf(draft), after })
    return after
  })
}

/** Edit or resolve a comment. Throws 403 if the text is changed by anyone but its author. */
export function changeDraftComment(
  acting: Acting<InProject, Person>,
  draft: DraftRow,
  id: string,
  { text, settled }: DraftCommentChange,
): Promise<DraftComment> {
  const by = acting.caller.id
  return acting.change(async ({ scope, audit }) => {
    const row = await draftCommentBy(scope, draft.id, id)
    if (text !== undefined && text !== row.text && row.created_by !== by)
      throw failures.forbidden('only its author may change the text of a comment', 'author')
    const changed = await scope
      .update('draft_comments')
      .set({ text: text ?? row.text, settled: settled ?? row.settled, updated_at: new Date(), updated_by: by })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const [before, after] = [draftCommentOf(row), draftCommentOf(changed)]
    await audit({ action: 'comment.updated', object: objectOf(draft), before, after })
    return after
  })
}

export function deleteDraftComment(acting: Acting<InProject>, draft: DraftRow, id: string): Promise<void> {
  return acting.change(async ({ scope, audit }) => {
    const row = await draftCommentBy(scope, draft.id, id)
    await scope.delete('draft_comments').where('id', '=', row.id).execute()
    await audit({ action: 'comment.deleted', object: objectOf(draft), before: draftCommentOf(row) })
  })
}
