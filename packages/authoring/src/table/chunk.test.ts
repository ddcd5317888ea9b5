import { expect, test } from 'vitest'
import { chunks } from './chunk.ts'

/** How many items each group has. */
const sizes = (lengths: readonly number[]) => chunks(lengths, (length) => length).map((group) => group.length)
const times = (count: number, length: number) => Array.from({ length: count }, () => length)

test.each<[string, readonly number[], readonly number[]]>([
  ['none', [], []],
  ['one', [1], [1]],
  ['500', times(500, 1), [500]],
  ['501', times(501, 1), [500, 1]],
  ['1000', times(1000, 1), [500, 500]],
  ['1001', times(1001, 1), [500, 500, 1]],
  ['two of 8,192 characters', times(2, 8192), [2]],
  ['two of 8,193 characters', times(2, 8193), [1, 1]],
  ['three, the last of which is too long for the first two', [8192, 8192, 1], [2, 1]],
  ['one longer than a group', [1, 20_000, 1, 1], [1, 1, 2]],
])('groups of %s', (_, lengths, expected) => expect(sizes(lengths)).toEqual(expected))

test('groups keep all items in their order', () => {
  const items = Array.from({ length: 1234 }, (_, index) => index)
  expect(chunks(items, (index) => index % 100).flat()).toEqual(items)
})
