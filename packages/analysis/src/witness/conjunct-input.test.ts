import { type Expression, fold, isTrue, read } from '@engine/expression'
import { expect, test } from 'vitest'
import { evaluate } from '../formula/evaluate.ts'
import { failingInputs, inputOfConjuncts } from './conjunct-input.ts'

const policy = { mode: 'lenient', defaults: new Map(), numbers: 'double' } as const

test.each([
  ['n >= 5 && n < 6', { n: 5 }],
  ['n > 5 && n <= 6', { n: 6 }],
  ['n > 5 && n < 6', { n: 5.5 }],
  ['5 < n && n < 9 && n > 7', { n: 8 }],
  ['t == "DE" && a.b in [1, 2] && a.b > 1', { t: 'DE', a: { b: 2 } }],
  ['vip && !late', { vip: true, late: false }],
  ['t > "a" && t < "b"', { t: 'a~' }],
  ['n in [1, 2] && n in [2, 3]', { n: 2 }],
  ['n in [1, 2]', { n: 1 }],
  ['n in [1, 2] && n < 2', { n: 1 }],
  ['n in [1, 2] && n > 1', { n: 2 }],
  ['n in [1, 2] && n >= 2', { n: 2 }],
  ['n in ["x", 1] && n < 2', { n: 1 }],
  ['n in [1, 2, 3] && n > 1', { n: 2 }],
  ['n in [2, 1] && n < 2', { n: 1 }],
  ['n in [2, 1] && n <= 2', { n: 2 }],
  ['t in ["a", "b"] && t > "a"', { t: 'b' }],
  ['t in [1, "b"] && t >= "b"', { t: 'b' }],
  ['n in [true, 2] && n <= 2', { n: 2 }],
  ['n == null', { n: null }],
  ['1 == n', { n: 1 }],
  ['!n', { n: false }],
  ['n', { n: true }],
  ['n > 1', { n: 2 }],
  ['n < 1', { n: 0 }],
  ['1 >= n', { n: 1 }],
  ['1 <= n', { n: 1 }],
  ['1 > n', { n: 0 }],
  // The closest bound counts.
  ['n > 5 && n > 7', { n: 8 }],
  ['n > 7 && n > 5', { n: 8 }],
  ['n >= 7 && n > 7', { n: 8 }],
  ['n > 7 && n >= 7', { n: 8 }],
  ['n < 5 && n < 7', { n: 4 }],
  ['n < 7 && n < 5', { n: 4 }],
  ['n <= 5 && n < 5', { n: 4 }],
  ['n < 5 && n <= 5', { n: 4 }],
  ['n >= 5 && n <= 5', { n: 5 }],
  ['t > "a"', { t: 'a~' }],
  ['t < "b"', { t: '' }],
  ['t >= "a" && t < "b"', { t: 'a' }],
  ['t > "a" && t <= "b"', { t: 'b' }],
  ['a.b.c == 1 && a.d == 2', { a: { b: { c: 1 }, d: 2 } }],
])('an input makes %s true', (text, input) => {
  const expression = readExpression(text)
  expect(inputOfConjuncts(expression, 'double')).toEqual(input)
  const found = evaluate(expression, policy, input)
  expect('value' in found && isTrue(found.value)).toBe(true)
})

test.each([
  'n > 5 || n < 2',
  'n + 1 > 2',
  'n > m',
  'n != 3',
  'n not in [3]',
  'n in m',
  '3 in n',
  '[3] in n',
  'n == 1 && n == 2',
  'n in [1, 2] && n > 2',
  'n in [1, 2] && n < 1',
  'n > 5 && n < 5',
  'n >= 5 && n < 5',
  'n > 5 && n <= 5',
  'n > 1 && n < "x"',
  'n in [1] && n >= "x"',
  'n in ["x"] && n <= 1',
  'n > "x" && n < 1',
  'n > true',
  '!(n > 1)',
  '-n',
  'a[-1] == 1',
  'a[-1]',
  'a == 1 && a.b == 2',
  'is_number(n)',
])('no input is made for %s', (text) => {
  expect(inputOfConjuncts(readExpression(text), 'double')).toBeUndefined()
})

test('numbers between decimals that no double divides', () => {
  const close = readExpression('n > 1 && n < 1.0000000000000002')
  expect(inputOfConjuncts(close, 'double')).toBeUndefined()
  expect(inputOfConjuncts(close, 'decimal')).not.toBeUndefined()
})

test.each<[condition: string, inputs: readonly unknown[]]>([
  ['n > 5', [{ n: true }, { n: [] }, { n: null }]],
  ['5 < n', [{ n: true }, { n: [] }, { n: null }]],
  ['n > m', [{ n: true }, { n: [] }, { n: null }]],
  [
    'm == 1 && n > 5',
    [
      { m: 1, n: true },
      { m: 1, n: [] },
      { m: 1, n: null },
    ],
  ],
  ['m > 1 && n > 5', [{ m: true }, { m: [] }, { m: null }, { m: 2, n: true }, { m: 2, n: [] }, { m: 2, n: null }]],
  ['n > 1 && n > 5', [{ n: true }, { n: [] }, { n: null }, { n: true }, { n: [] }, { n: null }]],
  ['m == 1 && m == 2 && n > 5', []],
  ['m == 1 && m.a > 2', []],
  ['a[-1] > 5', []],
  ['n + 1 > 5', []],
  ['m || n > 5', []],
])('inputs that make a comparison of %s fail', (condition, inputs) => {
  expect(failingInputs(readExpression(condition), 'double')).toEqual(inputs)
})

test('inputs are made for the first comparisons alone', () => {
  const conjuncts = Array.from({ length: 8 }, (_, index) => `n${index} > 1`)
  expect(failingInputs(readExpression(conjuncts.join(' && ')), 'double')).toHaveLength(9)
})

test.each(['n > 5', 't == "DE" && n <= 3', 'a.b >= 1 && a.b < 4', '2 < n && vip'])('an input makes %s fail', (text) => {
  const expression = readExpression(text)
  const ends = failingInputs(expression, 'double').map((input) => evaluate(expression, policy, input))
  expect(ends.some((end) => 'error' in end && end.error === 'wrong-type')).toBe(true)
})

test('comparisons without an order have no input that makes them fail', () => {
  expect(failingInputs(readExpression('t == "DE" && vip && n in [1, 2]'), 'double')).toEqual([])
})

function readExpression(text: string): Expression {
  const found = read(text)
  if ('problems' in found) throw new Error(found.problems[0]?.message)
  return fold(found.expression, policy)
}
