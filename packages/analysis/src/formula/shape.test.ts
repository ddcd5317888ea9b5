import { parse, print } from '@engine/expression'
import { describe, expect, test } from 'vitest'
import { afterPrefix, isFixed, testOf } from './shape.ts'

function parsed(text: string) {
  const found = parse(text)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

/** The operand of a test, and the constants at which its outcome may change. */
function shown(text: string) {
  const found = testOf(parsed(text))
  if (found === undefined) return undefined
  const { operand, numbers, texts, features } = found
  return [print(operand), ...numbers, ...texts, ...features.map(({ kind, constant }) => ({ [kind]: constant }))]
}

describe('the operand of a condition and the constants that decide', () => {
  test.each<[condition: string, operandAndConstants: unknown]>([
    ['a == 1', ['a', 1]],
    ['1 < a', ['a', 1]],
    ['a < b', undefined],
    ['1 < 2', undefined],
    ['a == "x"', ['a', 'x']],
    ['a == true', ['a']],
    ['a == null', ['a']],
    ['null == a', ['a']],
    ['a == [1]', ['a', { constant: [1] }]],
    ['a == []', ['a']],
    ['a == {"b": 1}', ['a', { constant: { b: 1 } }]],
    ['a < [1]', ['a']],
    ['a in [1, "x", [2]]', ['a', 1, 'x', { constant: [2] }]],
    ['a in [1] + b', undefined],
    ['a in "xyz"', undefined],
    ['a in {"b": 1}', undefined],
    ['a in 5', ['a']],
    ['1 in a', ['a', { element: 1 }]],
    ['"x" in a', ['a', { element: 'x' }, { part: 'x' }]],
    ['[1] in a', undefined],
    ['null in a', ['a', { element: null }]],
    ['a contains 1', ['a', { element: 1 }]],
    ['a contains "x"', ['a', { element: 'x' }, { part: 'x' }]],
    ['[1, "x"] contains a', ['a', 1, 'x']],
    ['5 contains a', ['a']],
    ['a + 1', undefined],
    ['a && b', undefined],
    ['is_null(a)', ['a']],
    ['exists(a)', ['a']],
    ['is_number(a)', ['a']],
    ['is_string(a)', ['a']],
    ['is_bool(a)', ['a']],
    ['is_array(a)', ['a']],
    ['is_object(a)', ['a']],
    ['len(a)', undefined],
    ['contains(a, 1)', ['a', { element: 1 }]],
    ['contains(a, b)', undefined],
    ['contains([1], a)', undefined],
    ['contains_str(a, "x")', ['a', { part: 'x' }]],
    ['contains_str(a, 1)', undefined],
    ['ends_with(a, "x")', ['a', { suffix: 'x' }]],
    ['ends_with(a, 1)', undefined],
    ['starts_with(a, "ab")', ['a', 'ab', 'ac']],
    ['starts_with(a, 1)', undefined],
    ['starts_with("ab", a)', undefined],
    ['starts_with(a, b)', undefined],
    ['min(a, 1)', undefined],
    ['a', undefined],
    ['!a', undefined],
  ])('%s: %j', (condition, expected) => {
    expect(shown(condition)).toEqual(expected)
  })
})

test.each([
  ['ab', ['ac']],
  ['a\uffff', ['b']],
  ['\uffff\uffff', []],
  ['a\ufffe', ['a\uffff']],
  ['', []],
])('the first text behind all that begin with %j: %j', (prefix, expected) => {
  expect(afterPrefix(prefix)).toEqual(expected)
})

test.each([
  ['1 + 2', true],
  ['a', false],
  ['now() > 5', false],
  ['now_millis()', false],
  ['len("x")', true],
  ['$v > 1', true],
])('%s is the same in every execution: %s', (text, expected) => {
  expect(isFixed(parsed(text))).toBe(expected)
})

test('an unknown value is not the same in every execution', () => {
  expect(isFixed({ kind: 'variable', name: '?#1', path: [], span: parsed('1').span })).toBe(false)
})
