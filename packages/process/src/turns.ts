import { Budget, MAX_TURN as MAX_EXPRESSION, type Piecewise } from '@engine/expression'
import { performance } from 'node:perf_hooks'

/** Processor time of this thread in milliseconds. */
export function processor(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const CLOCKS = { monotonic: () => performance.now(), processor }

/**
 * A budget for a computing request, whose clock starts now.
 *
 * @param turnMs milliseconds of processor time for work that cannot pause; default: that of one expression
 */
export function createRequestBudget(requestMs: number, turnMs = MAX_EXPRESSION): Budget {
  const budget = new Budget(CLOCKS, { deadlineMs: requestMs, turnMs })
  budget.begin()
  return budget
}

/** Longest work before other requests are served. */
const MAX_TURN_MS = 15
/** Characters of JSON between two readings of the clock: a few milliseconds at most. */
const CHARACTERS_PER_CHECK = 32 * 1024

/**
 * A queue of paused work that waits for later turns of the event loop. Only one waiting task continues per turn: many
 * together would block the thread like one that does not pause.
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

/** One turn of the event loop, so that other requests and the shutdown signal are served during long work. */
export const pause = createTurns()

/**
 * Pauses within work that consists of many small parts; call the result after each of them.
 *
 * @param longest milliseconds of work after which other requests are served
 */
export function createPauses(longest = MAX_TURN_MS): () => Promise<void> | undefined {
  let start = performance.now()
  return () => {
    if (performance.now() - start < longest) return undefined
    return pause().then(() => {
      start = performance.now()
    })
  }
}

/** Runs long work in turns. Rejects with whatever the work throws. */
export async function inTurns<Result>(work: Piecewise<Result>): Promise<Result> {
  for (;;) {
    await pause()
    const start = performance.now()
    do {
      const result = work.advance(CHARACTERS_PER_CHECK)
      if (result !== undefined) return result
    } while (performance.now() - start < MAX_TURN_MS)
  }
}

/** Runs work that decides itself when to pause. Rejects with whatever the work throws. */
export async function withPauses<Result>(work: Iterator<unknown, Result>, budget: Budget): Promise<Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value
    await pause()
    budget.resumed()
  }
}
