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

/** What a proxy in front of us might read otherwise than we do is refused: who is meant must be said once, in `host`. */
export function refuseMessage({ url = '', httpVersion, rawHeaders }: IncomingMessage): EngineError | undefined {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0'))
    return new EngineError(
      'invalid-request',
      `the header \`host\` must be given once, found ${hosts === 0 ? 'none' : hosts}`,
    )
  if (url.startsWith('/') || url === '*') return undefined
  return new EngineError('invalid-request', `the target ${quoted(url)} must be a path such as \`/api/v1/rulesets\``)
}
