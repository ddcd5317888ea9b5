import { expect, test } from 'vitest'
import { type Data, joined, Keys, shownIn } from './data.ts'

type Known = readonly [type: 'number' | 'text' | 'null' | 'list', isAlways: boolean]
const dataOf = (entries: { readonly [name: string]: Known }): Data =>
  new Map(Object.entries(entries).map(([name, [type, isAlways]]) => [name, { type, isAlways }]))

test('the state of two ways has what one of them may have set', () => {
  const one = dataOf({ a: ['number', true], b: ['number', true], c: ['number', false], d: ['number', true] })
  const other = dataOf({ a: ['number', true], b: ['text', true], c: ['number', true], e: ['list', true] })
  expect(joined(one, other)).toEqual(
    new Map([
      ['a', { type: 'number', isAlways: true }],
      ['b', { type: 'scalar', isAlways: true }],
      ['c', { type: 'number', isAlways: false }],
      ['d', { type: 'scalar', isAlways: false }],
      ['e', { type: 'unknown', isAlways: false }],
    ]),
  )
})

test('a variable is null where it is never set, and may be null where it may not be set', () => {
  const keys = new Keys(new Set(['n']), false)
  const known = dataOf({ n: ['number', true], m: ['number', false] })
  expect(shownIn(known, keys, 'z')).toMatchObject({ text: 'null', type: 'null' })
  expect(shownIn(known, keys, 'n')).toMatchObject({ text: 'n_2', type: 'number' })
  expect(shownIn(known, keys, 'm')).toMatchObject({ text: 'm', type: 'scalar' })
})

const FIELDS = new Set(['n', 'a b', 'and', `'"`, 'a_b'])

test('members have the names of fields and variables where these are names, each once', () => {
  const keys = new Keys(FIELDS, false)
  expect(keys.fields).toEqual([
    ['n', 'n'],
    ['a_b_2', "$root['a b']"],
    ['_and', "$root['and']"],
    ['a_b', 'a_b'],
  ])
  expect(['n', 'a b', 'z'].map((name) => keys.field(name).text)).toEqual(['n', 'a_b_2', 'z'])
  expect(['n', 'n', 'x', 'or', '1', 'x y'].map((name) => keys.variable(name))).toEqual([
    'n_2',
    'n_2',
    'x',
    '_or',
    '_1',
    'x_y',
  ])
  expect(keys.fresh('x')).toBe('x_2')
  expect(() => keys.field(`'"`)).toThrow('a name contains both kinds of quotes')
})

test('fields of an input that is passed on are its own', () => {
  const keys = new Keys(FIELDS, true)
  expect(['n', 'a b', "it's"].map((name) => keys.field(name).text)).toEqual(['n', "$root['a b']", `$root["it's"]`])
})
