import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ArrivingBytes, type BodyLimits, httpErrors } from '@engine/http-server'
import { GrpcError } from './status.ts'

/** In front of every message: whether it is compressed, and its length in four bytes. */
const PREFIX = 5
const EMPTY = Buffer.alloc(0)

/** Bytes of a call to messages. One that is complete in the piece that it came with is not copied. */
export class ArrivingMessages {
  readonly #limits: BodyLimits
  /** What is not read yet of the last piece. */
  #piece: Buffer = EMPTY
  /** A message that comes in pieces. It counts as memory until the next one is asked for. */
  #begun: ArrivingBytes | undefined

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  /** Whether something came that is no whole message. */
  get hasPart(): boolean {
    return this.#piece.length > 0 || (this.#bytes.length > 0 && !this.#isWhole)
  }

  /** The piece before must be used up: there was no next message. */
  append(piece: Buffer): void {
    this.#piece = piece
  }

  /** The next message with its prefix, to be read before the one after it. Throws `GrpcError`, and `HttpError` without memory. */
  next(): Buffer | undefined {
    if (this.#isWhole) this.#begun?.release()
    while (this.#piece.length > 0) {
      const begun = this.#bytes
      const piece = this.#piece
      const missing = this.#endOf(begun.length === 0 ? piece : begun) - begun.length
      const part = missing < piece.length ? piece.subarray(0, missing) : piece
      this.#piece = missing < piece.length ? piece.subarray(missing) : EMPTY
      if (begun.length === 0 && part.length === missing) return part
      this.#begun ??= new ArrivingBytes(this.#limits)
      if (this.#begun.append(part) !== undefined) throw httpErrors.tooManyBodies()
      if (this.#isWhole) return this.#bytes
    }
    return undefined
  }

  /** Forgets everything. Can be called again. */
  release(): void {
    this.#piece = EMPTY
    this.#begun?.release()
  }

  get #bytes(): Buffer {
    return this.#begun?.bytes ?? EMPTY
  }

  get #isWhole(): boolean {
    const bytes = this.#bytes
    return bytes.length > 0 && this.#endOf(bytes) === bytes.length
  }

  /** Where the message ends that begins here; as long as that is not known, its prefix. */
  #endOf(bytes: Buffer): number {
    const end = PREFIX + (bytes.length < PREFIX ? 0 : bytes.readUInt32BE(1))
    if (end > this.#limits.maxBytes) throw tooLarge(String(end), this.#limits)
    return end
  }
}

/** The wording by which clients know it from other causes of its status. */
function tooLarge(size: string, { maxBytes }: BodyLimits): GrpcError {
  return new GrpcError('RESOURCE_EXHAUSTED', `received message larger than max (${size} vs ${maxBytes} bytes)`)
}

const unzipped = promisify(gunzip)
const zipped = promisify<Uint8Array, Buffer>(gzip)

/** What a message holds; a promise where it is compressed. Throws or rejects with a `GrpcError`. */
export function contentOf(message: Buffer, isZipped: boolean, limits: BodyLimits): Buffer | Promise<Buffer> {
  const bytes = message.subarray(PREFIX)
  if (message[0] === 0) return bytes
  if (!isZipped) throw new GrpcError('INTERNAL', 'a message is compressed without `grpc-encoding`')
  return unzipped(bytes, { maxOutputLength: limits.maxBytes }).catch((error: { readonly code?: unknown }) => {
    const isLarge = error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isLarge ? tooLarge('decompressed', limits) : new GrpcError('INTERNAL', 'a message cannot be decompressed')
  })
}

/** A message as it is sent. */
export function framed(bytes: Uint8Array, flag: 0 | 1 = 0): Buffer {
  const whole = Buffer.allocUnsafe(PREFIX + bytes.length)
  whole[0] = flag
  whole.writeUInt32BE(bytes.length, 1)
  whole.set(bytes, PREFIX)
  return whole
}

/** The same compressed, from a size on at which that is worth its time. */
export async function framedZipped(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length < 1024 ? framed(bytes) : framed(await zipped(bytes), 1)
}
