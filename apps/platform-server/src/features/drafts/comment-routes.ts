import { truthOf } from '@engine/http-api'
import { Type } from 'typebox'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { json } from '../../http/json-response.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { listed, ListOf, listQuery, pageOf } from '../../resources/pagination.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { DraftComment, DraftCommentChange, DraftCommentRequest } from './comment-model.ts'
import {
  addDraftComment,
  changeDraftComment,
  commenterOf,
  commentsOnDraft,
  deleteDraftComment,
  draftCommentBy,
  draftCommentOf,
} from './comments.ts'
import { atDraft, type DraftParts, group, ONE, shownIn } from './view.ts'

const SORTS = ['created_at'] as const
const ALL_COMMENTS = `${ONE}/comments`
const ONE_COMMENT = `${ALL_COMMENTS}/:cid`

/** Routes of comments on drafts. */
export function draftCommentRoutes(parts: DraftParts): readonly Route[] {
  const { database } = parts
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL_COMMENTS,
      right: 'member',
      summary: 'List comments on a ruleset, newest first',
      group,
      within,
      find: atDraft,
      query: {
        ...listQuery(SORTS),
        settled: Type.Boolean({ description: 'only those that are, or are not, settled' }),
      },
      answers: { 200: ListOf(DraftComment, 'DraftCommentList') },
      async handle({ place: { member }, found, query }) {
        const page = pageOf(query, SORTS)
        const rows = await commentsOnDraft(member.scope, found.id, page, truthOf(query, 'settled'))
        return json(
          200,
          listed(rows, page, (row) => row.created_at, draftCommentOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: ALL_COMMENTS,
      right: 'member',
      summary: 'Comment at a place of a ruleset; requires a session',
      group,
      within,
      find: atDraft,
      body: DraftCommentRequest,
      answers: { 201: DraftComment },
      answerHeaders: { 201: LOCATION },
      async handle(asked) {
        const { place, found, body } = asked
        const acting = actingIn(database, { ...asked, caller: commenterOf(asked.caller) })
        const comment = await addDraftComment(acting, found, body)
        return created(comment, `${shownIn(parts, place).pathOf(found.name)}/comments/${comment.id}`)
      },
    }),
    memberRoute({
      method: 'GET',
      path: ONE_COMMENT,
      right: 'member',
      summary: 'Get a comment on a ruleset',
      group,
      within,
      find: atComment,
      answers: { 200: DraftComment },
      handle: async ({ found }) => json(200, draftCommentOf(found.comment)),
    }),
    memberRoute({
      method: 'PUT',
      path: ONE_COMMENT,
      right: 'member',
      summary: 'Settle a comment, reopen it, or edit its text; requires a session',
      group,
      within,
      find: atComment,
      body: DraftCommentChange,
      answers: { 200: DraftComment },
      async handle(asked) {
        const { draft, comment } = asked.found
        const acting = actingIn(database, { ...asked, caller: commenterOf(asked.caller) })
        return json(200, await changeDraftComment(acting, draft, comment.id, asked.body))
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: ONE_COMMENT,
      right: 'project.manage',
      summary: 'Delete a comment; also allowed for its author',
      group,
      within,
      find: atComment,
      isOwn: ({ id }, { comment }) => comment.created_by === id,
      answers: { 204: Empty },
      async handle(asked) {
        const { draft, comment } = asked.found
        await deleteDraftComment(actingIn(database, asked), draft, comment.id)
        return { status: 204 }
      },
    }),
  ]
}

async function atComment(place: InProject, params: Readonly<Record<string, string>>) {
  const draft = await atDraft(place, params)
  return { draft, comment: await draftCommentBy(place.member.scope, draft.id, params['cid'] ?? '') }
}
