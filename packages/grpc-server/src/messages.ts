import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ArrivingBytes, type BodyLimits, httpErrors } from '@engine/http-server'
import type { Awaitable } from '@engine/process'
import { GrpcError } from './status.ts'

/** Precedes every message: a compression flag, and the length in four bytes. */
const PREFIX_BYTES = 5
/** Minimum size in bytes for compressing an answer. */
const MIN_ZIPPED_BYTES = 1024

const unzipped = promisify(gunzip)
const zipped = promisify<Uint8Array, Buffer>(gzip)

/** Encodes and decodes the messages of one call. Throws `GrpcError`, and `HttpError` if no memory is left. */
export class Messages {
  readonly #limits: BodyLimits
  /** True if the call uses compression; each message has its own flag. */
  readonly isZipped: boolean
  /** A partial message. Its memory is charged until the next one begins. */
  readonly #begun: ArrivingBytes
  #isWhole = false

  constructor(limits: BodyLimits, isZipped: boolean) {
    this.#limits = limits
    this.isZipped = isZipped
    this.#begun = new ArrivingBytes(limits)
  }

  /** True if part of a message has arrived. */
  get hasPart(): boolean {
    return this.#begun.size > 0 && !this.#isWhole
  }

  /** The messages completed by a piece, with their prefixes. A message that is complete in its piece is not copied. */
  *completedBy(piece: Buffer): Generator<Buffer> {
    for (let rest = piece; rest.length > 0;) {
      if (this.#isWhole) this.release()
      const { size } = this.#begun
      const missing = this.#endOf(size === 0 ? rest : this.#begun.bytes) - size
      // Most pieces are exactly one message, which needs no further views.
      if (size === 0 && rest.length === missing) return yield rest
      const part = rest.subarray(0, missing)
      rest = rest.subarray(missing)
      if (size === 0 && part.length === missing) yield part
      else if (this.#isWholeWith(part)) yield this.#begun.bytes
    }
  }

  /** The content of a message; a promise if it is compressed. */
  contentOf(message: Buffer): Awaitable<Buffer> {
    const bytes = message.subarray(PREFIX_BYTES)
    if (message[0] === 0) return bytes
    if (!this.isZipped) throw new GrpcError('INTERNAL', 'a message is compressed without `grpc-encoding`')
    return unzipped(bytes, { maxOutputLength: this.#limits.maxBytes }).catch((error: { readonly code?: unknown }) => {
      if (error.code === 'ERR_BUFFER_TOO_LARGE') throw this.#tooLarge('decompressed')
      throw new GrpcError('INTERNAL', 'a message cannot be decompressed')
    })
  }

  /** A message in wire format. */
  framed(bytes: Uint8Array): Awaitable<Buffer> {
    if (!this.isZipped || bytes.length < MIN_ZIPPED_BYTES) return framed(bytes, 0)
    return zipped(bytes).then((fewer) => framed(fewer, 1))
  }

  /** Discards received data. Idempotent. */
  release(): void {
    this.#begun.release()
    this.#isWhole = false
  }

  #isWholeWith(part: Buffer): boolean {
    if (this.#begun.append(part) !== undefined) throw httpErrors.tooManyBodies()
    return (this.#isWhole = this.#endOf(this.#begun.bytes) === this.#begun.size)
  }

  /** The end of the current message, or of its prefix while the length is unknown. */
  #endOf(bytes: Buffer): number {
    const end = PREFIX_BYTES + (bytes.length < PREFIX_BYTES ? 0 : bytes.readUInt32BE(1))
    if (end > this.#limits.maxBytes) throw this.#tooLarge(String(end))
    return end
  }

  /** Worded so that clients can distinguish it from other causes of its status. */
  #tooLarge(size: string): GrpcError {
    const { maxBytes } = this.#limits
    return new GrpcError('RESOURCE_EXHAUSTED', `received message larger than max (${size} vs ${maxBytes} bytes)`)
  }
}

function framed(bytes: Uint8Array, flag: 0 | 1): Buffer {
  const whole = Buffer.allocUnsafe(PREFIX_BYTES + bytes.length)
  whole[0] = flag
  whole.writeUInt32BE(bytes.length, 1)
  whole.set(bytes, PREFIX_BYTES)
  return whole
}
