/** The greatest revision that is believed: there must be as many above it as a writer can ever count. */
export const LAST_REVISION = 2 ** 53 - 2 ** 40

/**
 * Numbers of changes that only grow: microseconds since 1970, or one more than the last where the clock stands still or
 * goes back. A writer that was restored, moved or lost its state continues above its previous revisions, and readers
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

  /** This one was given by another writer. */
  saw(revision: number): void {
    this.#last = Math.max(this.#last, revision)
  }

  get last(): number {
    return this.#last
  }
}
