import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { defined, quote } from '@engine/expression'
import { HttpError } from './http-error.ts'
import { STATUS_CODES } from './node-http.ts'
import { type Answer, SECURITY_HEADERS } from './response.ts'

/**
 * Maps an HTTP error to a response by the server's table.
 *
 * @param request undefined when the data received is not a request
 */
export type Answered = (error: HttpError, request?: IncomingMessage) => Answer

/** Data that Node cannot parse as HTTP is answered with the usual error body, then the connection is closed. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, failure: Answered): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  refuseSocket(socket, failure(connectionFailure(error)))
}

/** Responds on a connection without a request, and closes it. */
export function refuseSocket(socket: Socket, { status, body = '' }: Answer): void {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body.toString()}`)
}

function connectionFailure(error: NodeJS.ErrnoException): HttpError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpError('headers-too-large', 'the headers are larger than 16 KiB')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpError('late-request', 'the headers of the request did not arrive in time')
    case 'HPE_INVALID_METHOD':
      return unknownMethod(error) ?? notHttp()
    default:
      return notHttp()
  }
}

const notHttp = () => new HttpError('invalid-request', 'this is not a valid HTTP/1.1 request')

/** An error of Node's parser. */
interface ParserError extends NodeJS.ErrnoException {
  /** The most recent data. */
  readonly rawPacket?: Buffer
  /** Number of its bytes that were parsed. */
  readonly bytesParsed?: number
}

/** Longest request line that is examined, in bytes: more than the limit of the headers. */
const MAX_LINE_BYTES = 16 * 1024

/** A valid request line with a method that the parser does not know (RFC 9110 section 9.1: 501). */
function unknownMethod({ rawPacket, bytesParsed = 0 }: ParserError): HttpError | undefined {
  if (rawPacket === undefined) return undefined
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(10, bytesParsed - 1) + 1
  const line = rawPacket.toString('latin1', start, start + MAX_LINE_BYTES)
  const [, method] = /^([\w!#$%&'*+.^`|~-]+) [^\s]+ HTTP\/1\.[01]\r?\n/.exec(line) ?? []
  if (method === undefined) return undefined
  return new HttpError('method-unknown', `the method ${quote(method)} is not supported`)
}

/** The answer to `CONNECT`. */
export function noTunnel(): HttpError {
  return new HttpError('method-not-allowed', 'this is not a proxy: `CONNECT` is not supported', { allow: [] })
}

/** The response to an `expect` other than `100-continue`. */
export function unmetExpectation({ headers }: IncomingMessage): HttpError {
  return new HttpError(
    'expectation-failed',
    `the expectation ${quote(headers.expect ?? '')} cannot be met: only \`100-continue\` can`,
  )
}

/** Rules for the head of a message that Node leaves to the server. */
export interface MessageRules {
  /**
   * Names of identity headers in lower case: with duplicates, a proxy in front might use one and this server the other.
   * `host` is always included, and `content-type`, which determines how the body is read, is treated alike.
   */
  readonly identity: readonly string[]
  /** An example path of the server, for error messages. */
  readonly examplePath: string
}

const HOST = 1

/** A header that must not be repeated. */
interface Once {
  readonly key: string
  /** In the usual spelling, so that most comparisons need no case conversion. */
  readonly title: string
  readonly bit: number
}

/**
 * Checks the head of each request: rejects repeated headers that a proxy might interpret differently than this server,
 * and targets that are not paths; converts targets in absolute form. Runs for every request: headers are first
 * distinguished by length, which few share.
 */
export function messageCheck({
  identity,
  examplePath,
}: MessageRules): (request: IncomingMessage) => HttpError | undefined {
  const once = ['host', 'content-type', ...identity].map((key, index): Once => ({
    key,
    title: titleOf(key),
    bit: 1 << index,
  }))
  const byLength: (readonly Once[] | undefined)[] = []
  for (const header of once) byLength[header.key.length] = [...(byLength[header.key.length] ?? []), header]
  return (request) => {
    const { rawHeaders } = request
    let seen = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = defined(rawHeaders[index])
      const alike = byLength[name.length]
      if (alike === undefined) continue
      for (const { key, title, bit } of alike) {
        if (name !== title && name !== key && name.toLowerCase() !== key) continue
        if ((seen & bit) !== 0) return notOnce(key, String(countOf(rawHeaders, key)))
        seen |= bit
      }
    }
    if ((seen & HOST) === 0 && request.httpVersion !== '1.0') return notOnce('host', 'none')
    const { url = '' } = request
    if (url.startsWith('/') || url === '*') return undefined
    const path = pathOfAbsolute(url)
    if (path === undefined)
      return new HttpError('invalid-request', `the target ${quote(url)} must be a path such as ${quote(examplePath)}`)
    request.url = path
    return undefined
  }
}

/**
 * The path and query of a target in absolute form, which servers must accept (RFC 9112 section 3.2.2). Undefined if it
 * is invalid or its authority contains a password.
 */
function pathOfAbsolute(url: string): string | undefined {
  const [, path] = /^https?:\/\/[^/?#@]+([/?][^#]*)?$/i.exec(url) ?? [undefined, undefined]
  if (path === undefined) return /^https?:\/\/[^/?#@]+$/i.test(url) ? '/' : undefined
  return path.startsWith('?') ? `/${path}` : path
}

/** `X-Api-Key` of `x-api-key`. */
export const titleOf = (key: string) => key.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

function countOf(rawHeaders: readonly string[], key: string): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === key).length
}

function notOnce(name: string, found: string): HttpError {
  return new HttpError('invalid-request', `the header ${quote(name)} must be given once, found ${found}`)
}
