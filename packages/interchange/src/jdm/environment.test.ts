import { expect, test } from 'vitest'
import {
  type Entry,
  type Environment,
  environmentAt,
  isObjectless,
  membersOf,
  nested,
  NOTHING,
  PRESENT,
  signatureOf,
  textOf,
  valueAt,
  wholeOf,
  withValue,
} from './environment.ts'
import { atom, INPUT, NULL, type ValueType } from './zen/text.ts'

const value = (text: string, type: ValueType = 'number', more: object = {}): Entry => ({
  kind: 'value',
  text: atom(text, type),
  ...more,
})
const object = (known: Readonly<Record<string, Entry>>, more: object = {}): Environment => ({
  ...NOTHING,
  known: new Map(Object.entries(known)),
  ...more,
})
const member = (members: Environment, more: object = {}): Entry => ({ kind: 'object', members, ...more })

const NESTED = object({ a: value('$a'), o: member(object({ p: value('$p') })) })

test.each<readonly [Environment, readonly (string | number)[], string, ValueType]>([
  [NESTED, ['a'], '$a', 'number'],
  [NESTED, ['a', 'b', 0], '$a.b[0]', 'unknown'],
  [NESTED, ['o'], '{"p": $p}', 'object'],
  [NESTED, ['o', 'p'], '$p', 'number'],
  [NESTED, ['o', 'q'], 'null', 'null'],
  [NESTED, ['z'], 'null', 'null'],
  [NESTED, [], '{"a": $a, "o": {"p": $p}}', 'object'],
  [membersOf(INPUT), ['z', 'y'], 'z.y', 'unknown'],
  [membersOf(INPUT), [], '$', 'object'],
  [NOTHING, [], '{}', 'object'],
  [{ ...NESTED, rest: INPUT }, [], 'merge($, {"a": $a, "o": {"p": $p}})', 'object'],
  [{ ...NESTED, rest: atom('$r') }, [], 'merge(is_object($r) ? $r : {}, {"a": $a, "o": {"p": $p}})', 'object'],
  [{ ...NESTED, list: atom('$l', 'list') }, [], '$l', 'list'],
])('the value of %j at %j is %s', (environment, path, text, type) => {
  expect(valueAt(environment, path)).toMatchObject({ text, type })
})

test('the object at a path', () => {
  expect(environmentAt(NESTED, [])).toBe(NESTED)
  expect(environmentAt(NESTED, ['o'])).toEqual(object({ p: value('$p') }))
  expect(environmentAt(NESTED, ['a', 'b'])).toEqual(membersOf(atom('$a.b')))
  expect(environmentAt(NESTED, ['z'])).toBe(NOTHING)
})

test('the value of an object that may not exist', () => {
  const members = object({ p: value('$p') })
  expect(textOf(member(members)).text).toBe('{"p": $p}')
  const otherwise = { unless: atom('c', 'boolean'), value: atom('$v') }
  expect(textOf(member(members, { otherwise })).text).toBe('c ? {"p": $p} : $v')
})

test.each<readonly [Environment, string, string, boolean]>([
  [NOTHING, 'a', '{"a": 1}', false],
  [NOTHING, 'a.b', '{"a": {"b": 1}}', false],
  [object({ a: value('$a') }), 'a', '{"a": 1}', false],
  [object({ a: value('$a') }), 'a.b', '{"a": $a}', false],
  [object({ a: value('$a', 'unknown') }), 'a.b', '{"a": $a}', true],
  [object({ a: value('$a', 'object') }), 'a.b', '{"a": $a}', true],
  [NESTED, 'o.q.r', '{"a": $a, "o": {"p": $p, "q": {"r": 1}}}', false],
])('%j with a value at %s', (environment, key, text, differs) => {
  let isTold = false
  const made = withValue(environment, key.split('.'), { text: atom('1', 'number') }, () => (isTold = true))
  expect([wholeOf(made).text, isTold]).toEqual([text, differs])
})

test('an object or a list nested at a path', () => {
  expect(nested(NESTED, [])).toBe(NESTED)
  expect(nested(NESTED, ['x', 'y'])).toEqual(
    object({ x: member(object({ y: member(NESTED, { isCertain: true }) }), { isCertain: true }) }),
  )
  const list = atom('$l', 'list')
  expect(nested({ ...NOTHING, list }, ['x'])).toEqual(object({ x: { kind: 'value', text: list } }))
})

test('values that are never null, and those that are no objects', () => {
  const types: readonly ValueType[] = [
    'boolean',
    'number',
    'text',
    'date',
    'null',
    'scalar',
    'list',
    'object',
    'unknown',
  ]
  expect(types.filter((type) => !PRESENT.has(type))).toEqual(['null', 'scalar', 'unknown'])
  expect(types.filter((type) => !isObjectless(atom('x', type)))).toEqual(['object', 'unknown'])
})

test('signatures are equal for equal environments alone', () => {
  const otherwise = (unless: string, other: string) => ({ otherwise: { unless: atom(unless), value: atom(other) } })
  const inner = object({ p: value('$p') })
  const all = [
    NOTHING,
    object({ a: value('$a') }),
    object({ b: value('$a') }),
    object({ a: value('$b') }),
    object({ a: value('$a', 'text') }),
    object({ a: value('$a', 'number', { maybe: true }) }),
    object({ a: value('$a', 'number', { filled: true }) }),
    object({ a: value('$a', 'number', { settled: true }) }),
    object({ a: { kind: 'value', text: { ...atom('[1]', 'list'), items: [atom('1', 'number')] } } }),
    object({ a: { kind: 'value', text: { ...atom('[1]', 'list'), items: [atom('1', 'text')] } } }),
    object({ a: value('[1]', 'list') }),
    object({ a: member(inner) }),
    object({ a: member(object({ q: value('$p') })) }),
    object({ a: member(inner, { isCertain: true }) }),
    object({ a: member(inner, otherwise('c', 'v')) }),
    object({ a: member(inner, otherwise('d', 'v')) }),
    object({ a: member(inner, otherwise('c', 'w')) }),
    membersOf(INPUT),
    membersOf(atom('$', 'unknown')),
    { ...NOTHING, list: INPUT },
    { ...NOTHING, nulls: 'absent' as const },
    { ...NOTHING, nulls: 'either' as const },
    { ...NOTHING, mayBeNull: true as const },
  ]
  expect(new Set(all.map(signatureOf)).size).toBe(all.length)
  for (const one of all) expect(signatureOf({ ...one })).toBe(signatureOf(one))
  expect(NULL.text).toBe('null')
})
