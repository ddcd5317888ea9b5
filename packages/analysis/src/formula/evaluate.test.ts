import { LENIENT, numberOfText, parse, type Segment, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { type Building, evaluate, put, truthOf } from './evaluate.ts'

const path = (...names: readonly string[]): readonly Segment[] => names.map((name) => ({ kind: 'name', name }))

test('a value that is put into an input stays as it is when the input grows in it', () => {
  const example = { inner: { list: [] } }
  const input: Building = {}
  put(input, path('user'), example)
  put(input, path('user', 'self'), example)
  put(input, path('user', 'inner', 'list'), [1])
  expect(example).toEqual({ inner: { list: [] } })
  expect(input).toEqual({ user: { inner: { list: [1] }, self: { inner: { list: [] } } } })
})

const item = (index: number): readonly Segment[] => [...path('list'), { kind: 'index', index }]

test.each<[what: string, at: readonly Segment[], done: boolean, list: unknown]>([
  ['an item', item(0), true, [1]],
  ['an item behind the last', item(1), true, ['x', 1]],
  ['an item farther behind', item(2), false, ['x']],
  ['an item from the end', item(-1), false, ['x']],
  ['a member', path('list', 'n'), false, ['x']],
  ['a member of an item that is no object', [...item(0), ...path('n')], false, ['x']],
])('%s is put into a list: a list has items in a row and no members', (_what, at, done, list) => {
  const input: Building = { list: ['x'] }
  expect(put(input, at, 1)).toBe(done)
  expect(input['list']).toStrictEqual(list)
})

const WILDCARD: Segment = { kind: 'wildcard' }
const DECIMAL = numberOfText('0.1000000000000000000000000000001') ?? 0

test.each<[at: readonly Segment[], given: Building, done: boolean, input: unknown]>([
  [path('a'), {}, true, { a: 1 }],
  [path('a'), { a: 2, b: 3 }, true, { a: 1, b: 3 }],
  [path('a', 'b', 'c'), {}, true, { a: { b: { c: 1 } } }],
  [path('a', 'b'), { a: { c: 2 } }, true, { a: { c: 2, b: 1 } }],
  [path('a', 'b'), { a: 2 }, false, { a: 2 }],
  [path('a', 'b'), { a: null }, false, { a: null }],
  [path('a', 'b'), { a: 'x' }, false, { a: 'x' }],
  [path('a', 'b'), { a: DECIMAL }, false, { a: DECIMAL }],
  [[WILDCARD], {}, false, {}],
  [[...path('a'), WILDCARD], { a: {} }, false, { a: {} }],
  [path('toString', 'b'), {}, true, { toString: { b: 1 } }],
  [[{ kind: 'index', index: 0 }], {}, true, { 0: 1 }],
  [[...path('list'), { kind: 'index', index: 0 }, ...path('b')], { list: [{}] }, true, { list: [{ b: 1 }] }],
  [[...path('list'), { kind: 'index', index: 1 }, ...path('b')], { list: [{}] }, true, { list: [{}, { b: 1 }] }],
])('a value at a path of an input: %#', (at, input, done, expected) => {
  expect(put(input, at, 1)).toBe(done)
  expect(input).toStrictEqual(expected)
})

test('members of any name are put as own properties', () => {
  const input: Building = {}
  put(input, path('__proto__', 'a'), 1)
  expect(Object.keys(input)).toEqual(['__proto__'])
  expect(Object.getPrototypeOf(input)).toBe(Object.prototype)
  put(input, path('__proto__'), 2)
  expect(Object.entries(input)).toEqual([['__proto__', 2]])
  delete input['__proto__']
  expect(Object.keys(input)).toEqual([])
})

test.each<[condition: string, input: Value, truth: string]>([
  ['a > 1', { a: 2 }, '+'],
  ['a > 1', { a: 1 }, '-'],
  ['a', { a: [1] }, '+'],
  ['a', { a: '' }, '-'],
  ['a / 0 > 1', { a: 1 }, 'division-by-zero'],
  ['$v > 1', {}, '+'],
  ['now_millis() == 0', {}, '+'],
  ['list == other', { list: Array(300_000).fill(1), other: Array(300_000).fill(1) }, 'too-much-work'],
])('the condition %s for %#: %s', (condition, input, truth) => {
  const parsed = parse(condition)
  if (parsed.kind !== 'parsed') throw new Error(condition)
  expect(truthOf(evaluate(parsed.expression, LENIENT, input, new Map([['v', 2]])))).toBe(truth)
})
