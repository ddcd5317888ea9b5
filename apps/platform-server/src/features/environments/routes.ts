import type { TSchema } from 'typebox'
import { json } from '../../http/json-response.ts'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, expectedRevision, IF_MATCH, revised } from '../../resources/revision.ts'
import { deleteRoute } from '../../resources/revision-routes.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import {
  Canary,
  CanaryChange,
  Environment,
  EnvironmentChange,
  EnvironmentRequest,
  Recording,
  RecordingChange,
} from '../projects/model.ts'
import { type InProject, inProject } from '../projects/project-scope.ts'
import {
  environmentBy,
  environmentIn,
  environmentOf,
  type EnvironmentRow,
  environmentsOn,
  NO_SERVERS,
  servingAt,
  servingIn,
} from '../projects/repository.ts'
import { atBothPaths } from '../projects/routes.ts'
import { changeEnvironment, createEnvironment, deleteEnvironment, type EnvironmentPatch } from './service.ts'

export interface EnvironmentParts {
  readonly database: Database
  readonly basePath: string
}

const group = 'Projects'
const SORTS = ['name', 'created_at', 'updated_at'] as const
const ALL = '/api/v1/orgs/:oid/projects/:pid/environments'
const ONE = `${ALL}/:eid`

/** Routes of a project's environments. */
export function environmentRoutes(parts: EnvironmentParts): readonly Route[] {
  return atBothPaths([...readingRoutes(parts), ...changingRoutes(parts), removalRoute(parts)])
}

/** The environment in the request path. Throws `not-found`, also if the API key does not cover it. */
async function find(
  { member, project }: InProject,
  { eid = '' }: Readonly<Record<string, string>>,
  caller: Caller,
): Promise<EnvironmentRow> {
  const row = await environmentBy(member.scope, project.id, eid)
  if (!reachesEnvironment(caller, row.name)) throw failures.notFound('environment', eid)
  return row
}

const shown = async ({ member, project }: InProject, row: EnvironmentRow) =>
  environmentOf(row, project, await servingAt(member.scope, row.id))

function readingRoutes({ database }: EnvironmentParts): readonly Route[] {
  const within = inProject(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL,
      right: 'member',
      summary: 'List environments',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Environment, 'EnvironmentList') },
      async handle({ place: { member, project }, caller, query }) {
        const only = caller.kind === 'key' ? caller.environments : null
        const { rows, page } = await environmentsOn(member.scope, project.id, pageOf(query, SORTS), only)
        const serving = await servingIn(
          member.scope,
          rows.map(({ id }) => id),
        )
        return json(
          200,
          listed(
            rows,
            page,
            (row) => row[page.sort],
            (row) => environmentOf(row, project, serving.get(row.id) ?? NO_SERVERS),
          ),
        )
      },
    }),
    memberRoute({
      method: 'GET',
      path: ONE,
      right: 'member',
      summary: 'Get an environment by id or name',
      group,
      within,
      find,
      answers: { 200: Environment },
      answerHeaders: { 200: ETAG },
      handle: async ({ raw, place, found }) => revised(raw, await shown(place, found)),
    }),
  ]
}

function changingRoutes(parts: EnvironmentParts): readonly Route[] {
  const changing = changingRoute(parts)
  return [
    createRoute(parts),
    changing(
      ONE,
      'Update the name, order or protection of an environment',
      EnvironmentChange,
      Environment,
      (change) => ({ kind: 'settings', change }),
      (environment) => environment,
    ),
    changing(
      `${ONE}/canary`,
      'Update the canary stages and the standing split of an environment',
      CanaryChange,
      Canary,
      (change) => ({ kind: 'canary', change }),
      ({ canary }) => canary,
    ),
    changing(
      `${ONE}/recording`,
      'Update the recording of decisions in an environment',
      RecordingChange,
      Recording,
      (change) => ({ kind: 'recording', change }),
      ({ recording }) => recording,
    ),
  ]
}

function createRoute({ database, basePath }: EnvironmentParts): Route {
  return memberRoute({
    method: 'POST',
    path: ALL,
    right: 'environment.manage',
    summary: 'Create an environment',
    group,
    within: inProject(database),
    body: EnvironmentRequest,
    answers: { 201: Environment },
    answerHeaders: { 201: { ...LOCATION, ...ETAG } },
    hasConflicts: true,
    async handle(asked) {
      const { place, caller, body } = asked
      if (!reachesEnvironment(caller, body.name))
        throw failures.forbidden(`the key is not for the environment \`${body.name}\``, 'environment.manage')
      const environment = await createEnvironment(actingIn(database, asked), body)
      const { org_id, id } = place.project
      return created(environment, `${basePath}/api/v1/orgs/${org_id}/projects/${id}/environments/${environment.id}`)
    },
  })
}

/** Routes that update one part of an environment. */
function changingRoute({ database }: EnvironmentParts) {
  return (
    path: string,
    summary: string,
    body: TSchema,
    answer: TSchema,
    patchOf: (change: never) => EnvironmentPatch,
    partOf: (environment: Environment) => Environment | Environment['canary'] | Environment['recording'],
  ) =>
    memberRoute({
      method: 'PUT',
      path,
      right: 'environment.manage',
      summary,
      group,
      headers: IF_MATCH,
      within: inProject(database),
      find,
      body,
      answers: { 200: answer },
      answerHeaders: { 200: ETAG },
      hasConflicts: true,
      async handle(asked) {
        const { place, caller, raw, found } = asked
        const rev = expectedRevision(raw, found)
        const patch = patchOf(asked.body as never)
        if (patch.kind === 'canary') {
          await refuseUnreachedTarget(place, caller, patch.change.canary_target_env_id)
          if (patch.change.servers !== undefined && !place.member.permissions.has('server.manage'))
            throw failures.forbidden('binding engines takes `server.manage`', 'server.manage')
        }
        const environment = await changeEnvironment(actingIn(database, asked), found.id, patch, rev)
        return { ...json(200, partOf(environment)), headers: { etag: `"${environment.rev}"` } }
      },
    })
}

function removalRoute({ database }: EnvironmentParts): Route {
  return deleteRoute({
    path: ONE,
    right: 'environment.manage',
    summary: 'Delete an environment that is neither current nor bound',
    group,
    within: inProject(database),
    find,
    current: ({ found }) => found,
    remove: (asked) => deleteEnvironment(actingIn(database, asked), asked.found.id, asked.rev),
  })
}

/** An API key cannot route requests to an environment that it does not cover; for the key, that environment does not exist. */
async function refuseUnreachedTarget(
  { member, project }: InProject,
  caller: Caller,
  target: string | null | undefined,
): Promise<void> {
  const row =
    target === null || target === undefined ? undefined : await environmentIn(member.scope, project.id, target)
  if (row !== undefined && !reachesEnvironment(caller, row.name))
    throw failures.invalid('/canary_target_env_id', 'is not an environment of this project')
}
