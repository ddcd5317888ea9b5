import { quote } from '@engine/expression'
import { invalidParameter } from '@engine/http-api'
import { ResponseSignal } from '@engine/http-server'
import type { ServerResponse } from 'node:http'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { listed, ListOf, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, revised } from '../../resources/revision.ts'
import { inOrganization } from '../../access/membership.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { commentRoutes } from './comment-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { Diffs, Preview, Release, ReleaseImpact, ReleaseRequest, RELEASE_STATUSES } from './model.ts'
import { ALL, atRelease, group, ONE, reachOf } from './release-scope.ts'
import { pendingFor } from './pending-releases.ts'
import type { ReleaseParts } from './preparation.ts'
import { analysisOf, releasesOn, targetsOf } from './repository.ts'
import { reviewRoutes } from './review-routes.ts'
import { createRelease, previewRelease } from './service.ts'
import { shownRelease, shownReleases } from './view.ts'

const SORTS = ['created_at', 'updated_at'] as const
const OF_ORGANIZATION = '/api/v1/orgs/:oid/releases'

/** Releases: their contents, environments and approvals. */
export function releaseRoutes(parts: ReleaseParts): readonly Route[] {
  return [
    ...organizationRoutes(parts),
    ...atBothPaths([
      listRoute(parts),
      ...creatingRoutes(parts),
      ...oneRoutes(parts),
      ...reviewRoutes(parts),
      ...historyRoutes(parts),
      ...commentRoutes(parts),
    ]),
  ]
}

const STATUS = Type.Enum([...RELEASE_STATUSES], { description: 'only releases in this state' })

function organizationRoutes({ database }: ReleaseParts): readonly Route[] {
  const within = inOrganization(database)
  return [
    memberRoute({
      method: 'GET',
      path: OF_ORGANIZATION,
      right: 'member',
      summary: 'List releases of all projects of an organization, newest first',
      group,
      within,
      query: { ...listQuery(SORTS), status: STATUS },
      answers: { 200: ListOf(Release, 'ReleaseList') },
      async handle({ place: { member }, caller, query }) {
        const page = pageOf(query, SORTS)
        const rows = await releasesOn(member.scope, page, { ...reachOf(caller), status: statusIn(query) })
        const shown = await shownReleases(member.scope, rows, { caller, member })
        return json(
          200,
          listed(
            shown,
            page,
            (one) => one[keyOf(page.sort)],
            (one) => one,
          ),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${OF_ORGANIZATION}/pending-for-me`,
      right: 'member',
      summary: "List releases waiting for the caller's review; none for API keys",
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Release, 'ReleaseList') },
      async handle({ place: { member }, caller, query }) {
        const page = pageOf(query, SORTS)
        const key = keyOf(page.sort)
        const rows = caller.kind === 'user' ? await pendingFor(member.scope, page, { caller, member }) : []
        return json(
          200,
          listed(
            rows,
            page,
            (one) => one[key],
            (one) => one,
          ),
        )
      },
    }),
  ]
}

const keyOf = (sort: string) => (sort === 'updated_at' ? 'updated_at' : 'created_at')

function statusIn(query: URLSearchParams): Release['status'] | undefined {
  const given = query.get('status')
  if (given === null) return undefined
  const status = RELEASE_STATUSES.find((one) => one === given)
  if (status === undefined)
    throw invalidParameter('status', `must be one of ${RELEASE_STATUSES.join(', ')}, found ${quote(given)}`)
  return status
}

const ENVIRONMENT = Type.String({ description: 'name or id: only releases that go there' })

const DIGEST = Type.String({
  maxLength: 64,
  description: 'of a content: only releases that deliver it, such as the rules that a receipt names',
})

function listRoute({ database }: ReleaseParts): Route {
  return memberRoute({
    method: 'GET',
    path: ALL,
    right: 'member',
    summary: 'List releases of a project, newest first',
    group,
    within: inProject(database),
    query: { ...listQuery(SORTS), status: STATUS, environment: ENVIRONMENT, digest: DIGEST },
    answers: { 200: ListOf(Release, 'ReleaseList') },
    async handle({ place: { member, project }, caller, query }) {
      const page = pageOf(query, SORTS)
      const rows = await releasesOn(member.scope, page, {
        ...reachOf(caller),
        project: project.id,
        status: statusIn(query),
        environment: query.get('environment') ?? undefined,
        digest: query.get('digest') ?? undefined,
      })
      const shown = await shownReleases(member.scope, rows, { caller, member })
      return json(
        200,
        listed(
          shown,
          page,
          (one) => one[keyOf(page.sort)],
          (one) => one,
        ),
      )
    },
  })
}

function creatingRoutes(parts: ReleaseParts): readonly Route[] {
  const { database, basePath } = parts
  const within = inProject(database)
  return [
    memberRoute({
      method: 'POST',
      path: ALL,
      right: 'release.create',
      summary: 'Create a release: snapshot the contents, run their test suites, determine the required approvals',
      group,
      within,
      body: ReleaseRequest,
      answers: { 201: Release },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const release = await createRelease(parts, actingIn(database, asked), asked.body, signalOf(asked))
        const { org_id, id } = asked.place.project
        return created(release, `${basePath}/api/v1/orgs/${org_id}/projects/${id}/releases/${release.id}`)
      },
    }),
    memberRoute({
      method: 'POST',
      path: `${ALL}/preview`,
      right: 'release.create',
      summary: 'Preview a release: changes, required approvals and blockers',
      group,
      within,
      body: ReleaseRequest,
      answers: { 200: Preview },
      async handle(asked) {
        const { place, caller, body } = asked
        return json(200, await previewRelease(parts, place, caller, body, signalOf(asked)))
      },
    }),
  ]
}

/** Ends the analyses of a release when its caller disconnects. */
const signalOf = ({ response }: { readonly response: ServerResponse }) => new ResponseSignal(response)

function oneRoutes({ database }: ReleaseParts): readonly Route[] {
  const within = inProject(database)
  const find = atRelease
  return [
    memberRoute({
      method: 'GET',
      path: ONE,
      right: 'member',
      summary: "Get a release with its reviews and the caller's allowed operations",
      group,
      within,
      find,
      answers: { 200: Release },
      answerHeaders: { 200: ETAG },
      // Approvals depend on roles and change without a change of the release. Its entity tag covers only changes of the
      // release.
      async handle({ place: { member }, caller, found }) {
        return revised({ headers: {} }, await shownRelease(member.scope, found, { caller, member }))
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/diff`,
      right: 'member',
      summary: 'Compare a release with the live content of each environment at its creation',
      group,
      within,
      find,
      answers: { 200: Diffs },
      async handle({ place: { member }, found }) {
        const targets = await targetsOf(member.scope, found.id)
        return json(200, { content_digest: found.content_digest, diffs: targets.map(({ diff }) => diff) })
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${ONE}/impact`,
      right: 'member',
      summary: 'Get the mistakes and changes of a release for all inputs, as analysed at its creation',
      group,
      within,
      find,
      answers: { 200: ReleaseImpact },
      async handle({ place: { member }, found }) {
        const { content_digest } = found
        return json(200, { content_digest, ...(await analysisOf(member.scope, found.id)) })
      },
    }),
  ]
}
