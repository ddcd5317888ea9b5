import { Duplex } from 'node:stream'

/** Where the bytes of a connection go to, and come from. */
export interface WireTarget {
  write(bytes: Uint8Array): void
  /** The connection is gone. */
  closed(): void
}

/** `X` of the protocol of PostgreSQL: the client says goodbye. PGlite would end its only backend. */
const TERMINATE = 'X'.charCodeAt(0)

/**
 * A connection of `pg` that is no socket: what `pg` sends goes to the thread of the embedded database. It has what `pg`
 * calls on a `net.Socket` beside the methods of a stream.
 */
export class Wire extends Duplex {
  readonly #target: WireTarget

  constructor(target: WireTarget) {
    super()
    this.#target = target
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  /** Bytes of the database. */
  receive(bytes: Uint8Array): void {
    if (bytes.length > 0 && !this.destroyed) this.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#send(chunk)
    done()
  }

  /** What one flush of `pg` has is one message: parse, bind, execute and sync of a query. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: () => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)))
    done()
  }

  override _final(done: () => void): void {
    done()
    this.push(null)
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
