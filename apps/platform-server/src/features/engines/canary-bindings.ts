import type { Change } from '../../database/database.ts'
import { isId } from '../../database/org-id.ts'
import { failures } from '../../errors.ts'
import type { Serving } from '../projects/repository.ts'
import { refreshServers } from './desired-state.ts'

/** The engines that an environment will have, replacing the previous ones. */
export interface Binding {
  readonly environment: string
  readonly servers: readonly string[]
  /** True if they serve only the candidates of canaries. */
  readonly canary_only: boolean
}

/**
 * Bind engines to an environment that serve only the candidates of its canaries. Throws 400 for other engines, 409
 * `name_taken`.
 */
export async function bindCanaries(
  change: Change,
  environment: string,
  { bound, canaries }: Serving,
  servers: readonly string[] | undefined,
): Promise<void> {
  if (servers === undefined) return
  await refuseStrangers(change, servers, '/servers')
  const both = servers.findIndex((id) => bound.includes(id))
  if (both >= 0) throw failures.invalid(`/servers/${both}`, 'serves the environment: candidates go to others alone')
  await replaceBinding(change, { environment, servers, canary_only: true })
  // The regular engines serve the candidates only while there are no canary engines.
  await refreshServers(change, [...bound, ...canaries, ...servers])
}

/** Throws 400 for an engine outside the organization, and for a duplicate. @param path of the list */
export async function refuseStrangers(
  { scope }: Pick<Change, 'scope'>,
  servers: readonly string[],
  path: string,
): Promise<void> {
  const ids = servers.filter(isId)
  const found =
    ids.length === 0
      ? []
      : await scope.read('servers').selectFrom('servers').select('id').where('id', 'in', ids).execute()
  const known = new Set(found.map(({ id }) => id))
  for (const [index, id] of servers.entries()) {
    if (!known.has(id)) throw failures.invalid(`${path}/${index}`, 'is not an engine of this organization')
    if (servers.indexOf(id) !== index) throw failures.invalid(`${path}/${index}`, 'is listed twice')
  }
}

/** Replace the engines of an environment, in their order: those for all traffic, or those for canaries. */
export async function replaceBinding(
  { scope }: Pick<Change, 'scope'>,
  { environment: environment_id, servers, canary_only }: Binding,
): Promise<void> {
  await scope
    .delete('environment_servers')
    .where('environment_id', '=', environment_id)
    .where('canary_only', '=', canary_only)
    .execute()
  if (servers.length === 0) return
  await scope
    .insert(
      'environment_servers',
      servers.map((server_id, position) => ({ environment_id, server_id, position, canary_only })),
    )
    .execute()
}
