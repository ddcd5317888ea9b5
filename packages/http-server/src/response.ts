import { stringifyJson, type Value } from '@engine/expression'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { awaitsLeave } from './continuation.ts'
import { inAcceptedForm } from './problem-details.ts'

/** Content types of responses. */
export const MEDIA = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  /** Text exposition format 0.0.4, as requested by scrapers. */
  metrics: 'text/plain; version=0.0.4; charset=utf-8',
} as const

/**
 * True if `accept` prefers CSV, that is, names it before other types (RFC 9110 section 12.5.1 leaves equal weights to
 * the server).
 */
export function prefersCsv(accept: string | undefined): boolean {
  const [first = ''] = (accept ?? '').split(',')
  return /^\s*text\/csv\s*(?:;.*)?$/i.test(first)
}

/**
 * Headers of every response. No response is a page (the one at `/docs` overrides the policy), nothing may be cached,
 * and pages of other origins can read nothing unless allowed by `cross-origin.ts`.
 */
export const SECURITY_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const

/** Time for which a rejected body is read and discarded, so that its sender receives the response. */
const LINGER_TIMEOUT_MS = 1000

/** Set once at shutdown: from then on every response closes its connection. */
export interface ServingState {
  draining: boolean
  /** The peer closes the connection on `connection: close`, and may still be writing. */
  readonly peerCloses?: boolean
}

/** A response of a route; without a body it is empty and has no content type. */
export interface Answer {
  readonly status: number
  readonly body?: string | Buffer
  /** Default `MEDIA.json`. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The code of an error, which may be written as problem details; undefined for any other answer. */
  readonly errorCode?: string | undefined
  /** Values of `set-cookie`. */
  readonly cookies?: readonly string[]
}

/** An answer with a JSON body. */
export function json(status: number, body: unknown): Answer {
  // Bodies are valid values by construction; typed records lack the index signature of `Value`.
  return { status, body: stringifyJson(body as Value) }
}

/** The id of a request: from its answer if set, otherwise from its sender. */
function requestIdIn({ headers }: IncomingMessage, response: ServerResponse): string | undefined {
  const ids = [response.getHeader('x-request-id'), headers['x-request-id']]
  return ids.find((id) => typeof id === 'string')
}

/**
 * Yields the same bytes as UTF-8 for a text whose length equals its number of bytes, by copying instead of encoding.
 */
const ASCII = 'latin1'

/** An answer in the form that its sender accepts, with all headers except those of the connection. */
interface FramedAnswer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  readonly body: string | Buffer
  /** Length of the body in bytes. */
  readonly bytes: number
}

/** @param requestId undefined if the request has none */
export function frameAnswer(
  given: Answer,
  requestHeaders: IncomingHttpHeaders,
  requestId: string | undefined,
): FramedAnswer {
  const answer = given.errorCode === undefined ? given : inAcceptedForm(given, requestHeaders, requestId)
  const { status, body = '', type = MEDIA.json, cookies } = answer
  const bytes = Buffer.byteLength(body)
  const headers: OutgoingHttpHeaders = { ...SECURITY_HEADERS, ...answer.headers }
  if (cookies !== undefined) headers['set-cookie'] = [...cookies]
  if (status !== 204 && status !== 304) {
    if (answer.body !== undefined) headers['content-type'] = type
    headers['content-length'] = bytes
  }
  return { status, headers, body, bytes }
}

/** Writes a response, unless the request was already answered (timeout) or its sender has disconnected. */
export function writeAnswer(response: ServerResponse, given: Answer, state: ServingState): void {
  if (response.headersSent || response.destroyed) return
  const request = response.req
  const { status, headers, body, bytes } = frameAnswer(given, request.headers, requestIdIn(request, response))
  const rest = request.complete ? 'none' : status === REQUEST_TIMEOUT ? 'unbounded' : restOf(request)
  if (state.draining || rest === 'unbounded') headers['connection'] = 'close'
  response.writeHead(status, headers)
  if (rest === 'none') response.end(body, bytes === body.length ? ASCII : 'utf8')
  else endAfterBody(request, response, body, rest, state)
}

/** Largest rejected body, in bytes, that is read to keep its connection: about as much as is in transit anyway. */
const SMALL_BODY_BYTES = 64 * 1024

/** Status of a request that did not arrive in time: the rest is not awaited. */
const REQUEST_TIMEOUT = 408

/** The unread rest of a request that is answered early. */
type Rest = 'none' | 'small' | 'unbounded'

function restOf(request: IncomingMessage): Rest {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  // Node notices the end of a request without a body only after its listener returns.
  if (coding === undefined && (length === undefined || length === '0')) return 'none'
  return coding === undefined && Number(length) <= SMALL_BODY_BYTES && !awaitsLeave(request) ? 'small' : 'unbounded'
}

/**
 * Writes the response to a failed request; a stream that has already begun can only be reset. A sender that
 * disconnected receives none, see `isGone`.
 */
export function writeFailure(response: ServerResponse, answer: Answer, state: ServingState): void {
  if (response.headersSent) response.destroy()
  else writeAnswer(response, answer, state)
}

/** True if a request failed because its sender disconnected, which is not a server error. */
export function isGone(response: ServerResponse, thrown: unknown): boolean {
  return response.destroyed && thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNRESET'
}

/**
 * Responds before the request's body has arrived completely. Closing immediately would reset the connection and
 * possibly discard the response, so the rest is read and dropped for a moment. The connection is kept when a small body
 * has arrived completely by then.
 */
function endAfterBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: string | Buffer,
  rest: Rest,
  { peerCloses }: ServingState,
): void {
  response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const { socket } = request
  const timer = setTimeout(() => {
    end()
    if (rest === 'small') socket.destroySoon()
  }, LINGER_TIMEOUT_MS)
  response.once('close', () => clearTimeout(timer))
  // On a Unix domain socket, closing this side makes pending writes of the peer fail immediately, and the response
  // would be lost.
  if (peerCloses !== true || rest === 'small') {
    request.once('end', end)
    request.once('close', end)
  }
  request.resume()
}
