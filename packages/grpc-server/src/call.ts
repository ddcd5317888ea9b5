import { constants, type IncomingHttpHeaders as Metadata, type ServerHttp2Stream } from 'node:http2'
import { byteChunks, whenThere } from '@engine/process'
import { Messages } from './messages.ts'
import type { Answering, BytesCall, Method } from './method.ts'
import type { Serving } from './options.ts'
import { GrpcError, shuttingDown, type StatusName, trailersOf } from './status.ts'

/** Response headers in the form that Node accepts without copying. */
const ANSWER = [':status', '200', 'content-type', 'application/grpc']
const ZIPPED_ANSWER = [...ANSWER, 'grpc-encoding', 'gzip']
const REFUSAL = { ':status': 200, 'content-type': 'application/grpc', 'grpc-accept-encoding': 'identity,gzip' } as const
const OK = { 'grpc-status': '0' } as const
const WITH_TRAILERS = { waitForTrailers: true, sendDate: false } as const
/**
 * Size of the parts in which an answer is written: a reader that takes one part within the time limit makes progress.
 */
const SLICE_BYTES = 256 * 1024

/**
 * The state of a call; `idle`: waiting for the caller's next message; `watching`: waiting for something to report to
 * the caller.
 */
type Phase = 'arriving' | 'answering' | 'sending' | 'idle' | 'watching'

/**
 * The connection of a call. `address` is the peer's; undefined over a Unix domain socket. `calls` are those with open
 * streams, unordered. A `Set` would cost more: V8 allocates the tables of a long-lived one in the old generation, where
 * each replaced table retains its calls until the next full collection.
 */
type Origin = Readonly<{ address: string | undefined; calls: OpenCall[]; server: Serving }>

/**
 * A stream listener shared by all calls: it finds the call of its stream, which fails with any thrown error. A listener
 * per call would be retained by its closed stream, many of which Node keeps in its own table.
 */
const told = (tell: (call: OpenCall, piece?: Buffer) => void) =>
  function (this: StreamOfCall, piece?: Buffer): void {
    try {
      if (this[CALL] !== undefined) tell(this[CALL], piece)
    } catch (error) {
      this[CALL]?.fail(error)
    }
  }
const CALL = Symbol('call')
type StreamOfCall = ServerHttp2Stream & { [CALL]?: OpenCall | undefined }

/**
 * Connects a stream to its method: time limit, deadline, cancellation, flow control, status. Starts reading and
 * answering when constructed; the creator appends it to the connection's calls, from which it removes itself.
 */
export class OpenCall implements BytesCall {
  readonly method: Method
  readonly headers: Metadata
  readonly rawHeaders: readonly string[]
  readonly address: string | undefined
  aborted = false
  readonly #stream: StreamOfCall
  readonly #origin: Origin
  /** Its index in the list of calls of its connection. */
  #place: number
  readonly #deadline: number
  readonly #messages: Messages
  readonly #ended: ReturnType<Serving['observe']>
  #phase: Phase = 'arriving'
  #since: number
  #answerOf: Answering | undefined
  #request: Buffer | undefined
  #trailers: Readonly<Record<string, string>> = OK
  #timer: NodeJS.Timeout | undefined
  #listeners: Set<() => void> | undefined

  static readonly #opened = told((call) => {
    // Admission is checked before any part of the request is stored.
    if (call.method.kind === 'unary') {
      call.#answerOf = call.method.open(call)
      return void call.#stream.on('data', OpenCall.#received).on('end', OpenCall.#received)
    }
    if (call.#origin.server.isDraining) throw shuttingDown()
    call.#progress('idle')
    void call.#finishAfter(call.method.run(call))
  })

  /** A piece of the single request, or its end. */
  static readonly #received = told((call, piece) => {
    if (call.aborted) return
    if (piece === undefined) return call.#run()
    for (const message of call.#messages.completedBy(piece)) {
      if (call.#request !== undefined) throw unlikeOne('more')
      call.#request = message
    }
  })

  /** Called when all pending data has been written. */
  static readonly #written = told((call) => {
    call.#stream.sendTrailers(call.#trailers)
    hangUp(call.#stream)
  })

  /** A call that is still open was cancelled. */
  static readonly #closed = told((call) => {
    const { calls } = call.#origin
    // The last call takes its place.
    const last = calls.pop()
    if (last !== undefined && last !== call) calls[(last.#place = call.#place)] = last
    call.#stream[CALL] = undefined
    call.fail(undefined)
  })

  constructor(method: Method, stream: ServerHttp2Stream, headers: Metadata, raw: readonly string[], origin: Origin) {
    this.method = method
    this.headers = headers
    this.rawHeaders = raw
    this.address = origin.address
    this.#origin = origin
    this.#stream = stream
    this.#deadline = deadlineOf(headers['grpc-timeout'])
    this.#messages = new Messages(origin.server, headers['grpc-encoding'] === 'gzip')
    this.#since = origin.server.now
    this.#ended = origin.server.observe(method.name, this)
    this.#place = origin.calls.length
    this.#stream[CALL] = this
    stream.on('close', OpenCall.#closed)
    OpenCall.#opened.call(stream)
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    ;(this.#listeners ??= new Set()).add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** The requests of a stream as they arrive. Throws UNAVAILABLE at a shutdown. */
  async *requests<Request>(read: (content: Buffer) => Request): AsyncGenerator<Request> {
    for await (const piece of byteChunks(this.#stream.iterator({ destroyOnReturn: false }))) {
      for (const message of this.#messages.completedBy(piece)) {
        this.#progress('answering')
        yield read(await this.#messages.contentOf(message))
        if (this.aborted) return
        if (this.#origin.server.isDraining) throw shuttingDown()
        this.#progress('idle')
      }
      // The time limit of a message starts at its first piece, no matter how slowly the rest arrives.
      if (this.#messages.hasPart && this.#phase === 'idle') this.#progress('arriving')
    }
    if (this.#messages.hasPart) throw cutOff()
    this.#progress('watching')
  }

  /** Sends a response. Returns a promise if the response is compressed, or if the caller must read first. */
  send(response: Uint8Array): Promise<void> | undefined {
    return whenThere(this.#messages.framed(response), (frame) => this.#write(frame))
  }

  /** Ends the call with the status of the thrown error, or as cancelled if its stream is closed. */
  fail(thrown: unknown): void {
    if (this.aborted) return
    if (this.#stream.closed) return this.#end('CANCELLED', 'the caller is gone')
    const failure = thrown instanceof GrpcError ? thrown : this.#origin.server.failureOf(thrown, this.method.name)
    this.#end(failure.status, failure.message)
    if (!this.#stream.headersSent) return refuse(this.#stream, failure)
    this.#trailers = trailersOf(failure)
    this.#stream.end()
  }

  /** Ends a call that made no progress within its time limit. */
  expire(now: number): void {
    if (this.#phase === 'idle' || this.#phase === 'watching' || this.#since > now - this.#origin.server.limitMs) return
    // A caller that reads nothing would not read a status either.
    if (this.#phase === 'sending') this.#stream.close(constants.NGHTTP2_CANCEL)
    else this.fail(this.#origin.server.expired(this.#phase))
  }

  /** At shutdown, ends streams that wait for their callers. */
  drain(): void {
    if (this.method.kind === 'stream' && /idle|arriving/.test(this.#phase)) this.fail(shuttingDown())
  }

  /** Called when the single request has arrived completely. */
  #run(): void {
    if (this.#messages.hasPart) throw cutOff()
    if (this.#request === undefined || this.#answerOf === undefined) throw unlikeOne('none')
    this.#progress('answering')
    const response = whenThere(this.#messages.contentOf(this.#request), this.#answerOf)
    const frame = whenThere(response, (bytes) => this.#messages.framed(bytes))
    if (!(frame instanceof Promise) && frame.length <= SLICE_BYTES) this.#finish(frame)
    else void this.#finishAfter(whenThere(frame, (there) => this.#write(there)))
  }

  #write(frame: Buffer): Promise<undefined> | undefined {
    if (this.aborted || frame.length === 0) return undefined
    this.#respond()
    const phase = this.#phase
    const { promise, resolve } = Promise.withResolvers<unknown>()
    if (this.#stream.write(frame.subarray(0, SLICE_BYTES), resolve)) return this.#write(frame.subarray(SLICE_BYTES))
    this.#progress('sending')
    return promise.then(() => {
      this.#progress(phase)
      return this.#write(frame.subarray(SLICE_BYTES))
    })
  }

  /** Ends the call when its work is done, or at its deadline. */
  async #finishAfter(work: Promise<void> | undefined): Promise<void> {
    const late = () => this.fail(new GrpcError('DEADLINE_EXCEEDED', 'the deadline of the call passed'))
    const left = Math.max(0, this.#deadline - performance.now())
    // The longest timer is 24 days.
    if (left < 2 ** 31 - 1) this.#timer = setTimeout(late, left)
    try {
      await work
      this.#finish()
    } catch (error) {
      this.fail(error)
    }
    // Node does not end a closed stream while it has unread data.
    if (this.#stream.closed) hangUp(this.#stream)
  }

  /** @param last sent before the status */
  #finish(last?: Buffer): void {
    if (this.aborted || this.#stream.closed) return
    this.#end('OK', undefined)
    this.#respond()
    this.#stream.end(last)
  }

  /** The headers of a response, followed by messages and trailers. */
  #respond(): void {
    if (this.#stream.headersSent || this.#stream.destroyed) return
    this.#stream.respond(this.#messages.isZipped ? ZIPPED_ANSWER : ANSWER, WITH_TRAILERS)
    this.#stream.on('wantTrailers', OpenCall.#written)
  }

  /** An ended call waits for its caller to read. */
  #progress(phase: Phase): void {
    this.#phase = this.aborted ? 'sending' : phase
    this.#since = this.#origin.server.now
  }

  #end(status: StatusName, failure: string | undefined): void {
    this.aborted = true
    clearTimeout(this.#timer)
    this.#messages.release()
    this.#progress('sending')
    this.#ended(status, failure)
    if (status !== 'OK') for (const listener of this.#listeners ?? []) listener()
  }
}

const unlikeOne = (found: string) => new GrpcError('UNIMPLEMENTED', `the method takes one request, found ${found}`)
const cutOff = () => new GrpcError('INTERNAL', 'the call ended within a message')

/** Ends a call with only a status. */
export function refuse(stream: ServerHttp2Stream, error: GrpcError): void {
  stream.respond({ ...REFUSAL, ...trailersOf(error) }, { endStream: true })
  hangUp(stream)
}

/** Discards the rest of the request of a caller that has not sent all of it. */
function hangUp(stream: ServerHttp2Stream): void {
  if (stream.readableEnded || stream.destroyed) return
  // `readable` listeners would prevent received data from being discarded.
  stream.removeAllListeners('readable').resume()
  // Two turns later, after Node has written the status: a reset would replace it.
  setImmediate(() => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR)))
}

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 }

/** The time at which `grpc-timeout` expires; an invalid one counts as absent. */
function deadlineOf(timeout: string | string[] | undefined): number {
  if (timeout === undefined) return Infinity
  const [, count, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(timeout)) ?? []
  return performance.now() + Number(count ?? 1) * (MILLISECONDS[unit] ?? Infinity)
}
