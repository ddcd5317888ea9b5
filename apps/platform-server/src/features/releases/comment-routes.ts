import { truthOf } from '@engine/http-api'
import { Type } from 'typebox'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { json } from '../../http/json-response.ts'
import { listed, ListOf, listQuery, pageOf } from '../../resources/pagination.ts'
import type { Caller } from '../../access/caller.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { addComment, commentBy, commentOf, commentsOn, deleteComment, settleComment } from './comments.ts'
import { Comment, CommentChange, CommentRequest } from './model.ts'
import { atRelease, group, ONE } from './release-scope.ts'
import type { ReleaseParts } from './preparation.ts'
import { personOf } from './reviewer.ts'

const SORTS = ['created_at'] as const
const ALL_COMMENTS = `${ONE}/comments`

/** Comments on releases. */
export function commentRoutes({ database, basePath }: ReleaseParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL_COMMENTS,
      right: 'member',
      summary: 'List comments on a release, newest first',
      group,
      within,
      find: atRelease,
      query: {
        ...listQuery(SORTS),
        ruleset: Type.String({ description: 'only those on this ruleset' }),
        settled: Type.Boolean({ description: 'only those that are, or are not, settled' }),
      },
      answers: { 200: ListOf(Comment, 'ReleaseCommentList') },
      async handle({ place: { member }, found, query }) {
        const page = pageOf(query, SORTS)
        const rows = await commentsOn(member.scope, found.id, page, {
          ruleset: query.get('ruleset') ?? undefined,
          settled: truthOf(query, 'settled'),
        })
        return json(
          200,
          listed(rows, page, (row) => row.created_at, commentOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: ALL_COMMENTS,
      right: 'member',
      summary: 'Comment on a release, or at a place of one of its rulesets, in any state; requires a session',
      group,
      within,
      find: atRelease,
      body: CommentRequest,
      answers: { 201: Comment },
      answerHeaders: { 201: LOCATION },
      async handle(asked) {
        const { place, found, body } = asked
        const acting = actingIn(database, { ...asked, caller: personOf(asked.caller) })
        const comment = await addComment(acting, found.id, body)
        const { org_id, id } = place.project
        const path = `${basePath}/api/v1/orgs/${org_id}/projects/${id}/releases/${found.id}/comments/${comment.id}`
        return created(comment, path)
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ALL_COMMENTS}/:cid`,
      right: 'member',
      summary: 'Get a comment on a release',
      group,
      within,
      find: atComment,
      answers: { 200: Comment },
      handle: async ({ found }) => json(200, commentOf(found.comment)),
    }),
    memberRoute({
      method: 'PUT',
      path: `${ALL_COMMENTS}/:cid`,
      right: 'member',
      summary: 'Settle a comment on a release, or open it again; requires a session',
      group,
      within,
      find: atComment,
      body: CommentChange,
      answers: { 200: Comment },
      async handle(asked) {
        const { release, comment } = asked.found
        const acting = actingIn(database, { ...asked, caller: personOf(asked.caller) })
        return json(200, await settleComment(acting, release, comment.id, asked.body.settled))
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: `${ALL_COMMENTS}/:cid`,
      right: 'project.manage',
      summary: 'Delete a comment; also allowed for its author',
      group,
      within,
      find: atComment,
      isOwn: ({ id }, { comment }) => comment.created_by === id,
      answers: { 204: Empty },
      async handle(asked) {
        const { release, comment } = asked.found
        await deleteComment(actingIn(database, asked), release, comment.id)
        return { status: 204 }
      },
    }),
  ]
}

async function atComment(place: InProject, params: Readonly<Record<string, string>>, caller: Caller) {
  const release = await atRelease(place, params, caller)
  return { release, comment: await commentBy(place.member.scope, release.id, params['cid'] ?? '') }
}
