/** A rate limit: events per second, and the same number in a burst after a second without events. */
export interface RateLimit {
  /** Takes a token: 0 if the event may happen now, otherwise the seconds until it may. */
  take(): number
}

/**
 * A token bucket that holds the tokens of one second.
 *
 * @param perSecond undefined: unlimited
 * @param now monotonic clock, in milliseconds
 */
export function createRateLimit(perSecond: number | undefined, now: () => number): RateLimit {
  if (perSecond === undefined) return { take: () => 0 }
  const capacity = Math.max(1, perSecond)
  let tokens = capacity
  let since = now()
  return {
    take() {
      const at = now()
      tokens = Math.min(capacity, tokens + ((at - since) / 1000) * perSecond)
      since = at
      if (tokens < 1) return (1 - tokens) / perSecond
      tokens -= 1
      return 0
    },
  }
}
