import type { Caller } from '../access/caller.ts'
import { failures } from '../errors.ts'

/** The part of an answer that reports its end. */
interface Closing {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
}

/** Answers that stay open as long as their reader wants: event streams and unpaged lists of lines. */
export interface Streams {
  /** Counts an answer of a caller until it is closed. Throws 429 if the limit is exceeded. */
  opened(caller: Pick<Caller, 'kind' | 'id'>, response: Closing): void
  /** Number of open streams of all callers. */
  readonly open: number
}

/** Delay in seconds before a refused caller should retry. */
const RETRY_DELAY_SECONDS = 5

/** @param most maximum number of streams per caller; each replica counts separately */
export function createStreams(most: number): Streams {
  const counts = new Map<string, number>()
  let open = 0
  return {
    get open() {
      return open
    },
    opened({ kind, id }, response) {
      // Already closed: `close` would never fire again.
      if (response.destroyed) return
      const caller = `${kind}:${id}`
      const count = counts.get(caller) ?? 0
      if (count >= most)
        throw failures.tooMany(
          `${count} streams are open already (--max-streams-per-caller): close one`,
          RETRY_DELAY_SECONDS,
        )
      counts.set(caller, count + 1)
      open++
      response.once('close', () => {
        open--
        const rest = (counts.get(caller) ?? 1) - 1
        if (rest === 0) counts.delete(caller)
        else counts.set(caller, rest)
      })
    },
  }
}
