import { Duplex } from 'node:stream'

/** The other end of a connection. */
export interface SocketTarget {
  write(bytes: Uint8Array): void
  /** Called when the connection is closed. */
  closed(): void
}

/**
 * Number of bytes that `pg` reads per turn, as many as a socket delivers: a long answer in one turn would block the
 * event loop.
 */
const BYTES_PER_TURN = 64 * 1024

/** `X` in the protocol of PostgreSQL: the client ends the session. PGlite would end its only backend. */
const TERMINATE = 'X'.charCodeAt(0)

/**
 * A connection of `pg` without a socket: bytes that `pg` sends go to the thread of the embedded database. It has the
 * methods that `pg` calls on a `net.Socket` in addition to those of a stream.
 */
export class EmbeddedSocket extends Duplex {
  readonly #target: SocketTarget
  /** Bytes of the database that `pg` has not read yet; `null` means the end. */
  readonly #waiting: (Buffer | null)[] = []
  /** True if the next turn delivers more. */
  #isBringing = false

  constructor(target: SocketTarget) {
    super()
    this.#target = target
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  /** Receives bytes of the database; long answers are delivered in pieces, one per turn of the event loop. */
  receive(bytes: Uint8Array): void {
    for (let start = 0; start < bytes.length; start += BYTES_PER_TURN) {
      const length = Math.min(BYTES_PER_TURN, bytes.length - start)
      this.#waiting.push(Buffer.from(bytes.buffer, bytes.byteOffset + start, length))
    }
    if (!this.#isBringing) this.#bring()
  }

  #bring(): void {
    const piece = this.#waiting.shift()
    if (piece !== undefined && !this.destroyed) this.push(piece)
    this.#isBringing = this.#waiting.length > 0
    if (this.#isBringing) setImmediate(() => this.#bring())
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(chunk)
    done()
  }

  /** One flush of `pg` is one message: parse, bind, execute and sync of a query. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  override _final(done: () => void): void {
    done()
    this.#waiting.push(null)
    if (!this.#isBringing) this.#bring()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#target.closed()
    done(error)
  }

  #send(bytes: Buffer): void {
    if (bytes[0] !== TERMINATE) this.#target.write(new Uint8Array(bytes))
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}
