import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { OpenCall, refuse } from './call.ts'
import type { Serving } from './options.ts'
import { GrpcError, type StatusName } from './status.ts'

/** Milliseconds between two pings, those for the answer to one, and those for the calls of a connection that is too old. */
const [PING_EVERY_MS, PING_WITHIN_MS, AGE_GRACE_MS] = [60_000, 20_000, 60_000]
/** Streaming calls of one connection: each may keep what its caller has sent, up to the window of its stream. */
const MOST_LONG_CALLS = 100
/** Milliseconds that calls are on their way at most which a client sends before it has heard of a shutdown. */
const UNDER_WAY_MS = 100
/** Pings and settings that a client may send without a call between; so many more with each look at the connection. */
const [MOST_CONTROL_FRAMES, CONTROL_FRAMES_A_SWEEP] = [2000, 50]

/** One connection of a client: its calls, its keepalive, and its end. */
export class Connection {
  readonly gone: Promise<void>
  readonly #session: ServerHttp2Session
  readonly #server: Serving
  readonly #address: string | undefined
  readonly #calls = new Set<OpenCall>()
  #pinged = performance.now()
  /** The settings of a client answer the first ping. */
  #isAnswered = false
  #controlFrames = 0
  #retires: number
  #ends = Infinity

  constructor(session: ServerHttp2Session, server: Serving) {
    this.#session = session
    this.#server = server
    this.#address = session.socket.remoteAddress
    // Some before and some after the limit: connections that began together end one by one.
    this.#retires = performance.now() + server.maxAgeMs * (0.9 + Math.random() * 0.2)
    this.gone = new Promise((resolve) => session.once('close', resolve))
    session.on('stream', (stream, headers, _flags, raw) => this.#open(stream, headers, raw))
    session.on('ping', () => this.#countControlFrame())
    session.on('remoteSettings', () => this.#countControlFrame())
    // What a client does wrong ends its connection, and is no error of the server.
    session.on('error', () => {})
  }

  /** Looks after what takes too long. */
  sweep(now: number): void {
    this.#controlFrames = Math.max(0, this.#controlFrames - CONTROL_FRAMES_A_SWEEP)
    for (const call of this.#calls) call.expire(now)
    if (now > this.#retires) {
      this.#ends = now + AGE_GRACE_MS
      this.#retire()
    }
    const silence = now - this.#pinged
    if (now > this.#ends || (!this.#isAnswered && silence > PING_WITHIN_MS)) return this.close()
    if (!this.#isAnswered || silence <= PING_EVERY_MS) return
    this.#pinged = now
    this.#isAnswered = false
    if (!this.#session.ping(() => (this.#isAnswered = true))) this.close()
  }

  /** No new calls; those under way are answered, and streams end. */
  drain(): void {
    this.#retire()
    for (const call of this.#calls) call.drain()
  }

  close(): void {
    this.#session.destroy()
  }

  #retire(): void {
    this.#retires = Infinity
    // Calls that were sent before the client has heard of it are still taken. A ping would tell when it has: some clients
    // answer none from then on.
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1)
    setTimeout(() => this.#session.close(), UNDER_WAY_MS)
  }

  #countControlFrame(): void {
    this.#isAnswered = true
    if (++this.#controlFrames <= MOST_CONTROL_FRAMES) return
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, undefined, Buffer.from('too_many_pings'))
    this.close()
  }

  #open(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]): void {
    stream.on('error', () => {})
    if (stream.destroyed) return
    this.#controlFrames = 0
    const {
      ':method': verb,
      ':path': path = '',
      'content-type': type = '',
      'grpc-encoding': encoding = 'identity',
    } = headers
    if (verb !== 'POST' || !/^application\/grpc(?:$|[+;])/.test(type))
      return stream.respond({ ':status': verb === 'POST' ? 415 : 405 }, { endStream: true })
    const refused = (status: StatusName, message: string) => refuse(stream, new GrpcError(status, message))
    const method = this.#server.methods.get(path)
    if (method === undefined) return refused('UNIMPLEMENTED', `there is no method ${path}`)
    if (encoding !== 'identity' && encoding !== 'gzip')
      return refused('UNIMPLEMENTED', 'messages cannot be compressed in this way')
    const isTaken = (call: OpenCall) => call.method.kind === 'stream' && !call.aborted
    if (method.kind === 'stream' && [...this.#calls].filter(isTaken).length >= MOST_LONG_CALLS)
      return refused('RESOURCE_EXHAUSTED', `a connection may have ${MOST_LONG_CALLS} streaming calls open`)
    const call = new OpenCall(method, stream, headers, raw, this.#address, this.#server)
    this.#calls.add(call)
    stream.on('close', () => {
      this.#calls.delete(call)
      call.gone()
    })
    call.begin()
  }
}
