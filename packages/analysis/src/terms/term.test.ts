import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { sortedText } from './term.ts'

test.each<[value: Value, text: string]>([
  [null, 'null'],
  [-0, '0'],
  ['a"b', '"a\\"b"'],
  [[], '[]'],
  [{}, '{}'],
  [[1, [2, 'x'], {}], '[1,[2,"x"],{}]'],
  [{ b: 1, a: { d: [true], c: null } }, '{"a":{"c":null,"d":[true]},"b":1}'],
])('%j has the text %s', (value, text) => expect(sortedText(value)).toBe(text))

test('members have one text in any order', () => {
  expect(sortedText({ a: 1, b: [{ x: 1, y: 2 }] })).toBe(sortedText({ b: [{ y: 2, x: 1 }], a: 1 }))
})

test('a list that rules have nested thousands of times has a text', () => {
  let value: Value = 'x'
  for (let depth = 0; depth < 100_000; depth++) value = [value]
  expect(sortedText(value)).toHaveLength(200_003)
})
