import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWriteQueue } from './write-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settled = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve()
}

/** A queue of tasks that the test settles, and the names of those that have begun. */
function queueOf(limit: number) {
  const queue = createWriteQueue(limit)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const run = (key: string, name: string) => {
    const end = Promise.withResolvers<string>()
    ends.set(name, end)
    return queue.run(key, () => {
      begun.push(name)
      return end.promise
    })
  }
  return {
    queue,
    begun,
    run,
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  }
}

describe('tasks', () => {
  test('of one key follow each other, also after one that fails', async () => {
    const { run, begun, end, fail } = queueOf(9)
    const all = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3')]
    const failed = all[0]?.catch((error: Error) => error.message)
    await settled()
    expect(begun).toEqual(['a1'])
    fail('a1')
    expect(await failed).toBe('a1')
    await settled()
    expect(begun).toEqual(['a1', 'a2'])
    end('a2')
    await settled()
    expect([begun, await all[1]]).toEqual([['a1', 'a2', 'a3'], 'a2'])
  })

  test('of other keys run side by side, up to the limit', async () => {
    const { run, begun, end } = queueOf(2)
    for (const key of ['a', 'b', 'c', 'd']) void run(key, key)
    await settled()
    expect(begun).toEqual(['a', 'b'])
    end('b')
    await settled()
    expect(begun).toEqual(['a', 'b', 'c'])
    end('a')
    end('c')
    await settled()
    void run('e', 'e')
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
    void run('f', 'f')
    await settled()
    expect(begun).not.toContain('f')
  })
})

describe('a turn', () => {
  test('comes at once where a place is free, takes none away and makes none', async () => {
    const { queue, run, begun } = queueOf(1)
    expect([await queue.hasTurn(100), await queue.hasTurn(100)]).toEqual([true, true])
    void run('a', 'a')
    void run('b', 'b')
    await settled()
    expect(begun).toEqual(['a'])
  })

  test('comes when a task ends', async () => {
    const { queue, run, end } = queueOf(1)
    void run('a', 'a')
    const turn = queue.hasTurn(100)
    await vi.advanceTimersByTimeAsync(99)
    end('a')
    expect(await turn).toBe(true)
  })

  test('does not come in time where a task hangs, and leaves its place in the queue', async () => {
    const { queue, run, begun, end } = queueOf(1)
    void run('a', 'a')
    const turn = queue.hasTurn(100)
    void run('b', 'b')
    await vi.advanceTimersByTimeAsync(100)
    expect(await turn).toBe(false)
    end('a')
    await settled()
    expect(begun).toEqual(['a', 'b'])
    void run('c', 'c')
    await settled()
    expect(begun).not.toContain('c')
  })
})

test('a queue that closes waits for what it has accepted, and accepts nothing more', async () => {
  const { queue, run, end } = queueOf(1)
  const all = [run('a', 'a'), run('b', 'b')]
  let isClosed = false
  const closed = queue.close().then(() => (isClosed = true))
  await expect(run('c', 'c')).rejects.toMatchObject({ code: 'closed' })
  end('a')
  await settled()
  expect(isClosed).toBe(false)
  end('b')
  await closed
  expect(await Promise.all(all)).toEqual(['a', 'b'])
})
