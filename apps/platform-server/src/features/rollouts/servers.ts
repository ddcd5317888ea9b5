import type { Selectable } from 'kysely'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { livenessOf } from '../engines/liveness.ts'
import type { EnvironmentRow } from '../projects/repository.ts'
import type { Wanted } from './target-environments.ts'
import { type Seen, serverState } from './server-state.ts'
import { type Rollout, tell } from './rollout-state.ts'

type ServerRow = Selectable<Tables['servers']> & { readonly canary_only: boolean }
type Followed = Selectable<Tables['release_servers']>

/** The engines of an environment, primary first, including those reserved for candidates. */
function boundTo(scope: Scope, environment: string): Promise<ServerRow[]> {
  return scope
    .read('servers', 'environment_servers')
    .selectFrom('environment_servers as b')
    .innerJoin('servers as s', 's.id', 'b.server_id')
    .selectAll('s')
    .select('b.canary_only')
    .where('b.environment_id', '=', environment)
    .orderBy('b.position')
    .execute()
}

/** Numbers of followed and skipped engines. */
interface Following {
  readonly followed: number
  readonly skipped: number
}

/**
 * Follows the engines that serve an environment: engines that are unhealthy now are skipped, and apply the live content
 * when they return.
 *
 * @param hasCandidates true if there are candidates for the engines reserved for them
 * @returns counts of engines with the live content, and of engines reserved for candidates
 */
export async function followServers(
  { change: { scope }, execution, now, heartbeatMs }: Rollout,
  environment: EnvironmentRow,
  hasCandidates: boolean,
): Promise<{ readonly bound: Following; readonly canaries: Following }> {
  const serving = (await boundTo(scope, environment.id)).filter(({ canary_only }) => hasCandidates || !canary_only)
  const rows = serving.map((server, position) => ({
    execution_id: execution.id,
    environment_id: environment.id,
    server_id: server.id,
    name: server.name,
    position,
    canary_only: server.canary_only,
    status: livenessOf(server, heartbeatMs, now.getTime()).healthy ? ('pending' as const) : ('skipped' as const),
    digest: null,
    error: null,
    waiting_since: null,
  }))
  if (rows.length > 0) await scope.insert('release_servers', rows).execute()
  const counted = (own: typeof rows): Following => {
    const skipped = own.filter(({ status }) => status === 'skipped').length
    return { followed: own.length - skipped, skipped }
  }
  return {
    bound: counted(rows.filter((row) => !row.canary_only)),
    canaries: counted(rows.filter((row) => row.canary_only)),
  }
}

/** Progress of the engines of an environment. */
export type Observed =
  | { readonly kind: 'waiting' }
  /** Every followed engine has all contents. */
  | { readonly kind: 'there' }
  | { readonly kind: 'failed'; readonly error: string }

/**
 * Checks the followed engines, and reports each change of state.
 *
 * @param what candidates concern the engines reserved for them, if an environment has any
 */
export async function observe(
  rollout: Rollout,
  environment: EnvironmentRow,
  wanted: readonly Wanted[],
  what: 'live' | 'candidates',
): Promise<Observed> {
  const { scope } = rollout.change
  const followed = await scope
    .read('release_servers')
    .selectFrom('release_servers')
    .selectAll()
    .where('execution_id', '=', rollout.execution.id)
    .where('environment_id', '=', environment.id)
    .where('status', '<>', 'skipped')
    .orderBy('position')
    .execute()
  const serving = await boundTo(scope, environment.id)
  const servers = new Map(serving.map((server) => [server.id, server]))
  // Based on the current bindings: candidates follow changes of bindings.
  const wantsCanaries = what === 'candidates' && serving.some(({ canary_only }) => canary_only)
  const concerned = followed.filter((row) => (servers.get(row.server_id) ?? row).canary_only === wantsCanaries)
  const seen = concerned.map((row) => ({ row, seen: serverState(row, servers.get(row.server_id), wanted, rollout) }))
  for (const { row, seen: now } of seen) await keep(rollout, environment, row, now, wanted)
  const failed = seen.find(({ seen: { status } }) => status === 'failed')
  if (failed !== undefined) {
    const live = seen.filter(({ seen: { status } }) => status === 'live').length
    // The candidates of a failed release are removed; the live content stays.
    const reach = what === 'live' ? `. ${reachOf(live, seen.length, environment.name)}` : ''
    return { kind: 'failed', error: `\`${failed.row.name}\` ${failed.seen.error}${reach}` }
  }
  return { kind: seen.every(({ seen: { status } }) => status === 'live') ? 'there' : 'waiting' }
}

/** The remaining effect of a failed release: its content stays the desired one of its environment. */
function reachOf(live: number, all: number, environment: string): string {
  return `Delivered to ${live} of ${all} engines of \`${environment}\`; the others take it when they return: roll back to undo`
}

async function keep(
  rollout: Rollout,
  environment: EnvironmentRow,
  row: Followed,
  { status, error, waiting_since }: Seen,
  wanted: readonly Wanted[],
): Promise<void> {
  const [first] = wanted
  const digest = first?.digest ?? null
  const isSame = status === row.status && error === row.error && digest === row.digest
  if (isSame && waiting_since?.getTime() === row.waiting_since?.getTime()) return
  await rollout.change.scope
    .update('release_servers')
    .set({ status, error, digest, waiting_since, updated_at: new Date() })
    .where('execution_id', '=', rollout.execution.id)
    .where('environment_id', '=', environment.id)
    .where('server_id', '=', row.server_id)
    .execute()
  if (status === row.status) return
  for (const one of wanted)
    await tell(rollout, 'server_state', {
      environment: environment.name,
      serverId: row.server_id,
      data: {
        server_id: row.server_id,
        ruleset: one.name,
        from: row.status,
        to: status,
        digest: one.digest,
        ...(error === null ? {} : { error }),
      },
    })
}
