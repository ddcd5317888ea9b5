import { EvalRequest, FilterRequest } from '@engine/api'
import { type TSchema, Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { bodyFaults, shapeFaults } from '@engine/http-api'
import { strangerFaults } from '../../packages/http-api/src/shape.ts'

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, index]))
const items = Array.from({ length: 10_001 }, (_, index) => index)

test.each<[name: string, part: unknown, noun: string]>([
  ['columns', many(10_001), 'members'],
  ['field_mapping', many(10_001), 'members'],
  ['target_results', items, 'items'],
  ['not_null', items, 'items'],
])('too many %s are reported by their number, before each is checked', (name, part, noun) => {
  const request = { known_input: {}, target_results: ['YES'], [name]: part }
  expect(shapeFaults(FilterRequest, request)).toEqual([
    { path: `/${name}`, message: `must have at most 10000 ${noun}, found 10001` },
  ])
})

const Nested = Type.Object({
  input: Type.Object({ fields: Type.Array(Type.Object({ name: Type.String() }), { maxItems: 2 }) }),
  outputs: Type.Union([
    Type.Array(Type.Object({ fields: Type.Array(Type.String(), { maxItems: 1 }) }), { maxItems: 3 }),
    Type.Null(),
  ]),
})

test.each<[string, object, string[]]>([
  ['in an object', { input: { fields: [1, 2, 3] }, outputs: 1 }, ['/input/fields 2 3']],
  ['in a union', { input: {}, outputs: [1, 2, 3, 4] }, ['/outputs 3 4']],
  [
    'in items',
    { outputs: [{ fields: [1, 2] }, 7, { fields: [1, 2, 3] }] },
    ['/outputs/0/fields 1 2', '/outputs/2/fields 1 3'],
  ],
])('a list that is too long %s is reported alone', (_title, value, expected) => {
  expect(shapeFaults(Nested, value)).toEqual(
    expected.map((line) => {
      const [path, most, found] = line.split(' ')
      return { path, message: `must have at most ${most} items, found ${found}` }
    }),
  )
})

test('a misspelt name of a missing member is searched among the first hundred', () => {
  const [near] = shapeFaults(EvalRequest, { expresion: '1', ...many(10) })
  expect(near).toMatchObject({ path: '/expression', suggestion: 'expression' })
  const [far] = shapeFaults(EvalRequest, { ...many(50_000), expresion: '1' })
  expect(far).toEqual({ path: '/expression', message: 'is missing' })
})

test.each<[of: string, schema: TSchema, value: unknown, message: string]>([
  ['a union of literals', Type.Union([Type.Literal('x'), Type.Literal('y')]), 'z', 'must be one of `x`, `y`'],
  [
    'a union of many literals',
    Type.Union([...'abcdefghijkl'].map((letter) => Type.Literal(letter))),
    'z',
    `must be one of ${[...'abcdefghijkl'].map((letter) => `\`${letter}\``).join(', ')}`,
  ],
  ['one literal', Type.Literal('x'), 'z', 'must be `x`'],
  ['an enum or null', Type.Union([Type.Enum(['x', 'y']), Type.Null()]), 'z', 'must be one of `x`, `y`'],
])('the values that %s accepts are listed once', (_, schema, value, message) => {
  expect(shapeFaults(Type.Object({ a: schema }), { a: value })).toEqual([
    { path: '/a', message: `${message}, found the string \`z\`` },
  ])
})

test('a number at an exclusive limit is reported with the limit', () => {
  expect(shapeFaults(Type.Object({ a: Type.Number({ exclusiveMinimum: 0 }) }), { a: 0 })).toEqual([
    { path: '/a', message: 'must be more than 0, found 0' },
  ])
})

describe('a member that a schema does not name', () => {
  const One = Type.Object({ name: Type.String() })
  const Other = Type.Object({ number: Type.Integer(), inner: One })

  test.each<[within: string, schema: TSchema, value: unknown, paths: readonly string[]]>([
    ['an object or null', Type.Union([One, Type.Null()]), { name: 'x', nmae: 1 }, ['/a/nmae']],
    ['a list or null', Type.Union([Type.Array(One), Type.Null()]), [{ name: 'x' }, { nam: 1 }], ['/a/1/nam']],
    ['one of two objects', Type.Union([One, Other]), { number: 1, inner: { x: 1 }, y: 1 }, ['/a/inner/x', '/a/y']],
    ['a list of one of two', Type.Array(Type.Union([One, Other])), [{ name: 'x', y: 1 }], ['/a/0/y']],
  ])('is found in %s', (_, schema, value, paths) => {
    expect(strangerFaults(Type.Object({ a: schema }), { a: value }).map(({ path }) => path)).toEqual(paths)
  })

  test.each<[what: string, schema: TSchema, value: unknown]>([
    ['null', Type.Union([One, Type.Null()]), null],
    ['the members of either object', Type.Union([One, Other]), { name: 'x', number: 1, inner: { name: 'y' } }],
    ['any member where one of two takes any', Type.Union([One, Type.Record(Type.String(), One)]), { z: { name: 'x' } }],
    ['anything', Type.Union([One, Type.Unknown()]), { y: 1 }],
  ])('is not seen in %s', (_, schema, value) => {
    expect(strangerFaults(Type.Object({ a: schema }), { a: value })).toEqual([])
  })
})

test('unknown members come first, and alone where they fill the list', () => {
  const schema = Type.Object({ name: Type.String() })
  const strangers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
  expect(bodyFaults(schema, { ...strangers(1), name: 1 }).map(({ path }) => path)).toEqual(['/k0', '/name'])
  expect(bodyFaults(schema, { ...strangers(70_000), name: 1 }).map(({ path }) => path)).toEqual(
    Object.keys(strangers(20)).map((name) => `/${name}`),
  )
})
