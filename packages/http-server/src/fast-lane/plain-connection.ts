import type { Socket } from 'node:net'
import { ArrivingBytes, type BodyLimits } from '../arriving-bytes.ts'
import { type HttpError, httpErrors } from '../http-error.ts'
import { Readable } from 'node:stream'
import type { Answer } from '../response.ts'
import type { PlainForm, PlainHead, ReadPlainHead } from './plain-head.ts'
import { isChunked, type PlainAnswers, type WholeAnswer } from '../plain-answer/plain-answer.ts'
import { PlainRequest } from './plain-request.ts'
import { writeStream } from '../plain-answer/plain-stream.ts'

/** The requests that a server answers in its fast lane. */
export interface PlainService<Operation> extends PlainForm<Operation> {
  readonly limits: BodyLimits
  /**
   * The answer, or the JSON text of an answer with status 200; undefined if the peer has disconnected. Never throws or
   * rejects.
   */
  readonly answer: (
    operation: Operation,
    request: PlainRequest,
  ) => string | Answer | Promise<string | Answer | WholeAnswer | undefined>
  /** Maps errors of HTTP itself by the server's table. */
  readonly failure: (error: HttpError, request: PlainRequest) => Answer
  /** @param status status of the answer; undefined if the connection was closed earlier */
  readonly ended: (request: PlainRequest, status: number | undefined) => void
}

/** The time limits of a server, and its state. */
export interface LaneRules {
  /** Idle time after which a connection is closed, in milliseconds. */
  readonly keepAliveMs: number
  /** Time within which the first request must begin, in milliseconds. */
  readonly firstByteMs: number
  readonly requestTimeoutMs: number
  readonly isDraining: () => boolean
}

/** The common parts of the connections of a lane. */
export interface Lane<Operation> extends PlainService<Operation>, LaneRules {
  readonly read: ReadPlainHead<Operation>
  readonly answers: PlainAnswers
  /** Passes a connection to `node:http`. */
  readonly leave: (connection: PlainConnection<Operation>) => void
  /** Called for a connection that sent nothing in time. */
  readonly expire: (socket: Socket) => void
  readonly closed: (connection: PlainConnection<Operation>) => void
  /** Time of the last sweep, by `performance.now()`. */
  now: number
  closesIdle: boolean
}

/** Grace period that `node:http` adds to the announced time, for a request in transit. */
const KEEP_ALIVE_BUFFER_MS = 1000
/** Number of sweeps for which a partial request may stay in the lane. */
const PARTIAL_SWEEPS = 2
/** Maximum number of pipelined requests of one connection that are answered before other connections get their turn. */
const MAX_REQUESTS_PER_TURN = 32

/** One connection in the fast lane: reads requests in plain form, and answers them in order. */
export class PlainConnection<Operation> {
  readonly socket: Socket
  readonly #lane: Lane<Operation>
  readonly #listeners: readonly (readonly [event: string, listener: (chunk: Buffer) => void])[]
  /** A partially received request. */
  readonly #held: ArrivingBytes
  /** Its head, if complete. */
  #head: PlainHead<Operation> | undefined
  #lastHead: PlainHead<Operation> | undefined
  #heldSweeps = 0
  /** The request whose answer is pending; later requests wait. */
  #pending: PlainRequest | undefined
  /** True if received requests wait for a later turn, or for the peer to read its answers. */
  #isBlocked = false
  /** Status of the answer to the pending request while it is being written. */
  #begun: number | undefined
  /** True if the last answer has been written. */
  #isOver = false
  /** Time when the last answer was written or the pending request began; initially, when the connection was opened. */
  #since: number

  constructor(lane: Lane<Operation>, socket: Socket) {
    this.#lane = lane
    this.socket = socket
    this.#held = new ArrivingBytes({ maxBytes: Infinity, unread: lane.limits.unread })
    this.#since = lane.now
    this.#listeners = [
      ['data', (chunk) => this.#receive(chunk)],
      ['end', () => this.#end()],
      ['drain', () => this.#unblock()],
      ['error', () => void socket.destroy()],
      ['close', () => this.#close()],
    ]
    for (const [event, listener] of this.#listeners) socket.on(event, listener)
  }

  /** Enforces the time limits. Called by each sweep. */
  sweep(): void {
    const { now, requestTimeoutMs, firstByteMs, keepAliveMs, closesIdle, expire } = this.#lane
    const waited = now - this.#since
    const pending = this.#pending
    if (pending !== undefined) {
      if (waited < requestTimeoutMs) return
      if (this.#begun !== undefined) return void this.socket.destroy()
      this.#settle(pending, this.#lane.failure(httpErrors.timedOut(requestTimeoutMs / 1000), pending))
      pending.abort()
    } else if (this.#held.size > 0) {
      if (++this.#heldSweeps > PARTIAL_SWEEPS) this.#leave(this.#held.take())
    } else if (this.#isOver || this.#isBlocked || this.socket.writableLength > 0) {
      if (waited >= requestTimeoutMs) this.socket.destroy()
    } else if (closesIdle || this.#lastHead !== undefined) {
      if (closesIdle || waited >= keepAliveMs + KEEP_ALIVE_BUFFER_MS) this.socket.destroy()
    } else if (waited >= firstByteMs) {
      this.#isOver = true
      this.#since = now
      expire(this.socket)
    }
  }

  #receive(chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#pending !== undefined || this.#isBlocked) return this.#postpone(chunk)
    const held = this.#held
    if (held.size === 0) return this.#advance(chunk)
    if (!held.hasRoomFor(chunk.length)) return this.#leave(Buffer.concat([held.take(), chunk]))
    held.append(chunk)
    this.#advance(held.bytes)
  }

  /** Answers the requests in these bytes, starting with the first byte. */
  #advance(bytes: Buffer): void {
    const { read, answers, answer, ended, isDraining } = this.#lane
    let text = ''
    let isAscii = true
    let at = 0
    let state: 'open' | 'other' | 'pending' | 'later' | 'over' = 'open'
    for (let count = 1; state === 'open' && at < bytes.length; count++) {
      const head = this.#head ?? read(bytes, at, this.#lastHead)
      this.#head = undefined
      if (head === 'other') state = 'other'
      if (typeof head === 'string') break
      this.#lastHead = head
      const start = at + head.size
      const end = start + head.length
      if (end > bytes.length) {
        this.#head = head
        break
      }
      at = end
      const request = new PlainRequest(head, this.socket, bytes.subarray(start, end))
      const answered = answer(head.operation, request)
      if (answered instanceof Promise) {
        this.#pending = request
        this.#since = this.#lane.now
        void answered.then((settled) => this.#settle(request, settled))
        state = 'pending'
      } else {
        const closes = isDraining()
        const written = answers.textOf(request, answered, closes)
        text += written.text
        isAscii &&= written.isAscii
        ended(request, written.status)
        if (closes) state = 'over'
        else if (count === MAX_REQUESTS_PER_TURN) state = 'later'
      }
    }
    if (text !== '') this.#write(text, isAscii)
    if (state === 'over') return this.#finish()
    const rest = bytes.subarray(at)
    const needsDrain = this.socket.writableNeedDrain
    if (state === 'open' && !needsDrain) return this.#hold(rest, at > 0)
    this.#held.release()
    if (state === 'other') return this.#leave(rest)
    if (state !== 'pending') {
      this.#isBlocked = true
      if (!needsDrain) setImmediate(() => this.#unblock())
    }
    if (rest.length > 0) this.#postpone(rest)
  }

  /** Keeps a partial request until the rest arrives. */
  #hold(rest: Buffer, isNew: boolean): void {
    const held = this.#held
    if (held.size > 0 && !isNew) return
    held.release()
    this.#heldSweeps = 0
    if (rest.length === 0) return
    if (held.hasRoomFor(rest.length)) held.append(rest)
    else this.#leave(rest)
  }

  /** Postpones these bytes to a later turn, and reads no more until then. */
  #postpone(bytes: Buffer): void {
    this.socket.pause()
    this.socket.unshift(bytes)
  }

  #unblock(): void {
    if (this.#pending !== undefined) return
    this.#isBlocked = false
    if (this.socket.isPaused()) this.socket.resume()
  }

  #write(text: string, isAscii: boolean): void {
    this.#since = this.#lane.now
    this.socket.write(text, isAscii ? 'latin1' : 'utf8')
  }

  #settle(request: PlainRequest, answered: string | Answer | WholeAnswer | undefined): void {
    const isPassed = typeof answered === 'object' && 'content' in answered
    // Its connection is closed, or it was answered because its time limit expired.
    if (this.#pending !== request) {
      if (isPassed && answered.content instanceof Readable) answered.content.destroy()
      return
    }
    if (answered === undefined) return
    const closes = this.#lane.isDraining()
    if (isPassed) return this.#pass(request, answered, closes)
    const { text, status, isAscii } = this.#lane.answers.textOf(request, answered, closes)
    this.#write(text, isAscii)
    this.#settled(request, status, closes)
  }

  #pass(request: PlainRequest, answer: WholeAnswer, closes: boolean): void {
    const { status, content } = answer
    const head = this.#lane.answers.headOf(request, answer, closes)
    if (!(content instanceof Readable)) {
      this.#write(head + content.toString('latin1'), true)
      return this.#settled(request, status, closes)
    }
    this.#begun = status
    this.#write(head, true)
    const progress = () => {
      this.#since = this.#lane.now
    }
    writeStream(this.socket, content, isChunked(answer), progress, (isWhole) => {
      this.#begun = undefined
      if (!isWhole) this.socket.destroy()
      else if (this.#pending === request) this.#settled(request, status, closes)
    })
  }

  /** Called when the answer to the pending request has been written. */
  #settled(request: PlainRequest, status: number, closes: boolean): void {
    this.#pending = undefined
    this.#lane.ended(request, status)
    if (closes) this.#finish()
    else if (!this.socket.writableNeedDrain) this.#unblock()
    else this.#isBlocked = true
  }

  /** Closes the connection after the written answers. */
  #finish(): void {
    this.#isOver = true
    this.#held.release()
    this.socket.destroySoon()
  }

  /** Called when the peer has ended its side. Like `node:http`, the server then closes its side too. */
  #end(): void {
    if (this.#held.size === 0) return void this.socket.end()
    this.#leave(this.#held.take())
    this.socket.emit('end')
  }

  /** Passes the connection to `node:http`, with the unprocessed bytes. */
  #leave(unread: Buffer): void {
    for (const [event, listener] of this.#listeners) this.socket.off(event, listener)
    this.#lane.leave(this)
    if (unread.length > 0) this.socket.emit('data', unread)
  }

  #close(): void {
    this.#lane.closed(this)
    this.#held.release()
    const pending = this.#pending
    if (pending === undefined) return
    this.#pending = undefined
    this.#lane.ended(pending, this.#begun)
    pending.abort()
  }
}
