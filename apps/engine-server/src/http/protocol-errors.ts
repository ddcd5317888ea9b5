import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { EngineError, quoted } from '../errors.ts'
import { failure, SECURITY_HEADERS } from './response.ts'

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
const ONCE = ['host', 'authorization', 'x-api-key', 'x-tenant-id'] as const
const HOST = 1

/** A bit for each name that may come once; 0: any other. Most names differ in length. */
function bitOf(name: string): number {
  switch (name.length) {
    case 4:
      return name === 'Host' || name === 'host' || name.toLowerCase() === 'host' ? HOST : 0
    case 9:
      return name.toLowerCase() === 'x-api-key' ? 4 : 0
    case 11:
      return name.toLowerCase() === 'x-tenant-id' ? 8 : 0
    case 13:
      return name.toLowerCase() === 'authorization' ? 2 : 0
    default:
      return 0
  }
}

/** Headers that a proxy might read otherwise than this server are refused: the identity must be given once. */
export function refuseMessage(request: IncomingMessage): EngineError | undefined {
  const { rawHeaders } = request
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const bit = bitOf(rawHeaders[index] as string)
    if ((seen & bit) !== 0) {
      const key = ONCE[Math.log2(bit)] as string
      return notOnce(key, String(countOf(rawHeaders, key)))
    }
    seen |= bit
  }
  if ((seen & HOST) === 0 && request.httpVersion !== '1.0') return notOnce('host', 'none')
  const { url = '' } = request
  if (url.startsWith('/') || url === '*') return undefined
  return new EngineError('invalid-request', `the target ${quoted(url)} must be a path such as \`/api/v1/rulesets\``)
}

function countOf(rawHeaders: readonly string[], key: string): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === key).length
}

function notOnce(name: string, found: string): EngineError {
  return new EngineError('invalid-request', `the header ${quoted(name)} must be given once, found ${found}`)
}
