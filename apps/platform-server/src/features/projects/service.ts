import { stringifyJson } from '@engine/expression'
import { randomUUIDv7 } from 'node:crypto'
import type { InOrganization } from '../../access/membership.ts'
import type { Change } from '../../database/database.ts'
import type { Scope } from '../../database/scope.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import { staleRevision } from '../../resources/revision.ts'
import { NO_CANARY, NO_RECORDING, type Project, type ProjectChange, type ProjectRequest } from './model.ts'
import type { InProject } from './project-scope.ts'
import { environmentIn, projectIn, projectOf, type ProjectRow } from './repository.ts'

/** The environments of a new project, in the order of releases; the last one is current. */
const FIRST = ['dev', 'staging', 'prod'] as const
const CURRENT = 'prod'

/** Create a project with its first environments. */
export async function createProject(
  acting: Acting<InOrganization>,
  { name, description = '', contract_mode = 'enforce' }: ProjectRequest,
): Promise<Project> {
  const created_by = acting.by
  const row = { id: randomUUIDv7(), name, description, current_environment: CURRENT, contract_mode, created_by }
  return acting.change(async ({ scope, audit }) => {
    const project = projectOf(await scope.insert('projects', row).returningAll().executeTakeFirstOrThrow())
    await scope
      .insert(
        'environments',
        FIRST.map((environment, position) => newEnvironment(project.id, environment, position, created_by)),
      )
      .execute()
    await audit({ action: 'project.created', object: project, after: project, projectId: project.id })
    return project
  }, name)
}

/** A row of an environment with default settings. Every environment but `dev` requires releases. */
export function newEnvironment(project_id: string, name: string, position: number, created_by: string) {
  return {
    id: randomUUIDv7(),
    project_id,
    name,
    position,
    requires_release: name !== 'dev',
    canary: stringifyJson(NO_CANARY),
    recording: stringifyJson(NO_RECORDING),
    created_by,
  }
}

/** @param rev the revision that it must have; undefined: any */
export async function changeProject(
  acting: Acting<InProject>,
  change: ProjectChange,
  rev: number | undefined,
): Promise<Project> {
  const { id } = acting.place.project
  return acting.change(async ({ scope, audit, wake }) => {
    const before = await projectBy(scope, id)
    if (rev !== undefined && before.rev !== rev) throw staleRevision(projectOf(before))
    await refuseUnknownEnvironment(scope, id, change.current_environment)
    const row = await scope
      .update('projects')
      .set({ ...change, updated_at: new Date(), rev: before.rev + 1 })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const project = projectOf(row)
    await audit({ action: 'project.updated', object: project, before: projectOf(before), after: project })
    await wake(projectTopic(id))
    return project
  }, change.name)
}

/** Delete a project that no engine serves. */
export async function deleteProject(acting: Acting<InProject>, rev: number | undefined): Promise<void> {
  const { id } = acting.place.project
  await acting.change(async (change) => {
    const { scope, audit, wake } = change
    const before = await projectBy(scope, id)
    if (rev !== undefined && before.rev !== rev) throw staleRevision(projectOf(before))
    await refuseBound(change, id)
    await scope.delete('projects').where('id', '=', id).execute()
    await audit({ action: 'project.deleted', object: before, before: projectOf(before) })
    await wake(projectTopic(id))
  })
}

/** Notified when the routing of a project's requests has changed. */
export const projectTopic = (id: string) => `project:${id}`

/** Throws `not-found`. */
async function projectBy(scope: Scope, id: string): Promise<ProjectRow> {
  const row = await projectIn(scope, id)
  if (row === undefined) throw failures.notFound('project', id)
  return row
}

async function refuseUnknownEnvironment(scope: Scope, project: string, name: string | undefined): Promise<void> {
  if (name !== undefined && (await environmentIn(scope, project, name)) === undefined)
    throw failures.invalid('/current_environment', 'is not an environment of this project')
}

async function refuseBound({ scope }: Pick<Change, 'scope'>, project: string): Promise<void> {
  const bound = await scope
    .read('environments', 'environment_servers')
    .selectFrom('environments as e')
    .innerJoin('environment_servers as s', 's.environment_id', 'e.id')
    .select('e.name')
    .where('e.project_id', '=', project)
    .executeTakeFirst()
  if (bound !== undefined)
    throw failures.conflict('in_use', `engines serve its environment \`${bound.name}\`: unbind them first`)
}
