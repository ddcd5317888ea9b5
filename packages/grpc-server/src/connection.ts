import { constants, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { ACCEPTED, type CallParts, HEAD, OpenStream, UnaryCall } from './call.ts'
import type { Method } from './method.ts'
import { GrpcError, type StatusName, trailersOf } from './status.ts'

/** Milliseconds between two pings, and those in which each must be answered. The settings of a client answer the first one. */
const PING_EVERY_MS = 60_000
const PING_WITHIN_MS = 20_000
/** Streaming calls of one connection: each may keep what its caller has sent, up to the window of its stream. */
const MOST_LONG_CALLS = 100
/** Milliseconds that calls are on their way at most which a client sends before it has heard of a shutdown. */
const UNDER_WAY_MS = 100
/** Pings and settings that a client may send without a call between; so many a second more. */
const MOST_CONTROL_FRAMES = 2000
const CONTROL_FRAMES_A_SECOND = 200
/** Milliseconds for the calls of a connection that has reached its age. */
const AGE_GRACE_MS = 60_000

/** What each connection is held to. */
export interface ConnectionLimits {
  /** Milliseconds in which a call has to make progress: a message complete, a request answered, an answer read. */
  readonly limitMs: number
  /** Milliseconds after which a client has to connect again, give or take a tenth; Infinity: never. */
  readonly maxAgeMs: number
}

/** One connection of a client: its calls, its keepalive, and its end. */
export class Connection {
  readonly #address: string | undefined
  readonly #session: ServerHttp2Session
  readonly #methods: ReadonlyMap<string, Method>
  readonly #parts: CallParts
  readonly #calls = new Set<UnaryCall | OpenStream>()
  #pinged = performance.now()
  #isAnswered = false
  #controlFrames = 0
  readonly #began = performance.now()
  /** Of this connection: some lie before and some after the limit, so that those which began together end one by one. */
  readonly #ageShare = 0.9 + Math.random() * 0.2
  #isRetired = false

  constructor(session: ServerHttp2Session, methods: ReadonlyMap<string, Method>, parts: CallParts) {
    this.#session = session
    this.#methods = methods
    this.#parts = parts
    this.#address = session.socket.remoteAddress
    const counted = () => this.#countControlFrame()
    session.on('stream', (stream, headers, _flags, raw) => this.#open(stream, headers, raw))
    session.on('ping', counted)
    session.on('remoteSettings', counted)
    session.once('remoteSettings', () => (this.#isAnswered = true))
    // What a client does wrong ends its connection, and is no error of the server.
    session.on('error', () => {})
  }

  /**
   * Looks after what takes too long.
   *
   * @param limits milliseconds in which a call has to make progress, and of the age of a connection
   */
  sweep(now: number, { limitMs, maxAgeMs }: ConnectionLimits, sinceLastMs: number): void {
    this.#controlFrames = Math.max(0, this.#controlFrames - (CONTROL_FRAMES_A_SECOND * sinceLastMs) / 1000)
    for (const call of this.#calls) call.expire(now - limitMs)
    const age = now - this.#began - maxAgeMs * this.#ageShare
    if (age > 0 && !this.#isRetired) this.retire()
    if (age > AGE_GRACE_MS) return this.close()
    const silence = now - this.#pinged
    if (!this.#isAnswered && silence > PING_WITHIN_MS) this.#session.destroy()
    else if (this.#isAnswered && silence > PING_EVERY_MS) this.#ping()
  }

  /** No new calls; those under way are answered. */
  retire(): void {
    this.#isRetired = true
    // Calls that were sent before the client has heard of it are still taken. A ping would tell when it has: some clients
    // answer none from then on.
    this.#session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1)
    setTimeout(() => this.#session.close(), UNDER_WAY_MS)
  }

  /** The same at a shutdown, at which streams end too. */
  drain(): void {
    this.retire()
    for (const call of this.#calls) if (call instanceof OpenStream) call.wake()
  }

  close(): void {
    this.#session.destroy()
  }

  #ping(): void {
    this.#pinged = performance.now()
    this.#isAnswered = false
    if (!this.#session.ping(() => (this.#isAnswered = true))) this.#session.destroy()
  }

  get #longCalls(): number {
    let count = 0
    for (const call of this.#calls) if (call instanceof OpenStream && !call.aborted) count++
    return count
  }

  #countControlFrame(): void {
    if (++this.#controlFrames <= MOST_CONTROL_FRAMES) return
    this.#session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, undefined, TOO_MANY)
    this.#session.destroy()
  }

  #open(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]): void {
    stream.on('error', () => {})
    if (stream.destroyed) return
    this.#controlFrames = 0
    if (headers[':method'] !== 'POST' || !isGrpc(headers['content-type']))
      return stream.respond({ ':status': headers[':method'] === 'POST' ? 415 : 405 }, { endStream: true })
    const method = this.#methods.get(headers[':path'] ?? '')
    if (method === undefined) return refuse(stream, 'UNIMPLEMENTED', `there is no method ${headers[':path']}`)
    const encoding = headers['grpc-encoding'] ?? 'identity'
    if (encoding !== 'identity' && encoding !== 'gzip')
      return refuse(stream, 'UNIMPLEMENTED', 'messages cannot be compressed in this way')
    if (method.kind === 'stream' && this.#longCalls >= MOST_LONG_CALLS)
      return refuse(stream, 'RESOURCE_EXHAUSTED', `a connection may have ${MOST_LONG_CALLS} streaming calls open`)
    const call =
      method.kind === 'unary'
        ? new UnaryCall(method, stream, headers, raw, this.#address, this.#parts)
        : new OpenStream(method, stream, headers, raw, this.#address, this.#parts)
    this.#calls.add(call)
    stream.on('close', () => {
      this.#calls.delete(call)
      call.gone()
    })
    call.begin()
  }
}

/** `application/grpc`, also with a format or a parameter behind it. */
function isGrpc(type = ''): boolean {
  return type.startsWith('application/grpc') && (type.length === 16 || type[16] === '+' || type[16] === ';')
}

const TOO_MANY = Buffer.from('too_many_pings')

function refuse(stream: ServerHttp2Stream, status: StatusName, message: string): void {
  const trailers = trailersOf(new GrpcError(status, message))
  stream.respond({ ...HEAD, ...ACCEPTED, ...trailers }, { endStream: true })
  stream.resume()
}
