import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { ArrivingMessages, decompressed, framed, type MessageLimits, messageIn } from './messages.ts'
import type { ByteStream, Method, StreamMethod, UnaryMethod } from './method.ts'
import { GrpcError, shuttingDown, type StatusName, trailersOf } from './status.ts'

/** A call as its method sees it. Also the signal that aborts when its caller is gone or its time has passed. */
export interface Call {
  /** Of the other end of the connection; undefined over a Unix domain socket. */
  readonly address: string | undefined
  /** The metadata as Node gives it; of some names it has only the first value. */
  readonly headers: IncomingHttpHeaders
  /** All values of one name (in lower case), as they were sent. */
  values(name: string): readonly string[]
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What calls need of their server. */
export interface CallParts {
  readonly limits: MessageLimits
  /** Why a call ended that made no progress for its time. */
  readonly expired: (phase: 'arriving' | 'answering') => GrpcError
  /** Whatever a method has thrown, as it is answered. */
  readonly failureOf: (thrown: unknown, method: string) => GrpcError
  /** Told of every call of a method that exists; the function given back is told how it ended. */
  readonly observe: (method: string, call: Call) => (status: StatusName, failure: string | undefined) => void
  /** Of the server: whether it is shutting down, and the time of the last look at its calls. */
  readonly state: { isDraining: boolean; now: number }
}

export const HEAD = { ':status': 200, 'content-type': 'application/grpc' } as const
/** As Node takes them without a copy. */
const ANSWER_HEAD = [':status', '200', 'content-type', 'application/grpc']
const ZIPPED_HEAD = [...ANSWER_HEAD, 'grpc-encoding', 'gzip']
/** The encodings of messages, for callers that used another. */
export const ACCEPTED = { 'grpc-accept-encoding': 'identity,gzip' } as const
const OK = { 'grpc-status': '0' } as const
const WITH_TRAILERS = { waitForTrailers: true, sendDate: false } as const
/** Bytes of an answer that are written at a time: a reader that takes so many within the time limit makes progress. */
const SLICE = 256 * 1024
/** Milliseconds of the longest timer. */
const LONGEST_TIMER = 2 ** 31 - 1

/** What a call is waiting for. */
type Phase = 'arriving' | 'answering' | 'sending' | 'idle'

/** What all calls have in common: metadata, deadline, cancellation, status. */
abstract class OpenCall implements Call {
  readonly headers: IncomingHttpHeaders
  readonly address: string | undefined
  protected readonly stream: ServerHttp2Stream
  protected readonly parts: CallParts
  protected phase: Phase = 'arriving'
  readonly #method: string
  readonly #ended: ReturnType<CallParts['observe']>
  readonly #raw: readonly string[]
  readonly #deadline: number
  #arriving: ArrivingMessages | undefined
  #timer: NodeJS.Timeout | undefined
  #trailers: Readonly<Record<string, string>> = OK
  #isOver = false
  #listeners: Set<() => void> | undefined
  #since: number

  constructor(
    method: Method,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    address: string | undefined,
    parts: CallParts,
  ) {
    this.stream = stream
    this.headers = headers
    this.address = address
    this.parts = parts
    this.#method = method.name
    this.#raw = raw
    this.#since = parts.state.now
    const timeout = headers['grpc-timeout']
    this.#deadline = timeout === undefined ? Infinity : performance.now() + milliseconds(timeout)
    this.#ended = parts.observe(method.name, this)
    ;(stream as StreamOfCall)[CALL] = this
  }

  /** Reads what the caller sends and answers it. */
  abstract begin(): void

  get aborted(): boolean {
    return this.#isOver
  }

  values(name: string): readonly string[] {
    return this.#raw.filter((_, index) => index % 2 === 1 && this.#raw[index - 1] === name)
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** Ends a call that has made no progress since a time. */
  expire(before: number): void {
    if (this.phase === 'idle' || this.#since > before) return
    // A caller that reads nothing would not read a status either.
    if (this.phase === 'sending') this.stream.close(constants.NGHTTP2_CANCEL)
    else this.fail(this.parts.expired(this.phase))
  }

  /** The stream is closed: a call that is not over was cancelled. */
  gone(): void {
    if (!this.#isOver) this.#end('CANCELLED', 'the caller is gone')
  }

  /** Ends the call with the status of whatever was thrown. */
  fail(thrown: unknown): void {
    if (this.#isOver) return
    const failure = thrown instanceof GrpcError ? thrown : this.parts.failureOf(thrown, this.#method)
    this.#end(failure.status, failure.message)
    const { stream } = this
    if (stream.destroyed || stream.closed) return
    this.#trailers = trailersOf(failure)
    if (stream.headersSent) return void stream.end()
    const encodings = failure.status === 'UNIMPLEMENTED' ? ACCEPTED : {}
    stream.respond({ ...HEAD, ...encodings, ...this.#trailers }, { endStream: true })
    hangUp(stream)
  }

  /** Whether something came that was no whole message. */
  protected get hasPart(): boolean {
    return this.#arriving !== undefined
  }

  /** Node asks for them when everything else is written. */
  sendTrailers(): void {
    this.stream.sendTrailers(this.#trailers)
    hangUp(this.stream)
  }

  protected get arriving(): ArrivingMessages {
    this.#arriving ??= new ArrivingMessages(this.parts.limits)
    return this.#arriving
  }

  protected progress(phase: Phase): void {
    this.phase = phase
    this.#since = this.parts.state.now
  }

  /** From now on the deadline of the caller ends the call. */
  protected watchDeadline(): void {
    if (this.#deadline === Infinity) return
    const left = Math.max(0, this.#deadline - performance.now())
    const late = () => this.fail(new GrpcError('DEADLINE_EXCEEDED', 'the deadline of the call passed'))
    this.#timer = setTimeout(late, Math.min(left, LONGEST_TIMER))
  }

  /** The content of a message that arrived. Rejects with a `GrpcError`. */
  protected content(message: Buffer): Buffer | Promise<Buffer> {
    const bytes = message.subarray(5)
    return message[0] === 0 ? bytes : decompressed(bytes, this.headers['grpc-encoding'], this.parts.limits)
  }

  /** A message as it is sent, compressed like those of the caller; a promise where it is. */
  protected framed(response: Uint8Array): Buffer | Promise<Buffer> {
    return framed(response, this.headers['grpc-encoding'] === 'gzip')
  }

  /** The headers of an answer, to which messages and trailers are added. */
  protected respond(): void {
    const { stream, headers } = this
    stream.respond(headers['grpc-encoding'] === 'gzip' ? ZIPPED_HEAD : ANSWER_HEAD, WITH_TRAILERS)
    stream.on('wantTrailers', sendTrailers)
  }

  /** Everything is answered; false when the call was over before. */
  protected succeed(): boolean {
    if (this.#isOver || this.stream.destroyed || this.stream.closed) return false
    this.#end('OK', undefined)
    return true
  }

  /** Writes bytes in slices; a promise when the caller has to read first. */
  protected write(bytes: Buffer): Promise<void> | undefined {
    if (bytes.length <= SLICE) return this.stream.write(bytes) ? undefined : this.#drained()
    return this.#writeSlices(bytes)
  }

  async #writeSlices(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length && !this.stream.destroyed; at += SLICE)
      if (!this.stream.write(bytes.subarray(at, at + SLICE))) await this.#drained()
  }

  async #drained(): Promise<void> {
    const { stream } = this
    this.progress('sending')
    await new Promise<void>((resolve) => {
      const go = () => {
        stream.off('drain', go).off('close', go)
        resolve()
      }
      stream.on('drain', go).on('close', go)
    })
    this.progress('sending')
  }

  #end(status: StatusName, failure: string | undefined): void {
    this.#isOver = true
    if (this.#timer !== undefined) clearTimeout(this.#timer)
    this.#arriving?.release()
    // From now on the caller reads, or its stream is reset.
    this.progress('sending')
    this.#ended(status, failure)
    if (this.#listeners === undefined || status === 'OK') return
    for (const listener of this.#listeners) listener()
  }
}

/** A call with one request and one response. */
export class UnaryCall extends OpenCall {
  readonly #open: UnaryMethod['open']
  #answerOf: ReturnType<UnaryMethod['open']> | undefined
  #message: Buffer | undefined

  constructor(method: UnaryMethod, ...origin: Origin) {
    super(method, ...origin)
    this.#open = method.open
  }

  override begin(): void {
    try {
      // Before anything of the request is kept: whether the caller is let in.
      this.#answerOf = this.#open(this)
      this.stream.on('data', takePiece)
      this.stream.on('end', runCall)
    } catch (error) {
      this.fail(error)
    }
  }

  take(piece: Buffer): void {
    if (this.aborted) return
    try {
      if (this.#message !== undefined) throw severalRequests()
      if (!this.hasPart && messageIn(piece, this.parts.limits)) return void (this.#message = piece)
      this.arriving.append(piece)
      this.#message = this.arriving.next()
      if (this.#message === undefined) this.arriving.keep()
      else if (this.arriving.hasBytes) throw severalRequests()
    } catch (error) {
      this.fail(error)
    }
  }

  run(): void {
    const run = this.#answerOf
    if (run === undefined || this.aborted) return
    try {
      if (this.#message === undefined) throw this.#noRequest()
      this.progress('answering')
      const request = this.content(this.#message)
      const response = request instanceof Promise ? request.then(run) : run(request)
      if (!(response instanceof Promise)) return this.#answer(response)
      this.watchDeadline()
      response.then((bytes) => this.#answer(bytes)).catch((error: unknown) => this.fail(error))
    } catch (error) {
      this.fail(error)
    }
  }

  #noRequest(): GrpcError {
    return this.hasPart
      ? new GrpcError('INTERNAL', 'the call ended within a message')
      : new GrpcError('UNIMPLEMENTED', 'the method takes one request, found none')
  }

  #answer(response: Uint8Array): void {
    if (this.aborted) return
    const frame = this.framed(response)
    if (frame instanceof Promise) frame.then((bytes) => this.#send(bytes)).catch((error: unknown) => this.fail(error))
    else this.#send(frame)
  }

  #send(frame: Buffer): void {
    if (!this.succeed()) return
    this.respond()
    if (frame.length <= SLICE) this.stream.end(frame)
    else void this.write(frame)?.then(() => this.stream.end())
  }
}

/** The call of a stream, for listeners that are not made anew for each. */
const CALL = Symbol('call')
interface StreamOfCall {
  [CALL]?: OpenCall
}

function takePiece(this: StreamOfCall, piece: Buffer): void {
  const call = this[CALL]
  if (call instanceof UnaryCall) call.take(piece)
}

function runCall(this: StreamOfCall): void {
  const call = this[CALL]
  if (call instanceof UnaryCall) call.run()
}

function sendTrailers(this: StreamOfCall): void {
  this[CALL]?.sendTrailers()
}

const severalRequests = () => new GrpcError('UNIMPLEMENTED', 'the method takes one request, found more')

/** A call with any number of requests and responses. */
export class OpenStream extends OpenCall implements ByteStream {
  readonly #handle: StreamMethod['run']
  #wake: (() => void) | undefined

  constructor(method: StreamMethod, ...origin: Origin) {
    super(method, ...origin)
    this.#handle = method.run
  }

  override begin(): void {
    this.progress('idle')
    this.watchDeadline()
    const wake = () => this.wake()
    this.stream.on('readable', wake).on('end', wake).on('close', wake)
    void this.#run()
  }

  get isDraining(): boolean {
    return this.parts.state.isDraining
  }

  /** Something that the call may wait for has happened. */
  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  send(response: Uint8Array): Promise<void> | undefined {
    const frame = this.framed(response)
    return frame instanceof Promise ? frame.then((bytes) => this.#send(bytes)) : this.#send(frame)
  }

  async next(): Promise<Buffer | undefined> {
    this.progress('idle')
    for (;;) {
      if (this.aborted || this.stream.destroyed) return undefined
      if (this.isDraining) throw shuttingDown()
      const message = this.arriving.next()
      if (message !== undefined) {
        this.progress('answering')
        return this.content(message)
      }
      const piece = this.stream.read() as Buffer | null
      if (piece !== null) this.arriving.append(piece)
      else if (!this.stream.readableEnded) await this.#more()
      else if (this.arriving.hasBytes) throw new GrpcError('INTERNAL', 'the call ended within a message')
      else return undefined
    }
  }

  #send(frame: Buffer): Promise<void> | undefined {
    if (this.aborted || this.stream.destroyed) return undefined
    if (!this.stream.headersSent) this.respond()
    return this.write(frame)
  }

  async #run(): Promise<void> {
    try {
      await this.#handle(this)
      if (!this.succeed()) return
      if (!this.stream.headersSent) this.respond()
      this.stream.end()
    } catch (error) {
      this.fail(error)
    }
  }

  /** Waits for the next piece. The time of a message runs from its first one, however it drips. */
  #more(): Promise<void> {
    this.arriving.keep()
    if (this.arriving.hasBytes && this.phase === 'idle') this.progress('arriving')
    return new Promise((resolve) => (this.#wake = resolve))
  }
}

type Origin = ConstructorParameters<typeof OpenCall> extends [unknown, ...infer Rest] ? Rest : never

/** Of a caller that has not sent everything no more is read. */
function hangUp(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.destroyed) return
  // Listeners to `readable` would keep what has come from being thrown away.
  stream.removeAllListeners('readable').resume()
  // In a turn after that in which Node writes the status: a reset would take its place.
  setImmediate(() => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR)))
}

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** The time of `grpc-timeout`; one that cannot be read is none. */
function milliseconds(timeout: string | string[]): number {
  const [, count = '', unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(timeout)) ?? []
  const factor = MILLISECONDS[unit]
  return factor === undefined ? Infinity : Number(count) * factor
}
