import { stringifyJson, type Value } from '@engine/expression'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { awaitsLeave } from './continuation.ts'

/** Content types of responses. */
export const MEDIA = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  /** Text exposition format 0.0.4, as scrapers ask for it. */
  metrics: 'text/plain; version=0.0.4; charset=utf-8',
} as const

/**
 * Headers of every answer. Nothing here is a page (the one at `/docs` replaces the policy), nothing may be cached, and
 * a page of another origin can read nothing unless the server lets it (`cross-origin.ts`).
 */
export const SECURITY_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const

/** Milliseconds for which a refused body is still read and thrown away, so that its sender sees the answer. */
const LINGER_MS = 1000

/** Set once, when shutdown begins: from then on every answer closes its connection. */
export interface ServingState {
  draining: boolean
  /** The peer closes the connection on `connection: close`, and may be writing until then. */
  readonly peerCloses?: boolean
}

/** An answer of a route; without a body it is empty, and has no content type. */
export interface Answer {
  readonly status: number
  readonly body?: string | Buffer
  /** Default `MEDIA.json`. */
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Values of `set-cookie`. */
  readonly cookies?: readonly string[]
}

/** An answer with a JSON body. */
export function json(status: number, body: unknown): Answer {
  // Bodies are values by construction; typed records do not have the index signature of `Value`.
  return { status, body: stringifyJson(body as Value) }
}

/** Write an answer at once, unless the request was already answered (it timed out) or its sender is gone. */
export function writeAnswer(response: ServerResponse, answer: Answer, state: ServingState): void {
  if (response.headersSent || response.destroyed) return
  const request = response.req
  const { status, body = '', type = MEDIA.json, cookies } = answer
  const headers: OutgoingHttpHeaders = { ...SECURITY_HEADERS, ...answer.headers }
  if (cookies !== undefined) headers['set-cookie'] = [...cookies]
  if (status !== 204 && status !== 304) {
    if (answer.body !== undefined) headers['content-type'] = type
    headers['content-length'] = Buffer.byteLength(body)
  }
  const rest = request.complete ? 'none' : status === REQUEST_TIMEOUT ? 'unbounded' : restOf(request)
  if (state.draining || rest === 'unbounded') headers['connection'] = 'close'
  response.writeHead(status, headers)
  if (rest === 'none') response.end(body)
  else endAfterBody(request, response, body, rest, state)
}

/** Bytes of a refused body that are read so that its connection can be kept: about what is on the way anyway. */
const SMALL_BODY = 64 * 1024

/** The status of a request that did not arrive in time: no more is waited for. */
const REQUEST_TIMEOUT = 408

/** What of a request that is answered early is still to come. */
type Rest = 'none' | 'small' | 'unbounded'

function restOf(request: IncomingMessage): Rest {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  // Node notices the end of a request without a body only after its listener has returned.
  if (coding === undefined && (length === undefined || length === '0')) return 'none'
  return coding === undefined && Number(length) <= SMALL_BODY && !awaitsLeave(request) ? 'small' : 'unbounded'
}

/**
 * Write the answer to a failed request, whose response may have begun: a stream can only be reset then. A sender that
 * disconnected in the middle gets none, see `isGone`.
 */
export function writeFailure(response: ServerResponse, answer: Answer, state: ServingState): void {
  if (response.headersSent) response.destroy()
  else writeAnswer(response, answer, state)
}

/** Whether a request failed because its sender disconnected in the middle, which is no error of the server. */
export function isGone(response: ServerResponse, thrown: unknown): boolean {
  return response.destroyed && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET'
}

/**
 * Answer before the request's body has arrived in full. Closing at once would reset the connection and the sender might
 * never read the answer, so what still comes is read and dropped for a moment. The connection is kept when all of a small
 * body has come by then.
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
  }, LINGER_MS)
  response.once('close', () => clearTimeout(timer))
  // On a Unix domain socket a late write fails at once when this side is closed, and the answer would be lost unread.
  if (peerCloses !== true || rest === 'small') {
    request.once('end', end)
    request.once('close', end)
  }
  request.resume()
}
