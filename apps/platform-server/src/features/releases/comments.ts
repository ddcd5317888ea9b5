import { randomUUIDv7 } from 'node:crypto'
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
import type { Comment } from './model.ts'
import { notifyOfComment } from './notices.ts'
import { releaseBy } from './repository.ts'

export type CommentRow = Selectable<OrgTables['release_comments']>

/** Comments that one release gets, deleted ones included; further ones are refused. */
const MAX_COMMENTS = 1000

export function commentOf({ id, text, created_at, created_by }: CommentRow): Comment {
  return { id, text, created_at: created_at.toISOString(), created_by }
}

/** One more than the page has when another follows. */
export function commentsOn(scope: Scope, release: string, page: Page): Promise<CommentRow[]> {
  const all = scope
    .read('release_comments')
    .selectFrom('release_comments')
    .selectAll()
    .where('release_id', '=', release)
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

/** Comment on a release in any state. Throws 400 for a release with the maximum number of comments. */
export async function addComment(acting: Acting<InProject, Person>, id: string, text: string): Promise<Comment> {
  const { place, caller, author } = acting
  return acting.change(async (change) => {
    const { scope, audit } = change
    const release = await releaseBy(scope, place.project.id, id)
    // Events stay when comments are deleted: counting them bounds both.
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
      .insert('release_comments', { id: randomUUIDv7(), release_id: id, text, created_by: caller.id })
      .returningAll()
      .executeTakeFirstOrThrow()
    const comment = commentOf(row)
    await appendEvent(change, release, {
      type: 'comment_added',
      actor: author.actor,
      status: release.status,
      data: { comment_id: row.id, text },
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

/** Delete a comment. Its event stays in the history of the release. */
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
