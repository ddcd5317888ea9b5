import { stringifyJson, type Value } from '@engine/expression'
import { delay } from '@engine/process'
import { COUPONS, type Demo, LIVE_ENVIRONMENT, PAYMENTS, SHIPPING } from './demo.ts'

/** Milliseconds between two requests: five a second for three minutes, then one a second. */
const INTERVAL_MS = 200
const CALM_INTERVAL_MS = 1000
const BUSY_MS = 3 * 60_000
/** Milliseconds after which a request is given up. */
const REQUEST_TIMEOUT_MS = 5000
/** The share of requests from people who work on the rules. */
const DEV_SHARE = 0.1

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

type Input = Readonly<Record<string, Value>>

/** A request of the shop. */
export interface ShopRequest {
  readonly ruleset: string
  readonly input: Input
}

/**
 * A request of the demonstration's shop: most are for coupons, which a customer sees with each change of the cart.
 *
 * @internal
 */
export function requestOf(random: () => number): ShopRequest {
  const kind = random()
  if (kind < 0.5) return { ruleset: COUPONS, input: cartOf(random) }
  return kind < 0.85 ? { ruleset: SHIPPING, input: parcelOf(random) } : { ruleset: PAYMENTS, input: paymentOf(random) }
}

/** Most carts are small, some customers are members, and few have used many coupons. */
function cartOf(random: () => number): Input {
  const level = random() < 0.4 ? 0 : Math.ceil(4 * random())
  const used = random() < 0.05 ? 5 : Math.floor(3 * random())
  return {
    cart_amount: moneyOf(10, 400, random),
    user_vip_level: level,
    order_count: Math.floor(12 * random()),
    promotion_active: random() < 0.92,
    coupons_used_30d: Array.from({ length: used }, () => ({
      coupon_type: 'member',
      discount_rate: 0.05,
      original_amount: moneyOf(0, 100, random),
    })),
  }
}

/** Half of the parcels stay at home, some go to Austria, and few to a country without delivery. */
function parcelOf(random: () => number): Input {
  const countries = ['DE', 'DE', 'DE', 'DE', 'DE', 'AT', 'AT', 'AT', 'FR', 'IT', 'CH', 'US', 'BR'] as const
  const sizeOf = (limit: number) => Math.round(5 + limit * random())
  return {
    destination: { country: oneOf(countries, random), remote: random() < 0.05 },
    parcel: {
      weight_kg: Math.round(10 * (0.2 + 12 * random() ** 2)) / 10,
      length_cm: sizeOf(60),
      width_cm: sizeOf(40),
      height_cm: sizeOf(30),
      dangerous: random() < 0.03,
    },
    order: { value: moneyOf(10, 300, random), express: random() < 0.15 },
  }
}

/** Most payments come from a known device and an old account; one of twenty is an attempt with cards of others. */
function paymentOf(random: () => number): Input {
  const isAttempt = random() < 0.05
  const country = random() < 0.9 ? 'DE' : 'AT'
  const few = () => Math.floor(2 * random())
  return {
    payment: { amount: moneyOf(10, isAttempt ? 2500 : 400, random), country },
    card: {
      country: random() < 0.95 ? country : 'US',
      blocked: random() < 0.01,
      age_days: isAttempt ? 0 : Math.ceil(900 * random()),
    },
    account: {
      age_days: isAttempt ? Math.floor(5 * random()) : Math.ceil(1500 * random()),
      chargebacks: random() < 0.01 ? 3 : 0,
      payments_24h: isAttempt ? 12 : few(),
      failed_24h: isAttempt ? 4 : few(),
    },
    device: { known: !isAttempt && random() < 0.85, proxy: random() < 0.05 },
  }
}

/** An amount with two decimals; small ones are more frequent. */
const moneyOf = (least: number, most: number, random: () => number) =>
  Math.round(100 * (least + (most - least) * random() ** 2)) / 100

const oneOf = <Item>(items: readonly [Item, ...Item[]], random: () => number): Item =>
  items[Math.floor(items.length * random())] ?? items[0]

/** Request decisions of the demonstration as its callers would, through the platform, until the signal. */
export async function generateTraffic(demo: Demo, signal: AbortSignal, seed = 1): Promise<void> {
  const random = seeded(seed)
  const begun = performance.now()
  while (!signal.aborted) {
    const { ruleset, input } = requestOf(random)
    // A platform that is restarting, or an engine that is busy, misses a request as it would of a caller.
    await fetch(`${demo.platformUrl}/api/v1/engine/${demo.projectId}/execute/${ruleset}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demo.apiKey}`,
        'content-type': 'application/json',
        'x-environment': random() < DEV_SHARE ? demo.environment : LIVE_ENVIRONMENT,
      },
      body: stringifyJson({ input }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined)
    await delay(performance.now() - begun < BUSY_MS ? INTERVAL_MS : CALM_INTERVAL_MS)
  }
}
