import { type HttpError, httpErrors } from './http-error.ts'

/** The memory for arriving bodies, shared by all connections of this process. */
export interface UnreadBodies {
  /** False, with nothing reserved, if too little is left. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** @param limit bytes */
export function createUnreadBodies(limit: number): UnreadBodies {
  let left = limit
  return {
    take(bytes) {
      if (bytes > left) return false
      left -= bytes
      return true
    },
    give: (bytes) => void (left += bytes),
  }
}

/** Limits of one request, and of all together. */
export interface BodyLimits {
  /** Maximum size of a body, or of one NDJSON line. */
  readonly maxBytes: number
  readonly unread: UnreadBodies
}

/** Initial size of the buffer in bytes; doubled whenever it is full. */
const INITIAL_BYTES = 4096

/**
 * Collects pieces in one growing buffer: storing each piece separately would cost some hundred bytes, and the sender
 * chooses their size. Costs at most two copies of each byte.
 */
export class ArrivingBytes {
  readonly #limits: BodyLimits
  #buffer: Buffer = EMPTY
  #size = 0

  constructor(limits: BodyLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#size
  }

  /** All bytes received, which remain charged; valid until the next piece. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  /** Reserves memory for more bytes; false, with nothing reserved, if too little is left. */
  hasRoomFor(bytes: number): boolean {
    return this.#hasRoom(this.#size + bytes)
  }

  /** Undefined if the piece is accepted; otherwise the reason, and everything received is discarded. */
  append(piece: Buffer): 'too-large' | 'too-many' | undefined {
    const size = this.#size + piece.length
    const refusal = size > this.#limits.maxBytes ? 'too-large' : this.#hasRoom(size) ? undefined : 'too-many'
    if (refusal !== undefined) {
      this.release()
      return refusal
    }
    piece.copy(this.#buffer, this.#size)
    this.#size = size
    return undefined
  }

  /** All bytes received; they are no longer charged, and the next piece starts a new buffer. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#size)
    this.release()
    return bytes
  }

  /** Discards everything received. Idempotent. */
  release(): void {
    this.#limits.unread.give(this.#buffer.length)
    this.#buffer = EMPTY
    this.#size = 0
  }

  #hasRoom(size: number): boolean {
    if (size <= this.#buffer.length) return true
    const capacity = Math.max(INITIAL_BYTES, size, Math.min(this.#buffer.length * 2, this.#limits.maxBytes))
    if (!this.#limits.unread.take(capacity - this.#buffer.length)) return false
    const larger = Buffer.allocUnsafe(capacity)
    this.#buffer.copy(larger, 0, 0, this.#size)
    this.#buffer = larger
    return true
  }
}

const EMPTY = Buffer.alloc(0)

/** The error for a refusal of `append`. */
export function refusedBody(refusal: 'too-large' | 'too-many', { maxBytes }: BodyLimits): HttpError {
  return refusal === 'too-large' ? httpErrors.tooLarge(maxBytes) : httpErrors.tooManyBodies()
}
