/** Failures in a row after which a target is left alone for a while. */
const MOST_FAILURES = 5
/** Milliseconds for which it is left alone; then one call tries again. */
const REST_MS = 10_000
/** Targets that are remembered; the one that failed longest ago is forgotten first. */
const MOST_TARGETS = 1000

/** Keeps calls away from a target that fails again and again, so that each decision does not wait for it anew. */
export interface Circuit {
  /** Milliseconds until the target is tried again; 0: it may be called. */
  rest(target: string): number
  succeeded(target: string): void
  failed(target: string): void
}

/** @param now monotonic milliseconds */
export function createCircuit(now: () => number): Circuit {
  const failures = new Map<string, { count: number; until: number }>()
  return {
    rest(target) {
      const known = failures.get(target)
      if (known === undefined || known.count < MOST_FAILURES) return 0
      const left = known.until - now()
      if (left > 0) return left
      // This call tries; the others wait for its outcome.
      known.until = now() + REST_MS
      return 0
    },
    succeeded: (target) => void failures.delete(target),
    failed(target) {
      const count = (failures.get(target)?.count ?? 0) + 1
      failures.delete(target)
      failures.set(target, { count, until: now() + REST_MS })
      const [oldest] = failures.keys()
      if (failures.size > MOST_TARGETS && oldest !== undefined) failures.delete(oldest)
    },
  }
}
