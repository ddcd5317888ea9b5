import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { inTurns, pause } from './turns.ts'

test('one piece of paused work continues in each turn of the event loop', async () => {
  const order: string[] = []
  const long = async (name: string) => {
    for (let turn = 0; turn < 3; turn++) {
      await pause()
      order.push(name)
    }
  }
  const state = { isOver: false }
  const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const other = async () => {
    while (!state.isOver) {
      await turns()
      order.push('|')
    }
  }
  const watching = other()
  await Promise.all([long('a'), long('b'), long('c')])
  state.isOver = true
  await watching
  expect(order.filter((name) => name !== '|')).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'])
  // Never two of them without a turn for other work in between.
  expect(order.join('')).not.toMatch(/[abc]{3}/)
})

/** Work with this many pieces of a few milliseconds. */
function busy(pieces: number, log?: () => void) {
  let left = pieces
  return {
    advance() {
      log?.()
      const end = performance.now() + 4
      while (performance.now() < end);
      return --left <= 0 ? 'done' : undefined
    },
  }
}

test('timers run during long work', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  expect(await inTurns(busy(40))).toBe('done')
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(3)
})

test('pieces of long work take turns', async () => {
  const order: number[] = []
  const work = [0, 1, 2, 3].map((number) => inTurns(busy(12, () => order.push(number))))
  const turns: number[] = []
  let seen = 0
  const watch = setInterval(() => {
    // At most one of them continued between two polls of the network.
    turns.push(new Set(order.slice(seen)).size)
    seen = order.length
  }, 0)
  await Promise.all(work)
  clearInterval(watch)
  expect(new Set(order)).toEqual(new Set([0, 1, 2, 3]))
  expect(Math.max(...turns)).toBeLessThan(4)
})

test('an error of the work rejects the promise', async () => {
  await expect(inTurns({ advance: () => expect.unreachable('broken') })).rejects.toThrow('broken')
  await pause()
})
