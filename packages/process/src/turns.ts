import { Budget, MAX_TURN as MAX_EXPRESSION, type Piecewise } from '@engine/expression'
import { performance } from 'node:perf_hooks'

/** Milliseconds of processor time of this thread. */
export function processor(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const CLOCKS = { monotonic: () => performance.now(), processor }

/**
 * A budget of a request that computes something, whose clock begins now.
 *
 * @param turnMs milliseconds of processor time for what cannot pause; default: those of one expression
 */
export function createRequestBudget(requestMs: number, turnMs = MAX_EXPRESSION): Budget {
  const budget = new Budget(CLOCKS, { deadlineMs: requestMs, turnMs })
  budget.begin()
  return budget
}

/** Milliseconds of work after which other requests are served. */
const MAX_TURN = 15
/** Characters of JSON between two looks at the clock: a few milliseconds at most. */
const PIECE = 32 * 1024

/**
 * A queue of paused work, to be asked for a later turn of the event loop. Of all that waits in it one continues in each turn: many
 * together would hold the thread as long as one that does not pause.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = []
  const next = () => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(next)
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(next)
    })
}

/** A turn of the event loop, so that other requests and the shutdown signal are served during long work. */
export const pause = createTurns()

/**
 * Pauses within work that consists of many small parts, asked for after each of them.
 *
 * @param longest milliseconds of work after which other requests are served
 */
export function createPauses(longest = MAX_TURN): () => Promise<void> | undefined {
  let start = performance.now()
  return () => {
    if (performance.now() - start < longest) return undefined
    return pause().then(() => {
      start = performance.now()
    })
  }
}

/** Work that is known to be long, in turns. Rejects with what the work throws. */
export async function inTurns<Result>(work: Piecewise<Result>): Promise<Result> {
  for (;;) {
    await pause()
    const start = performance.now()
    do {
      const result = work.advance(PIECE)
      if (result !== undefined) return result
    } while (performance.now() - start < MAX_TURN)
  }
}

/** Work that says itself when it should pause, in turns. Rejects with what the work throws. */
export async function withPauses<Result>(work: Iterator<unknown, Result>, budget: Budget): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value
    await pause()
    budget.resumed()
  }
}
