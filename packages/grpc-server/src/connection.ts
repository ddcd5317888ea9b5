import { FloodGuard } from '@engine/http-server'
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { OpenCall, refuse } from './call.ts'
import type { Serving } from './options.ts'
import { GrpcError } from './status.ts'

/** Interval of pings, and the timeout of each. The client's settings frame answers the first one. */
const PING_INTERVAL_MS = 60_000
const PING_TIMEOUT_MS = 20_000
/** Grace period for the calls of a connection that has reached its maximum age. */
const AGE_GRACE_MS = 60_000
/** Maximum number of streaming calls per connection: each may buffer up to the window of its stream. */
const MAX_LONG_CALLS = 100
const TOO_MANY_LONG_CALLS = `a connection may have ${MAX_LONG_CALLS} streaming calls open`
/** Grace period for calls that a client sent before it learned of the shutdown. */
const SHUTDOWN_GRACE_MS = 100

/** One client connection: its calls, keepalive and shutdown. */
export type Connection = ReturnType<typeof serveConnection>

export function serveConnection(session: ServerHttp2Session, server: Serving) {
  /** Calls with open streams. */
  const calls: OpenCall[] = []
  const origin = { address: session.socket.remoteAddress, calls, server }
  const floodGuard = new FloodGuard(session)
  let pinged = performance.now()
  let isAnswered = false
  // Randomized around the limit, so that connections opened together do not end together.
  let retires = pinged + server.maxAgeMs * (0.9 + Math.random() * 0.2)
  let ends = Infinity

  const open = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) => {
    stream.on('error', ignore)
    if (stream.destroyed) return
    floodGuard.opened(stream)
    if (headers[':method'] !== 'POST') return stream.respond({ ':status': 405 }, { endStream: true })
    const { 'content-type': type = '', 'grpc-encoding': encoding = 'identity', ':path': path = '' } = headers
    if (!/^application\/grpc(?:$|[+;])/.test(type)) return stream.respond({ ':status': 415 }, { endStream: true })
    const method = server.methods.get(path)
    if (method === undefined) return refuse(stream, new GrpcError('UNIMPLEMENTED', `there is no method ${path}`))
    if (encoding !== 'identity' && encoding !== 'gzip')
      return refuse(stream, new GrpcError('UNIMPLEMENTED', 'messages cannot be compressed in this way'))
    if (method.kind === 'stream' && calls.filter(isLong).length >= MAX_LONG_CALLS)
      return refuse(stream, new GrpcError('RESOURCE_EXHAUSTED', TOO_MANY_LONG_CALLS))
    calls.push(new OpenCall(method, stream, headers, raw, origin))
  }

  const retire = () => {
    retires = Infinity
    // Accepts calls sent before the client learns of it. A ping would confirm that, but some clients stop answering
    // pings then. A destroyed session takes nothing more, and its `close` event comes later.
    if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1)
    setTimeout(() => session.close(), SHUTDOWN_GRACE_MS)
  }

  session.on('stream', (stream, headers, _flags, raw) => open(stream, headers, raw))
  for (const sign of ['ping', 'remoteSettings']) session.on(sign, () => (isAnswered = true))
  session.on('error', ignore)

  return {
    gone: new Promise<void>((resolve) => session.once('close', resolve)),
    close: () => session.destroy(),
    /** Rejects new calls; pending ones are answered, and streams end. */
    drain(): void {
      retire()
      for (const call of calls) call.drain()
    },
    /** Enforces time limits. */
    sweep(now: number): void {
      for (const call of calls) call.expire(now)
      if (now > retires) {
        ends = now + AGE_GRACE_MS
        retire()
      }
      const silence = now - pinged
      if (now > ends || (!isAnswered && silence > PING_TIMEOUT_MS)) return session.destroy()
      if (!isAnswered || silence <= PING_INTERVAL_MS) return
      pinged = now
      isAnswered = false
      if (!session.destroyed && !session.ping(() => (isAnswered = true))) session.destroy()
    },
  }
}

/** Client errors end its call or connection, and are not server errors. */
function ignore(): void {}

const isLong = ({ method, aborted }: OpenCall): boolean => method.kind === 'stream' && !aborted
