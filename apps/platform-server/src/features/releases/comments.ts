import { randomUUIDv7 } from 'node:crypto'
import { quote } from '@engine/expression'
import type { Selectable } from 'kysely'
import type { Person } from '../../access/caller.ts'
import { isId } from '../../database/org-id.ts'
import { onPage, type Page } from '../../database/page.ts'
import type { Scope } from '../../database/scope.ts'
import type { OrgTables } from '../../database/tables.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import { nameOf } from './state-change.ts'
import { appendEvent, type ReleaseRow } from './events.ts'
import type { Comment, CommentRequest } from './model.ts'
import { notifyOfComment } from './notices.ts'
import { releaseBy } from './repository.ts'

export type CommentRow = Selectable<OrgTables['release_comments']>

/** Maximum number of comments on one release, including deleted ones; further ones are refused. */
const MAX_COMMENTS = 1000

export function commentOf(row: CommentRow): Comment {
  const { id, ruleset, place, text, settled, created_at, created_by, updated_at, updated_by } = row
  return {
    id,
    ruleset,
    place,
    text,
    settled,
    created_at: created_at.toISOString(),
    created_by,
    updated_at: updated_at.toISOString(),
    updated_by,
  }
}

/** The filter of a list of comments; undefined members select all. */
export interface CommentFilter {
  readonly ruleset: string | undefined
  readonly settled: boolean | undefined
}

/** Returns one row more than the limit if another page follows. */
export function commentsOn(
  scope: Scope,
  release: string,
  page: Page,
  { ruleset, settled }: CommentFilter,
): Promise<CommentRow[]> {
  let all = scope.read('release_comments').selectFrom('release_comments').selectAll().where('release_id', '=', release)
  if (ruleset !== undefined) all = all.where('ruleset', '=', ruleset)
  if (settled !== undefined) all = all.where('settled', '=', settled)
  return onPage(all, page, { key: 'created_at', id: 'id', texts: ['text'] }).execute()
}

/** Throws `not-found`. */
export async function commentBy(scope: Scope, release: string, id: string): Promise<CommentRow> {
  const all = scope
    .read('release_comments')
    .selectFrom('release_comments')
    .selectAll()
    .where('release_id', '=', release)
  const row = isId(id) ? await all.where('id', '=', id).executeTakeFirst() : undefined
  if (row === undefined) throw failures.notFound('comment', id)
  return row
}

/** The place of a new comment. Throws 400 if the release does not contain the ruleset, or if none is named. */
async function placeOf(
  scope: Scope,
  release: string,
  { ruleset, place = '' }: CommentRequest,
): Promise<Pick<Comment, 'ruleset' | 'place'>> {
  if (ruleset === undefined) {
    if (place !== '') throw failures.invalid('/ruleset', 'is missing: name the ruleset of the place')
    return { ruleset: null, place }
  }
  const contents = await scope
    .read('release_contents')
    .selectFrom('release_contents')
    .select('name')
    .where('release_id', '=', release)
    .orderBy('name')
    .execute()
  if (contents.some(({ name }) => name === ruleset)) return { ruleset, place }
  const known = contents.map(({ name }) => quote(name)).join(', ')
  throw failures.invalid('/ruleset', `must be a ruleset of the release (${known}), found ${quote(ruleset)}`)
}

/**
 * Adds a comment to a release in any state. Throws 400 for a ruleset that the release does not contain, and for a
 * release with the maximum number of comments.
 */
export async function addComment(
  acting: Acting<InProject, Person>,
  id: string,
  request: CommentRequest,
): Promise<Comment> {
  const { text } = request
  const { place, caller, author } = acting
  return acting.change(async (change) => {
    const { scope, audit } = change
    const release = await releaseBy(scope, place.project.id, id)
    // Events remain when comments are deleted, so counting events bounds both.
    const { count } = await scope
      .read('release_events')
      .selectFrom('release_events')
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .where('release_id', '=', id)
      .where('type', '=', 'comment_added')
      .executeTakeFirstOrThrow()
    if (Number(count) >= MAX_COMMENTS)
      throw failures.invalid('', `is refused: ${MAX_COMMENTS} comments were given on the release already`, 'too-many')
    const earlier = await scope
      .read('release_comments')
      .selectFrom('release_comments')
      .select('created_by')
      .distinct()
      .where('release_id', '=', id)
      .execute()
    const row = await scope
      .insert('release_comments', {
        id: randomUUIDv7(),
        release_id: id,
        ...(await placeOf(scope, id, request)),
        text,
        created_by: caller.id,
        updated_by: caller.id,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    const comment = commentOf(row)
    await appendEvent(change, release, {
      type: 'comment_added',
      actor: author.actor,
      status: release.status,
      data: { comment_id: row.id, ruleset: row.ruleset, place: row.place, text },
    })
    await audit({ action: 'comment.created', object: nameOf(release), after: comment })
    await notifyOfComment(
      scope,
      release,
      author.actor,
      earlier.map(({ created_by }) => created_by),
    )
    return comment
  })
}

/** Resolves a comment, or reopens it. */
export function settleComment(
  acting: Acting<InProject, Person>,
  release: ReleaseRow,
  id: string,
  settled: boolean,
): Promise<Comment> {
  const by = acting.caller.id
  return acting.change(async ({ scope, audit }) => {
    const row = await commentBy(scope, release.id, id)
    const changed = await scope
      .update('release_comments')
      .set({ settled, updated_at: new Date(), updated_by: by })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const [before, after] = [commentOf(row), commentOf(changed)]
    await audit({ action: 'comment.updated', object: nameOf(release), before, after })
    return after
  })
}

/** Deletes a comment. Its event stays in the history of the release. */
export function deleteComment(acting: Acting<InProject>, release: ReleaseRow, id: string): Promise<void> {
  return acting.change(async ({ scope, audit }) => {
    const row = await commentBy(scope, release.id, id)
    await scope.delete('release_comments').where('id', '=', row.id).execute()
    await audit({
      action: 'comment.deleted',
      object: nameOf(release),
      before: commentOf(row),
    })
  })
}
