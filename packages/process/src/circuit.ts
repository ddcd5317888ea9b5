/** Number of consecutive failures that open the circuit. */
const MAX_CONSECUTIVE_FAILURES = 5
/** How long the circuit stays open before a trial call. */
const OPEN_MS = 10_000
/** Maximum number of tracked targets; the one with the oldest failure is evicted first. */
const MAX_TARGETS = 1000

/** Circuit breaker: blocks calls to a repeatedly failing target, so that decisions do not wait for it each time. */
export interface Circuit {
  /** Milliseconds until the target may be tried again; 0: it may be called. */
  rest(target: string): number
  /** True if the circuit is open; unlike `rest`, the call does not count as a trial. */
  isResting(target: string): boolean
  succeeded(target: string): void
  failed(target: string): void
}

/** @param now monotonic milliseconds */
export function createCircuit(now: () => number): Circuit {
  const failures = new Map<string, { count: number; until: number }>()
  const left = (target: string) => {
    const known = failures.get(target)
    return known === undefined || known.count < MAX_CONSECUTIVE_FAILURES ? 0 : Math.max(0, known.until - now())
  }
  return {
    rest(target) {
      const rest = left(target)
      const known = failures.get(target)
      // This call is the trial; others wait for its outcome.
      if (rest === 0 && known !== undefined) known.until = now() + OPEN_MS
      return rest
    },
    isResting: (target) => left(target) > 0,
    succeeded: (target) => void failures.delete(target),
    failed(target) {
      const count = (failures.get(target)?.count ?? 0) + 1
      failures.delete(target)
      failures.set(target, { count, until: now() + OPEN_MS })
      const [oldest] = failures.keys()
      if (failures.size > MAX_TARGETS && oldest !== undefined) failures.delete(oldest)
    },
  }
}
