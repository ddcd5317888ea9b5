import { describe, expect, test } from 'vitest'
import {
  changeGroups,
  changeOf,
  commonPaths,
  countsByCode,
  type Decision,
  decisionIn,
  filtered,
  isMasked,
  numericPaths,
  pathsOf,
  valueAt,
} from './decision-fields.ts'

const decision = (more: Partial<Decision>): Decision => ({
  id: 'a',
  at: 0,
  environment: 'prod',
  digest: 'd',
  input: {},
  code: 'OK',
  output: {},
  calls: null,
  ...more,
})

test('a line of the list is a decision, anything else is not', () => {
  const line = {
    id: 'a',
    at: '1970-01-01T00:00:01Z',
    environment: 'prod',
    digest: 'd',
    input: { a: 1 },
    code: 'OK',
    output: {},
  }
  expect(decisionIn(line)).toEqual(decision({ at: 1000, input: { a: 1 } }))
  expect(decisionIn({ id: 'a' })).toBeUndefined()
  expect(decisionIn('a')).toBeUndefined()
})

test('paths lead to the values of an input, lists are one value', () => {
  const input = { a: { b: 1, c: { d: 'x' } }, e: [{ f: 1 }] }
  expect(pathsOf(input)).toEqual(['a.b', 'a.c.d', 'e'])
  expect(valueAt(input, 'a.c.d')).toBe('x')
  expect(valueAt(input, 'a.x.d')).toBeUndefined()
})

test('the most frequent paths are columns', () => {
  expect(commonPaths([decision({ input: { a: 1, b: 1 } }), decision({ input: { b: 2 } })], 1)).toEqual(['b'])
})

test('a path is numeric if all inputs that have it have a number there', () => {
  const all = [decision({ input: { a: 1, b: 1, c: 'x' } }), decision({ input: { b: '1' } })]
  expect([...numericPaths(all, ['a', 'b', 'c'])]).toEqual(['a'])
})

describe('filters', () => {
  const all = [
    decision({ id: '1', input: { country: 'AT', n: 1 } }),
    decision({ id: '2', input: { country: 'LI', n: 2 }, code: 'NO' }),
    decision({ id: '3', input: { n: 1 } }),
  ]
  test.each<[string, readonly string[], Parameters<typeof filtered>[2], readonly string[]]>([
    ['none', [], [], ['1', '2', '3']],
    ['a code', ['NO'], [], ['2']],
    ['several values of a field', [], [{ path: 'country', values: ['AT', 'LI'] }], ['1', '2']],
    ['a number as it is shown', [], [{ path: 'n', values: ['1'] }], ['1', '3']],
    ['a missing value', [], [{ path: 'country', values: [''] }], ['3']],
    ['a code and a field', ['OK'], [{ path: 'n', values: ['2'] }], []],
  ])('%s', (_title, codes, fields, expected) => {
    expect(filtered(all, codes, fields).map(({ id }) => id)).toEqual(expected)
  })
})

test('decisions are counted by code in equal steps, the end of the span in the last one', () => {
  const { times, codes } = countsByCode(
    [decision({ at: 0 }), decision({ at: 100, code: 'NO' }), decision({ at: 51 })],
    0,
    100,
    2,
  )
  expect(times).toEqual([0, 50])
  expect(Object.fromEntries(codes)).toEqual({ OK: [1, 1], NO: [0, 1] })
})

test.each([
  ['nothing', { code: 'OK', output: { price: 8 } }, undefined],
  ['the output', { code: 'OK', output: { price: 6.5 } }, { from: 'OK', to: 'OK', fields: ['price'] }],
  ['the code', { code: 'NO', output: {} }, { from: 'OK', to: 'NO', fields: ['price'] }],
  ['to a failure', { code: null, output: null }, { from: 'OK', to: null, fields: ['price'] }],
])('a replay changes %s', (_title, outcome, expected) => {
  expect(changeOf(decision({ output: { price: 8 } }), outcome)).toEqual(expected)
})

test('changes are grouped by code, or by the first value that differs', () => {
  const changed = (before: number, outcome: { code: string | null; output: { price: number } | null }) => {
    const one = decision({ output: { price: before } })
    const change = changeOf(one, outcome)
    if (change === undefined) throw new Error('nothing changed')
    return { decision: one, outcome, change }
  }
  const groups = changeGroups([
    changed(8, { code: 'OK', output: { price: 6.5 } }),
    changed(8, { code: 'OK', output: { price: 6.5 } }),
    changed(9, { code: 'NO', output: { price: 9 } }),
  ])
  expect(groups.map(({ field, from, to, count }) => [field, from, to, count])).toEqual([
    ['price', '8', '6.5', 2],
    [undefined, 'OK', 'NO', 1],
  ])
})

test.each([
  [{ a: '***' }, true],
  [{ a: [{ b: '***' }] }, true],
  [{ a: '**' }, false],
])('%j is masked: %s', (value, expected) => {
  expect(isMasked(value)).toBe(expected)
})
