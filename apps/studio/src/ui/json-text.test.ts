import { numberOfText, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { plain, pretty, short } from './json-text.ts'

const DECIMAL = numberOfText('0.10000000000000000001')!

test('numbers keep all their digits, at any depth', () => {
  expect(pretty({ a: [9007199254740993n, { b: DECIMAL }], c: null, d: 'x' })).toBe(
    [
      '{',
      '  "a": [',
      '    9007199254740993,',
      '    {',
      '      "b": 0.10000000000000000001',
      '    }',
      '  ],',
      '  "c": null,',
      '  "d": "x"',
      '}',
    ].join('\n'),
  )
})

test.each<[value: unknown, most: number | undefined, text: string]>([
  [undefined, undefined, '–'],
  [{ a: 1, b: [2] }, undefined, '{ "a": 1, "b": [ 2 ] }'],
  ['x'.repeat(22), undefined, `"${'x'.repeat(22)}"`],
  ['x'.repeat(23), undefined, `"${'x'.repeat(22)}…`],
  ['xyz', 4, '"xy…'],
  ['xyz', 5, '"xyz"'],
])('the value %j in at most %s characters is %s', (value, most, text) => {
  expect(short(value, most)).toBe(text)
})

test.each<[value: Value | undefined, most: number, text: string]>([
  ['gold', 4, 'gold'],
  ['golden', 4, 'gold…'],
  ['', 4, '""'],
  [5, 4, '5'],
  [undefined, 4, '–'],
  [[1, 2], 6, '[ 1, …'],
])('the value %j for display in %i characters is %s', (value, most, text) => {
  expect(plain(value, most)).toBe(text)
})
