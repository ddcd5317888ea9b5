/** First interval between two lines of the same kind, and the maximum, in milliseconds. */
const MIN_INTERVAL_MS = 1000
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
  /** Monotonic clock, milliseconds. */
  readonly #elapsed: () => number

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed
  }

  /**
   * How often this happened since the last line, this time included; undefined: no line is due.
   *
   * @param kind one of few: each is kept in memory
   */
  due(kind: string): number | undefined {
    const now = this.#elapsed()
    const told = this.#kinds.getOrInsertComputed(kind, () => ({ pause: MIN_INTERVAL_MS / 2, next: now, untold: 0 }))
    told.untold++
    if (now < told.next) return undefined
    // Starts over after a long quiet period.
    const isAnew = now - told.next > MAX_INTERVAL_MS
    told.pause = isAnew ? MIN_INTERVAL_MS : Math.min(told.pause * 2, MAX_INTERVAL_MS)
    told.next = now + told.pause
    const { untold } = told
    told.untold = 0
    return untold
  }

  /** Ends the condition: the next occurrence is logged immediately. */
  over(kind: string): void {
    this.#kinds.delete(kind)
  }
}
