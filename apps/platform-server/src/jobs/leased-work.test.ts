import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { WakeListener } from '../database/notifications.ts'
import { type LeasedWork, startLeasedWork } from './leased-work.ts'

/** Rows that are due, as replicas share them: what one has claimed no other gets before the lease ends. */
class Rows {
  readonly due: string[] = []
  readonly performed: string[] = []
  readonly errors: unknown[] = []
  polls = 0
  /** Wakes the listeners. */
  wake = () => {}

  readonly wakes = {
    on: (_topic: string, listener: WakeListener) => {
      this.wake = () => listener(true)
      return () => {
        this.wake = () => {}
      }
    },
  }

  work(more: Partial<LeasedWork<string>> = {}): LeasedWork<string> {
    return {
      claim: async () => {
        this.polls++
        return this.due.splice(0, 1)
      },
      perform: async (row) => void this.performed.push(row),
      topic: 'rows',
      pauseMs: () => 5000,
      retryDelayMs: 700,
      ended: (error) => void this.errors.push(error),
      ...more,
    }
  }
}

describe('leased work', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is polled immediately, then after each pause', async () => {
    const rows = new Rows()
    rows.due.push('a', 'b')
    const worker = startLeasedWork(rows.work(), rows.wakes)
    await vi.advanceTimersByTimeAsync(0)
    expect(rows.performed).toEqual(['a', 'b'])
    rows.due.push('c')
    await vi.advanceTimersByTimeAsync(4999)
    expect(rows.performed).toEqual(['a', 'b'])
    await vi.advanceTimersByTimeAsync(1)
    expect(rows.performed).toEqual(['a', 'b', 'c'])
    await worker.stop()
  })

  test('starts on a wake-up; one during a round adds another', async () => {
    const rows = new Rows()
    const open = Promise.withResolvers<void>()
    const perform = async (row: string) => {
      rows.performed.push(row)
      await open.promise
    }
    const worker = startLeasedWork(rows.work({ perform }), rows.wakes)
    await vi.advanceTimersByTimeAsync(0)
    rows.due.push('a')
    rows.wake()
    await vi.advanceTimersByTimeAsync(0)
    expect(rows.performed).toEqual(['a'])
    const { polls } = rows
    rows.wake()
    open.resolve()
    await vi.advanceTimersByTimeAsync(0)
    // The claim that ends the round, and the one of the round that the wake-up adds.
    expect(rows.polls - polls).toBe(2)
    await worker.stop()
  })

  test('reports an error of the database, and polls again after the retry delay', async () => {
    const rows = new Rows()
    const failure = new Error('away')
    const claim = vi.fn<() => Promise<string[]>>().mockRejectedValueOnce(failure).mockResolvedValue([])
    const worker = startLeasedWork(rows.work({ claim }), rows.wakes)
    await vi.advanceTimersByTimeAsync(699)
    expect([rows.errors, claim.mock.calls.length]).toEqual([[failure], 1])
    await vi.advanceTimersByTimeAsync(1)
    expect([rows.errors, claim.mock.calls.length]).toEqual([[failure, undefined], 2])
    await worker.stop()
  })

  test('renews its lease three times a lease, until it is done', async () => {
    const rows = new Rows()
    rows.due.push('a')
    const open = Promise.withResolvers<void>()
    const renew = vi.fn<() => Promise<void>>(async () => {})
    const worker = startLeasedWork(
      rows.work({ perform: () => open.promise, renewal: { leaseMs: 3000, renew } }),
      rows.wakes,
    )
    await vi.advanceTimersByTimeAsync(3000)
    expect(renew).toHaveBeenCalledTimes(3)
    open.resolve()
    await vi.advanceTimersByTimeAsync(3000)
    expect(renew).toHaveBeenCalledTimes(3)
    await worker.stop()
  })

  test('stops when the work under way has ended, and claims no more', async () => {
    const rows = new Rows()
    rows.due.push('a', 'b')
    const open = Promise.withResolvers<void>()
    const worker = startLeasedWork(rows.work({ perform: () => open.promise }), rows.wakes)
    await vi.advanceTimersByTimeAsync(0)
    let isStopped = false
    const stopping = worker.stop().then(() => (isStopped = true))
    await vi.advanceTimersByTimeAsync(0)
    expect(isStopped).toBe(false)
    open.resolve()
    await stopping
    rows.wake()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(rows.due).toEqual(['b'])
  })
})
