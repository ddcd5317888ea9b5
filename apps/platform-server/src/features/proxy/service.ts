import { EgressRefusal } from '@engine/egress'
import { quote, type Value } from '@engine/expression'
import { HttpError } from '@engine/http-server'
import { type Circuit, jsonText } from '@engine/process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Dispatcher } from 'undici'
import type { Caller } from '../../access/caller.ts'
import { reachesEnvironment } from '../../access/caller.ts'
import { failures, PlatformError } from '../../errors.ts'
import { isCandidate } from '../engines/candidates.ts'
import { IdentityNotProved } from '../engines/identity.ts'
import type { ProxyPlace } from './place.ts'
import { type Destination, type Destinations, isReachable } from './destinations.ts'
import { type Forwarder, passedBody, type PassedBody, Unreached } from './forward.ts'
import { answeredHeaders, headerOf, refusalOfAnswer } from './headers.ts'
import type { ProxyMetrics, ProxyResult } from './metrics.ts'
import { type Observation, observationOf } from './observed.ts'
import { decidedBy, outcomeOf, type Side, unnamed } from './sides.ts'
import { isInShare } from './split.ts'
import { isShort, wholeOf } from './whole.ts'
import { type ListQuery, reachableRulesets, UnreadableList } from './ruleset-list.ts'
import { type UpstreamRequest, upstreamUrl } from './upstream-request.ts'
import type { UpstreamRoute } from './upstream-routes.ts'
import type { Tally } from '../rollouts/tally.ts'
import type { Comparison } from '../shadows/comparison.ts'

export interface ProxyParts {
  readonly forwarder: Forwarder
  /** Of engines that cannot be connected to. */
  readonly circuit: Circuit
  readonly metrics: ProxyMetrics
  /** Counts the answers of both sides of a canary. */
  readonly tally: Pick<Tally, 'count'>
  /** Compares answers with what shadows decide. */
  readonly comparison: Comparison
}

/** A request to the engines of a project. */
export interface ProxiedRequest {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly caller: Caller
  readonly place: ProxyPlace
  readonly requestId: string
  readonly upstream: UpstreamRequest
  /** Largest body in bytes. */
  readonly maxBytes: number
  readonly progress: () => void
}

/** Of the requests that name no key, each is a unit of its own. */
const randomKey = () => `${Math.random()}`

/** The environment that a request is for, and the one that its standing split sends shares of it to. */
export interface RequestedEnvironment {
  readonly own: Destinations
  /** Undefined: there is no split. */
  readonly target: Destinations | undefined
}

/**
 * The environment that a request is for: the named one, else the current one of its project. Throws `not-found`, 403 beyond
 * the reach of a key.
 */
export function environmentFor({
  raw,
  caller,
  place,
}: Pick<ProxiedRequest, 'raw' | 'caller' | 'place'>): RequestedEnvironment {
  const named = headerOf(raw, 'x-environment') ?? place.project.current_environment
  const all = place.environments
  const own = all.find(({ id, name }) => name === named || id === named)
  if (own === undefined) throw failures.notFound('environment', named)
  if (!reachesEnvironment(caller, own.name))
    throw failures.forbidden(`the key is not for the environment \`${own.name}\``, 'decision.execute')
  const { canary_target_env_id: target, canary_percentage: percent } = own.canary
  return { own, target: target === null || percent <= 0 ? undefined : all.find(({ id }) => id === target) }
}

/**
 * The environment that answers. A ruleset must be reachable in the environment that the request is for (else `not-found`); the
 * standing split sends the request to its target only where the ruleset is reachable there too.
 *
 * @param ruleset undefined: the request is for none
 */
export function answeringEnvironment(
  { own, target }: RequestedEnvironment,
  { raw }: Pick<ProxiedRequest, 'raw'>,
  { isSplit }: Pick<UpstreamRoute, 'isSplit'>,
  ruleset: string | undefined,
): Destinations {
  if (ruleset !== undefined && !isReachable(own, ruleset)) throw failures.notFound('ruleset', ruleset)
  if (target === undefined || !isSplit) return own
  if (ruleset !== undefined && !isReachable(target, ruleset)) return own
  // The standing split has a salt of its own environment: releases choose independently of it.
  const isChosen = isInShare(own.id, headerOf(raw, 'x-canary-key') ?? randomKey(), own.canary.canary_percentage)
  return isChosen ? target : own
}

/** Pass a request on to an engine of an environment, and its answer to the caller. Throws 502, 503, 504. */
export async function forward(parts: ProxyParts, request: ProxiedRequest, destinations: Destinations): Promise<void> {
  const { id: environment, releases, name } = destinations
  const { upstream, raw } = request
  // Batches have no candidate: their answers are not read.
  const decides = upstream.route.isDecision ? upstream.ruleset : undefined
  const side = decidedBy(destinations, { raw, decides }, parts.circuit)
  const begun = performance.now()
  const ended = (result: ProxyResult) => parts.metrics.ended(result, (performance.now() - begun) / 1000)
  if (destinations.engines.length === 0) {
    ended('unbound')
    throw new PlatformError('unavailable', `no engine serves the environment \`${name}\`: bind one`)
  }
  const observed =
    side?.kind === 'canary' ? undefined : observationOf(parts.comparison, destinations, decides, raw.headers)
  const leaving = new AbortController()
  const left = () => leaving.abort()
  request.response.once('close', left)
  try {
    const passes = (part: Buffer) => {
      observed?.asked(part)
      request.progress()
    }
    const body = upstream.route.bodies.length === 0 ? undefined : await passedBody(raw, request.maxBytes, passes)
    const sent = { request, environment, body, side, signal: leaving.signal, begun }
    if (upstream.list !== undefined) {
      await passList(parts, sent, destinations, upstream.list)
      return ended('answered')
    }
    const { engine, answer, isRetried, side: by } = await decided(parts, sent, destinations)
    const digest = answer.headers['x-ruleset-digest']
    const release = typeof digest === 'string' ? releases.get(digest) : undefined
    const added = {
      'x-engine-server': engine.id,
      ...(release === undefined || release === null ? {} : { 'x-release-id': release }),
    }
    await passAnswer(request, await unnamed(answer, by), added, observed)
    ended(isRetried ? 'retried' : 'answered')
  } catch (error) {
    if (request.response.destroyed) return ended('gone')
    if (error instanceof RefusedAnswer) ended('refused')
    if (!(error instanceof Unreached)) throw error
    ended(error.isLate ? 'late' : 'unreachable')
    throw error.isLate ? late() : unreachable(error, name)
  } finally {
    request.response.off('close', left)
  }
}

/** Counts the answer of a side of a canary; there is nothing to count where there is no canary. */
function count(
  { tally }: ProxyParts,
  { request: { place }, side, begun }: Sending,
  answer: Dispatcher.ResponseData | undefined,
): void {
  const outcome = side && outcomeOf(answer)
  if (side === undefined || outcome === undefined) return
  const { kind, split, key } = side
  const milliseconds = performance.now() - begun
  tally.count({ org: place.member.org, split, side: kind, key, ...outcome, milliseconds })
}

const late = () => new HttpError('timeout', 'the engine did not answer within 30 s')
function unreachable(cause: Unreached, environment: string): PlatformError {
  const none = `no engine of the environment \`${environment}\` can be reached`
  const { cause: reason } = cause
  const hint =
    reason instanceof IdentityNotProved || reason instanceof EgressRefusal
      ? `: ${reason.message}`
      : '; behind NAT engines are asked directly (--platform-server-url)'
  return new PlatformError('bad-gateway', `${none}${hint}`, { cause })
}

/** A request on its way to engines. */
interface Sending {
  readonly request: ProxiedRequest
  /** Id. */
  readonly environment: string
  readonly body: PassedBody | undefined
  readonly side: Side | undefined
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** Milliseconds of the monotonic clock. */
  readonly begun: number
}

interface Answered {
  readonly engine: Destination
  readonly answer: Dispatcher.ResponseData
  readonly isRetried: boolean
  readonly side: Side | undefined
}

/**
 * By the engines of a side. Where a candidate has engines of its own and they cannot be connected to, what is live decides,
 * uncounted: no caller goes without a decision for the sake of a canary.
 */
async function decided(parts: ProxyParts, sending: Sending, { engines }: Destinations): Promise<Answered> {
  const { side, signal } = sending
  try {
    return await counted(parts, sending, side?.engines ?? engines)
  } catch (error) {
    const isAway = error instanceof Unreached && error.isUnsent && !signal.aborted
    if (side?.kind !== 'canary' || !side.isApart || !isAway) throw error
    return { ...(await answered(parts, { ...sending, side: undefined }, engines)), isRetried: true }
  }
}

async function counted(parts: ProxyParts, sending: Sending, engines: readonly Destination[]): Promise<Answered> {
  try {
    const found = await answered(parts, sending, engines)
    count(parts, sending, found.answer)
    return found
  } catch (error) {
    const isAsked = error instanceof RefusedAnswer || (error instanceof Unreached && !error.isUnsent)
    // It was asked and gave no answer, as an engine that its candidate has ended.
    if (isAsked && !sending.request.response.destroyed) count(parts, sending, undefined)
    throw error
  }
}

/** Of the first engine that can be asked; one more is asked when nothing was sent to the first. */
async function answered(parts: ProxyParts, sending: Sending, engines: readonly Destination[]): Promise<Answered> {
  const [first, second] = inOrder(parts.circuit, engines)
  if (first === undefined) throw new Unreached(new Error('no engine has said where it is reached'), true)
  try {
    return { engine: first, answer: await asked(parts, sending, first), isRetried: false, side: sending.side }
  } catch (error) {
    if (second === undefined || sending.signal.aborted || !(error instanceof Unreached) || !error.isUnsent) throw error
    return { engine: second, answer: await asked(parts, sending, second), isRetried: true, side: sending.side }
  }
}

/** The healthy ones in their order, then the others; those that could not be connected to lately come last. */
function inOrder(circuit: Pick<Circuit, 'rest'>, engines: readonly Destination[]): readonly Destination[] {
  const reachable = engines.filter(({ claimant }) => claimant !== undefined)
  const rank = (engine: Destination) => (circuit.rest(engine.id) > 0 ? 2 : engine.isHealthy() ? 0 : 1)
  return reachable
    .map((engine) => ({ engine, rank: rank(engine) }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ engine }) => engine)
}

async function asked(
  { forwarder, circuit }: ProxyParts,
  { request, environment, body, side, signal }: Sending,
  { id, name, claimant, tenants, token }: Destination,
): Promise<Dispatcher.ResponseData> {
  const { upstream, requestId } = request
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
  try {
    const answer = await forwarder.send({ engine: claimant, url, method: upstream.route.method, headers, body, signal })
    circuit.succeeded(id)
    const refusal = refusalOfAnswer(answer.statusCode, answer.headers)
    if (refusal === undefined) return answer
    discard(answer.body)
    throw new RefusedAnswer(name, refusal)
  } catch (error) {
    if (error instanceof Unreached && error.isUnsent) circuit.failed(id)
    throw error
  }
}

/** Leave the rest of an answer unread, and its connection closed. */
function discard(body: Dispatcher.ResponseData['body']): void {
  // Without a listener the error of the aborted request would end the process.
  body.on('error', () => {})
  body.destroy()
}

/** An engine answered what no engine answers: it is not shown to the caller. */
class RefusedAnswer extends PlatformError {
  constructor(engine: string, refusal: string) {
    super('bad-gateway', `the answer of the engine ${quote(engine)} is not passed on: ${refusal}`)
  }
}

/** Answer with the rulesets of an engine that callers reach in an environment. */
async function passList(
  parts: ProxyParts,
  sending: Sending,
  destinations: Destinations,
  query: ListQuery,
): Promise<void> {
  const { request } = sending
  const { upstream, response } = request
  const headers = { ...upstream.headers, 'accept-encoding': 'identity' }
  let engine: Destination | undefined
  const ask = async (page: string) => {
    const asking = { ...sending, request: { ...request, upstream: { ...upstream, headers, query: page } } }
    const found = await answered(parts, asking, destinations.engines)
    engine = found.engine
    const { statusCode, body, headers: head } = found.answer
    if (statusCode === 200 && head['content-encoding'] === undefined) return body
    discard(body)
    throw new RefusedAnswer(engine.name, `it answered with the status ${statusCode} instead of a plain list`)
  }
  const isShown = (name: string) => !isCandidate(name) && isReachable(destinations, name)
  try {
    const { rows, next } = await reachableRulesets(query, ask, isShown)
    const text = Buffer.from(await jsonText(rows as unknown as Value))
    const added = {
      'x-engine-server': engine?.id ?? '',
      ...(next === undefined ? {} : { 'x-next-cursor': next }),
    }
    const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(text.length) }
    response.writeHead(200, answeredHeaders(head, false, added)).end(text)
  } catch (error) {
    throw error instanceof UnreadableList ? new RefusedAnswer(engine?.name ?? '', error.message) : error
  }
}

/** An answer that has begun cannot be taken back: when the engine breaks off, so does the connection of the caller. */
async function passAnswer(
  { raw, response, progress }: ProxiedRequest,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  added: Readonly<Record<string, string>>,
  observed: Observation | undefined,
): Promise<void> {
  const head = answeredHeaders(headers, raw.headers['x-engine-report'] === '1', added)
  body.on('data', (part: Buffer) => {
    observed?.answered(part)
    progress()
  })
  try {
    if (isShort(headers['content-length'])) {
      const whole = await wholeOf(body)
      response.writeHead(statusCode, head).end(whole)
    } else {
      response.writeHead(statusCode, head)
      await pipeline(body, response)
    }
  } catch {
    return void response.destroy()
  }
  observed?.ended({ statusCode, headers })
}
