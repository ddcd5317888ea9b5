/** A call cannot wait: too many do already. The message says where. */
class QueueFull extends Error {}

/** The part of an `AbortSignal` that a queue needs. */
interface Ending {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** How much a queue lets run, and wait. */
export interface QueueLimits {
  /** Calls to one target that run at a time, and that wait for their turn. */
  readonly running: number
  readonly waiting: number
  /** Calls to all targets that run or wait. */
  readonly total: number
}

/** Lets a limited number of calls to each target run at a time; the others wait in the order in which they came. */
export interface CallQueue {
  /**
   * Resolves when it is the turn of a call, with what ends that turn; with undefined when the signal aborts first, and its
   * place is then free at once. Rejects with `QueueFull`.
   */
  turn(target: string, signal: Ending): Promise<(() => void) | undefined>
}

interface Line {
  running: number
  /** In order; each begins a turn. */
  readonly waiting: Set<() => void>
}

/** Each step takes constant time, whatever waits. */
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

/** Waits in a line until a turn is handed over; false when the signal aborts before. */
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
