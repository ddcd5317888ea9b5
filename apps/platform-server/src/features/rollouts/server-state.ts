import type { DeliveryProblem } from '@engine/api'
import type { Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { livenessOf, type ServerRow } from '../engines/liveness.ts'
import type { Wanted } from './target-environments.ts'
import type { Rollout } from './rollout-state.ts'

type Followed = Selectable<Tables['release_servers']>

/** How long an engine may be unhealthy or out of date before it counts as failed. */
const FAILURE_TIMEOUT_MS = 60_000

/** The observed state of an engine that an execution follows. */
export interface Seen {
  readonly status: Followed['status']
  readonly error: string | null
  /** Time since which content has been missing on it; null if nothing is missing, or if it has failed permanently. */
  readonly waiting_since: Date | null
}

/** The report of an engine. */
export type Reported = Pick<
  ServerRow,
  | 'tenants'
  | 'current_rulesets'
  | 'problems'
  | 'applied_revision'
  | 'desired_revision'
  | 'last_heartbeat'
  | 'held_until'
  | 'healthy'
>

/**
 * The state of an engine that should have rulesets.
 *
 * @param row the engine as found by the last check
 * @param server undefined if it is no longer bound to the environment: nothing is missing then
 */
export function serverState(
  row: Pick<Followed, 'environment_id' | 'status' | 'waiting_since'>,
  server: Reported | undefined,
  wanted: readonly Pick<Wanted, 'name' | 'digest'>[],
  { now, heartbeatMs }: Pick<Rollout, 'now' | 'heartbeatMs'>,
): Seen {
  if (server === undefined) return { status: 'live', error: null, waiting_since: null }
  const refused = refusalBy(server, row.environment_id, wanted)
  if (refused !== undefined) return { status: 'failed', error: `refuses it: ${refused}`, waiting_since: null }
  const { healthy } = livenessOf(server, heartbeatMs, now.getTime())
  const isThere = wanted.every((one) => has(server, row.environment_id, one))
  if (healthy && isThere) return { status: 'live', error: null, waiting_since: null }
  const since = row.waiting_since ?? now
  if (now.getTime() - since.getTime() >= FAILURE_TIMEOUT_MS) {
    const error = healthy ? 'has not taken it within 60 s' : 'has been unhealthy for 60 s'
    return { status: 'failed', error, waiting_since: since }
  }
  if (isThere) return { status: row.status, error: null, waiting_since: since }
  const status = server.applied_revision >= server.desired_revision ? 'verifying' : 'delivering'
  return { status, error: null, waiting_since: since }
}

/** Engines with tenants serve an environment as the tenant with its id. */
const tenantOf = ({ tenants }: Reported, environment: string) => (tenants ? environment : null)

function has(server: Reported, environment: string, { name, digest }: Pick<Wanted, 'name' | 'digest'>): boolean {
  const tenant = tenantOf(server, environment)
  // Validated as `HeldRuleset` when the engine reported them.
  const held = server.current_rulesets.find((one) => (one.tenant ?? null) === tenant && one.name === name)
  return digest === null ? held === undefined : held?.digest === digest
}

/** Why an engine refuses one of these; undefined if it has reported none. */
function refusalBy(
  server: Reported,
  environment: string,
  wanted: readonly Pick<Wanted, 'name' | 'digest'>[],
): string | undefined {
  const tenant = tenantOf(server, environment)
  // The format of problems depends on the engine's version.
  const refused = (server.problems as readonly unknown[])
    .filter(isProblem)
    .find(
      (problem) =>
        problem.retried === false &&
        (problem.tenant ?? null) === tenant &&
        wanted.some(({ name, digest }) => problem.name === name && problem.digest === digest),
    )
  return refused === undefined ? undefined : (refused.message ?? 'no reason is given')
}

const isProblem = (value: unknown): value is Partial<DeliveryProblem> => typeof value === 'object' && value !== null
