import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError } from './errors.ts'

/** Retries of failed calls. */
export interface RetryOptions {
  /** Total number of attempts. Default 3; 1 disables retries. */
  readonly attempts?: number
  /** Milliseconds before the first retry; doubled for each further one. Default 100. */
  readonly firstDelayMs?: number
  /** Default 5000. */
  readonly longestDelayMs?: number
  /**
   * Also retry when the call may have run. Default false: rules can make external calls, which would be repeated. Set
   * it for rules without external calls.
   */
  readonly ambiguous?: boolean
}

/** Random part of the delay, so that clients do not retry in lockstep. */
const JITTER = 0.3

/**
 * Retry a call until it succeeds, fails permanently, or reaches the deadline.
 *
 * @param pause rejects at the deadline
 */
export async function retried<T>(
  { attempts = 3, firstDelayMs = 100, longestDelayMs = 5000, ambiguous = false }: RetryOptions,
  signal: AbortSignal,
  call: () => Promise<T>,
  pause: (milliseconds: number) => Promise<unknown> = (milliseconds) => sleep(milliseconds, undefined, { signal }),
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ClientError) || attempt >= attempts || signal.aborted) throw error
      if (error.repeatable === 'never' || (error.repeatable === 'ambiguous' && !ambiguous)) throw error
      const delay = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1))
      const wait = Math.max(error.retryAfterMs ?? 0, delay * (1 - JITTER * Math.random()))
      try {
        await pause(wait)
      } catch {
        throw error
      }
    }
  }
}
