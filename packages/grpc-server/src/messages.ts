import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { GrpcError } from './status.ts'

/** The memory that messages may take while they arrive, of all connections together. */
export interface Memory {
  /** False, and nothing is taken, when there is not so much left. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** Of messages from outside. */
export interface MessageLimits {
  /** Of one message, also when it is decompressed. */
  readonly maxBytes: number
  readonly memory: Memory
  /** The error of a call for whose message no memory is left. */
  readonly noMemory: () => GrpcError
}

/** In front of every message: whether it is compressed, and its length in four bytes. */
const PREFIX = 5
/** Bytes that are allocated at first for a message that comes in pieces; doubled whenever they are full. */
const FIRST = 4096

/** Whether a piece is one message and nothing else. Throws `GrpcError` for one that is too large. */
export function messageIn(piece: Buffer, limits: MessageLimits): boolean {
  if (piece.length < PREFIX) return false
  const length = piece.readUInt32BE(1)
  if (length > limits.maxBytes) throw tooLarge(String(length), limits)
  return piece.length === PREFIX + length
}

/**
 * Bytes of a call to messages. A message that is complete in the piece that it came with is not copied. Others are collected
 * in one buffer that grows with what has come, not with the length that the sender claims: each piece by itself would cost
 * some hundred bytes, and a sender chooses how small they are.
 */
export class ArrivingMessages {
  readonly #limits: MessageLimits
  #bytes: Buffer = EMPTY
  /** Where the next message begins, and where the bytes end. */
  #at = 0
  #end = 0
  #taken = 0

  constructor(limits: MessageLimits) {
    this.#limits = limits
  }

  /** Whether something of a message is here. */
  get hasBytes(): boolean {
    return this.#at < this.#end
  }

  /** Throws `GrpcError` when there is no memory for them. */
  append(piece: Buffer): void {
    if (!this.hasBytes) {
      this.release()
      this.#bytes = piece
      this.#end = piece.length
    } else {
      this.#keep(piece.length)
      this.#end += piece.copy(this.#bytes, this.#end)
    }
  }

  /** The next complete message with its prefix; it is read before more is appended. Throws `GrpcError`. */
  next(): Buffer | undefined {
    const at = this.#at
    if (this.#end - at < PREFIX) return undefined
    const length = this.#bytes.readUInt32BE(at + 1)
    if (length > this.#limits.maxBytes) throw tooLarge(String(length), this.#limits)
    const end = at + PREFIX + length
    if (end > this.#end) return undefined
    this.#at = end
    return this.#bytes.subarray(at, end)
  }

  /** What is here stays when the piece that it came with is gone. Throws `GrpcError`. */
  keep(): void {
    if (this.hasBytes && this.#taken === 0) this.#keep(0)
  }

  /** Forgets everything. Can be called again. */
  release(): void {
    if (this.#taken > 0) this.#limits.memory.give(this.#taken)
    this.#taken = 0
    this.#bytes = EMPTY
    this.#at = 0
    this.#end = 0
  }

  /** Makes room for more bytes behind what is here, in a buffer of its own. */
  #keep(more: number): void {
    const size = this.#end - this.#at
    if (this.#taken > 0 && this.#end + more <= this.#bytes.length) return
    const most = this.#limits.maxBytes + PREFIX
    const capacity = Math.max(FIRST, size + more, Math.min(size * 2, most))
    if (!this.#limits.memory.take(capacity - this.#taken)) throw this.#limits.noMemory()
    const larger = Buffer.allocUnsafeSlow(capacity)
    this.#bytes.copy(larger, 0, this.#at, this.#end)
    this.#taken = capacity
    this.#at = 0
    this.#bytes = larger
    this.#end = size
  }
}

const EMPTY = Buffer.alloc(0)

/** The wording by which clients know it from other causes of its status. */
function tooLarge(size: string, { maxBytes }: MessageLimits): GrpcError {
  return new GrpcError('RESOURCE_EXHAUSTED', `received message larger than max (${size} vs ${maxBytes} bytes)`)
}

const unzipped = promisify(gunzip)
const zipped = promisify<Buffer, Buffer>(gzip)

/** The content of a compressed message. Rejects with a `GrpcError`. */
export async function decompressed(bytes: Buffer, encoding: unknown, limits: MessageLimits): Promise<Buffer> {
  if (encoding !== 'gzip') throw new GrpcError('INTERNAL', 'a message is compressed without `grpc-encoding`')
  try {
    return await unzipped(bytes, { maxOutputLength: Math.max(1, limits.maxBytes) })
  } catch (error) {
    const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
    throw isLarge ? tooLarge('decompressed', limits) : new GrpcError('INTERNAL', 'a message cannot be decompressed')
  }
}

/** Bytes from which on compressing an answer is worth its time. */
const WORTH_IT = 1024

/** A message as it is sent; a promise where it is compressed. */
export function framed(bytes: Uint8Array, isZipped: boolean): Buffer | Promise<Buffer> {
  if (!isZipped || bytes.length < WORTH_IT) return frame(bytes, 0)
  return zipped(Buffer.from(bytes)).then((small) => frame(small, 1))
}

function frame(bytes: Uint8Array, flag: 0 | 1): Buffer {
  const whole = Buffer.allocUnsafe(PREFIX + bytes.length)
  whole[0] = flag
  whole.writeUInt32BE(bytes.length, 1)
  whole.set(bytes, PREFIX)
  return whole
}
