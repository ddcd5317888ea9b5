import type { IncomingMessage } from 'node:http'
import type { Split } from '../rollouts/canary-split.ts'
import { partsOf } from './buffered-body.ts'
import type { Destination, Destinations } from './destinations.ts'
import type { EngineAnswer } from './engine-answer.ts'
import { headerOf } from './headers.ts'
import { isInShare } from './sticky-share.ts'

/** The side of a canary that decides about a request. */
export interface Side {
  readonly kind: 'canary' | 'stable'
  readonly split: Split
  /** Undefined if the request names none: it is then a separate unit. */
  readonly key: string | undefined
  /** Engines that can be tried. */
  readonly engines: readonly Destination[]
  /** True if these engines serve only candidates. */
  readonly isApart: boolean
  /** The name of the ruleset as known to the caller, and on the engine. */
  readonly names: { readonly known: string; readonly asked: string }
}

/** The properties of a request that determine its side. */
interface Deciding {
  readonly raw: Pick<IncomingMessage, 'headers'>
  /** The name of the ruleset; undefined if the request is not a single decision. */
  readonly decides: string | undefined
}

/**
 * The side that decides, sticky by the key of the request; undefined if the ruleset has no candidate, or no reachable
 * engine has reported it: the live content then decides, uncounted.
 *
 * While the engines reserved for candidates are unreachable, the live content decides for both sides and neither is
 * counted: errors of one side alone would bias the comparison.
 */
export function decidedBy(
  { split, engines, canaries }: Destinations,
  { raw, decides }: Deciding,
  isLeftOut: (engine: Destination) => boolean,
): Side | undefined {
  const candidate = decides === undefined ? undefined : split?.candidates.get(decides)
  if (split === undefined || decides === undefined || candidate === undefined) return undefined
  const isApart = canaries.length > 0
  const isThere = (one: Destination) => one.claimant !== undefined && one.isHealthy() && !isLeftOut(one)
  const holding = (isApart ? canaries.filter(isThere) : engines).filter((one) =>
    one.holds(split.environmentId, candidate),
  )
  if (holding.length === 0) return undefined
  const key = headerOf(raw, 'x-canary-key')
  const isCanary = isInShare(split.releaseId, key ?? `${Math.random()}`, split.percent)
  if (!isCanary) return { kind: 'stable', split, key, engines, isApart, names: { known: decides, asked: decides } }
  return {
    kind: 'canary',
    split,
    key,
    engines: holding,
    isApart,
    names: { known: decides, asked: candidate },
  }
}

/** The outcome of a decision, as reported in its answer. */
interface Outcome {
  readonly isError: boolean
  readonly code: string | undefined
}

/**
 * The outcome of a request; undefined if the ruleset had no part in the answer, for example because the body was not
 * JSON.
 *
 * @param answer undefined if the engine was tried and did not answer
 */
export function outcomeOf(answer: EngineAnswer | undefined): Outcome | undefined {
  if (answer === undefined) return { isError: true, code: undefined }
  const { statusCode, headers } = answer
  const code = headers['x-result-code']
  if (statusCode === 200) return { isError: false, code: typeof code === 'string' ? code : undefined }
  const isOfRuleset = headers['x-ruleset-digest'] !== undefined || statusCode >= 500
  return isOfRuleset ? { isError: true, code: undefined } : undefined
}

/** Largest error, in bytes, that is read to remove the name of a candidate. */
const MAX_BYTES = 256 * 1024

/** Start of a receipt, which is the last member of an error. */
const RECEIPT = ',"receipt":{"format":'

/**
 * The answer of a candidate under the name that the caller knows. Decisions do not name their ruleset; errors do. A
 * receipt is not changed: with another name it would prove nothing.
 */
export async function unnamed(answer: EngineAnswer, side: Side | undefined): Promise<EngineAnswer> {
  if (side?.kind !== 'canary' || answer.statusCode === 200) return answer
  const parts: Buffer[] = []
  let size = 0
  for await (const part of partsOf(answer.body)) {
    size += part.length
    if (size <= MAX_BYTES) parts.push(part)
  }
  const { asked, known } = side.names
  const whole = Buffer.concat(parts).toString('utf8')
  const signed = whole.lastIndexOf(RECEIPT)
  const end = signed < 0 ? whole.length : signed
  const text = whole.slice(0, end).replaceAll(asked, known) + whole.slice(end)
  const { 'content-length': _, ...headers } = answer.headers
  const bytes = Buffer.from(text)
  return { ...answer, headers: { ...headers, 'content-length': String(bytes.length) }, body: bytes }
}
