import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { ArrivingMessages, contentOf, framed, framedZipped } from './messages.ts'
import type { Method } from './method.ts'
import type { Serving } from './options.ts'
import { GrpcError, shuttingDown, type StatusName, trailersOf } from './status.ts'

/** As Node takes them without a copy. */
const ANSWER = [':status', '200', 'content-type', 'application/grpc']
const ZIPPED_ANSWER = [...ANSWER, 'grpc-encoding', 'gzip']
const REFUSAL = { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': 'identity,gzip' } as const
const OK = { 'grpc-status': '0' } as const
const WITH_TRAILERS = { waitForTrailers: true, sendDate: false } as const
/** Bytes of an answer that are written at a time: a reader that takes so many within the time limit makes progress. */
const SLICE = 256 * 1024

/** What a call is waiting for; `idle`: for its caller's next message; `watching`: for whatever its method tells a caller of. */
type Phase = 'arriving' | 'answering' | 'sending' | 'idle' | 'watching'

/** A call as its method sees it. Also the signal that aborts when its caller is gone or its time has passed. */
export type Call = Readonly<
  Pick<
    OpenCall,
    'address' | 'headers' | 'values' | 'isDraining' | 'aborted' | 'addEventListener' | 'removeEventListener'
  >
>

/** What a connection is to its calls. */
export interface CallOrigin {
  /** Of the other end; undefined over a Unix domain socket. */
  readonly address: string | undefined
  /** Those whose streams are open. */
  readonly calls: Set<OpenCall>
  readonly server: Serving
}

/** A call between its stream and its method: time limit, deadline, cancellation, flow control, status. */
export class OpenCall {
  readonly method: Method
  /** The metadata as Node gives it; of some names it has only the first value. */
  readonly headers: IncomingHttpHeaders
  aborted = false
  readonly #raw: readonly string[]
  readonly #stream: StreamOfCall
  readonly #origin: CallOrigin
  readonly #server: Serving
  readonly #isZipped: boolean
  readonly #deadline: number
  readonly #arriving: ArrivingMessages
  readonly #ended: ReturnType<Serving['observe']>
  #phase: Phase = 'arriving'
  #since: number
  #request: Buffer | undefined
  #answerOf: ((request: Buffer) => Uint8Array | Promise<Uint8Array>) | undefined
  #trailers: Readonly<Record<string, string>> = OK
  #timer: NodeJS.Timeout | undefined
  #listeners: Set<() => void> | undefined

  constructor(
    method: Method,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    raw: readonly string[],
    origin: CallOrigin,
  ) {
    const { server } = origin
    this.method = method
    this.headers = headers
    this.#raw = raw
    this.#stream = stream
    this.#origin = origin
    this.#server = server
    this.#isZipped = headers['grpc-encoding'] === 'gzip'
    this.#deadline = deadlineOf(headers['grpc-timeout'])
    this.#arriving = new ArrivingMessages(server)
    this.#since = server.now
    this.#ended = server.observe(method.name, this)
    this.#stream[CALL] = this
    origin.calls.add(this)
    stream.on('close', closed)
  }

  /** Of the other end of the connection; undefined over a Unix domain socket. */
  get address(): string | undefined {
    return this.#origin.address
  }

  /** All values of one name (in lower case), as they were sent. */
  values(name: string): readonly string[] {
    return this.#raw.filter((_, index) => index % 2 === 1 && this.#raw[index - 1] === name)
  }

  /** The server is shutting down: a call that may go on for long should end with `shuttingDown`. */
  get isDraining(): boolean {
    return this.#server.isDraining
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** Reads what the caller sends and answers it. */
  begin(): void {
    try {
      if (this.method.kind === 'stream') {
        if (this.isDraining) throw shuttingDown()
        this.#progress('idle')
        void this.#finishAfter(this.method.run(this))
      } else {
        // Before anything of the request is kept: whether the caller is let in.
        this.#answerOf = this.method.open(this)
        this.#stream.on('data', takePiece).on('end', runCall)
      }
    } catch (error) {
      this.fail(error)
    }
  }

  /** A piece of the only request. */
  take(piece: Buffer): void {
    if (this.aborted) return
    this.#arriving.append(piece)
    this.#request ??= this.#arriving.next()
    if (this.#request !== undefined && this.#arriving.hasPart) throw unlikeOne('more')
  }

  /** Everything has come of the only request. */
  run(): void {
    if (this.aborted) return
    if (this.#arriving.hasPart) throw cutOff()
    if (this.#request === undefined || this.#answerOf === undefined) throw unlikeOne('none')
    this.#progress('answering')
    const content = contentOf(this.#request, this.#isZipped, this.#server)
    const response = content instanceof Promise ? content.then(this.#answerOf) : this.#answerOf(content)
    if (response instanceof Promise || this.#isZipped || response.length > SLICE)
      void this.#finishAfter(this.send(response))
    else this.#finish(framed(response))
  }

  /** The requests of a stream as they come. Throws UNAVAILABLE at a shutdown. */
  async *requests<Request>(read: (content: Buffer) => Request): AsyncGenerator<Request> {
    const arriving = this.#arriving
    for await (const piece of this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      arriving.append(piece)
      for (let message = arriving.next(); message !== undefined; message = arriving.next()) {
        this.#progress('answering')
        const content = contentOf(message, this.#isZipped, this.#server)
        yield read(content instanceof Promise ? await content : content)
        if (this.aborted) return
        if (this.isDraining) throw shuttingDown()
        this.#progress('idle')
      }
      // The time of a message runs from its first piece, however it drips.
      if (arriving.hasPart && this.#phase === 'idle') this.#progress('arriving')
    }
    if (arriving.hasPart) throw cutOff()
    this.#progress('watching')
  }

  /** Sends a response. A promise when that is not there yet, or the caller has to read first. */
  send(response: Uint8Array | Promise<Uint8Array>): Promise<void> | undefined {
    return response instanceof Promise || this.#isZipped ? this.#sendLater(response) : this.#write(framed(response))
  }

  /** Ends the call with the status of whatever was thrown. */
  fail(thrown: unknown): void {
    const stream = this.#stream
    if (stream.closed) this.gone()
    if (this.aborted) return
    const failure = thrown instanceof GrpcError ? thrown : this.#server.failureOf(thrown, this.method.name)
    this.#end(failure.status, failure.message)
    if (!stream.headersSent) return refuse(stream, failure)
    this.#trailers = trailersOf(failure)
    stream.end()
  }

  /** The stream is closed: a call that is not over was cancelled. */
  gone(): void {
    this.#origin.calls.delete(this)
    // Node's part of a stream outlives the next collections of new objects, with all that it leads to.
    this.#stream[CALL] = undefined
    if (!this.aborted) this.#end('CANCELLED', 'the caller is gone')
  }

  /** Ends a call that has made no progress for its time. */
  expire(now: number): void {
    if (this.#phase === 'idle' || this.#phase === 'watching' || this.#since > now - this.#server.limitMs) return
    // A caller that reads nothing would not read a status either.
    if (this.#phase === 'sending') this.#stream.close(constants.NGHTTP2_CANCEL)
    else this.fail(this.#server.expired(this.#phase))
  }

  /** At a shutdown streams end that wait for their callers. */
  drain(): void {
    const isReading = this.#phase === 'idle' || this.#phase === 'arriving'
    if (this.method.kind === 'stream' && isReading) this.fail(shuttingDown())
  }

  /** Node asks for them when everything else is written. */
  sendTrailers(): void {
    this.#stream.sendTrailers(this.#trailers)
    hangUp(this.#stream)
  }

  async #sendLater(response: Uint8Array | Promise<Uint8Array>): Promise<void> {
    const bytes = await response
    await this.#write(this.#isZipped ? await framedZipped(bytes) : framed(bytes))
  }

  #write(frame: Buffer): Promise<void> | undefined {
    if (this.aborted || frame.length === 0) return undefined
    this.#respond()
    const phase = this.#phase
    let told = () => {}
    if (this.#stream.write(frame.subarray(0, SLICE), () => told())) return this.#write(frame.subarray(SLICE))
    this.#progress('sending')
    return new Promise<void>((resolve) => (told = resolve)).then(() => {
      if (this.aborted) return undefined
      this.#progress(phase)
      return this.#write(frame.subarray(SLICE))
    })
  }

  /** Ends the call when its work is done, unless its deadline passes first. */
  async #finishAfter(work: Promise<void> | undefined): Promise<void> {
    const late = () => this.fail(new GrpcError('DEADLINE_EXCEEDED', 'the deadline of the call passed'))
    const left = Math.max(0, this.#deadline - performance.now())
    // The longest timer has 24 days.
    if (left < 2 ** 31 - 1) this.#timer = setTimeout(late, left)
    try {
      await work
      this.#finish()
    } catch (error) {
      this.fail(error)
    }
    // Node does not end a closed stream while it holds unread data.
    if (this.#stream.closed) hangUp(this.#stream)
  }

  /** @param last what is sent before the status */
  #finish(last?: Buffer): void {
    if (this.aborted || this.#stream.closed) return
    this.#end('OK', undefined)
    this.#respond()
    this.#stream.end(last)
  }

  /** The headers of an answer, to which messages and trailers are added. */
  #respond(): void {
    if (this.#stream.headersSent || this.#stream.destroyed) return
    this.#stream.respond(this.#isZipped ? ZIPPED_ANSWER : ANSWER, WITH_TRAILERS)
    this.#stream.on('wantTrailers', sendTrailers)
  }

  #progress(phase: Phase): void {
    this.#phase = phase
    this.#since = this.#server.now
  }

  #end(status: StatusName, failure: string | undefined): void {
    this.aborted = true
    clearTimeout(this.#timer)
    this.#arriving.release()
    // From now on the caller reads, or its stream is reset.
    this.#progress('sending')
    this.#ended(status, failure)
    if (status !== 'OK') for (const listener of this.#listeners ?? []) listener()
  }
}

/** The call of a stream, for listeners that are not made anew for each call. */
const CALL = Symbol('call')
type StreamOfCall = ServerHttp2Stream & { [CALL]?: OpenCall | undefined }

/** What a step throws ends its call. */
const step = (run: (call: OpenCall, piece: Buffer) => void) =>
  function (this: StreamOfCall, piece: Buffer): void {
    const call = this[CALL]
    if (call === undefined) return
    try {
      run(call, piece)
    } catch (error) {
      call.fail(error)
    }
  }
const takePiece = step((call, piece) => call.take(piece))
const runCall = step((call) => call.run())
const sendTrailers = step((call) => call.sendTrailers())
const closed = step((call) => call.gone())

const unlikeOne = (found: string) => new GrpcError('UNIMPLEMENTED', `the method takes one request, found ${found}`)
const cutOff = () => new GrpcError('INTERNAL', 'the call ended within a message')

/** Ends a call with a status and nothing else. */
export function refuse(stream: ServerHttp2Stream, error: GrpcError): void {
  stream.respond({ ...REFUSAL, ...trailersOf(error) }, { endStream: true })
  hangUp(stream)
}

/** Ends the request of a caller that has not sent all of it: the rest is thrown away. */
function hangUp(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.destroyed) return
  // Listeners to `readable` would keep what has come from being thrown away.
  stream.removeAllListeners('readable').resume()
  // In a turn after that in which Node writes the status: a reset would take its place.
  setImmediate(() => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR)))
}

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** The time at which the time of `grpc-timeout` has passed; one that cannot be read is none. */
function deadlineOf(timeout: string | string[] | undefined): number {
  if (timeout === undefined) return Infinity
  const [, count, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(timeout)) ?? []
  return performance.now() + Number(count ?? 1) * (MILLISECONDS[unit] ?? Infinity)
}
