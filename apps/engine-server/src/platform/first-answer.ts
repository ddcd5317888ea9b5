/** Whether readiness waits for the first answer of the platform. */
export interface FirstAnswer {
  /** The first answer was completely applied, or rulesets of a previous run are served. */
  readonly isApplied: boolean
  markApplied(): void
  /** Why the engine is not ready yet; undefined: readiness does not wait. */
  refusal(): string | undefined
}

/**
 * An engine without rulesets would answer 404 for rulesets that are about to be delivered, so it is not ready before
 * the first answer is applied.
 *
 * @param limitMs milliseconds that readiness waits at most; 0: it does not wait
 * @param elapsed milliseconds of a monotonic clock
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
