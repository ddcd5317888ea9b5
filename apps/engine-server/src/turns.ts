import type { Piecewise } from '@engine/expression'
import { performance } from 'node:perf_hooks'

/** Milliseconds of work after which other requests are served. */
const LONGEST_TURN = 15
/** Characters of JSON between two looks at the clock: a few milliseconds at most. */
const PIECE = 32 * 1024

const waiting: (() => void)[] = []

/**
 * Resolves when other requests have been served and this is the only long work that goes on: of all that waits here, one
 * has its turn between two looks at the network, so that many long requests keep short ones waiting no longer than one.
 */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeFirst)
  })
}

function resumeFirst(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeFirst)
}

/** Work that is known to be long, in turns. Rejects with what the work throws. */
export async function inTurns<Result>(work: Piecewise<Result>): Promise<Result> {
  for (;;) {
    await pause()
    const start = performance.now()
    do {
      const result = work.advance(PIECE)
      if (result !== undefined) return result
    } while (performance.now() - start < LONGEST_TURN)
  }
}
