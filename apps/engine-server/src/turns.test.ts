import { expect, test } from 'vitest'
import { pause } from './turns.ts'

test('of all that pauses one goes on in each turn of the event loop', async () => {
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
  // Never two of them without a turn of what else waits in between.
  expect(order.join('')).not.toMatch(/[abc]{3}/)
})
