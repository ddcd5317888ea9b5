import { json } from '../../http/json-response.ts'
import { inOrganization } from '../../access/membership.ts'
import type { Database } from '../../database/database.ts'
import { actingIn } from '../../resources/acting.ts'
import { created, LOCATION } from '../../resources/created-response.ts'
import { ListOf, listed, listQuery, pageOf } from '../../resources/pagination.ts'
import { ETAG } from '../../resources/revision.ts'
import { changeRoute, deleteRoute, readRoute } from '../../resources/revision-routes.ts'
import { memberRoute, type Route, withAlias } from '../../http/route.ts'
import { nameOf } from '../identity/accounts.ts'
import { Project, ProjectChange, ProjectRequest } from './model.ts'
import { type InProject, inProject } from './project-scope.ts'
import { projectOf, projectsOn } from './repository.ts'
import { changeProject, createProject, deleteProject } from './service.ts'

export interface ProjectParts {
  readonly database: Database
  readonly basePath: string
}

const group = 'Projects'
const SORTS = ['name', 'created_at', 'updated_at'] as const
const ALL = '/api/v1/orgs/:oid/projects'
const ONE = `${ALL}/:pid`

/** The shorter alias of a project path, without the organization. */
const shortened = (path: string) => path.replace('/orgs/:oid/projects/', '/projects/')

/** Adds the shorter alias to each route below a project; only the longer path is described. */
export const atBothPaths = (routes: readonly Route[]): readonly Route[] =>
  routes.flatMap((route) => withAlias(route, shortened(route.path)))

/** Routes of projects. */
export function projectRoutes(parts: ProjectParts): readonly Route[] {
  return [...listRoutes(parts), ...atBothPaths(oneRoutes(parts))]
}

function listRoutes({ database, basePath }: ProjectParts): readonly Route[] {
  const within = inOrganization(database)
  return [
    memberRoute({
      method: 'GET',
      path: ALL,
      right: 'member',
      summary: 'List projects',
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
      summary: 'Create a project with the environments dev, staging and prod',
      group,
      within,
      body: ProjectRequest,
      answers: { 201: Project },
      answerHeaders: { 201: { ...LOCATION, ...ETAG } },
      hasConflicts: true,
      isIdempotent: true,
      async handle(asked) {
        const { body } = asked
        const request = { ...body, name: nameOf(body.name, '/name') }
        const project = await createProject(actingIn(database, asked), request)
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
    readRoute({ ...common, summary: 'A project', answer: Project }),
    changeRoute({
      ...common,
      right: 'project.manage',
      summary: 'Update the name, description or current environment of a project',
      body: ProjectChange,
      answer: Project,
      change(asked) {
        const { body, rev } = asked
        const change = body.name === undefined ? body : { ...body, name: nameOf(body.name, '/name') }
        return changeProject(actingIn(database, asked), change, rev)
      },
    }),
    deleteRoute({
      ...common,
      right: 'project.manage',
      summary: 'Delete a project without bound engines',
      remove: (asked) => deleteProject(actingIn(database, asked), asked.rev),
    }),
  ]
}
