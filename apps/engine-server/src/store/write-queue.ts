import { StoreError } from './store.ts'

/**
 * Runs tasks of one key in call order, and tasks of different keys concurrently, at most `limit` at a time: more would
 * only queue inside the kernel and hold file descriptors meanwhile.
 */
export interface WriteQueue {
  /** Resolves or rejects with the task. Throws `StoreError` `closed` once the queue is closed. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>
  /** True if a slot becomes free within `timeoutMs`; false if hanging tasks hold all slots. */
  hasTurn(timeoutMs: number): Promise<boolean>
  /** Refuses new tasks and waits for the accepted ones. */
  close(): Promise<void>
}

/** An open queue. `limit` is a whole number from 1. */
export function createWriteQueue(limit: number): WriteQueue {
  /** The last accepted task of each key that has one; removed when it is done, so idle keys cost nothing. */
  const tails = new Map<string, Promise<void>>()
  const waiting: (() => void)[] = []
  let free = limit
  let closed = false

  async function takePlace(): Promise<void> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }

  function leavePlace(): void {
    const next = waiting.shift()
    // INVARIANT: a slot that is handed on stays taken, so no other write can take it in between.
    if (next === undefined) free++
    else next()
  }

  async function inPlace<T>(task: () => Promise<T>): Promise<T> {
    await takePlace()
    try {
      return await task()
    } finally {
      leavePlace()
    }
  }

  function run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new StoreError('closed', 'the server is shutting down and takes no changes'))
    const before = tails.get(key)
    const result = before === undefined ? inPlace(task) : before.then(() => inPlace(task))
    const tail = result.then(ignore, ignore).then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    tails.set(key, tail)
    return result
  }

  function hasTurn(timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const turn = () => {
        clearTimeout(timer)
        resolve(true)
        leavePlace()
      }
      const timer = setTimeout(() => {
        const at = waiting.indexOf(turn)
        if (at >= 0) waiting.splice(at, 1)
        resolve(false)
      }, timeoutMs)
      if (free > 0) {
        free--
        turn()
      } else waiting.push(turn)
    })
  }

  async function close(): Promise<void> {
    closed = true
    await Promise.all(tails.values())
  }

  return { run, hasTurn, close }
}

function ignore(): void {}
