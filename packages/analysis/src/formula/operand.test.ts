import { type Field, LENIENT, parse, print, printPath } from '@engine/expression'
import { expect, test } from 'vitest'
import {
  distributedTest,
  exampleOf,
  isLogical,
  kindsByType,
  outerPaths,
  replaced,
  settled,
  transparent,
} from './operand.ts'

const DECIMAL = { ...LENIENT, numbers: 'decimal' } as const

function parsed(text: string) {
  const found = parse(text)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

const field = (path: string) => parsed(path) as Field

test.each([
  ['a + 1', 'a', '($hole + 1)'],
  ['1 + a', 'a', '(1 + $hole)'],
  ['max(a, 1)', 'a', 'max($hole, 1)'],
  ['a', 'a', '$hole'],
])('%s without %s is %s', (text, part, expected) => {
  const expression = parsed(text)
  const operand =
    expression.kind === 'binary'
      ? [expression.left, expression.right].find((side) => print(side) === part)
      : expression.kind === 'call'
        ? expression.args[0]
        : expression
  if (operand === undefined) throw new Error(part)
  expect(print(replaced(expression, operand))).toBe(expected)
})

test('an expression without its operand in it stays', () => {
  const negation = parsed('-a')
  expect(replaced(negation, parsed('a'))).toBe(negation)
})

test.each([
  ['a', 'a'],
  ['a.b', 'a.b'],
  ['a.*', undefined],
  ['type(a)', 'a'],
  ['type(a.*)', undefined],
  ['type(a + 1)', undefined],
  ['coalesce(a, 1)', 'a'],
  ['coalesce(a, 1, 2)', 'a'],
  ['coalesce(a, b)', undefined],
  ['len(a)', undefined],
  ['a + 1', undefined],
  ['1', undefined],
])('%s decides by the field %s', (text, expected) => {
  const found = transparent(parsed(text))
  expect(found && print(found)).toBe(expected)
})

test.each([
  ['a', 'a.b', true],
  ['a.b', 'a.b.c', true],
  ['a', 'a[0]', true],
  ['a[0]', 'a[0].b', true],
  ['a[0]', 'a[1].b', false],
  ['a[0]', 'a.b.c', false],
  ['a.b', 'a[0].c', false],
  ['a', 'b.a', false],
  ['a', 'a', false],
  ['a.b', 'a', false],
])('%s contains %s: %s', (outer, inner, expected) => {
  expect(outerPaths(field(inner)).includes(printPath(field(outer)))).toBe(expected)
})

test.each([
  ['a && b', true],
  ['a || b', true],
  ['!a', true],
  ['-a', false],
  ['a == b', false],
])('%s combines conditions: %s', (text, expected) => {
  expect(isLogical(parsed(text))).toBe(expected)
})

test.each<[string, readonly string[]]>([
  ['a + 1', ['number']],
  ['a == 1', ['false', 'true']],
  ['lower(a)', ['text']],
  ['keys(a)', ['empty list', 'list']],
  ['null', ['null']],
  ['{"b": a}', ['empty object', 'object']],
])('%s is of the kinds %j', (text, expected) => {
  expect(kindsByType(parsed(text))).toEqual(expected)
})

const ALL = ['null', 'false', 'true', 'number', 'text', 'empty list', 'list', 'empty object', 'object']

test.each([['?#1'], ['?']])('an unknown value `%s` is of any kind', (name) => {
  expect(kindsByType({ kind: 'variable', name, path: [], span: parsed('1').span })).toEqual(ALL)
})

test.each([
  ['(if a then b else c) > 1', '(if a then (b > 1) else (c > 1))'],
  ['1 > (if a then b else c)', '(if a then (1 > b) else (1 > c))'],
  ['(if a then b else c) == 1', '(if a then (b == 1) else (c == 1))'],
  ['(if a then b else c) > d', undefined],
  ['d > (if a then b else c)', undefined],
  ['(if a then b else c) + 1', undefined],
  ['a > 1', undefined],
])('%s compares each way: %s', (text, expected) => {
  const found = distributedTest(parsed(text), LENIENT)
  expect(found && print(found)).toBe(expected)
})

test.each([
  ['a / 3', DECIMAL, '(-(-(a / 3)))'],
  ['a / 3', LENIENT, '(a / 3)'],
  ['a * 3', DECIMAL, '(a * 3)'],
] as const)('%s is read as rounded: %#', (text, policy, expected) => {
  expect(print(settled(parsed(text), policy))).toBe(expected)
})

test.each([
  ['missing', LENIENT, { value: null }],
  ['missing', { ...LENIENT, mode: 'strict' }, 'fails'],
  ['true', LENIENT, { value: true }],
] as const)('the example of the kind %s: %#', (kind, policy, expected) => {
  expect(exampleOf(kind, parsed('a'), policy)).toEqual(expected)
})
