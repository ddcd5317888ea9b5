/** The highest revision accepted from others: a writer must never run out of revisions above it. */
export const LAST_REVISION = 2 ** 53 - 2 ** 40

/**
 * Strictly increasing revisions of changes: microseconds since 1970, or one more than the last if the clock stands still
 * or goes back. A writer that was restored, moved or lost its state continues above its previous revisions, and readers
 * can order changes by revision no matter how they arrive.
 */
export class Revisions {
  #last: number
  readonly #now: () => number

  /** @param now epoch milliseconds */
  constructor(last: number, now: () => number) {
    this.#last = last
    this.#now = now
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, Math.floor(this.#now() * 1000))
    return this.#last
  }

  /** Continues above a revision of another writer. */
  saw(revision: number): void {
    this.#last = Math.max(this.#last, revision)
  }

  get last(): number {
    return this.#last
  }
}
