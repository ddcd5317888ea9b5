import { LENIENT, parse, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { Solver } from '../search/solver.ts'
import type { Interval } from './interval.ts'
import { Intervals } from './intervals.ts'

function expressionOf(text: string) {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  return read.expression
}

/** An encoded condition, a computation in it, and the bounds that both have. */
function intervalsOf(conditions: string, computation: string, absent?: number) {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const policy = LENIENT
  const condition = expressionOf(`${conditions} && ${computation} != 12345.5`)
  const { holds } = encoder.truth(condition, policy)
  const [computed] = encoder.arithmetic.filter(({ node }) => print(node) === print(expressionOf(computation)))
  if (computed === undefined) throw new Error(`${computation} is not computed`)
  expect(solver.solve([holds, computed.term.is('number')], 100_000)).toBe('satisfiable')
  const intervals = new Intervals(solver, encoder.computedBy, 'double', () => absent, undefined)
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
  ['a / b', [1, undefined], [2, undefined], ALL],
  ['a % b', [5, 20], [3, 4], '0 .. 4'],
  ['a % b', [1, 2], [3, 4], '0 .. 2'],
  ['a % b', [-20, -5], [3, 4], '-4 .. 0'],
  ['a % b', [-2, 20], [-7, 4], '-2 .. 7'],
  ['a % b', [0, 0], [3, 4], '0 .. 0'],
  ['-(a + b)', [1, 2], REST, '-2 .. -1'],
  ['-(a + b)', [undefined, 2], REST, '-2 .. ∞'],
  ['abs(a)', [1, 2], REST, '1 .. 2'],
  ['abs(a)', [-2, -1], REST, '1 .. 2'],
  ['abs(a)', [-2, 1], REST, '0 .. 2'],
  ['abs(a)', [-1, 2], REST, '0 .. 2'],
  ['abs(a)', [0, 2], REST, '0 .. 2'],
  ['abs(a)', [-2, 0], REST, '0 .. 2'],
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
