import { json } from '../../http/json-response.ts'
import { reachesEnvironment } from '../../access/caller.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { Empty, memberRoute, type Route } from '../../http/route.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { Shadow, ShadowReport, ShadowRequest } from './model.ts'
import { reportOf, shadowBy, shadowOf, type ShadowRow, shadowsOn } from './repository.ts'
import { createShadow, deleteShadow } from './service.ts'

export interface ShadowParts {
  readonly database: Database
  readonly compute: Compute
  readonly basePath: string
}

const group = 'Shadows'
const SORTS = ['created_at', 'updated_at'] as const

/** Candidates that decide in parallel to the live version. */
export function shadowRoutes({ database, compute, basePath }: ShadowParts): readonly Route[] {
  const within = inProject(database)
  const all = '/api/v1/orgs/:oid/projects/:pid/shadows'
  const find = async (
    { member, project }: InProject,
    { id = '' }: Readonly<Record<string, string>>,
    caller: Parameters<typeof reachesEnvironment>[0],
  ): Promise<ShadowRow> => {
    const row = await shadowBy(member.scope, project.id, id)
    if (!reachesEnvironment(caller, row.environment)) throw failures.notFound('shadow', id)
    return row
  }
  return atBothPaths([
    memberRoute({
      method: 'GET',
      path: all,
      right: 'member',
      summary: 'List shadows, including ended ones',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Shadow, 'ShadowList') },
      async handle({ place: { member, project }, caller, query }) {
        const page = pageOf(query, SORTS)
        const rows = await shadowsOn(member.scope, project.id, page, caller.kind === 'key' ? caller.environments : null)
        const keyOf = (row: ShadowRow) => (page.sort === 'updated_at' ? row.updated_at : row.created_at)
        return json(200, listed(rows, page, keyOf, shadowOf))
      },
    }),
    memberRoute({
      method: 'POST',
      path: all,
      right: 'release.create',
      summary: 'Start a shadow: run a save on a share of the proxy traffic without affecting responses',
      group,
      within,
      body: ShadowRequest,
      answers: { 201: Shadow },
      answerHeaders: { 201: LOCATION },
      hasConflicts: true,
      async handle(asked) {
        const { place, body } = asked
        const shadow = await createShadow(actingIn(database, asked), compute, body)
        const { org_id, id } = place.project
        const path = `${basePath}/api/v1/orgs/${org_id}/projects/${id}/shadows/${shadow.id}`
        const { headers, ...answer } = created(shadow, path)
        const { location = '' } = headers ?? {}
        return { ...answer, headers: { location } }
      },
    }),
    memberRoute({
      method: 'GET',
      path: `${all}/:id`,
      right: 'member',
      summary: 'Get a shadow with its differing decisions',
      group,
      within,
      find,
      answers: { 200: ShadowReport },
      handle: async ({ place, found }) => json(200, await reportOf(place.member.scope, found)),
    }),
    memberRoute({
      method: 'DELETE',
      path: `${all}/:id`,
      right: 'release.create',
      summary: 'End a shadow and delete its results',
      group,
      within,
      find,
      answers: { 204: Empty },
      async handle(asked) {
        await deleteShadow(actingIn(database, asked), asked.found.id)
        return { status: 204 }
      },
    }),
  ])
}
