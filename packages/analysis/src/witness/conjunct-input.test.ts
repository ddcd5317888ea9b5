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
])('an input makes %s true', (text, input) => {
  const expression = readExpression(text)
  expect(inputOfConjuncts(expression, 'double')).toEqual(input)
  const found = evaluate(expression, policy, input)
  expect('value' in found && isTrue(found.value)).toBe(true)
})

test.each(['n > 5 || n < 2', 'n + 1 > 2', 'n > m', 'n != 3', 'n == 1 && n == 2', 'n > 5 && n < 5', 'n > 1 && n < "x"'])(
  'no input is made for %s',
  (text) => {
    expect(inputOfConjuncts(readExpression(text), 'double')).toBeUndefined()
  },
)

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
