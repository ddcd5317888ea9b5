import type { TSchema } from 'typebox'
import { json } from '../../http/json-response.ts'
import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { failures } from '../../errors.ts'
import { authorOf } from '../../resources/author.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG, expectedRevision, IF_MATCH, revised } from '../../resources/revision.ts'
import { changeRoute, deleteRoute, shownRoute } from '../../resources/revision-routes.ts'
import { alsoAt, memberRoute, type Route } from '../../http/route.ts'
import { nameOf } from '../identity/accounts.ts'
import { changeEnvironment, createEnvironment, deleteEnvironment, type EnvironmentPatch } from './environments.ts'
import {
  Canary,
  CanaryChange,
  Environment,
  EnvironmentChange,
  EnvironmentRequest,
  Project,
  ProjectChange,
  ProjectRequest,
  Recording,
  RecordingChange,
} from './model.ts'
import { type InProject, inProject } from './project-scope.ts'
import {
  environmentBy,
  environmentIn,
  environmentOf,
  type EnvironmentRow,
  environmentsOn,
  NO_SERVERS,
  projectOf,
  projectsOn,
  servingAt,
  servingIn,
} from './repository.ts'
import { changeProject, createProject, deleteProject } from './service.ts'

export interface ProjectParts {
  readonly database: Database
  readonly basePath: string
}

const group = 'Projects'
const SORTS = ['name', 'created_at', 'updated_at'] as const
const ALL = '/api/v1/orgs/:oid/projects'
const ONE = `${ALL}/:pid`

/** The path of a project without its organization, which answers the same. */
const shortened = (path: string) => path.replace('/orgs/:oid/projects/', '/projects/')

/** Routes below a project, at both of its paths. */
export const atBothPaths = (routes: readonly Route[]): readonly Route[] =>
  routes.flatMap((route) => [route, alsoAt(route, shortened(route.path))])

/** Projects and their environments. */
export function projectRoutes(parts: ProjectParts): readonly Route[] {
  return [...listRoutes(parts), ...atBothPaths([...oneRoutes(parts), ...environmentRoutes(parts)])]
}

function listRoutes({ database, basePath }: ProjectParts): readonly Route[] {
  const within = inOrganization(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL,
      right: 'member',
      summary: 'The projects of an organization',
      group,
      within,
      query: listQuery(SORTS),
      answers: { 200: ListOf(Project, 'ProjectList') },
      async handle({ place: { member }, caller, query }) {
        const page = pageOf(query, SORTS)
        const rows = await projectsOn(member.scope, page, caller.kind === 'key' ? caller.projectIds : null)
        return json(
          200,
          listed(rows, page, (row) => row[page.sort], projectOf),
        )
      },
    }),
    memberRoute({
      method: 'POST',
      path: ALL,
      right: 'project.manage',
      summary: 'Make a project with the environments dev, staging and prod',
      group,
      within,
      body: ProjectRequest,
      answers: { 201: Project },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const { place, caller, body } = asked
        const request = { ...body, name: nameOf(body.name, '/name') }
        const project = await createProject(database, place.member, caller, authorOf(caller, asked), request)
        return created(project, `${basePath}/api/v1/orgs/${project.org_id}/projects/${project.id}`)
      },
    }),
  ]
}

function oneRoutes({ database }: ProjectParts): readonly Route[] {
  const within = inProject(database)
  const current = ({ place }: { readonly place: InProject }) => projectOf(place.project)
  const common = { path: ONE, group, within, current }
  return [
    shownRoute({ ...common, summary: 'A project', answer: Project }),
    changeRoute({
      ...common,
      right: 'project.manage',
      summary: 'Change name, description or current environment',
      body: ProjectChange,
      answer: Project,
      change({ place, author, body, rev }) {
        const change = body.name === undefined ? body : { ...body, name: nameOf(body.name, '/name') }
        return changeProject(database, place.member, author, place.project.id, change, rev)
      },
    }),
    deleteRoute({
      ...common,
      right: 'project.manage',
      summary: 'Delete a project that no engine serves',
      remove: ({ place, author, rev }) => deleteProject(database, place.member, author, place.project.id, rev),
    }),
  ]
}

function environmentRoutes({ database, basePath }: ProjectParts): readonly Route[] {
  const within = inProject(database)
  const all = `${ONE}/environments`
  const one = `${all}/:eid`
  const find = async (
    { member, project }: InProject,
    { eid = '' }: Readonly<Record<string, string>>,
    caller: Caller,
  ) => {
    const row = await environmentBy(member.scope, project.id, eid)
    if (!reachesEnvironment(caller, row.name)) throw failures.notFound('environment', eid)
    return row
  }
  const shown = async ({ member, project }: InProject, row: EnvironmentRow) =>
    environmentOf(row, project, await servingAt(member.scope, row.id))

  const changing = (
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
      within,
      find,
      body,
      answers: { 200: answer },
      answerHeaders: { 200: ETAG },
      hasConflicts: true,
      async handle(asked) {
        const { place, caller, raw, found } = asked
        const rev = expectedRevision(raw, found)
        const patch = patchOf(asked.body as never)
        const author = authorOf(caller, asked)
        if (patch.kind === 'canary') {
          await refuseUnreachedTarget(place, caller, patch.change.canary_target_env_id)
          if (patch.change.servers !== undefined && !place.member.permissions.has('server.manage'))
            throw failures.forbidden('binding engines takes `server.manage`', 'server.manage')
        }
        const environment = await changeEnvironment(database, place, author, found.id, patch, rev)
        return { ...json(200, partOf(environment)), headers: { etag: `"${environment.rev}"` } }
      },
    })

  return [
    memberRoute({
      method: 'GET',
      path: all,
      right: 'member',
      summary: 'The environments of a project',
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
      method: 'POST',
      path: all,
      right: 'environment.manage',
      summary: 'Make an environment',
      group,
      within,
      body: EnvironmentRequest,
      answers: { 201: Environment },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      async handle(asked) {
        const { place, caller, body } = asked
        if (!reachesEnvironment(caller, body.name))
          throw failures.forbidden(`the key is not for the environment \`${body.name}\``, 'environment.manage')
        const environment = await createEnvironment(database, place, caller, authorOf(caller, asked), body)
        const { org_id, id } = place.project
        return created(environment, `${basePath}/api/v1/orgs/${org_id}/projects/${id}/environments/${environment.id}`)
      },
    }),
    memberRoute({
      method: 'GET',
      path: one,
      right: 'member',
      summary: 'An environment, by id or name',
      group,
      within,
      find,
      answers: { 200: Environment },
      answerHeaders: { 200: ETAG },
      handle: async ({ raw, place, found }) => revised(raw, await shown(place, found)),
    }),
    changing(
      one,
      'Change name, order or protection',
      EnvironmentChange,
      Environment,
      (change) => ({ kind: 'settings', change }),
      (environment) => environment,
    ),
    changing(
      `${one}/canary`,
      'Change stages and standing split',
      CanaryChange,
      Canary,
      (change) => ({ kind: 'canary', change }),
      ({ canary }) => canary,
    ),
    changing(
      `${one}/recording`,
      'Change what is recorded of decisions',
      RecordingChange,
      Recording,
      (change) => ({ kind: 'recording', change }),
      ({ recording }) => recording,
    ),
    deleteRoute({
      path: one,
      right: 'environment.manage',
      summary: 'Delete an environment that is neither current nor served',
      group,
      within,
      find,
      current: ({ found }) => found,
      remove: ({ place, author, found, rev }) => deleteEnvironment(database, place, author, found.id, rev),
    }),
  ]
}

/** A key does not send requests to an environment that it does not reach itself; for it there is no such environment. */
async function refuseUnreachedTarget(
  { member, project }: InProject,
  caller: Caller,
  target: string | null | undefined,
): Promise<void> {
  const row =
    target === null || target === undefined ? undefined : await environmentIn(member.scope, project.id, target)
  if (row !== undefined && !reachesEnvironment(caller, row.name))
    throw failures.invalid('/canary_target_env_id', 'is no environment of this project')
}
