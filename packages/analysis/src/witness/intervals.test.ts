import { type EvaluationPolicy, LENIENT, parse, print, type Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { ANY_INPUT } from '../formula/domain.ts'
import { Encoder } from '../formula/encoder.ts'
import { Solver } from '../search/solver.ts'
import type { Interval } from './interval.ts'
import { Intervals } from './intervals.ts'
import { decimalResult } from './decimal-intervals.ts'

function expressionOf(text: string) {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  return read.expression
}

/** An encoded condition, a computation in it, and the bounds that both have. */
function intervalsOf(conditions: string, computation: string, absent?: Value, policy: EvaluationPolicy = LENIENT) {
  const { numbers } = policy
  const solver = new Solver()
  const encoder = new Encoder(solver, ANY_INPUT, numbers)
  const condition = expressionOf(`${conditions} && ${computation} != 12345.5`)
  const { holds } = encoder.truth(condition, policy)
  const [computed] = encoder.arithmetic.filter(({ node }) => print(node) === print(expressionOf(computation)))
  if (computed === undefined) throw new Error(`${computation} is not computed`)
  expect(solver.solve([holds, computed.term.is('number')], 100_000)).toBe('satisfiable')
  const intervals = new Intervals(solver, encoder.computedBy, numbers, () => absent, decimalResult)
  return { intervals, computed, solver, encoder }
}

const textOf = (interval: Interval | undefined) =>
  interval === undefined
    ? 'contradictory'
    : [interval.low, interval.high].map(String).join(' .. ').replaceAll('Infinity', '∞')

const number = (name: string, low: number | undefined, high: number | undefined) =>
  [
    `is_number(${name})`,
    ...(low === undefined ? [] : [`${name} >= ${low}`]),
    ...(high === undefined ? [] : [`${name} <= ${high}`]),
  ].join(' && ')

type Bounds = readonly [low: number | undefined, high: number | undefined]

const ALL = '-∞ .. ∞'
const REST: Bounds = [0, 0]

test.each<[computation: string, first: Bounds, second: Bounds, result: string]>([
  ['a + b', [1, 2], [10, 20], '11 .. 22'],
  ['a + b', [undefined, 2], [10, 20], '-∞ .. 22'],
  ['a - b', [1, 2], [10, 20], '-19 .. -8'],
  ['a - b', [1, 2], [10, undefined], '-∞ .. -8'],
  ['a * b', [1, 2], [10, 20], '10 .. 40'],
  ['a * b', [-1, 2], [10, 20], '-20 .. 40'],
  ['a * b', [0, 2], [10, undefined], '0 .. ∞'],
  ['a * b', [undefined, undefined], [0, 0], '0 .. 0'],
  ['a * b', [0, 0], [undefined, undefined], '0 .. 0'],
  ['a * b', [1, 1], [3, undefined], '3 .. ∞'],
  ['a / b', [1, 2], [4, 8], '0.125 .. 0.5'],
  ['a / b', [1, 2], [-8, -4], '-0.5 .. -0.125'],
  ['a / b', [1, 2], [0, 8], '0.125 .. ∞'],
  ['a / b', [1, 2], [-8, 0], '-∞ .. -0.125'],
  ['a / b', [1, 2], [-1, 1], ALL],
  ['a / b', [1, 2], [0.5, 4], '0.25 .. 4'],
  ['a / b', [1, 2], [-4, -0.5], '-4 .. -0.25'],
  ['a / b', [1, 2], [-8, 0.5], ALL],
  ['a * b', [1e200, 1e300], [1e200, 1e300], '∞ .. ∞'],
  ['a - b', [undefined, 1e308], [undefined, -1e308], ALL],
  ['a / b', [1, undefined], [2, undefined], ALL],
  ['a % b', [5, 20], [3, 4], '0 .. 4'],
  ['a % b', [1, 2], [3, 4], '0 .. 2'],
  ['a % b', [-20, -5], [3, 4], '-4 .. 0'],
  ['a % b', [-2, 20], [-7, 4], '-2 .. 7'],
  ['a % b', [0, 0], [3, 4], '0 .. 0'],
  ['a % b', [0.5, 2], [3, 4], '0 .. 2'],
  ['a % b', [-2, 0.5], [3, 4], '-2 .. 0.5'],
  ['-(a + b)', [1, 2], REST, '-2 .. -1'],
  ['-(a + b)', [undefined, 2], REST, '-2 .. ∞'],
  ['abs(a)', [1, 2], REST, '1 .. 2'],
  ['abs(a)', [-2, -1], REST, '1 .. 2'],
  ['abs(a)', [-2, 1], REST, '0 .. 2'],
  ['abs(a)', [-1, 2], REST, '0 .. 2'],
  ['abs(a)', [0, 2], REST, '0 .. 2'],
  ['abs(a)', [-2, 0], REST, '0 .. 2'],
  ['abs(a)', [0.5, 2], REST, '0.5 .. 2'],
  ['abs(a)', [-2, -0.5], REST, '0.5 .. 2'],
  ['abs(a)', [-2, 0.5], REST, '0 .. 2'],
  ['floor(a + b)', [1.5, 2.5], REST, '1 .. 2'],
  ['ceil(a + b)', [1.5, 2.5], REST, '2 .. 3'],
  ['min(a, b)', [1, 5], [2, 3], '1 .. 3'],
  ['min(a, b)', [2, 3], [1, 5], '1 .. 3'],
  ['max(a, b)', [1, 5], [2, 3], '2 .. 5'],
  ['max(a, b)', [2, 3], [1, 5], '2 .. 5'],
  ['round(a + b)', [1.5, 2.5], REST, '0.5 .. 3.5'],
  ['round(a + b, 1)', [1.5, 2.5], REST, '1.4 .. 2.6'],
  ['a + 9007199254740993', [0, 0], REST, '9007199254740984 .. 9007199254741002'],
  ['a + b', [1, 2 ** 53], [0, 0], '1 .. 9007199254741000'],
  ['a + b', [-(2 ** 53), 2], [0, 0], '-9007199254741000 .. 2'],
])('%s of %j and %j is %s', (computation, first, second, result) => {
  const { intervals, computed } = intervalsOf(`${number('a', ...first)} && ${number('b', ...second)}`, computation)
  expect(textOf(intervals.computed(computed))).toBe(result)
})

test.each<[condition: string, bounds: string]>([
  ['is_number(a)', ALL],
  ['a >= 1 && a <= 2', '1 .. 2'],
  ['a > 1 && a < 2', `${1 + 2 ** -52} .. ${2 - 2 ** -52}`],
  ['a > 0 && a < 5', `5e-324 .. ${5 - 2 ** -50}`],
  // From 2^53 on integers are between doubles.
  ['a > 9007199254740992', '9007199254740992 .. ∞'],
  ['a < -9007199254740992', '-∞ .. -9007199254740992'],
  ['a >= 9007199254740993', '9007199254740992 .. ∞'],
  ['a <= 9007199254740993', '-∞ .. 9007199254740994'],
  ['a > 9007199254740993', '9007199254740992 .. ∞'],
  ['a >= 9007199254740995', '9007199254740994 .. ∞'],
  ['a <= -9007199254740995', '-∞ .. -9007199254740994'],
  ['a > 9007199254740991', '9007199254740992 .. ∞'],
  ['a < -9007199254740991', '-∞ .. -9007199254740992'],
  // A double at which integers begin to be between doubles.
  ['a > 9.007199254740992e15', '9007199254740992 .. ∞'],
])('the bounds of a field with %s', (condition, bounds) => {
  const { intervals, encoder, solver } = intervalsOf(`is_number(a) && ${condition}`, 'a + b')
  const field = [...encoder.terms.values()].find(({ expression }) => print(expression) === 'a')
  if (field === undefined) throw new Error('no field')
  expect(textOf(intervals.own(field))).toBe(bounds)
  expect(intervals.because.has(field.is('number'))).toBe(true)
  for (const literal of intervals.because) expect(solver.valueOf(literal)).toBe(true)
  expect(intervals.because.size).toBe(
    bounds.split(/\d/).length === 1 ? 1 : 1 + bounds.split(' .. ').filter((one) => /\d/.test(one)).length,
  )
})

test.each<[condition: string, bounds: string]>([
  ['a >= 1 && a <= 2 && a + b >= 0', '2 .. 3'],
  ['a >= 1 && a <= 2 && a + b >= 2.5', '2.5 .. 3'],
  ['a >= 1 && a <= 2 && a + b <= 2.5', '2 .. 2.5'],
  ['a >= 1 && a <= 2 && a + b >= 3', '3 .. 3'],
  ['a >= 1 && a <= 2 && a + b > 3', 'contradictory'],
  ['a >= 1 && a <= 2 && a + b < 2', 'contradictory'],
  ['a >= 1 && a <= 2 && a + b >= 3.5', 'contradictory'],
  ['a >= 1 && a <= 2 && a + b <= 1.5', 'contradictory'],
])('the bounds of a computation with %s', (condition, bounds) => {
  const { intervals, computed } = intervalsOf(`${number('b', 1, 1)} && ${condition}`, 'a + b')
  expect(textOf(intervals.of(computed.term))).toBe(bounds)
})

test.each<[condition: string, bounds: string]>([
  ['a >= 1 && a <= 2 && a + b >= 0', '4 .. 6'],
  ['a >= 1 && a <= 2 && a + b >= 3.5', 'contradictory'],
])('the bounds of a computation of another one with %s', (condition, bounds) => {
  const { intervals, computed } = intervalsOf(`${number('b', 1, 1)} && ${condition}`, '(a + b) * 2')
  expect(textOf(intervals.of(computed.term))).toBe(bounds)
  expect(textOf(intervals.computed(computed))).toBe(bounds)
})

test.each<[absent: Value | undefined, bounds: string]>([
  [5, '6 .. 7'],
  [10n, '11 .. 12'],
  ['text', ALL],
  [undefined, ALL],
])('a missing operand in whose place is %s', (absent, bounds) => {
  const { intervals, computed, encoder } = intervalsOf(`${number('a', 1, 2)} && !exists(b)`, 'a + b', absent, {
    ...LENIENT,
    mode: 'default',
    defaults: new Map([['b', 5]]),
  })
  expect(textOf(intervals.computed(computed))).toBe(bounds)
  const [, missing] = [...encoder.terms.values()].map((term) => term.is('missing'))
  expect([...intervals.because].filter((literal) => literal === missing)).toHaveLength(bounds === ALL ? 0 : 1)
})

test('what is no number has no bounds', () => {
  const { intervals, encoder } = intervalsOf('is_string(c) && is_number(a)', 'a + b')
  const field = [...encoder.terms.values()].find(({ expression }) => print(expression) === 'c')
  expect(textOf(field && intervals.own(field))).toBe(ALL)
  expect(intervals.because.size).toBe(0)
})

test.each<[condition: string, computation: string, bounds: string]>([
  ['a >= 1 && a <= 2', 'a + b', '1 .. 2, 4 .. 6'],
  [
    'a > 1 && a < 2',
    'a + b',
    '1.000000000000000000000000000000001 .. 1.999999999999999999999999999999999, 4.000000000000000000000000000000001 .. 5.999999999999999999999999999999999',
  ],
  [
    'a > 0.1 && a < 0.2',
    'a - b',
    '0.1000000000000000000000000000000001 .. 0.1999999999999999999999999999999999, -3.9 .. -2.8',
  ],
  ['a >= 1 && a <= 2', 'a / b', '1 .. 2, 0.2499999999999999999999999999999975 .. 0.6666666666666666666666666666666734'],
])('of decimals, the bounds of a field with %s, and of %s', (condition, computation, bounds) => {
  const { intervals, computed, encoder } = intervalsOf(`${number('b', 3, 4)} && ${condition}`, computation, undefined, {
    ...LENIENT,
    numbers: 'decimal',
  })
  const field = [...encoder.terms.values()].find(({ expression }) => print(expression) === 'a')
  expect([field && intervals.own(field), intervals.computed(computed)].map(textOf).join(', ')).toBe(bounds)
})

test('the bounds of a decimal quotient are those of its digits once it is rounded', () => {
  const decimals: EvaluationPolicy = { ...LENIENT, numbers: 'decimal' }
  const condition = `${number('a', 1, 9)} && ${number('b', 1, 9)} && a / b > 2 && a / b < 3`
  const { intervals, encoder } = intervalsOf(condition, 'a / b', undefined, decimals)
  const exact = encoder.arithmetic.filter(({ isExact }) => isExact)
  expect(exact.map(({ term }) => textOf(intervals.own(term)))).toEqual(['2 .. 3'])
})
