/** Milliseconds from one line to the next of the same kind, and their limit. */
const FIRST_MS = 1000
const MAX_INTERVAL_MS = 300_000

interface Told {
  pause: number
  next: number
  untold: number
}

/**
 * Limits log lines about a persistent condition: immediately, after a second, after two, … finally every five minutes.
 * This keeps strangers from filling the disk.
 */
export class DeduplicatedLog {
  readonly #kinds = new Map<string, Told>()
  /** Milliseconds that only grow. */
  readonly #elapsed: () => number

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /**
   * Undefined: not now. Else how often it happened since the last line, this time included.
   *
   * @param kind one of few: each is remembered
   */
  due(kind: string): number | undefined {
    const now = this.#elapsed()
    const told = this.#kinds.getOrInsertComputed(kind, () => ({ pause: FIRST_MS / 2, next: now, untold: 0 }))
    told.untold++
    if (now < told.next) return undefined
    // After a long quiet time it begins again.
    const isAnew = now - told.next > MAX_INTERVAL_MS
    told.pause = isAnew ? FIRST_MS : Math.min(told.pause * 2, MAX_INTERVAL_MS)
    told.next = now + told.pause
    const { untold } = told
    told.untold = 0
    return untold
  }

  /** It is over: the next time is worth a line. */
  over(kind: string): void {
    this.#kinds.delete(kind)
  }
}
