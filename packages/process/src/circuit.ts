/** Failures in a row after which a target is left alone for a while. */
const MAX_FAILURES = 5
/** Milliseconds for which it is left alone; then one call tries again. */
const REST_MS = 10_000
/** Targets that are remembered; the one that failed longest ago is forgotten first. */
const MAX_TARGETS = 1000

/** Keeps calls away from a target that fails again and again, so that each decision does not wait for it anew. */
export interface Circuit {
  /** Milliseconds until the target is tried again; 0: it may be called. */
  rest(target: string): number
  /** Whether it is left alone now; other than `rest` this is no call that tries it again. */
  isResting(target: string): boolean
  succeeded(target: string): void
  failed(target: string): void
}

/** @param now monotonic milliseconds */
export function createCircuit(now: () => number): Circuit {
  const failures = new Map<string, { count: number; until: number }>()
  const left = (target: string) => {
    const known = failures.get(target)
    return known === undefined || known.count < MAX_FAILURES ? 0 : Math.max(0, known.until - now())
  }
  return {
    rest(target) {
      const rest = left(target)
      const known = failures.get(target)
      // This call tries; the others wait for its outcome.
      if (rest === 0 && known !== undefined) known.until = now() + REST_MS
      return rest
    },
    isResting: (target) => left(target) > 0,
    succeeded: (target) => void failures.delete(target),
    failed(target) {
      const count = (failures.get(target)?.count ?? 0) + 1
      failures.delete(target)
      failures.set(target, { count, until: now() + REST_MS })
      const [oldest] = failures.keys()
      if (failures.size > MAX_TARGETS && oldest !== undefined) failures.delete(oldest)
    },
  }
}
