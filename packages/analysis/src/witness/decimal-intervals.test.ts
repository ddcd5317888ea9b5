import { numberOfText, parse } from '@engine/expression'
import { expect, test } from 'vitest'
import type { Computation } from '../formula/computation.ts'
import type { NumberPoint } from '../terms/order.ts'
import { decimalResult } from './decimal-intervals.ts'
import type { Interval } from './interval.ts'

function computationOf(text: string): Computation {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  const { expression } = read
  if (expression.kind !== 'binary' && expression.kind !== 'unary' && expression.kind !== 'call') throw new Error(text)
  return expression
}

function pointOf(text: string): NumberPoint {
  if (text === '') return NaN
  return text.endsWith('∞') ? (text === '∞' ? Infinity : -Infinity) : (numberOfText(text) ?? NaN)
}

/** `-2 .. 3`; `∞` is beyond all numbers. */
function intervalOf(text: string): Interval {
  const [low = '', high = ''] = text.split(' .. ')
  return { low: pointOf(low), high: pointOf(high) }
}

const textOf = ({ low, high }: Interval) => [low, high].map(String).join(' .. ').replaceAll('Infinity', '∞')

const ALL = '-∞ .. ∞'

test.each<[computation: string, first: string, second: string, result: string]>([
  ['a + b', '1 .. 2', '10 .. 20', '11 .. 22'],
  ['a + b', '-∞ .. 2', '10 .. 20', '-∞ .. 22'],
  ['a + b', '1 .. 2', '10 .. ∞', '11 .. ∞'],
  ['a + b', '0.1 .. 0.2', '0.2 .. 0.3', '0.3 .. 0.5'],
  ['a - b', '1 .. 2', '10 .. 20', '-19 .. -8'],
  ['a - b', '1 .. 2', '-∞ .. 20', '-19 .. ∞'],
  ['a - b', '1 .. 2', '10 .. ∞', '-∞ .. -8'],
  ['a * b', '1 .. 2', '10 .. 20', '10 .. 40'],
  ['a * b', '-1 .. 2', '10 .. 20', '-20 .. 40'],
  ['a * b', '-2 .. -1', '-20 .. 10', '-20 .. 40'],
  ['a * b', '0 .. 2', '10 .. ∞', '0 .. ∞'],
  ['a * b', '-∞ .. ∞', '0 .. 0', '0 .. 0'],
  ['a * b', '0 .. 0', '-∞ .. ∞', '0 .. 0'],
  ['a * b', '-∞ .. 1', '-2 .. 3', '-∞ .. ∞'],
  ['a / b', '1 .. 2', '4 .. 8', '0.125 .. 0.5'],
  ['a / b', '-1 .. 2', '4 .. 8', '-0.25 .. 0.5'],
  ['a / b', '1 .. 2', '-8 .. -4', '-0.5 .. -0.125'],
  ['a / b', '1 .. 2', '0 .. 8', ALL],
  ['a / b', '1 .. 2', '-8 .. 0', ALL],
  ['a / b', '1 .. 2', '0.5 .. 1', '1 .. 4'],
  ['a / b', '1 .. 2', '-1 .. -0.5', '-4 .. -1'],
  ['a / b', '1 .. 2', '-8 .. 0.5', ALL],
  ['a / b', '1 .. 2', '2 .. 3', '0.33333333333333333333333333333333 .. 1.00000000000000000000000000000001'],
  ['a / b', '1 .. 2', '-1 .. 1', ALL],
  ['a / b', '1 .. 2', '0.5 .. ∞', '0 .. 4'],
  ['a / b', '1 .. ∞', '2 .. 4', '0.25 .. ∞'],
  ['a / b', '1 .. ∞', '2 .. ∞', ALL],
  // A quotient that does not end is wider than its digits.
  ['a / b', '1 .. 1', '3 .. 3', '0.33333333333333333333333333333333 .. 0.3333333333333333333333333333333366'],
  ['a % b', '5 .. 20', '3 .. 4', '0 .. 4'],
  ['a % b', '1 .. 2', '3 .. 4', '0 .. 2'],
  ['a % b', '-20 .. -5', '3 .. 4', '-4 .. 0'],
  ['a % b', '-2 .. 20', '-7 .. 4', '-2 .. 7'],
  ['a % b', '-20 .. 2', '-3 .. 4', '-4 .. 2'],
  ['a % b', '0 .. 0', '1 .. 2', '0 .. 0'],
  ['a % b', '0.5 .. 2', '3 .. 4', '0 .. 2'],
  ['a % b', '-2 .. 0.5', '3 .. 4', '-2 .. 0.5'],
  ['a % b', '-2 .. -0.5', '3 .. 4', '-2 .. 0'],
  ['a == b', '1 .. 2', '3 .. 4', ALL],
  ['-a', '1 .. 2', '', '-2 .. -1'],
  ['-a', '-∞ .. 2', '', '-2 .. ∞'],
  ['-a', '0 .. 2', '', '-2 .. 0'],
  ['abs(a)', '1 .. 2', '', '1 .. 2'],
  ['abs(a)', '-2 .. -1', '', '1 .. 2'],
  ['abs(a)', '-2 .. 1', '', '0 .. 2'],
  ['abs(a)', '-1 .. 2', '', '0 .. 2'],
  ['abs(a)', '0 .. 2', '', '0 .. 2'],
  ['abs(a)', '-2 .. 0', '', '0 .. 2'],
  ['abs(a)', '-∞ .. 1', '', '0 .. ∞'],
  ['abs(a)', '0.5 .. 2', '', '0.5 .. 2'],
  ['abs(a)', '-2 .. -0.5', '', '0.5 .. 2'],
  ['floor(a)', '1.5 .. 2.5', '', '1 .. 2'],
  ['floor(a)', '-1.5 .. ∞', '', '-2 .. ∞'],
  ['ceil(a)', '1.5 .. 2.5', '', '2 .. 3'],
  ['ceil(a)', '-∞ .. -1.5', '', '-∞ .. -1'],
  ['min(a, b)', '1 .. 5', '2 .. 3', '1 .. 3'],
  ['min(a, b)', '2 .. 3', '1 .. 5', '1 .. 3'],
  ['max(a, b)', '1 .. 5', '2 .. 3', '2 .. 5'],
  ['max(a, b)', '2 .. 3', '1 .. 5', '2 .. 5'],
  ['round(a)', '1.5 .. 2.5', '', '0.5 .. 3.5'],
  ['round(a, b)', '1.5 .. 2.5', '2 .. 2', '1.49 .. 2.51'],
  ['round(a, b)', '1.5 .. 2.5', '0 .. 0', '0.5 .. 3.5'],
  ['round(a, b)', '1.5 .. 2.5', '-∞ .. 2', ALL],
  ['round(a, b)', ALL, '-∞ .. 2', ALL],
  ['sqrt(a)', '1 .. 4', '', ALL],
  // From 1e33 on numbers may be rounded.
  ['a + b', '1 .. 1e33', '0 .. 1', '1 .. ∞'],
  ['a + b', '1 .. 1e32', '0 .. 0', `1 .. ${10n ** 32n}`],
  ['a + b', '2e33 .. 3e33', '0 .. 1', '5e+32 .. ∞'],
  ['-a', '1 .. 2e33', '', '-∞ .. -1'],
  ['-a', '2e33 .. 3e33', '', '-∞ .. -5e+32'],
  ['-a', '1 .. 1e32', '', `-${10n ** 32n} .. -1`],
  ['a * b', '1e6000 .. 2e6000', '1e6000 .. 1e6000', ALL],
])('%s of %s and %s is %s', (computation, first, second, result) => {
  const intervals = [first, second].filter((one) => one !== '').map(intervalOf)
  expect(textOf(decimalResult(computationOf(computation), intervals))).toBe(result)
})

test('of operands without bounds nothing is known', () => {
  expect(textOf(decimalResult(computationOf('a + b'), []))).toBe('-∞ .. ∞')
})
