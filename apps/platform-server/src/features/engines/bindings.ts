import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import { failures } from '../../errors.ts'
import type { Acting } from '../../resources/acting.ts'
import type { InProject } from '../projects/project-scope.ts'
import { environmentIn, servingAt } from '../projects/repository.ts'
import { projectTopic } from '../projects/service.ts'
import { refuseStrangers, replaceBinding } from './canary-bindings.ts'
import { refreshServers } from './desired-state.ts'

/** The engines bound to an environment. */
export interface Bound {
  readonly environment: string
  readonly server_ids: readonly string[]
}

/** @param key ID or name of the environment; undefined: the current one. Throws `not-found` */
export async function bindingOf(
  { member, project }: InProject,
  caller: Caller,
  key: string | undefined,
): Promise<Bound> {
  const row = await environmentIn(member.scope, project.id, key ?? project.current_environment)
  if (row === undefined || !reachesEnvironment(caller, row.name))
    throw failures.notFound('environment', key ?? project.current_environment)
  return { environment: row.name, server_ids: [...(await servingAt(member.scope, row.id)).bound] }
}

/**
 * Bind engines of the organization to an environment, replacing the previous ones. Throws 400 for other engines, 409
 * `name_taken`.
 */
export async function bind(
  acting: Acting<InProject>,
  key: string | undefined,
  servers: readonly string[],
): Promise<Bound> {
  const { caller, place } = acting
  const { project } = place
  return acting.change(async (change) => {
    const { scope, audit, wake } = change
    const row = await environmentIn(scope, project.id, key ?? project.current_environment)
    if (row === undefined || !reachesEnvironment(caller, row.name))
      throw failures.invalid('/environment', 'is not an environment of this project')
    await refuseStrangers(change, servers, '/server_ids')
    const { bound: before, canaries } = await servingAt(scope, row.id)
    const other = servers.findIndex((id) => canaries.includes(id))
    if (other >= 0)
      throw failures.invalid(`/server_ids/${other}`, 'is for the canaries of the environment alone (`canary.servers`)')
    await replaceBinding(change, { environment: row.id, servers, canary_only: false })
    await refreshServers(change, [...before, ...servers])
    await audit({
      action: 'binding.bound',
      object: { id: row.id, name: row.name },
      before: { environment: row.name, server_ids: [...before] },
      after: { environment: row.name, server_ids: [...servers] },
    })
    await wake(projectTopic(project.id))
    return { environment: row.name, server_ids: servers }
  })
}
