import { connect, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2'
import { onTestFinished } from 'vitest'

/** How a call over `node:http2` ended, without a library's interpretation. */
export interface RawReply {
  /** Undefined: there was none. */
  readonly code: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly trailers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A session that ends with the test. */
export function sessionOf(address: string): ClientHttp2Session {
  const session = connect(`http://${address}`, { maxSendHeaderBlockLength: 1_000_000 })
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  return session
}

export function begin(session: ClientHttp2Session, path: string, headers: object = {}) {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  })
  return { stream, ended: replyOf(stream) }
}

function replyOf(stream: ClientHttp2Stream): Promise<RawReply> {
  const pieces: Buffer[] = []
  let found: IncomingHttpHeaders = {}
  let trailing: IncomingHttpHeaders = {}
  stream
    .on('response', (headers) => (found = headers))
    .on('trailers', (trailers) => (trailing = trailers))
    .on('data', (piece: Buffer) => pieces.push(piece))
    .on('error', () => {})
  return new Promise((resolve) =>
    stream.on('close', () => {
      const status = trailing['grpc-status'] ?? found['grpc-status']
      const code = status === undefined ? undefined : Number(status)
      resolve({ code, headers: found, trailers: { ...found, ...trailing }, body: Buffer.concat(pieces) })
    }),
  )
}

/** One call with this body. */
export function rawCall(address: string, path: string, body: Buffer, headers: object = {}): Promise<RawReply> {
  const { stream, ended } = begin(sessionOf(address), path, headers)
  stream.end(body)
  return ended
}
