import { quote } from '@engine/expression'
import { invalidParameter, truthOf } from '@engine/http-api'
import { refuseName } from '@engine/ruleset'
import { failures } from '../../errors.ts'
import { isCandidate } from '../engines/candidate-names.ts'
import type { ListQuery } from './ruleset-list.ts'
import { FORWARDED_PARAMETERS, MAX_KEY_LENGTH, MAX_PAGE_ROWS, type UpstreamRoute } from './upstream-routes.ts'

/** A request to an engine: a row of the table with validated parameters. */
export interface UpstreamRequest {
  readonly route: UpstreamRoute
  /** Undefined if the route has no ruleset. */
  readonly ruleset: string | undefined
  /** Number of a version; undefined if the route has none. */
  readonly seq: string | undefined
  /** Undefined if the request is not for a receipt. */
  readonly receipt: ReceiptPlace | undefined
  /** Empty, or starts with a question mark. */
  readonly query: string
  /** Undefined if the answer is not a list of rulesets. */
  readonly list: ListQuery | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The place of a receipt in the logs of engines. */
export interface ReceiptPlace {
  /** `<instance id>/<UUID>`. */
  readonly instance: string
  readonly seq: number
}

/** Longest text to search for, in UTF-16 units. */
const MAX_SEARCH_LENGTH = 200

/** Throws 400 for a name that no ruleset can have, and 404 for the name of a candidate, which callers do not know. */
export function refuseRulesetName(name: string): void {
  const reason = refuseName(name)
  if (reason !== undefined) throw failures.refused(`${quote(name)} is not a ruleset name: ${reason}`, 'bad-name')
  if (isCandidate(name)) throw failures.notFound('ruleset', name)
}

const CHAIN = /^[A-Za-z0-9_-]{1,64}(?:\.w\d{1,2})?\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The place of a receipt in a path. Throws 400. */
export function receiptPlace({ instance = '', seq = '' }: Readonly<Record<string, string>>): ReceiptPlace {
  if (CHAIN.test(instance) && /^\d{1,16}$/.test(seq) && Number.isSafeInteger(Number(seq)))
    return { instance, seq: Number(seq) }
  throw failures.refused(
    `${quote(`${instance}#${seq}`)} is not the place of a receipt: it is \`<instance id>/<UUID>\`, percent-encoded, and a whole number`,
    'bad-receipt',
  )
}

/** The number of a version in a path, in canonical form. Throws 400. */
export function versionNumber(seq: string): string {
  if (/^\d{1,16}$/.test(seq) && Number.isSafeInteger(Number(seq))) return String(Number(seq))
  throw failures.refused(`the version ${quote(seq)} must be a whole number from \`GET …/versions\``, 'bad-version')
}

/** The forwarded part of a query, rebuilt from parsed values. Throws 400 for an invalid value. */
export function forwardedQuery(query: URLSearchParams): string {
  if (query.size === 0) return ''
  const forwarded = new URLSearchParams()
  for (const name of FORWARDED_PARAMETERS) {
    const value = query.get(name)
    if (value !== null) forwarded.set(name, validParameter(query, name, value))
  }
  return forwarded.size === 0 ? '' : `?${forwarded.toString()}`
}

function validParameter(query: URLSearchParams, name: string, value: string): string {
  switch (name) {
    case 'trace':
    case 'trace_values':
    case 'receipt':
      return String(truthOf(query, name))
    case 'limit':
      if (/^\d{1,6}$/.test(value) && Number(value) >= 1 && Number(value) <= MAX_PAGE_ROWS) return String(Number(value))
      throw invalidParameter('limit', `must be a whole number from 1 to ${MAX_PAGE_ROWS}, found ${quote(value)}`)
    case 'cursor':
      if (refuseName(value) === undefined) return value
      throw invalidParameter('cursor', `must be the \`x-next-cursor\` of the page before, found ${quote(value)}`)
    case 'seq':
      if (/^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value)) && Number(value) >= 1)
        return String(Number(value))
      throw invalidParameter('seq', `must be the number of a replaced version, found ${quote(value)}`)
    case 'key':
      if (value.length <= MAX_KEY_LENGTH && value.isWellFormed()) return value
      throw invalidParameter('key', `must have at most ${MAX_KEY_LENGTH} characters`)
    case 'q':
      if (value.length <= MAX_SEARCH_LENGTH && value.isWellFormed()) return value
      throw invalidParameter('q', `must have at most ${MAX_SEARCH_LENGTH} characters`)
    default:
      throw new TypeError(`no rule for the query parameter ${name}`)
  }
}

/** The query as `ListQuery`. Throws 400. */
export function listQuery(query: URLSearchParams): ListQuery {
  const limit = query.get('limit')
  const [cursor, q] = [query.get('cursor'), query.get('q')]
  return {
    limit: limit === null ? Infinity : Number(validParameter(query, 'limit', limit)),
    cursor: cursor === null ? undefined : validParameter(query, 'cursor', cursor),
    q: q === null ? undefined : validParameter(query, 'q', q),
  }
}

/** A path of segments that no URL parser changes: none is empty, begins with a dot, or is encoded. */
const PLAIN_PATH = /^(?:\/[\w-][\w.-]*)+$/

/** Any origin works: the parser handles all paths in the same way. */
const ORIGIN = 'http://engine'

/**
 * The path of a request at an engine, with its query: the path of the table row with the name filled in. A path that a
 * URL parser would change is a defect and throws.
 *
 * @param name name of the ruleset on the engine: a candidate has another name there than for callers
 */
export function upstreamPath({ route, seq, receipt, query }: UpstreamRequest, name = ''): string {
  const whole = route.upstreamPath
    .replace(':name', name)
    .replace(':instance', encodeURIComponent(receipt?.instance ?? ''))
    .replace(':seq', seq ?? String(receipt?.seq ?? ''))
    .concat(query)
  if (!PLAIN_PATH.test(whole) && new URL(`${ORIGIN}${whole}`).href !== `${ORIGIN}${whole}`)
    throw new TypeError(`${whole} is not a path of an engine`)
  return whole
}
