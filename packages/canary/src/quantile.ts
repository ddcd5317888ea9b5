/** Upper bounds of the latency classes in milliseconds: each 10 % above the previous one, up to a minute. */
const BOUNDS: readonly number[] = Array.from({ length: 160 }, (_, index) => 0.02 * 1.1 ** index)

/** The class of a latency; the last one has no bound. */
export function latencyClass(milliseconds: number): number {
  if (milliseconds <= 0.02) return 0
  return Math.min(BOUNDS.length, Math.ceil(Math.log(milliseconds / 0.02) / Math.log(1.1)))
}

/**
 * The latency that at most a share of the counted ones exceeds, as the upper bound of its class, in milliseconds;
 * undefined if too few are counted.
 *
 * @param counts by class
 */
export function latencyAt(counts: ReadonlyMap<number, number>, quantile: number): number | undefined {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total * (1 - quantile) < 1) return undefined
  let below = 0
  for (const [index, bound] of BOUNDS.entries()) {
    below += counts.get(index) ?? 0
    if (below >= total * quantile) return bound
  }
  return undefined
}
