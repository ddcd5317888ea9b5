import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { remainingBudget } from './size-budget.ts'

test.each<[string, Value | undefined, number]>([
  ['nothing', undefined, 9],
  ['a number', 1, 9],
  ['null', null, 9],
  ['a text', 'abc', 6],
  ['an empty list', [], 9],
  ['a list', [1, 2], 7],
  ['a list of texts', ['ab', 'c'], 4],
  ['an object, whose names are free', { long: 1, names: 2 }, 7],
  ['nested values', { a: [{ b: 'x' }] }, 5],
  ['just as much', ['abcdefgh'], 0],
  ['one more', ['abcdefghi'], -1],
  ['more members than are left', Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, 1])), -1],
  ['as many members as are left', Object.fromEntries(Array.from({ length: 9 }, (_, at) => [at, 1])), 0],
])('of a budget of ten %s leaves', (_title, value, left) => {
  expect(remainingBudget(10, value, (text) => text.length)).toBe(left)
})

test('what follows the end of the budget is not visited', () => {
  const asked: string[] = []
  const costOf = (text: string) => asked.push(text) * 5
  expect(remainingBudget(10, { a: ['x', 'y', 'z'], b: 'w' }, costOf)).toBeLessThan(0)
  expect(asked).toEqual(['x', 'y'])
})
