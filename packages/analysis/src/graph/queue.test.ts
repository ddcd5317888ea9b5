import { expect, test } from 'vitest'
import { Queue } from './queue.ts'

function drained(queue: Queue<string>): readonly string[] {
  const found: string[] = []
  for (let next = queue.next(); next !== undefined; next = queue.next()) found.push(next)
  return found
}

test.each([
  [[], []],
  [[3], [3]],
  [
    [2, 1],
    [1, 2],
  ],
  [
    [5, 3, 8, 1, 9, 2, 7, 4, 6, 0],
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  ],
  [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [0, 1, 2, 3, 4, 5, 6, 7],
  ],
  [
    [7, 6, 5, 4, 3, 2, 1, 0],
    [0, 1, 2, 3, 4, 5, 6, 7],
  ],
  [
    [4, 4, 1, 4, 1],
    [1, 1, 4, 4, 4],
  ],
])('the ranks %j come as %j', (ranks, expected) => {
  const queue = new Queue<string>()
  for (const rank of ranks) queue.add(rank, String(rank))
  expect(drained(queue)).toEqual(expected.map(String))
})

test('what is added between comes in its place', () => {
  const queue = new Queue<string>()
  for (const rank of [4, 2, 6]) queue.add(rank, String(rank))
  expect(queue.next()).toBe('2')
  for (const rank of [5, 1, 7]) queue.add(rank, String(rank))
  expect(drained(queue)).toEqual(['1', '4', '5', '6', '7'])
  expect(queue.next()).toBeUndefined()
})
