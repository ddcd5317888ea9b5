import { type HttpError, httpErrors } from './http-error.ts'

/** The memory that bodies may take while they arrive, of all connections of this process together. */
export interface UnreadBodies {
  /** False, and nothing is taken, when there is not so much left. */
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

/** Of one request, and of all. */
export interface BodyLimits {
  /** Of one body; of NDJSON, of one line. */
  readonly maxBytes: number
  readonly unread: UnreadBodies
}

/** Bytes that are allocated at first; doubled whenever they are full. */
const FIRST = 4096

/**
 * Bytes that come in pieces, in one buffer that grows: each piece by itself would cost some hundred bytes, and a sender
 * chooses how small they are. Costs two copies of each byte at most.
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

  /** All that arrived, which still counts; valid until the next piece. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  /** Undefined when the piece is taken; else why it is not, and all that arrived before is forgotten. */
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

  /** All that arrived; it does not count as unread any more, and the next piece begins anew. */
  take(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#size)
    this.release()
    return bytes
  }

  /** Forgets what arrived. Can be called again. */
  release(): void {
    this.#limits.unread.give(this.#buffer.length)
    this.#buffer = EMPTY
    this.#size = 0
  }

  #hasRoom(size: number): boolean {
    if (size <= this.#buffer.length) return true
    const capacity = Math.max(FIRST, size, Math.min(this.#buffer.length * 2, this.#limits.maxBytes))
    if (!this.#limits.unread.take(capacity - this.#buffer.length)) return false
    const larger = Buffer.allocUnsafe(capacity)
    this.#buffer.copy(larger, 0, 0, this.#size)
    this.#buffer = larger
    return true
  }
}

const EMPTY = Buffer.alloc(0)

/** A refusal of `append` as it is answered. */
export function refusedBody(refusal: 'too-large' | 'too-many', { maxBytes }: BodyLimits): HttpError {
  return refusal === 'too-large' ? httpErrors.tooLarge(maxBytes) : httpErrors.tooManyBodies()
}
