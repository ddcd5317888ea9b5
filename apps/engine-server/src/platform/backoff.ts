/** Initial and longest delay between attempts: an engine reconnects shortly after the platform is available again. */
const INITIAL_DELAY_MS = 250
const MAX_DELAY_MS = 5000

/** Exponential backoff with jitter, so that a fleet does not reconnect in lockstep. */
export interface Backoff {
  /** Milliseconds before the next attempt. */
  next(): number
  reset(): void
}

/** @param random from 0 to less than 1 */
export function createBackoff(random: () => number): Backoff {
  let failures = 0
  return {
    next() {
      const whole = Math.min(MAX_DELAY_MS, INITIAL_DELAY_MS * 2 ** Math.min(failures++, 10))
      return whole * (0.5 + random() / 2)
    },
    reset: () => void (failures = 0),
  }
}
