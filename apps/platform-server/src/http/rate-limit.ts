import { failures } from '../errors.ts'

/** Maximum number of tracked callers; beyond this the oldest entry is evicted. */
const MAX_CALLERS = 10_000

interface Bucket {
  tokens: number
  at: number
}

/** Counts a request of a caller. Throws `PlatformError` if the limit is exceeded. */
export type RateLimit = (caller: string) => void

/**
 * Rate limit per caller and minute, as a token bucket, which permits a burst of up to one minute's requests. Each
 * replica counts separately.
 *
 * @param perMinute 0 disables the limit
 * @param now milliseconds
 */
export function createRateLimit(perMinute: number, now: () => number = () => performance.now()): RateLimit {
  const buckets = new Map<string, Bucket>()
  if (perMinute === 0) return () => {}
  return (caller) => {
    const at = now()
    const bucket = buckets.get(caller) ?? fresh(buckets, caller, perMinute, at)
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((at - bucket.at) * perMinute) / 60_000)
    bucket.at = at
    if (bucket.tokens < 1) throw refused(perMinute, bucket)
    bucket.tokens -= 1
  }
}

function fresh(buckets: Map<string, Bucket>, caller: string, perMinute: number, at: number): Bucket {
  if (buckets.size >= MAX_CALLERS) {
    const [first] = buckets.keys()
    if (first !== undefined) buckets.delete(first)
  }
  const bucket = { tokens: perMinute, at }
  buckets.set(caller, bucket)
  return bucket
}

function refused(perMinute: number, { tokens }: Bucket): Error {
  const seconds = Math.ceil(((1 - tokens) * 60) / perMinute)
  return failures.tooMany(`more than ${perMinute} requests a minute (--rate-limit): try again`, seconds)
}
