import { EgressRefusal } from '@engine/egress'
import { quote } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { type Circuit, parsedJson } from '@engine/process'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { PlatformError } from '../../errors.ts'
import { type Claimant, IdentityNotProved } from '../engines/identity.ts'
import type { Tally } from '../rollouts/tally.ts'
import type { Destination, Destinations } from './destinations.ts'
import { discard } from './body-disposal.ts'
import { type Forwarder, type PassedBody, Unreached } from './forwarder.ts'
import { refusalOfAnswer } from './headers.ts'
import type { Liveness } from './health-probes.ts'
import { outcomeOf, type Side } from './canary-side.ts'
import { type UpstreamRequest, upstreamUrl } from './upstream-request.ts'
import { isShort, wholeOf } from './buffered-body.ts'

/** Engines that are asked for one answer. */
const MAX_ATTEMPTS = 2

export interface AttemptParts {
  readonly forwarder: Forwarder
  /** Of engines that cannot be connected to. */
  readonly circuit: Circuit
  /** Of engines that do not answer. */
  readonly liveness: Liveness<Claimant>
  /** Counts the answers of both sides of a canary. */
  readonly tally: Pick<Tally, 'count'>
  /** Milliseconds until an engine has answered a decision that another one can be asked for. */
  readonly engineAnswerMs: number
}

/** A request on its way to engines. */
export interface Sending {
  readonly upstream: UpstreamRequest
  readonly requestId: string
  /** Id. */
  readonly environment: string
  /** As `Tally` counts it. */
  readonly org: Parameters<Tally['count']>[0]['org']
  readonly body: PassedBody | undefined
  readonly side: Side | undefined
  /** Whether a ruleset may be executed twice. */
  isRepeatable(ruleset: string): boolean
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** Milliseconds of the monotonic clock. */
  readonly begun: number
}

export interface Answered {
  readonly engine: Destination
  readonly answer: Dispatcher.ResponseData
  /** Id of the engine that was asked first and did not decide; undefined: the first one did. */
  readonly retried: string | undefined
  readonly side: Side | undefined
}

/** An engine that was asked in vain, and what came of it. */
interface Failure {
  readonly engine: string
  readonly error: Unreached | undefined
  readonly text: string
}

/** No engine gave an answer. */
export class NoAnswer extends Error {
  readonly failures: readonly [Failure, ...Failure[]]
  /** No engine has got anything of the request. */
  readonly isUnsent: boolean
  /** Another engine may be asked, whatever those did that were asked. */
  readonly mayBeAskedAgain: boolean
  constructor(failures: readonly [Failure, ...Failure[]], mayBeAskedAgain: boolean, why: string | undefined) {
    const texts = failures.map(({ text }) => text)
    super([...texts, ...(why === undefined ? [] : [why])].join(', and '), { cause: failures.at(-1)?.error })
    this.failures = failures
    this.isUnsent = failures.every(({ error }) => error?.isUnsent ?? true)
    this.mayBeAskedAgain = mayBeAskedAgain || this.isUnsent
  }

  /** As the caller sees it: 502 or 504. */
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

/** An engine answered what no engine answers: it is not shown to the caller. */
export class RefusedAnswer extends PlatformError {
  constructor(engine: string, refusal: string) {
    super('bad-gateway', `the answer of the engine ${quote(engine)} is not passed on: ${refusal}`)
  }
}

/**
 * By the engines of a side. Where engines give no answer about a candidate, what is live decides, uncounted: no caller goes
 * without a decision for the sake of a canary. That is the case where the engines that have nothing but the candidate cannot be
 * reached, and where the candidate may be asked about twice.
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
 * Of the first engine that can be asked. One more is asked when the first has done nothing, or when what it has done may be done
 * twice: a single decision whose ruleset makes no external calls.
 *
 * A side of a canary is counted once: by an engine's answer, or as an error where one was asked and gave none.
 *
 * @param isFallbackThere engines beside these can decide: the last of these has no more time than the others. Without them it
 *   has the time of the request, since nobody else could answer
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
  const countOnce = (answer: Dispatcher.ResponseData | undefined) => {
    if (!isCounted) count(parts, sending, answer)
    isCounted = true
  }
  for (const engine of [first, ...others]) {
    const isLast = engine === others.at(-1) || others.length === 0
    const limitMs = mayBeAskedAgain && (!isLast || isFallbackThere) ? parts.engineAnswerMs : undefined
    try {
      const found = await ask(parts, sending, engine, limitMs)
      const undone = isLast || !isReplayable ? { isUndone: false, answer: found } : await readUndone(found)
      if (undone.isUndone) {
        const text = `the engine ${quote(engine.name)} answered that it is not available`
        failures.push({ engine: engine.id, error: undefined, text })
        continue
      }
      countOnce(undone.answer)
      return { engine, answer: undone.answer, retried: failures[0]?.engine, side }
    } catch (error) {
      const isSent = error instanceof RefusedAnswer || (error instanceof Unreached && !error.isUnsent)
      // It was asked and gave no answer, as an engine that its candidate has ended.
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

/** Counts the answer of a side of a canary; there is nothing to count where there is no canary. */
function count(
  { tally }: AttemptParts,
  { org, side, begun }: Sending,
  answer: Dispatcher.ResponseData | undefined,
): void {
  const outcome = side && outcomeOf(answer)
  if (side === undefined || outcome === undefined) return
  const { kind, split, key } = side
  const milliseconds = performance.now() - begun
  tally.count({ org, split, side: kind, key, ...outcome, milliseconds })
}

/** The healthy ones in their order, then the others; those that could not be connected to lately, or hang, come last. */
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
): Promise<Dispatcher.ResponseData> {
  const headers = {
    ...upstream.headers,
    authorization: `Bearer ${token}`,
    'x-engine-report': '1',
    'x-request-id': requestId,
    ...(tenants ? { 'x-tenant-id': environment } : {}),
    // The name of a candidate is taken out of its errors, which must be read for that.
    ...(side?.kind === 'canary' ? { 'accept-encoding': 'identity' } : {}),
  }
  if (claimant === undefined) throw new Unreached(new Error('it has not said where it is reached'), true)
  const url = upstreamUrl(claimant.origin, upstream, side?.names.asked ?? upstream.ruleset)
  const { method } = upstream.route
  try {
    const answer = await forwarder.send({ engine: claimant, url, method, headers, body, signal, limitMs })
    circuit.succeeded(id)
    const refusal = refusalOfAnswer(answer.statusCode, answer.headers)
    if (refusal === undefined) return answer
    discard(answer.body)
    throw new RefusedAnswer(name, refusal)
  } catch (error) {
    if (error instanceof Unreached && !signal.aborted) {
      // A late answer is no reason to leave an engine out: only a failed probe is.
      if (error.isLate || !error.isUnsent) liveness.suspect(claimant)
      else circuit.failed(id)
    }
    throw error
  }
}

/** Whether an engine answers that it has done nothing, as one that is shutting down; and the answer, whose body is whole then. */
async function readUndone(
  answer: Dispatcher.ResponseData,
): Promise<{ readonly isUndone: boolean; readonly answer: Dispatcher.ResponseData }> {
  const { statusCode, headers, body } = answer
  if (statusCode !== 503 || !isShort(headers['content-length']) || headers['content-encoding'] !== undefined)
    return { isUndone: false, answer }
  const bytes = await wholeOf(body).catch((error: unknown) => {
    throw new Unreached(error, false)
  })
  const parsed = await parsedJson(bytes.toString('utf8'), { duplicateKeys: 'last' })
  const value = parsed.kind === 'parsed' ? parsed.value : undefined
  const isUndone = typeof value === 'object' && value !== null && 'code' in value && value['code'] === 'UNAVAILABLE'
  const whole = Readable.from([bytes]) as unknown as Dispatcher.ResponseData['body']
  return { isUndone, answer: { ...answer, body: whole } }
}
