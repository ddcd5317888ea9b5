import { expect, test } from 'vitest'
import {
  allOf,
  atom,
  call,
  choice,
  comparison,
  eitherType,
  exists,
  FALSE,
  infix,
  INPUT,
  isConstantText,
  isOf,
  LEVEL,
  literal,
  memberOf,
  NULL,
  oneOf,
  type Text,
  TRUE,
  type ValueType,
  within,
} from './text.ts'

const x = atom('x')
/** A text for each level, the loosest first. */
const LEVELS: readonly Text[] = [
  choice(x, x, x),
  oneOf(x, atom('y')),
  allOf(x, atom('y')),
  comparison('==', x, x),
  comparison('in', x, x),
  infix('+', LEVEL.sum, 'number', x, x),
  infix('*', LEVEL.product, 'number', x, x),
  { text: '-x', level: LEVEL.sign, type: 'number' },
  x,
]

/** Which of them stand in parentheses. */
const wrapped = (write: (part: Text) => string) =>
  LEVELS.flatMap((part, level) => (write(part).includes(`(${part.text})`) ? [level] : []))

test('each level is tighter than those before it', () => {
  expect(LEVELS.map(({ level }) => level)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
  for (const [level] of LEVELS.entries())
    expect(wrapped((part) => within(level, part))).toEqual(LEVELS.slice(0, level).map((_, at) => at))
})

test.each<readonly [title: string, write: (part: Text) => Text, wrapped: readonly number[]]>([
  ['on the left of a sum', (part) => infix('+', LEVEL.sum, 'number', part, x), [0, 1, 2, 3, 4]],
  ['on the right of a sum', (part) => infix('+', LEVEL.sum, 'number', x, part), [0, 1, 2, 3, 4, 5]],
  ['on the left of a comparison', (part) => comparison('<', part, x), [0, 1, 2, 3]],
  ['on the right of a comparison', (part) => comparison('<', x, part), [0, 1, 2, 3]],
  ['on the left of `in`', (part) => comparison('not in', part, x), [0, 1, 2, 3, 4]],
  ['on the right of `in`', (part) => comparison('in', x, part), [0, 1, 2, 3, 4]],
  ['in a conjunction', (part) => allOf(part, atom('z')), [0, 1]],
  ['in a disjunction', (part) => oneOf(part, atom('z')), [0]],
  ['as a condition', (part) => choice(part, x, x), [0]],
  ['as the first value', (part) => choice(x, part, x), [0]],
  ['as the second value', (part) => choice(x, x, part), [0]],
  ['as an argument', (part) => call('f', 'number', part), []],
  ['in front of a member', (part) => memberOf(part, 'm'), [0, 1, 2, 3, 4, 5, 6, 7]],
])('parts %s have parentheses where they are looser', (_, write, levels) => {
  expect(wrapped((part) => ` ${write(part).text}`.replace(/ f\(/, ' f '))).toEqual(levels)
})

test('conditions that decide, that are neutral, and that occur twice', () => {
  const [a, b] = [atom('a', 'boolean'), atom('b', 'boolean')]
  expect([allOf(), allOf(TRUE), allOf(a, TRUE), allOf(a, FALSE, b), allOf(a, b, a)].map(({ text }) => text)).toEqual([
    'true',
    'true',
    'a',
    'false',
    'a && b',
  ])
  expect([oneOf(), oneOf(FALSE), oneOf(FALSE, a), oneOf(a, TRUE, b), oneOf(b, a, b)].map(({ text }) => text)).toEqual([
    'false',
    'false',
    'a',
    'true',
    'b || a',
  ])
  expect(allOf(a, b)).toEqual({ text: 'a && b', level: LEVEL.and, type: 'boolean' })
  expect(oneOf(a, b)).toEqual({ text: 'a || b', level: LEVEL.or, type: 'boolean' })
})

test.each<readonly [value: number | string | boolean | null, text: string, level: number, type: ValueType]>([
  [null, 'null', 8, 'null'],
  [true, 'true', 8, 'boolean'],
  [false, 'false', 8, 'boolean'],
  [0, '0', 8, 'number'],
  [5, '5', 8, 'number'],
  [-5, '-5', 7, 'number'],
  ['a"b', '"a\\"b"', 8, 'text'],
])('the literal of %j', (value, text, level, type) => {
  expect(literal(value)).toEqual({ text, level, type })
})

test.each<readonly [one: ValueType, other: ValueType, type: ValueType]>([
  ['number', 'number', 'number'],
  ['list', 'list', 'list'],
  ['unknown', 'unknown', 'unknown'],
  ['list', 'object', 'unknown'],
  ['list', 'number', 'unknown'],
  ['number', 'object', 'unknown'],
  ['unknown', 'number', 'unknown'],
  ...(['boolean', 'number', 'text', 'date', 'null', 'scalar'] as const).flatMap((one) =>
    (['boolean', 'number', 'text', 'date', 'null', 'scalar'] as const).map(
      (other): [ValueType, ValueType, ValueType] => [one, other, one === other ? one : 'scalar'],
    ),
  ),
])('a value of the type %s or %s has the type %s', (one, other, type) => {
  expect(eitherType(one, other)).toBe(type)
  expect(choice(TRUE, atom('a', one), atom('b', other)).type).toBe(type)
})

test.each<readonly [object: Text, key: string | number, text: string]>([
  [INPUT, 'a', 'a'],
  [INPUT, 'if', '$.if'],
  [INPUT, 'a b', '$["a b"]'],
  [INPUT, 0, '$[0]'],
  [INPUT, '1a', '$["1a"]'],
  [x, 'a', 'x.a'],
  [x, 'if', 'x.if'],
  [x, 'a"b', 'x["a\\"b"]'],
  [x, 3, 'x[3]'],
  [NULL, 'a', 'null.a'],
])('the member of %j by %j is %s', (object, key, text) => {
  expect(memberOf(object, key)).toEqual({ text, level: LEVEL.atom, type: 'unknown' })
})

test.each([
  ['"a"', true],
  ['""', true],
  ['"a\\"b"', true],
  ['"a\\\\"', true],
  ['"a" + "b"', false],
  ['"a\\"', false],
  ['a', false],
  ['"', false],
  ['x + "a"', false],
])('whether %s is a text that is written out: %j', (text, is) => {
  expect(isConstantText(atom(text, 'text'))).toBe(is)
})

test('tests of types and paths, and calls', () => {
  expect(isOf('array', x)).toEqual({ text: 'is_array(x)', level: LEVEL.atom, type: 'boolean' })
  expect(exists(x)).toEqual({ text: 'exists(x)', level: LEVEL.atom, type: 'boolean' })
  expect(call('f', 'list', x, NULL)).toEqual({ text: 'f(x, null)', level: LEVEL.atom, type: 'list' })
  expect(call('f', 'list').text).toBe('f()')
  expect(comparison('in', x, x).type).toBe('boolean')
  expect(infix('-', LEVEL.sum, 'text', x, x).type).toBe('text')
  expect(atom('a')).toEqual({ text: 'a', level: LEVEL.atom, type: 'unknown' })
})
