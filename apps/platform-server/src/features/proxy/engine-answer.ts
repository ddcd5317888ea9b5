import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { type Dispatcher, errors } from 'undici'
import { isShort } from './buffered-body.ts'

/** An answer of an engine. A short body is complete; a long one is read from the engine as it is consumed. */
export interface EngineAnswer {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable | Buffer
}

/** Signals that an answer is no longer needed: an `AbortSignal`, or the request of a caller. */
export interface Leaving {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Lower status codes are informational: the answer follows (RFC 9110 section 15.2). */
const FIRST_FINAL_STATUS = 200

/**
 * Reads one answer. Replaces `undici.request`, which creates a stream, two promises and several listeners per answer:
 * here a short body is one buffer.
 */
export class AnswerReader implements Dispatcher.DispatchHandler {
  readonly answer: Promise<EngineAnswer>
  /** True if part of the request may have been sent. */
  isBegun = false
  readonly #resolve: (answer: EngineAnswer) => void
  readonly #reject: (error: Error) => void
  readonly #leaving: Leaving
  readonly #leave = () => this.#controller?.abort(new errors.RequestAbortedError())
  #controller: Dispatcher.DispatchController | undefined
  #head: Pick<EngineAnswer, 'statusCode' | 'headers'> | undefined
  #parts: Buffer[] = []
  #stream: Readable | undefined

  constructor(leaving: Leaving) {
    const { promise, resolve, reject } = Promise.withResolvers<EngineAnswer>()
    this.answer = promise
    this.#resolve = resolve
    this.#reject = reject
    this.#leaving = leaving
    leaving.addEventListener('abort', this.#leave)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.isBegun = true
    this.#controller = controller
    if (this.#leaving.aborted) this.#leave()
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < FIRST_FINAL_STATUS) return
    this.#head = { statusCode, headers }
    if (isShort(headers['content-length'])) return
    const body = streamOf(controller, () => this.#end())
    this.#stream = body
    this.#resolve({ statusCode, headers, body })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream === undefined) this.#parts.push(chunk)
    else if (!this.#stream.push(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#stream !== undefined) return void this.#stream.push(null)
    const { statusCode, headers } = this.#head as Pick<EngineAnswer, 'statusCode' | 'headers'>
    const [first] = this.#parts
    const body = first !== undefined && this.#parts.length === 1 ? first : Buffer.concat(this.#parts)
    this.#end()
    this.#resolve({ statusCode, headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#end()
    this.#stream?.destroy(error)
    this.#reject(error)
  }

  #end(): void {
    this.#leaving.removeEventListener('abort', this.#leave)
  }
}

/** A body that is read as fast as it is consumed; destroying it closes the connection. */
function streamOf(controller: Dispatcher.DispatchController, closed: () => void): Readable {
  return new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      closed()
      if (!this.readableEnded) controller.abort(error ?? new errors.RequestAbortedError())
      done(error)
    },
  })
}
