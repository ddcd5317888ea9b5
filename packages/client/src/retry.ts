import { setTimeout as sleep } from 'node:timers/promises'
import { ClientError } from './errors.ts'

/** How calls that failed are made again. */
export interface RetryOptions {
  /** Tries in all. Default 3; 1: none is made again. */
  readonly attempts?: number
  /** Milliseconds before the second try; each further one waits twice as long. Default 100. */
  readonly firstDelayMs?: number
  /** Default 5000. */
  readonly longestDelayMs?: number
  /**
   * Also when the call may have been run. Default false: rules can call others, and would then call them twice. True is
   * right for rules that only decide.
   */
  readonly ambiguous?: boolean
}

/** A part of the delay that is left to chance, so that many clients do not come back at the same moment. */
const JITTER = 0.3

/** Make a call until it brings an answer, a reason not to try again, or the deadline. */
export async function retried<T>(
  { attempts = 3, firstDelayMs = 100, longestDelayMs = 5000, ambiguous = false }: RetryOptions,
  signal: AbortSignal,
  call: () => Promise<T>,
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
        await sleep(wait, undefined, { signal })
      } catch {
        throw error
      }
    }
  }
}
