import type { Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Server } from './model.ts'

export type ServerRow = Selectable<Tables['servers']>

/** Number of missed heartbeats after which an engine counts as unhealthy. */
const MAX_MISSED_HEARTBEATS = 3
/** Time without contact after which an engine counts as offline. */
export const OFFLINE_MS = 600_000

/** Contact state of an engine. Computed on demand, so that no job has to detect silence. */
export interface Liveness {
  readonly healthy: boolean
  readonly isInTouch: boolean
  readonly status: Server['status']
  readonly last: Date | null
}

/** @param intervalMs interval of heartbeats; @param now milliseconds since 1970 */
export function livenessOf(
  { last_heartbeat, held_until, healthy }: Pick<ServerRow, 'last_heartbeat' | 'held_until' | 'healthy'>,
  intervalMs: number,
  now: number,
): Liveness {
  if (last_heartbeat === null) return { healthy: false, isInTouch: false, status: 'offline', last: null }
  const held = held_until === null ? 0 : Math.min(held_until.getTime(), now)
  const last = Math.max(last_heartbeat.getTime(), held)
  const silence = now - last
  const isInTouch = silence <= MAX_MISSED_HEARTBEATS * intervalMs
  const isHealthy = healthy && isInTouch
  const status = isHealthy ? 'online' : silence <= OFFLINE_MS ? 'degraded' : 'offline'
  return { healthy: isHealthy, isInTouch, status, last: new Date(last) }
}
