import { quote } from '@engine/expression'
import { HttpError, prefersCsv, refuseContentType, refuseEncoding, SECURITY_HEADERS } from '@engine/http-server'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { BodyType, UpstreamRoute } from './upstream-routes.ts'

/**
 * Optional request headers that every route forwards, each with the format of its value; a malformed value is dropped,
 * as if the caller had not sent the header. Headers that the proxy sets itself are not listed.
 */
const OPTIONAL_HEADERS: Readonly<Record<string, RegExp>> = {
  'accept-encoding': /^[\w*;=., -]{1,200}$/,
  // W3C Trace Context: the engine's span belongs to the caller's trace.
  traceparent: /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/,
  tracestate: /^[\x20-\x7e]{1,512}$/,
}
const OPTIONAL = Object.entries(OPTIONAL_HEADERS)

/** A list of entity tags (RFC 9110 section 13.1.1). */
const ENTITY_TAGS = /^(?:\*|[\x21\x23-\x7e", ]{1,1000})$/

/** Counts nested requests of rules that call engines: otherwise rules that call each other would never end. */
const HOPS_HEADER = 'x-engine-hops'
const HOPS = /^\d{1,4}$/

/** Line formats of bodies, with patterns of their content types. */
const LINES: readonly (readonly [BodyType, RegExp])[] = [
  ['application/x-ndjson', /^application\/x-ndjson(?:\s*;\s*charset="?utf-?8"?)?\s*$/i],
  ['text/csv', /^text\/csv(?:\s*;\s*(?:charset="?utf-?8"?|header="?present"?))*\s*$/i],
]

/** The normalized content type of a request with a body. Throws 415 for one that its route does not accept. */
function bodyTypeOf({ bodies }: Pick<UpstreamRoute, 'bodies'>, headers: IncomingHttpHeaders): BodyType {
  const type = headers['content-type'] ?? ''
  const found = LINES.find(([known, form]) => bodies.includes(known) && form.test(type))
  if (found !== undefined) {
    const refusal = refuseEncoding(headers)
    if (refusal !== undefined) throw refusal
    return found[0]
  }
  if (!bodies.includes('application/json'))
    throw new HttpError('unsupported-media-type', 'send lines of JSON with `content-type: application/x-ndjson`')
  const refusal = refuseContentType(headers)
  if (refusal !== undefined) throw refusal
  return 'application/json'
}

/**
 * The headers of a caller that are forwarded to an engine: those of the list above, those of the route, and those of
 * the body. Throws 400 and 415.
 */
export function forwardedHeaders(
  route: Pick<UpstreamRoute, 'headers' | 'bodies'>,
  headers: IncomingHttpHeaders,
): Record<string, string> {
  const sent: Record<string, string> = {}
  for (const [name, form] of OPTIONAL) {
    const value = headers[name]
    if (typeof value === 'string' && form.test(value)) sent[name] = value
  }
  for (const name of route.headers) {
    const value = headers[name]
    if (typeof value === 'string' && ENTITY_TAGS.test(value)) sent[name] = value
  }
  const hops = headers[HOPS_HEADER]
  if (hops !== undefined) {
    if (typeof hops !== 'string' || !HOPS.test(hops))
      throw new HttpError('invalid-request', `the header ${quote(HOPS_HEADER)} must be one whole number from 0 on`)
    sent[HOPS_HEADER] = hops
  }
  // The answer to a request of lines may be CSV; with any other `accept` the engine uses its default.
  if (route.bodies.includes('text/csv') && prefersCsv(headers.accept)) sent['accept'] = 'text/csv'
  if (route.bodies.length > 0) {
    sent['content-type'] = bodyTypeOf(route, headers)
    const coding = headers['content-encoding']
    if (coding !== undefined) sent['content-encoding'] = coding.trim().toLowerCase()
    const { 'content-length': length } = headers
    if (length !== undefined && headers['transfer-encoding'] === undefined) sent['content-length'] = length
  }
  return sent
}

/** Content types of answers that are forwarded. A browser treats none of them as a page or a script. */
const ANSWERED_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'application/problem+json',
  'application/x-ndjson',
  'text/csv',
  'text/plain',
])
const CONTENT_TYPE = /^\s*([\w.+/-]+)\s*(?:;\s*charset="?(utf-8)"?\s*)?(?:;|$)/i

/** The content type of an answer for the caller; undefined if answers of this type are not forwarded. */
function answeredType(type: string | readonly string[] | undefined): string | undefined {
  if (typeof type !== 'string') return undefined
  const [, media = '', charset] = CONTENT_TYPE.exec(type) ?? []
  const known = media.toLowerCase()
  if (!ANSWERED_TYPES.has(known)) return undefined
  return charset === undefined ? known : `${known}; charset=utf-8`
}

/**
 * Headers of an answer that are forwarded, each with the required format of its value. The content type is handled
 * separately.
 */
const ANSWERED_HEADERS = Object.entries({
  'content-length': /^\d{1,16}$/,
  'content-encoding': /^[\w-]{1,20}$/,
  'retry-after': /^[\w,: +-]{1,40}$/,
  etag: /^(?:W\/)?"[\x21\x23-\x7e]{0,200}"$/,
  'x-next-cursor': /^[\w.-]{1,128}$/,
  // Place of a receipt: `<instance>#<seq>`.
  'x-engine-receipt': /^[\w.-]{1,80}\/[0-9a-f-]{36}#\d{1,16}$/,
})

/** Report headers, which are forwarded only with `x-engine-report: 1`. */
const REPORT_HEADERS = Object.entries({
  'x-ruleset-digest': /^[0-9a-f]{64}$/,
  // Percent-encoded, see `encodeURIComponent`.
  'x-result-code': /^[\w%!'()*.~-]{0,2000}$/,
})

/** Headers of an answer for the caller: those of the lists above, and those that the platform adds. */
export function answeredHeaders(
  headers: IncomingHttpHeaders,
  wantsReport: boolean,
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const type = answeredType(headers['content-type'])
  const kept: Record<string, string> = { ...SECURITY_HEADERS, ...(type === undefined ? {} : { 'content-type': type }) }
  const passing = wantsReport ? [ANSWERED_HEADERS, REPORT_HEADERS] : [ANSWERED_HEADERS]
  for (const list of passing)
    for (const [name, form] of list) {
      const value = headers[name]
      if (typeof value === 'string' && form.test(value)) kept[name] = value
    }
  return Object.assign(kept, added)
}

/** Why an engine's answer is not forwarded; undefined if it is. */
export function refusalOfAnswer(
  statusCode: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): string | undefined {
  if (statusCode >= 300 && statusCode < 400 && statusCode !== 304)
    return `it answered with a redirect (${statusCode}), and redirects are not followed`
  if (statusCode < 200 || statusCode > 599) return `it answered with the status ${statusCode}`
  if (statusCode === 204 || statusCode === 304 || headers['content-length'] === '0') return undefined
  const type = headers['content-type']
  if (answeredType(type) !== undefined) return undefined
  const found = typeof type === 'string' ? `with the content type ${quote(type)}` : 'without one content type'
  return `it answered ${found}: only JSON, NDJSON, CSV and plain text pass`
}

/** A header that occurs exactly once and is not empty. */
export function headerOf({ headers }: Pick<IncomingMessage, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
