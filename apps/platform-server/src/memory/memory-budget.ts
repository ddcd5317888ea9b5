import { HttpError } from '@engine/http-server'
import { AsyncLocalStorage } from 'node:async_hooks'
import { SharedBytes } from './shared-bytes.ts'

/** Maximum memory of all requests and large tasks, as estimated. One organization may use half of it. */
const MEMORY_BUDGET_BYTES = 192 * 1024 * 1024

/** Size below which a body, a read or a task is not counted: its request needs as much anyway. */
const UNCOUNTED_BYTES = 64 * 1024

/**
 * The memory used by all requests: bodies and their values, large reads, exports, tasks of threads. A request that
 * would exceed the budget, or the half of it available to its organization, is refused with 503 before it takes the
 * memory.
 */
export class MemoryBudget {
  readonly #bytes: SharedBytes

  constructor(total = MEMORY_BUDGET_BYTES) {
    this.#bytes = new SharedBytes(total)
  }

  /** The memory of one request; it is freed by `release`. */
  request(): RequestMemory {
    return new RequestMemory(this.#bytes)
  }
}

/** The memory of one request. Requests outside of any organization share the part of one organization. */
export class RequestMemory {
  readonly #bytes: SharedBytes
  #organization = ''
  #held = 0
  #isReleased = false

  constructor(bytes: SharedBytes) {
    this.#bytes = bytes
  }

  get organization(): string {
    return this.#organization
  }

  /** Charges the request to its organization from this call on. */
  belongTo(organization: string): void {
    this.#bytes.give(this.#organization, this.#held)
    this.#organization = organization
    this.#bytes.charge(organization, this.#held)
  }

  /**
   * Reserves bytes until the request ends. Reservations of one request do not add up: its phases follow each other, and
   * the largest counts. A request that needs more than the share of its organization reserves all of it. Throws
   * `overloaded` (503).
   */
  hold(bytes: number): void {
    const more = Math.min(bytes, this.#bytes.part) - this.#held
    if (bytes < UNCOUNTED_BYTES || more <= 0 || this.#isReleased) return
    if (!this.#bytes.take(this.#organization, more))
      throw new HttpError(
        'overloaded',
        'other requests use the memory that there is for large bodies, exports and reads: try again',
        { retryAfterSeconds: 1 },
      )
    this.#held += more
  }

  /** Called when the request ends. Idempotent. */
  release(): void {
    this.#bytes.give(this.#organization, this.#held)
    this.#held = 0
    this.#isReleased = true
  }
}

const current = new AsyncLocalStorage<RequestMemory>()

/** Runs work as a part of a request. */
export const asRequest = <Result>(memory: RequestMemory, work: () => Result): Result => current.run(memory, work)

/** The memory of the request on whose behalf this code runs; undefined for background work. */
export const requestMemory = (): RequestMemory | undefined => current.getStore()
