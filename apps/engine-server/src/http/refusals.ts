import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { EngineError, quoted } from '../errors.ts'
import { failure, SECURITY_HEADERS } from './answer.ts'

/** What Node could not read as HTTP is answered in the shape of every other error, then the connection is closed. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  refuseSocket(socket, connectionFailure(error))
}

/** Answer on a connection that has no request, and close it. */
export function refuseSocket(socket: Socket, error: EngineError): void {
  const { status, body = '' } = failure(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function connectionFailure(error: NodeJS.ErrnoException): EngineError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new EngineError('headers-too-large', 'the headers are larger than 16 KiB')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new EngineError('late-request', 'the headers of the request did not arrive in time')
    default:
      return new EngineError('invalid-request', 'this is not a valid HTTP/1.1 request')
  }
}

/** The answer to `CONNECT`. */
export function noTunnel(): EngineError {
  return new EngineError('method-not-allowed', 'this is no proxy: there is nothing to connect to', { allow: [] })
}

/** The answer to an `expect` that is not `100-continue`. */
export function unmetExpectation({ headers }: IncomingMessage): EngineError {
  return new EngineError(
    'expectation-failed',
    `the expectation ${quoted(headers.expect ?? '')} cannot be met: only \`100-continue\` can`,
  )
}

/** Headers that say who is meant: with two of them a proxy in front might read the one, and this server the other. */
const ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'x-api-key', 'x-tenant-id'])

/** What a proxy in front of us might read otherwise than we do is refused: who is meant must be said once. */
export function refuseMessage({ url = '', httpVersion, rawHeaders }: IncomingMessage): EngineError | undefined {
  let seen = ''
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // Most names are told apart by their length.
    if (name.length !== 4 && name.length !== 9 && name.length !== 11 && name.length !== 13) continue
    const key = name.toLowerCase()
    if (!ONCE.has(key)) continue
    if (seen.includes(` ${key} `)) return notOnce(key, String(countOf(rawHeaders, key)))
    seen += ` ${key} `
  }
  if (httpVersion !== '1.0' && !seen.includes(' host ')) return notOnce('host', 'none')
  if (url.startsWith('/') || url === '*') return undefined
  return new EngineError('invalid-request', `the target ${quoted(url)} must be a path such as \`/api/v1/rulesets\``)
}

function countOf(rawHeaders: readonly string[], key: string): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === key).length
}

function notOnce(name: string, found: string): EngineError {
  return new EngineError('invalid-request', `the header ${quoted(name)} must be given once, found ${found}`)
}
