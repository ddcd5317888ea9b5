import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import type { SavedTest } from './saved-test.ts'
import { inputFields, isNumeric, shownValue, valueAt, valuesOf, withMember } from './test-columns.ts'

const tests = (...inputs: readonly Value[]) => inputs.map((input) => ({ input }) as SavedTest)

test.each<[inputs: readonly Value[], fields: readonly string[]]>([
  [[], []],
  [
    [{ a: 1 }, { b: 2, a: 1 }],
    ['a', 'b'],
  ],
  [
    [{ b: 2 }, { b: 2, a: 1 }],
    ['b', 'a'],
  ],
  [[{ order: { total: 1, lines: [1] } }], ['order.total', 'order.lines']],
  [[5, null], []],
  [
    [{ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 }, { g: 1 }],
    ['g', 'a', 'b', 'c', 'd', 'e'],
  ],
])('the inputs %j have the columns %j', (inputs, fields) => {
  expect(inputFields(tests(...inputs))).toEqual(fields)
})

test.each<[path: string, value: Value | undefined]>([
  ['a', 1],
  ['order.total', 5],
  ['order.gone', undefined],
  ['a.b', undefined],
  ['dotted.name', 'x'],
  ['order.dotted.name', 'y'],
  ['constructor', undefined],
])('the column %s has the value %j', (path, value) => {
  const input = { a: 1, order: { total: 5, 'dotted.name': 'y' }, 'dotted.name': 'x' }
  expect(valueAt(input, path)).toBe(value)
})

test.each<[output: Value, text: string]>([
  [{ fee: 5, tier: 'gold' }, '5 · gold'],
  ['gold', 'gold'],
  [[1, 2], '[ 1, 2 ]'],
  ['x'.repeat(40), 'x'.repeat(40)],
  ['x'.repeat(41), `${'x'.repeat(39)}…`],
])('the output %j is shown as %s', (output, text) => {
  expect(valuesOf(output)).toBe(text)
})

test.each<[value: Value | undefined, text: string]>([
  [undefined, ''],
  ['x'.repeat(30), 'x'.repeat(30)],
  [null, 'null'],
  [[...'abcdefgh'], '[ "a", "b", "c", "d", "…'],
])('the value %j is shown as %s', (value, text) => {
  expect(shownValue(value)).toBe(text)
})

test('a column is right-aligned when a test has a number there', () => {
  expect(['a', 'b', 'c'].map((field) => isNumeric(tests({ a: 'x', b: 1 }, { a: 2 }), field))).toEqual([
    true,
    true,
    false,
  ])
})

test('a member is added once, and removed', () => {
  const set = new Set(['a'])
  expect([[...withMember(set, 'b', true)], [...withMember(set, 'a', true)], [...withMember(set, 'a', false)]]).toEqual([
    ['a', 'b'],
    ['a'],
    [],
  ])
  expect([...set]).toEqual(['a'])
})
