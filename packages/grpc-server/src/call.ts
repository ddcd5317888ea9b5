import { constants, type IncomingHttpHeaders as Metadata, type ServerHttp2Stream } from 'node:http2'
import { Messages } from './messages.ts'
import { type Awaitable, type Method, whenThere } from './method.ts'
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

/** The connection of a call. The address is that of its other end; undefined over a Unix domain socket. */
type Origin = Readonly<{ address: string | undefined; server: Serving }>

/** A call as its method sees it. Also the signal that aborts when its caller is gone or its time has passed. */
export type Call = Readonly<
  Pick<OpenCall, 'address' | 'headers' | 'rawHeaders' | 'aborted' | 'addEventListener' | 'removeEventListener'>
>

/** A call between its stream and its method: time limit, deadline, cancellation, flow control, status. */
export class OpenCall {
  readonly method: Method
  /** The metadata as Node gives it; of some names it has only the first value. */
  readonly headers: Metadata
  /** Names (in lower case) and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly address: string | undefined
  aborted = false
  readonly #stream: ServerHttp2Stream
  readonly #server: Serving
  readonly #deadline: number
  readonly #messages: Messages
  readonly #ended: ReturnType<Serving['observe']>
  #phase: Phase = 'arriving'
  #since: number
  #request: Buffer | undefined
  #trailers: Readonly<Record<string, string>> = OK
  #timer: NodeJS.Timeout | undefined
  #listeners: Set<() => void> | undefined

  constructor(method: Method, stream: ServerHttp2Stream, headers: Metadata, raw: readonly string[], origin: Origin) {
    const { address, server } = origin
    this.method = method
    this.headers = headers
    this.address = address
    this.rawHeaders = raw
    this.#stream = stream
    this.#server = server
    this.#deadline = deadlineOf(headers['grpc-timeout'])
    this.#messages = new Messages(server, headers['grpc-encoding'] === 'gzip')
    this.#since = server.now
    this.#ended = server.observe(method.name, this)
    stream.on('close', () => {
      // Node's part of a stream outlives the next collections of new objects, with all that it leads to.
      stream.removeAllListeners()
      this.fail(undefined)
    })
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    ;(this.#listeners ??= new Set()).add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener)
  }

  /** Reads what the caller sends and answers it. */
  begin(): void {
    this.#step(() => {
      if (this.method.kind === 'stream') {
        if (this.#server.isDraining) throw shuttingDown()
        this.#progress('idle')
        return void this.#finishAfter(this.method.run(this))
      }
      // Before anything of the request is kept: whether the caller is let in.
      const answerOf = this.method.open(this)
      this.#stream.on('data', (piece: Buffer) => this.#step(() => this.#take(piece)))
      this.#stream.on('end', () => this.#step(() => this.#run(answerOf)))
    })
  }

  /** The requests of a stream as they come. Throws UNAVAILABLE at a shutdown. */
  async *requests<Request>(read: (content: Buffer) => Request): AsyncGenerator<Request> {
    for await (const piece of this.#stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      for (const message of this.#messages.completedBy(piece)) {
        this.#progress('answering')
        yield read(await this.#messages.contentOf(message))
        if (this.aborted) return
        if (this.#server.isDraining) throw shuttingDown()
        this.#progress('idle')
      }
      // The time of a message runs from its first piece, however it drips.
      if (this.#messages.hasPart && this.#phase === 'idle') this.#progress('arriving')
    }
    if (this.#messages.hasPart) throw cutOff()
    this.#progress('watching')
  }

  /** Sends a response. A promise when it is compressed, or the caller has to read first. */
  send(response: Uint8Array): Promise<void> | undefined {
    return whenThere(this.#messages.framed(response), (frame) => this.#write(frame))
  }

  /** Ends the call: with the status of whatever was thrown, or as cancelled where its stream is closed. */
  fail(thrown: unknown): void {
    if (this.aborted) return
    if (this.#stream.closed) return this.#end('CANCELLED', 'the caller is gone')
    const failure = thrown instanceof GrpcError ? thrown : this.#server.failureOf(thrown, this.method.name)
    this.#end(failure.status, failure.message)
    if (!this.#stream.headersSent) return refuse(this.#stream, failure)
    this.#trailers = trailersOf(failure)
    this.#stream.end()
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
    if (this.method.kind === 'stream' && /idle|arriving/.test(this.#phase)) this.fail(shuttingDown())
  }

  /** What a step throws ends the call. */
  #step(run: () => void): void {
    try {
      if (!this.aborted) run()
    } catch (error) {
      this.fail(error)
    }
  }

  /** A piece of the only request. */
  #take(piece: Buffer): void {
    for (const message of this.#messages.completedBy(piece)) {
      if (this.#request !== undefined) throw unlikeOne('more')
      this.#request = message
    }
  }

  /** Everything has come of the only request. */
  #run(answerOf: (request: Buffer) => Awaitable<Uint8Array>): void {
    if (this.#messages.hasPart) throw cutOff()
    if (this.#request === undefined) throw unlikeOne('none')
    this.#progress('answering')
    const response = whenThere(this.#messages.contentOf(this.#request), answerOf)
    const frame = whenThere(response, (bytes) => this.#messages.framed(bytes))
    if (!(frame instanceof Promise) && frame.length <= SLICE) this.#finish(frame)
    else void this.#finishAfter(whenThere(frame, (there) => this.#write(there)))
  }

  #write(frame: Buffer): Promise<undefined> | undefined {
    if (this.aborted || frame.length === 0) return undefined
    this.#respond()
    const phase = this.#phase
    const { promise, resolve } = Promise.withResolvers<unknown>()
    if (this.#stream.write(frame.subarray(0, SLICE), resolve)) return this.#write(frame.subarray(SLICE))
    this.#progress('sending')
    return promise.then(() => {
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
    const stream = this.#stream
    if (stream.headersSent || stream.destroyed) return
    stream.respond(this.#messages.isZipped ? ZIPPED_ANSWER : ANSWER, WITH_TRAILERS)
    // Node asks for them when everything else is written.
    stream.on('wantTrailers', () => {
      stream.sendTrailers(this.#trailers)
      hangUp(stream)
    })
  }

  /** A call that has ended is waiting for its caller to read. */
  #progress(phase: Phase): void {
    this.#phase = this.aborted ? 'sending' : phase
    this.#since = this.#server.now
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
