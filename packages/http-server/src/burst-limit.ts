/** The allowed burst, and the rate per second. */
export interface BurstLimits {
  readonly burst: number
  readonly perSecond: number
}

/** Counts events by the clock of the process. After an idle period up to two bursts are allowed. */
export class BurstLimit {
  readonly #limits: BurstLimits
  #count = 0
  #countedSince = performance.now()

  constructor(limits: BurstLimits) {
    this.#limits = limits
  }

  /** Counts one event; false if it exceeds the limit. */
  take(): boolean {
    if (++this.#count <= this.#limits.burst) return true
    // The clock is read only when the burst is used up.
    const now = performance.now()
    const refilled = ((now - this.#countedSince) / 1000) * this.#limits.perSecond
    this.#countedSince = now
    this.#count = Math.max(1, this.#count - refilled)
    return this.#count <= this.#limits.burst
  }

  reset(): void {
    this.#count = 0
  }
}
