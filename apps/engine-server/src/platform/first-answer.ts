/** Readiness waits for the first answer of the platform. */
export interface FirstAnswer {
  /** The first answer was completely applied, or rulesets of a previous run are served. */
  readonly isApplied: boolean
  markApplied(): void
  /** Why the engine is not ready yet; undefined if readiness does not wait. */
  refusal(): string | undefined
}

/**
 * An engine without rulesets would answer 404 for rulesets that are about to be delivered, so it becomes ready only
 * when the first answer is applied.
 *
 * @param limitMs longest wait in milliseconds; 0: readiness does not wait
 * @param elapsed monotonic clock, in milliseconds
 */
export function createFirstAnswer(limitMs: number, elapsed: () => number): FirstAnswer {
  const end = elapsed() + limitMs
  let isApplied = false
  return {
    get isApplied() {
      return isApplied
    },
    markApplied() {
      isApplied = true
    },
    refusal: () =>
      isApplied || elapsed() >= end
        ? undefined
        : 'waiting for the first rulesets from the platform (--platform-ready-secs)',
  }
}
