import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { quote } from '@engine/expression'
import { HttpError } from './http-error.ts'
import { STATUS_CODES } from './node-http.ts'
import { type Answer, SECURITY_HEADERS } from './response.ts'

/**
 * The answer to an error of HTTP, by the table of the server.
 *
 * @param request undefined: what arrived is no request
 */
export type Answered = (error: HttpError, request?: IncomingMessage) => Answer

/** What Node could not read as HTTP is answered in the shape of every other error, then the connection is closed. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, failure: Answered): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  refuseSocket(socket, failure(connectionFailure(error)))
}

/** Answer on a connection that has no request, and close it. */
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
  /** What arrived last. */
  readonly rawPacket?: Buffer
  /** Offset in it at which the parser stopped. */
  readonly bytesParsed?: number
}

/** Longest line of a request that is looked at: more than the headers may have. */
const MAX_LINE = 16 * 1024

/** A request line that is right but for its method, which the parser does not know (RFC 9110 section 9.1: 501). */
function unknownMethod({ rawPacket, bytesParsed = 0 }: ParserError): HttpError | undefined {
  if (rawPacket === undefined) return undefined
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(10, bytesParsed - 1) + 1
  const line = rawPacket.toString('latin1', start, start + MAX_LINE)
  const [, method] = /^([\w!#$%&'*+.^`|~-]+) [^\s]+ HTTP\/1\.[01]\r?\n/.exec(line) ?? []
  if (method === undefined) return undefined
  return new HttpError('method-unknown', `the method ${quote(method)} is not known here`)
}

/** The answer to `CONNECT`. */
export function noTunnel(): HttpError {
  return new HttpError('method-not-allowed', 'this is no proxy: there is nothing to connect to', { allow: [] })
}

/** The answer to an `expect` that is not `100-continue`. */
export function unmetExpectation({ headers }: IncomingMessage): HttpError {
  return new HttpError(
    'expectation-failed',
    `the expectation ${quote(headers.expect ?? '')} cannot be met: only \`100-continue\` can`,
  )
}

/** The rules for the head of a message that Node leaves to the server. */
export interface MessageRules {
  /**
   * Names of headers in lower case that say who is meant: with two of them a proxy in front might read the one, and this
   * server the other. `host` always is one, and `content-type`, which says how the body is read, is treated alike.
   */
  readonly identity: readonly string[]
  /** A path of the server, for the message about a target that is none. */
  readonly examplePath: string
}

const HOST = 1

/** A header that may come once. */
interface Once {
  readonly key: string
  /** As most clients write it, so that its case needs no change to compare. */
  readonly title: string
  readonly bit: number
}

/**
 * Check the head of each request: headers that a proxy might read otherwise than this server are refused, since the
 * identity must be given once, and targets that are no path; one in absolute form becomes its path. Runs for every request: headers are told apart by their
 * length first, and few have that of another.
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
      const name = rawHeaders[index] as string
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
 * The path and query of a target in absolute form, which clients send to proxies and servers must accept as well
 * (RFC 9112 section 3.2.2). Undefined: it is none, or its authority holds a password.
 */
function pathOfAbsolute(url: string): string | undefined {
  const [, path] = /^https?:\/\/[^/?#@]+([/?][^#]*)?$/i.exec(url) ?? [undefined, undefined]
  if (path === undefined) return /^https?:\/\/[^/?#@]+$/i.test(url) ? '/' : undefined
  return path.startsWith('?') ? `/${path}` : path
}

/** `X-Api-Key` of `x-api-key`. */
const titleOf = (key: string) => key.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())

function countOf(rawHeaders: readonly string[], key: string): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === key).length
}

function notOnce(name: string, found: string): HttpError {
  return new HttpError('invalid-request', `the header ${quote(name)} must be given once, found ${found}`)
}
