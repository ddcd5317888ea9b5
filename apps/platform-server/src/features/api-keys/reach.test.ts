import { expect, test } from 'vitest'
import { isWider } from './service.ts'

type List = readonly string[] | null

test.each<[own: List, wanted: List, isWider: boolean]>([
  [null, null, false],
  [null, ['a'], false],
  [['a'], null, true],
  [['a'], ['a'], false],
  [['a', 'b'], ['b'], false],
  [['a'], ['b'], true],
  // Its own project and another one.
  [['a'], ['a', 'b'], true],
  [['a'], ['b', 'a'], true],
  [['a', 'b'], ['a', 'c', 'b'], true],
  [['a'], [], false],
  [[], ['a'], true],
  [[], [], false],
])('a key that reaches %j makes one that reaches %j: it would be wider: %s', (own, wanted, expected) => {
  expect(isWider(own, wanted)).toBe(expected)
})
