import { stringifyJson, type Value } from '@engine/expression'
import { delay } from '@engine/process'
import type { Demo } from './demo.ts'

/** Milliseconds between two requests: five a second for three minutes, then one a second. */
const INTERVAL_MS = 200
const CALM_INTERVAL_MS = 1000
const BUSY_MS = 3 * 60_000
/** Milliseconds after which a request is given up. */
const REQUEST_TIMEOUT_MS = 5000

/**
 * Numbers from 0 to 1 that are the same at each start (mulberry32).
 *
 * @internal
 */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * A cart of the demonstration. Most are small, some customers are members, and few have used many coupons.
 *
 * @internal
 */
export function cartOf(random: () => number): Readonly<Record<string, Value>> {
  const amount = Math.round(100 * (10 + 390 * random() ** 2)) / 100
  const level = random() < 0.4 ? 0 : Math.ceil(4 * random())
  const used = random() < 0.05 ? 5 : Math.floor(3 * random())
  return {
    cart_amount: amount,
    user_vip_level: level,
    order_count: Math.floor(12 * random()),
    promotion_active: random() < 0.92,
    coupons_used_30d: Array.from({ length: used }, () => ({
      coupon_type: 'member',
      discount_rate: 0.05,
      original_amount: Math.round(10_000 * random()) / 100,
    })),
  }
}

/** Request decisions of the demonstration as its callers would, through the platform, until the signal. */
export async function generateTraffic(demo: Demo, signal: AbortSignal, seed = 1): Promise<void> {
  const random = seeded(seed)
  const begun = performance.now()
  const url = `${demo.platformUrl}/api/v1/engine/${demo.projectId}/execute/${demo.ruleset}`
  const headers = {
    authorization: `Bearer ${demo.apiKey}`,
    'content-type': 'application/json',
    'x-environment': demo.environment,
  }
  while (!signal.aborted) {
    const body = stringifyJson({ input: cartOf(random) })
    // A platform that is restarting, or an engine that is busy, misses a request as it would of a caller.
    await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined)
    await delay(performance.now() - begun < BUSY_MS ? INTERVAL_MS : CALM_INTERVAL_MS)
  }
}
