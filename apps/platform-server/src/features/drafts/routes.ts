import { truthOf } from '@engine/http-api'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { reachesEnvironment } from '../../access/caller.ts'
import { actingIn } from '../../resources/acting.ts'
import { LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { DOCUMENT_BYTES, Empty, memberRoute, type Route } from '../../http/route.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { draftCommentRoutes } from './comment-routes.ts'
import { deriveContractRoute } from './derive-contract-route.ts'
import { documentRoutes } from './document-routes.ts'
import { Draft, DraftItem, DuplicateRequest, ExpectedSeq, RenameRequest, Saved, SaveRequest } from './model.ts'
import { requireName } from './draft-name.ts'
import { deploymentRoutes } from './deployment-routes.ts'
import { draftsOn, liveOf } from './repository.ts'
import { saveRoutes } from './save-routes.ts'
import { sentDraft } from './sent-draft.ts'
import { withStaleConflict } from './draft-store.ts'
import { deleteDraft, duplicateDraft, renameDraft, restoreDraft, saveDraft } from './service.ts'
import {
  ALL,
  type AnalyzingParts,
  atDraft,
  type DraftParts,
  expectedSeqIn,
  group,
  ONE,
  refuseOtherName,
  shownIn,
} from './view.ts'

const SORTS = ['name', 'created_at', 'updated_at'] as const

/** Routes of ruleset drafts, their saves and their deployments. */
export function draftRoutes(parts: AnalyzingParts): readonly Route[] {
  return atBothPaths([
    listRoute(parts),
    ...oneRoutes(parts),
    ...nameRoutes(parts),
    ...documentRoutes(parts),
    ...saveRoutes(parts),
    ...deploymentRoutes(parts),
    ...draftCommentRoutes(parts),
    deriveContractRoute(parts),
  ])
}

function listRoute({ database }: DraftParts): Route {
  return memberRoute({
    method: 'GET',
    path: ALL,
    right: 'member',
    summary: 'List rulesets and where they are live',
    group,
    within: inProject(database),
    query: {
      ...listQuery(SORTS),
      deleted: Type.Boolean({ default: false, description: 'deleted rulesets instead of the others' }),
    },
    answers: { 200: ListOf(DraftItem, 'DraftList') },
    async handle({ place: { member, project }, caller, query }) {
      const page = pageOf(query, SORTS)
      const rows = await draftsOn(member.scope, project.id, page, truthOf(query, 'deleted') === true)
      const names = rows.map(({ name }) => name)
      const live = (await liveOf(member.scope, project.id, names)).filter(({ environment }) =>
        reachesEnvironment(caller, environment),
      )
      const byName = Map.groupBy(live, ({ name }) => name)
      return json(
        200,
        listed(
          rows,
          page,
          (row) => row[page.sort],
          ({ name, version, description, seq, updated_at, updated_by }) => ({
            name,
            version,
            description,
            seq,
            updated_at: updated_at.toISOString(),
            updated_by,
            live: (byName.get(name) ?? []).map(({ name: _name, since, ...one }) => ({
              ...one,
              since: since.toISOString(),
            })),
          }),
        ),
      )
    },
  })
}

function oneRoutes(parts: DraftParts): readonly Route[] {
  const { database } = parts
  const within = inProject(database)
  const find = atDraft
  return [
    memberRoute({
      method: 'GET',
      path: ONE,
      right: 'member',
      summary: 'Get the last save of a ruleset, with its problems',
      group,
      within,
      find,
      answers: { 200: Draft },
      async handle({ place, found }) {
        return shownIn(parts, place).answer(found)
      },
    }),
    memberRoute({
      method: 'POST',
      path: ONE,
      right: 'ruleset.edit',
      summary: 'Save a ruleset; it may be unfinished',
      group,
      within,
      body: SaveRequest,
      draftMember: 'ruleset',
      maxBodyBytes: DOCUMENT_BYTES,
      answers: { 200: Saved, 201: Saved },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const { place, body, params } = asked
        const { name = '' } = params
        const draft = sentDraft(body.ruleset)
        requireName(draft.config.name, '/ruleset/config/name')
        refuseOtherName(draft, name)
        const { problems, shownText, pathOf } = shownIn(parts, place)
        const found = await problems.ofSave(draft)
        const acting = actingIn(database, asked)
        const saved = await withStaleConflict(place, shownText, () => saveDraft(acting, draft, body.expected_seq))
        const { seq, savedAt, intended } = saved
        const answer = {
          seq,
          updated_at: savedAt.toISOString(),
          problems: found,
          ...(intended !== undefined && { intended }),
        }
        return body.expected_seq === 0
          ? { ...json(201, answer), headers: { location: pathOf(name) } }
          : json(200, answer)
      },
    }),
    memberRoute({
      method: 'DELETE',
      path: ONE,
      right: 'ruleset.edit',
      summary: 'Delete a ruleset; live versions stay, and it can be restored',
      group,
      within,
      find,
      query: { expected_seq: ExpectedSeq },
      answers: { 204: Empty },
      hasConflicts: true,
      async handle(asked) {
        const { place, found, query } = asked
        const expected = expectedSeqIn(query)
        const acting = actingIn(database, asked)
        await withStaleConflict(place, shownIn(parts, place).shownText, () => deleteDraft(acting, found, expected))
        return { status: 204 }
      },
    }),
  ]
}

/** Routes that create, rename or restore drafts. */
function nameRoutes(parts: DraftParts): readonly Route[] {
  const { database } = parts
  const within = inProject(database)
  const find = atDraft
  return [
    memberRoute({
      method: 'POST',
      path: `${ONE}/duplicate`,
      right: 'ruleset.edit',
      summary: 'Duplicate a ruleset',
      group,
      within,
      find,
      body: DuplicateRequest,
      answers: { 201: Draft },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { place, found, body } = asked
        requireName(body.name, '/name')
        const { shown, pathOf } = shownIn(parts, place)
        const acting = actingIn(database, asked)
        const made = await shown(await duplicateDraft(acting, found, body.name))
        return { ...json(201, made), headers: { location: pathOf(body.name) } }
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/rename`,
      right: 'ruleset.edit',
      summary: 'Rename a ruleset; live versions keep the old name',
      group,
      within,
      find,
      body: RenameRequest,
      answers: { 200: Draft },
      hasConflicts: true,
      async handle(asked) {
        const { place, found, body } = asked
        requireName(body.name, '/name')
        const { shown, shownText } = shownIn(parts, place)
        const acting = actingIn(database, asked)
        const renamed = await withStaleConflict(place, shownText, () =>
          renameDraft(acting, found, body.name, body.expected_seq),
        )
        return json(200, await shown(renamed))
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ONE}/restore`,
      right: 'ruleset.edit',
      summary: 'Restore the ruleset that was last deleted under this name',
      group,
      within,
      answers: { 200: Draft },
      hasConflicts: true,
      async handle(asked) {
        const { place, params } = asked
        const acting = actingIn(database, asked)
        return json(200, await shownIn(parts, place).shown(await restoreDraft(acting, params['name'] ?? '')))
      },
    }),
  ]
}
