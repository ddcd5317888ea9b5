/** A queue is full. The message names it. */
class QueueFull extends Error {}

/** The part of an `AbortSignal` that a queue uses. */
interface Ending {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Limits of running and waiting calls. */
export interface QueueLimits {
  /** Maximum number of running, and of waiting, calls to one target. */
  readonly running: number
  readonly waiting: number
  /** Maximum number of running and waiting calls to all targets. */
  readonly total: number
}

/** Limits concurrent calls per target; further calls wait in FIFO order. */
export interface CallQueue {
  /**
   * Resolves, when the call may run, to a function that ends its turn; to undefined if the signal aborts first, which
   * frees its place immediately. Rejects with `QueueFull`.
   */
  turn(target: string, signal: Ending): Promise<(() => void) | undefined>
}

interface Line {
  running: number
  /** FIFO; each starts a turn. */
  readonly waiting: Set<() => void>
}

/** Every operation takes constant time, regardless of the number of waiting calls. */
export function createCallQueue({ running, waiting, total }: QueueLimits): CallQueue {
  const lines = new Map<string, Line>()
  let count = 0

  function ended(target: string, line: Line): void {
    count--
    const [next] = line.waiting
    if (next === undefined) {
      if (--line.running === 0) lines.delete(target)
      return
    }
    line.waiting.delete(next)
    next()
  }

  return {
    async turn(target, signal) {
      if (signal.aborted) return undefined
      if (count >= total) throw new QueueFull(`${count} calls are under way already`)
      let line = lines.get(target)
      if (line === undefined) lines.set(target, (line = { running: 0, waiting: new Set() }))
      const own = line
      if (own.running >= running && own.waiting.size >= waiting)
        throw new QueueFull(`${own.running + own.waiting.size} calls are waiting for ${target} already`)
      count++
      if (own.running < running) own.running++
      else if (!(await isReached(own, signal))) {
        count--
        return undefined
      }
      return () => ended(target, own)
    },
  }
}

/** Waits in a line until a turn is handed over; false if the signal aborts first. */
function isReached({ waiting }: Line, signal: Ending): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      signal.removeEventListener('abort', leave)
      resolve(true)
    }
    const leave = () => {
      if (waiting.delete(begin)) resolve(false)
    }
    waiting.add(begin)
    signal.addEventListener('abort', leave)
  })
}
