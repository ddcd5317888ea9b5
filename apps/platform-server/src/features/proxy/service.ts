import { jsonText } from '@engine/process'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Caller } from '../../access/caller.ts'
import { reachesEnvironment } from '../../access/caller.ts'
import { failures, PlatformError } from '../../errors.ts'
import { isCandidate } from '../engines/candidate-names.ts'
import { answered, type AttemptParts, decided, NoAnswer, RefusedAnswer, type Sending } from './attempts.ts'
import type { ProxyPlace } from './proxied-project.ts'
import { type Destination, type Destinations, isReachable } from './destinations.ts'
import { discard } from './body-disposal.ts'
import type { EngineAnswer } from './engine-answer.ts'
import type { Exchange } from './exchange.ts'
import { answeredHeaders, headerOf } from './headers.ts'
import type { ProxyMetrics, ProxyResult } from './metrics.ts'
import { type Observation, observationOf } from './shadow-observation.ts'
import { decidedBy, unnamed } from './canary-side.ts'
import { isInShare } from './sticky-share.ts'
import { receiptIn, UnreadableReceipt } from './proxied-receipt.ts'
import { type ListQuery, reachableRulesets, UnreadableList } from './ruleset-list.ts'
import type { ReceiptPlace, UpstreamRequest } from './upstream-request.ts'
import type { UpstreamRoute } from './upstream-routes.ts'
import type { Comparison } from '../shadows/comparison.ts'

export interface ProxyParts extends AttemptParts {
  readonly metrics: ProxyMetrics
  /** Compares live answers with the decisions of shadows. */
  readonly comparison: Comparison
}

/** A request to the engines of a project. */
export interface ProxiedRequest {
  readonly raw: Pick<IncomingMessage, 'headers'>
  readonly exchange: Exchange
  readonly caller: Caller
  readonly place: ProxyPlace
  readonly requestId: string
  readonly upstream: UpstreamRequest
}

/** The key of a request that names none: each such request is a separate unit. */
const randomKey = () => `${Math.random()}`

/** The environment that a request names, and the target of its standing split. */
export interface RequestedEnvironment {
  readonly own: Destinations
  /** Undefined if there is no split. */
  readonly target: Destinations | undefined
}

/**
 * The environment that a request names, otherwise the current one of its project. Throws `not-found`, and 403 if a key
 * may not access it.
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
 * The environment that answers. A ruleset must be accessible in the requested environment (otherwise `not-found`); the
 * standing split sends the request to its target only if the ruleset is accessible there too.
 *
 * @param ruleset undefined if the request is for none
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
  // The standing split uses a salt of the environment: the splits of releases are independent of it.
  const isChosen = isInShare(own.id, headerOf(raw, 'x-canary-key') ?? randomKey(), own.canary.canary_percentage)
  return isChosen ? target : own
}

/** Forwards a request to an engine of an environment, and the answer to the caller. Throws 502, 503, 504. */
export async function forward(parts: ProxyParts, request: ProxiedRequest, destinations: Destinations): Promise<void> {
  const { id: environment, releases, name } = destinations
  const { upstream, raw, exchange } = request
  // Batches have no candidate, because their answers are not inspected.
  const decides = upstream.route.isDecision ? upstream.ruleset : undefined
  const side = decidedBy(destinations, { raw, decides }, ({ id }) => parts.circuit.isResting(id))
  const begun = performance.now()
  const ended = (result: ProxyResult) => parts.metrics.ended(result, (performance.now() - begun) / 1000)
  if (destinations.engines.length === 0) {
    ended('unbound')
    throw new PlatformError('unavailable', `no engine serves the environment \`${name}\`: bind one`)
  }
  const observed =
    side?.kind === 'canary' ? undefined : observationOf(parts.comparison, destinations, decides, raw.headers)
  try {
    const passes = (part: Buffer) => observed?.asked(part)
    const body = upstream.route.bodies.length === 0 ? undefined : await exchange.body(passes)
    const { requestId, place } = request
    const org = place.member.org
    const isRepeatable = (ruleset: string) => destinations.isRepeatable(ruleset)
    const sent = { upstream, requestId, environment, org, body, side, isRepeatable, signal: exchange.leaving, begun }
    if (upstream.list !== undefined) {
      await passList(parts, request, sent, destinations, upstream.list)
      return ended('answered')
    }
    if (upstream.receipt !== undefined) {
      await passReceipt(parts, request, sent, destinations, upstream.receipt)
      return ended('answered')
    }
    const { engine, answer, retried, side: by } = await decided(parts, sent, destinations)
    const digest = answer.headers['x-ruleset-digest']
    const release = typeof digest === 'string' ? releases.get(digest) : undefined
    const added = {
      'x-engine-server': engine.id,
      ...(retried === undefined ? {} : { 'x-engine-retried': retried }),
      ...(release === undefined || release === null ? {} : { 'x-release-id': release }),
    }
    await passAnswer(request, await unnamed(answer, by), added, observed)
    ended(retried !== undefined ? 'retried' : 'answered')
  } catch (error) {
    if (exchange.leaving.aborted) return ended('gone')
    if (error instanceof RefusedAnswer) ended('refused')
    if (!(error instanceof NoAnswer)) throw error
    const shown = error.shown(name)
    ended(shown.code === 'timeout' ? 'late' : 'unreachable')
    throw shown
  } finally {
    exchange.end()
  }
}

/** Answers with the rulesets of an engine that callers can access in an environment. */
async function passList(
  parts: ProxyParts,
  { exchange }: ProxiedRequest,
  sending: Sending,
  destinations: Destinations,
  query: ListQuery,
): Promise<void> {
  const { upstream } = sending
  const headers = { ...upstream.headers, 'accept-encoding': 'identity' }
  let engine: Destination | undefined
  const ask = async (page: string) => {
    const asking = { ...sending, upstream: { ...upstream, headers, query: page } }
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
    const text = Buffer.from(await jsonText(rows))
    const added = {
      'x-engine-server': engine?.id ?? '',
      ...(next === undefined ? {} : { 'x-next-cursor': next }),
    }
    const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(text.length) }
    await exchange.pass(200, answeredHeaders(head, false, added), text)
  } catch (error) {
    throw error instanceof UnreadableList ? new RefusedAnswer(engine?.name ?? '', error.message) : error
  }
}

/** Answers with a receipt of a ruleset that callers can access in an environment. */
async function passReceipt(
  parts: ProxyParts,
  { exchange }: ProxiedRequest,
  sending: Sending,
  destinations: Destinations,
  place: ReceiptPlace,
): Promise<void> {
  const { upstream } = sending
  const headers = { ...upstream.headers, 'accept-encoding': 'identity' }
  const { engine, answer } = await answered(
    parts,
    { ...sending, upstream: { ...upstream, headers } },
    destinations.engines,
  )
  try {
    const receipt = await receiptIn(answer, place, (name) => isReachable(destinations, name))
    const text = Buffer.from(JSON.stringify(receipt))
    const head = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(text.length) }
    await exchange.pass(200, answeredHeaders(head, false, { 'x-engine-server': engine.id }), text)
  } catch (error) {
    throw error instanceof UnreadableReceipt ? new RefusedAnswer(engine.name, error.message) : error
  }
}

/** An answer that has begun cannot be undone: if the engine breaks off, the connection of the caller is closed. */
async function passAnswer(
  { raw, exchange }: ProxiedRequest,
  { statusCode, headers, body }: EngineAnswer,
  added: Readonly<Record<string, string>>,
  observed: Observation | undefined,
): Promise<void> {
  if (observed !== undefined) {
    // Paused until the exchange forwards it, so that the observer takes no data from the caller.
    if (body instanceof Readable) body.on('data', (part: Buffer) => observed.answered(part)).pause()
    else observed.answered(body)
  }
  const head = answeredHeaders(headers, raw.headers['x-engine-report'] === '1', added)
  const isWhole = await exchange.pass(statusCode, head, body)
  if (isWhole) observed?.ended({ statusCode, headers })
}
