import { type Caller, reachesEnvironment } from '../../access/caller.ts'
import type { Author } from '../../database/audit.ts'
import { type Change, type Database } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import type { InProject } from '../projects/place.ts'
import { environmentIn, type EnvironmentRow, serversOf } from '../projects/repository.ts'
import { projectTopic } from '../projects/service.ts'
import { refreshServers } from './desired.ts'

/** Which engines serve an environment. */
export interface Bound {
  readonly environment: string
  readonly server_ids: readonly string[]
}

/** @param key id or name of the environment; undefined: the current one. Throws `not-found` */
export async function bindingOf(
  { member, project }: InProject,
  caller: Caller,
  key: string | undefined,
): Promise<Bound> {
  const row = await environmentIn(member.scope, project.id, key ?? project.current_environment)
  if (row === undefined || !reachesEnvironment(caller, row.name))
    throw failures.notFound('environment', key ?? project.current_environment)
  return { environment: row.name, server_ids: (await serversOf(member.scope, [row.id])).get(row.id) ?? [] }
}

/** Bind engines of the organization to an environment, in place of those before. Throws 400 for others, 409 `name_taken`. */
export async function bind(
  database: Database,
  { member, project }: InProject,
  caller: Caller,
  author: Author,
  key: string | undefined,
  servers: readonly string[],
): Promise<Bound> {
  return database.change(member.org, author, async (change) => {
    const { scope, audit, lock, wake } = change
    await lock()
    const row = await environmentIn(scope, project.id, key ?? project.current_environment)
    if (row === undefined || !reachesEnvironment(caller, row.name))
      throw failures.invalid('/environment', 'is no environment of this project')
    await refuseStrangers(change, servers)
    const before = (await serversOf(scope, [row.id])).get(row.id) ?? []
    await replaceBinding(change, row, servers)
    await refreshServers(change, [...before, ...servers])
    await audit({
      action: 'binding.bound',
      object: { id: row.id, name: row.name },
      before: { environment: row.name, server_ids: [...before] },
      after: { environment: row.name, server_ids: [...servers] },
      projectId: project.id,
    })
    await wake(projectTopic(project.id))
    return { environment: row.name, server_ids: servers }
  })
}

async function refuseStrangers({ scope }: Pick<Change, 'scope'>, servers: readonly string[]): Promise<void> {
  const ids = servers.filter(isId)
  const found =
    ids.length === 0
      ? []
      : await scope.read('servers').selectFrom('servers').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  for (const [index, id] of servers.entries()) {
    if (!known.has(id)) throw failures.invalid(`/server_ids/${index}`, 'is no engine of this organization')
    if (servers.indexOf(id) !== index) throw failures.invalid(`/server_ids/${index}`, 'is there twice')
  }
}

async function replaceBinding(
  { scope }: Pick<Change, 'scope'>,
  { id: environment_id }: EnvironmentRow,
  servers: readonly string[],
): Promise<void> {
  await scope.delete('environment_servers').where('environment_id', '=', environment_id).execute()
  if (servers.length === 0) return
  await scope
    .insert(
      'environment_servers',
      servers.map((server_id, position) => ({ environment_id, server_id, position })),
    )
    .execute()
}
