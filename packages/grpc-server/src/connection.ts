import { FloodGuard } from '@engine/http-server'
import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { OpenCall, refuse } from './call.ts'
import type { Serving } from './options.ts'
import { GrpcError } from './status.ts'

/** Milliseconds between two pings, and those in which each must be answered. The settings of a client answer the first one. */
const PING_EVERY_MS = 60_000
const PING_WITHIN_MS = 20_000
/** Milliseconds for the calls of a connection that has reached its age. */
const AGE_GRACE_MS = 60_000
/** Streaming calls of one connection: each may keep what its caller has sent, up to the window of its stream. */
const MAX_LONG_CALLS = 100
const TOO_MANY_LONG_CALLS = `a connection may have ${MAX_LONG_CALLS} streaming calls open`
/** Milliseconds that calls are on their way at most which a client sends before it has heard of a shutdown. */
const UNDER_WAY_MS = 100

/** One connection of a client: its calls, its keepalive, and its end. */
export type Connection = ReturnType<typeof serveConnection>

export function serveConnection(session: ServerHttp2Session, server: Serving) {
  /** Those whose streams are open. */
  const calls: OpenCall[] = []
  const origin = { address: session.socket.remoteAddress, calls, server }
  const floodGuard = new FloodGuard(session)
  let pinged = performance.now()
  let isAnswered = false
  // Some before and some after the limit: connections that began together end one by one.
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
    // Calls that were sent before the client has heard of it are still taken. A ping would tell when it has: some clients
    // answer none from then on.
    session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1)
    setTimeout(() => session.close(), UNDER_WAY_MS)
  }

  session.on('stream', (stream, headers, _flags, raw) => open(stream, headers, raw))
  for (const sign of ['ping', 'remoteSettings']) session.on(sign, () => (isAnswered = true))
  session.on('error', ignore)

  return {
    gone: new Promise<void>((resolve) => session.once('close', resolve)),
    close: () => session.destroy(),
    /** No new calls; those under way are answered, and streams end. */
    drain(): void {
      retire()
      for (const call of calls) call.drain()
    },
    /** Looks after what takes too long. */
    sweep(now: number): void {
      for (const call of calls) call.expire(now)
      if (now > retires) {
        ends = now + AGE_GRACE_MS
        retire()
      }
      const silence = now - pinged
      if (now > ends || (!isAnswered && silence > PING_WITHIN_MS)) return session.destroy()
      if (!isAnswered || silence <= PING_EVERY_MS) return
      pinged = now
      isAnswered = false
      if (!session.ping(() => (isAnswered = true))) session.destroy()
    },
  }
}

/** What a client does wrong ends its call or its connection, and is no error of the server. */
function ignore(): void {}

const isLong = ({ method, aborted }: OpenCall): boolean => method.kind === 'stream' && !aborted
