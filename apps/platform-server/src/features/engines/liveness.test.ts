import { describe, expect, test } from 'vitest'
import { livenessOf, OFFLINE_MS } from './liveness.ts'

const NOW = Date.UTC(2026, 10, 30)
const INTERVAL_MS = 1000
const ago = (milliseconds: number) => new Date(NOW - milliseconds)

const of = (last: Date | null, more: { readonly held?: Date; readonly healthy?: boolean } = {}) => {
  const { held = null, healthy = true } = more
  return livenessOf({ last_heartbeat: last, held_until: held, healthy }, INTERVAL_MS, NOW)
}

describe('an engine', () => {
  test.each<readonly [string, ReturnType<typeof of>, string, boolean, boolean]>([
    ['that just reported is online', of(ago(0)), 'online', true, true],
    ['that has missed three heartbeats is online', of(ago(3000)), 'online', true, true],
    ['that has missed more is degraded', of(ago(3001)), 'degraded', false, false],
    ['that reports to be unhealthy is degraded', of(ago(0), { healthy: false }), 'degraded', false, true],
    ['of ten minutes of silence is degraded', of(ago(OFFLINE_MS)), 'degraded', false, false],
    ['of longer silence is offline', of(ago(OFFLINE_MS + 1)), 'offline', false, false],
    ['that never reported is offline', of(null), 'offline', false, false],
    ['that never reported is offline, also while it is held', of(null, { held: ago(-1000) }), 'offline', false, false],
    ['whose heartbeat is held is online', of(ago(60_000), { held: ago(-1000) }), 'online', true, true],
    ['whose held heartbeat has just ended is online', of(ago(60_000), { held: ago(3000) }), 'online', true, true],
    ['whose held heartbeat ended earlier is degraded', of(ago(60_000), { held: ago(3001) }), 'degraded', false, false],
    ['that was held before its heartbeat is online', of(ago(0), { held: ago(60_000) }), 'online', true, true],
  ])('%s', (_, { status, healthy, isInTouch }, expected, isHealthy, inTouch) => {
    expect([status, healthy, isInTouch]).toEqual([expected, isHealthy, inTouch])
  })

  test.each<readonly [string, ReturnType<typeof of>, Date | null]>([
    ['its heartbeat', of(ago(5)), ago(5)],
    ['the present time while a heartbeat is held', of(ago(5000), { held: ago(-9000) }), ago(0)],
    ['the end of the last held heartbeat', of(ago(5000), { held: ago(2000) }), ago(2000)],
    ['never', of(null), null],
  ])('was last seen: %s', (_, { last }, seen) => {
    expect(last).toEqual(seen)
  })
})
