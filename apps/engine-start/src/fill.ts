import { isObject, jsonValue, stringifyJson, type Value } from '@engine/expression'
import { delay } from '@engine/process'
import type { Demo } from './demo.ts'

/** Recorded decisions that a review can count on. */
const ENOUGH = 60
const POLL_INTERVAL_MS = 500
/** Milliseconds after which a request is given up. */
const REQUEST_TIMEOUT_MS = 30_000
/** Seconds of the canary of the releases in the history, and of the one that a person starts and watches. */
const SHORT_STAGE_S = 20
const STAGE_S = 60
/** Requests of a candidate before its stage may pass. An alarm needs some twelve errors, which two of five requests are. */
const ENOUGH_TO_PASS = 40
const ENOUGH_TO_FAIL = 150

type Ask = (method: string, path: string, body?: Value) => Promise<Value>

/** A change of the ruleset: a text that it has once, and the one instead. */
interface Change {
  readonly from: string
  readonly to: string
}

/** The releases of the history, and the draft after them. @internal */
export const CHANGES = {
  /** Its canary shows nothing. */
  volume: { from: '>= 500', to: '>= 250' },
  /** Customers who used one or two coupons have no third one and get an error; no saved test has such a customer. */
  mistake: {
    from: 'cart_amount < 30',
    to: 'cart_amount < 30 || count(coupons_used_30d) > 0 && cart_amount < 1.5 * coupons_used_30d[2].original_amount',
  },
  minimum: { from: 'cart_amount < 30', to: 'cart_amount < 40' },
  /** Tests fail. */
  draft: { from: 'cart_amount < 40', to: 'cart_amount < 100' },
} as const satisfies Readonly<Record<string, Change>>

/** The ruleset with a change. @internal */
export const changed = (ruleset: Value, { from, to }: Change): Value =>
  jsonValue(stringifyJson(ruleset).replace(quotedIn(from), () => quotedIn(to)))

/** A text as it stands within JSON. */
const quotedIn = (text: string) => stringifyJson(text).slice(1, -1)

/**
 * Give the demonstration a history by requests of the API, as an author would make it: recording, a release that went live, one
 * whose canary failed and was rolled back by itself, one that waits for its start with the decisions that it changes, and a draft
 * with a failing test. No canary ends without traffic, which leaves the waiting release alone. An existing history stays as it is.
 *
 * @param hasTraffic whether decisions are requested, which canaries compare and the review counts
 */
export async function fillDemo(demo: Demo, hasTraffic: boolean, signal: AbortSignal): Promise<void> {
  const project = `/api/v1/projects/${demo.projectId}`
  const ask = asker(demo, signal)
  const ruleset = `${project}/rulesets/${demo.ruleset}`
  const environment = `${project}/environments/${demo.environment}`
  await ask('PUT', `${environment}/recording`, { rate: 100, retention_days: 7, mask: [] })
  const known = await ask('GET', `${project}/releases?limit=1`)
  const draft = await ask('GET', ruleset)
  // It was filled at an earlier start, or a person works on it.
  if (itemsOf(known).length > 0 || fieldOf(draft, 'seq') !== 1) return
  let seq = 1
  const save = async (content: Value): Promise<void> => {
    await ask('POST', ruleset, { ruleset: content, expected_seq: seq })
    seq += 1
  }
  const request = (title: string, description: string) =>
    ask('POST', `${project}/releases`, {
      title,
      description,
      rulesets: [{ name: demo.ruleset, from_seq: seq }],
      environments: [demo.environment],
    })
  const execute = async (release: Value): Promise<void> => {
    const id = fieldOf(release, 'id')
    if (typeof id !== 'string') throw new Error('the platform answered a release without an id')
    const path = `${project}/releases/${id}`
    await ask('POST', `${path}/execute`, {})
    await ended(ask, path, signal)
  }
  let live = fieldOf(draft, 'ruleset')
  if (hasTraffic) {
    await recordings(ask, ruleset, signal)
    await ask('PUT', `${environment}/canary`, canaryOf(SHORT_STAGE_S, ENOUGH_TO_PASS))
    live = changed(live, CHANGES.volume)
    await save(live)
    await execute(await request('Volume coupons from 250 on', 'Large carts of customers without a class get a coupon.'))
    await ask('PUT', `${environment}/canary`, canaryOf(SHORT_STAGE_S, ENOUGH_TO_FAIL))
    await save(changed(live, CHANGES.mistake))
    await execute(
      await request(
        'A fourth coupon needs a larger cart',
        'The cart must be half as large again as that of the third coupon.',
      ),
    )
  }
  await ask('PUT', `${environment}/canary`, canaryOf(STAGE_S, ENOUGH_TO_PASS))
  const waiting = changed(live, CHANGES.minimum)
  await save(waiting)
  await request('Coupons from 40 on', 'Carts below 40 no longer get a coupon.')
  await save(changed(waiting, CHANGES.draft))
}

const canaryOf = (seconds: number, requests: number): Value => ({
  stages: [{ percent: 50, duration_s: seconds, min_requests: requests }],
  on_failure: 'rollback',
  // No decision of the demonstration fails: that the candidate fails less often is never shown.
  on_inconclusive: 'promote',
})

const RUNNING: ReadonlySet<Value> = new Set(['executing', 'rolling_back'])

/** Resolves once a release is live or rolled back, or with the signal. */
async function ended(ask: Ask, release: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && RUNNING.has(fieldOf(await ask('GET', release), 'status'))) await delay(POLL_INTERVAL_MS)
}

/** Resolves once enough decisions are recorded, or with the signal. */
async function recordings(ask: Ask, ruleset: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const page = await ask('GET', `${ruleset}/decisions?limit=${ENOUGH}`)
    if (itemsOf(page).length >= ENOUGH) return
    await delay(POLL_INTERVAL_MS)
  }
}

const fieldOf = (value: Value, name: string): Value => (isObject(value) ? (value[name] ?? null) : null)

function itemsOf(value: Value): readonly Value[] {
  const items = fieldOf(value, 'items')
  return Array.isArray(items) ? items : []
}

/** Requests with the key of the demonstration's author. Throws an error with the answer of a refusal. */
function asker({ platformUrl, authorKey }: Demo, signal: AbortSignal): Ask {
  return async (method, path, body) => {
    const response = await fetch(platformUrl + path, {
      method,
      headers: { authorization: `Bearer ${authorKey}`, 'content-type': 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      ...(body !== undefined && { body: stringifyJson(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
    return text === '' ? null : jsonValue(text)
  }
}
