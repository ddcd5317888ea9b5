import { EgressRefusal } from '@engine/egress'
import { quote } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { type Circuit, parsedJson } from '@engine/process'
import { Readable } from 'node:stream'
import { PlatformError } from '../../errors.ts'
import { type Claimant, IdentityNotProved } from '../engines/identity.ts'
import type { Tally } from '../rollouts/tally.ts'
import type { Destination, Destinations } from './destinations.ts'
import { discard } from './body-disposal.ts'
import type { EngineAnswer, Leaving } from './engine-answer.ts'
import { type Forwarder, type PassedBody, Unreached } from './forwarder.ts'
import { refusalOfAnswer } from './headers.ts'
import type { Liveness } from './health-probes.ts'
import { outcomeOf, type Side } from './canary-side.ts'
import { type UpstreamRequest, upstreamPath } from './upstream-request.ts'

/** Maximum number of engines tried for one answer. */
const MAX_ATTEMPTS = 2

export interface AttemptParts {
  readonly forwarder: Forwarder
  /** Circuit breaker for engines that refuse connections. */
  readonly circuit: Circuit
  /** Health of engines that accept connections without answering. */
  readonly liveness: Liveness<Claimant>
  /** Counts the answers of both sides of a canary. */
  readonly tally: Pick<Tally, 'count'>
  /** Timeout for a decision of an engine in milliseconds, after which another one is tried. */
  readonly engineAnswerMs: number
}

/** A request to be sent to engines. */
export interface Sending {
  readonly upstream: UpstreamRequest
  readonly requestId: string
  /** Id of the environment. */
  readonly environment: string
  /** The organization in the form that `Tally` expects. */
  readonly org: Parameters<Tally['count']>[0]['org']
  readonly body: PassedBody | undefined
  readonly side: Side | undefined
  /** True if a ruleset may be executed twice. */
  isRepeatable(ruleset: string): boolean
  /** Aborted when the caller disconnects. */
  readonly signal: Leaving
  /** Start time on the monotonic clock, in milliseconds. */
  readonly begun: number
}

export interface Answered {
  readonly engine: Destination
  readonly answer: EngineAnswer
  /** Id of the engine that was tried first and did not decide; undefined if the first one decided. */
  readonly retried: string | undefined
  readonly side: Side | undefined
}

/** An engine that did not answer, and the reason. */
interface Failure {
  readonly engine: string
  readonly error: Unreached | undefined
  readonly text: string
}

/** No engine answered. */
export class NoAnswer extends Error {
  readonly failures: readonly [Failure, ...Failure[]]
  /** True if no engine has received any part of the request. */
  readonly isUnsent: boolean
  /** True if another engine may be tried, regardless of earlier attempts. */
  readonly mayBeAskedAgain: boolean
  constructor(failures: readonly [Failure, ...Failure[]], mayBeAskedAgain: boolean, why: string | undefined) {
    const texts = failures.map(({ text }) => text)
    super([...texts, ...(why === undefined ? [] : [why])].join(', and '), { cause: failures.at(-1)?.error })
    this.failures = failures
    this.isUnsent = failures.every(({ error }) => error?.isUnsent ?? true)
    this.mayBeAskedAgain = mayBeAskedAgain || this.isUnsent
  }

  /** The error for the caller: 502 or 504. */
  shown(environment: string): HttpError | PlatformError {
    const errors = this.failures.map(({ error }) => error)
    if (errors.some((error) => error?.isLate)) return new HttpError('timeout', this.message)
    if (errors.some((error) => error === undefined || !error.isUnsent))
      return new PlatformError('bad-gateway', this.message, { cause: this })
    const reason = errors.at(-1)?.cause
    const hint =
      reason instanceof IdentityNotProved || reason instanceof EgressRefusal
        ? `: ${reason.message}`
        : '; behind NAT engines are asked directly (--platform-server-url)'
    return new PlatformError('bad-gateway', `no engine of the environment \`${environment}\` can be reached${hint}`, {
      cause: this,
    })
  }
}

/** An engine sent an answer outside its interface: it is hidden from the caller. */
export class RefusedAnswer extends PlatformError {
  constructor(engine: string, refusal: string) {
    super('bad-gateway', `the answer of the engine ${quote(engine)} is not passed on: ${refusal}`)
  }
}

/**
 * A decision by the engines of a side. If the engines do not answer for a candidate, the live content decides,
 * uncounted: no caller loses a decision because of a canary. This applies if the engines reserved for candidates are
 * unreachable, and if the candidate may be retried.
 */
export async function decided(
  parts: AttemptParts,
  sending: Sending,
  { engines }: Pick<Destinations, 'engines'>,
): Promise<Answered> {
  const { side, signal } = sending
  const isFallbackThere =
    side?.kind === 'canary' && engines.some(({ id }) => !side.engines.some((one) => one.id === id))
  try {
    return await answered(parts, sending, side?.engines ?? engines, isFallbackThere)
  } catch (error) {
    if (side?.kind !== 'canary' || !(error instanceof NoAnswer) || signal.aborted) throw error
    const isAway = error.isUnsent && side.isApart
    if (!isAway && (error.isUnsent || !error.mayBeAskedAgain)) throw error
    const tried = new Set(error.failures.map(({ engine }) => engine))
    const others = engines.filter(({ id }) => !tried.has(id))
    if (others.length === 0) throw error
    const found = await answered(parts, { ...sending, side: undefined }, others)
    return { ...found, retried: error.failures[0].engine }
  }
}

/**
 * The answer of the first engine that can be reached. A second engine is tried if the first has done nothing, or if its
 * work may be repeated: a single decision whose ruleset makes no external calls.
 *
 * A side of a canary is counted once: by an engine's answer, or as an error if an engine was tried and did not answer.
 *
 * @param isFallbackThere true if other engines can decide instead: the last of these then has the usual time limit;
 * otherwise it has the remaining time of the request
 */
export async function answered(
  parts: AttemptParts,
  sending: Sending,
  engines: readonly Destination[],
  isFallbackThere = false,
): Promise<Answered> {
  const { side, signal, body, upstream } = sending
  const asked = side?.names.asked ?? upstream.ruleset
  const isReplayable = body === undefined || body.isReplayable
  const mayBeAskedAgain =
    upstream.route.isDecision && isReplayable && asked !== undefined && sending.isRepeatable(asked)
  const all = inOrder(parts, engines)
  const [first, ...others] = all.slice(0, MAX_ATTEMPTS)
  if (first === undefined) {
    const error = new Unreached(new Error('no engine has said where it is reached'), true)
    throw new NoAnswer([{ engine: '', error, text: error.message }], mayBeAskedAgain, undefined)
  }
  const failures: Failure[] = []
  let isCounted = false
  const countOnce = (answer: EngineAnswer | undefined) => {
    if (!isCounted) count(parts, sending, answer)
    isCounted = true
  }
  for (const engine of [first, ...others]) {
    const isLast = engine === others.at(-1) || others.length === 0
    const limitMs = mayBeAskedAgain && (!isLast || isFallbackThere) ? parts.engineAnswerMs : undefined
    try {
      const answer = await ask(parts, sending, engine, limitMs)
      if (!isLast && isReplayable && (await isUndone(answer))) {
        const text = `the engine ${quote(engine.name)} answered that it is not available`
        failures.push({ engine: engine.id, error: undefined, text })
        continue
      }
      countOnce(answer)
      return { engine, answer, retried: failures[0]?.engine, side }
    } catch (error) {
      const isSent = error instanceof RefusedAnswer || (error instanceof Unreached && !error.isUnsent)
      // The engine was tried and did not answer, for example because its candidate ended it.
      if (isSent && !signal.aborted) countOnce(undefined)
      if (!(error instanceof Unreached)) throw error
      failures.push({ engine: engine.id, error, text: described(engine, error, limitMs) })
      const isOver = isLast || signal.aborted || !(error.isUnsent || mayBeAskedAgain)
      if (isOver) throw new NoAnswer(failures as [Failure], mayBeAskedAgain, whyOver(all.length, isLast, asked))
    }
  }
  throw new TypeError('the last attempt has neither answered nor failed')
}

function whyOver(engines: number, isLast: boolean, ruleset: string | undefined): string | undefined {
  if (engines === 1) return 'no other engine serves the environment'
  if (isLast) return undefined
  const subject = ruleset === undefined ? 'the request' : `a request to ${quote(ruleset)}`
  return `${subject} is not sent twice: only short single decisions without external calls are`
}

function described({ name }: Destination, { isLate, isUnsent }: Unreached, limitMs: number | undefined): string {
  const engine = `the engine ${quote(name)}`
  if (isLate) return `${engine} did not answer within ${limitMs === undefined ? '30 s' : `${limitMs} ms`}`
  return isUnsent ? `${engine} cannot be reached` : `${engine} closed the connection before it answered`
}

/** Counts the answer of a side of a canary; requests outside a canary are not counted. */
function count({ tally }: AttemptParts, { org, side, begun }: Sending, answer: EngineAnswer | undefined): void {
  const outcome = side && outcomeOf(answer)
  if (side === undefined || outcome === undefined) return
  const { kind, split, key } = side
  const milliseconds = performance.now() - begun
  tally.count({ org, split, side: kind, key, ...outcome, milliseconds })
}

/** Healthy engines in their order, then unhealthy ones; engines that hang or recently refused connections come last. */
function inOrder({ circuit, liveness }: AttemptParts, engines: readonly Destination[]): readonly Destination[] {
  const ranked = engines.flatMap((engine) => {
    if (engine.claimant === undefined) return []
    const isOut = circuit.rest(engine.id) > 0 || liveness.isOut(engine.claimant)
    return [{ engine, rank: isOut ? 2 : engine.isHealthy() ? 0 : 1 }]
  })
  return ranked.toSorted((left, right) => left.rank - right.rank).map(({ engine }) => engine)
}

async function ask(
  { forwarder, circuit, liveness }: AttemptParts,
  { upstream, requestId, environment, body, side, signal }: Sending,
  { id, name, claimant, tenants, token }: Destination,
  limitMs: number | undefined,
): Promise<EngineAnswer> {
  const headers = {
    ...upstream.headers,
    authorization: `Bearer ${token}`,
    'x-engine-report': '1',
    'x-request-id': requestId,
    ...(tenants ? { 'x-tenant-id': environment } : {}),
    // Errors must be readable so that the name of a candidate can be removed from them.
    ...(side?.kind === 'canary' ? { 'accept-encoding': 'identity' } : {}),
  }
  if (claimant === undefined) throw new Unreached(new Error('it has not said where it is reached'), true)
  const path = upstreamPath(upstream, side?.names.asked ?? upstream.ruleset)
  const { method } = upstream.route
  try {
    const answer = await forwarder.send({ engine: claimant, path, method, headers, body, signal, limitMs })
    circuit.succeeded(id)
    const refusal = refusalOfAnswer(answer.statusCode, answer.headers)
    if (refusal === undefined) return answer
    discard(answer.body)
    throw new RefusedAnswer(name, refusal)
  } catch (error) {
    if (error instanceof Unreached && !signal.aborted) {
      // A late answer does not exclude an engine: only a failed probe does.
      if (error.isLate || !error.isUnsent) liveness.suspect(claimant)
      else circuit.failed(id)
    }
    throw error
  }
}

/** True if an engine reports that it has done nothing, for example during its shutdown. */
async function isUndone({ statusCode, headers, body }: EngineAnswer): Promise<boolean> {
  if (statusCode !== 503 || body instanceof Readable || headers['content-encoding'] !== undefined) return false
  const parsed = await parsedJson(body.toString('utf8'), { duplicateKeys: 'last' })
  const value = parsed.kind === 'parsed' ? parsed.value : undefined
  return typeof value === 'object' && value !== null && 'code' in value && value['code'] === 'UNAVAILABLE'
}
