import { diff } from '@engine/analysis'
import { isNumber, LENIENT, parse, print } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { evaluate } from '../formula/evaluate.ts'
import { Solver } from '../search/solver.ts'
import type { Term } from '../terms/term.ts'
import { type Chosen, Steering } from './steering.ts'

/** One decision: X where the condition holds, else N. */
function ruleset(condition: string, config = {}) {
  const end = (code: string) => ({ id: code, type: 'terminal', result: { code, message: '' } })
  const { ruleset: found, problems } = decodeRuleset({
    config: { name: 'computed', entry_step: 'd', ...config },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'N' },
      X: end('X'),
      N: end('N'),
    },
  })
  if (found === undefined) throw new Error(problems[0]?.message)
  return found
}

const DEFAULTS = { numbers: 'decimal', field_missing: 'default', defaults: { a: 0, b: 0, c: 0 } }

test.each([
  ['a product of three fields', 'a * b * c / 5000', 31.5, 31.75],
  ['a product of fields that begin at zero', 'a * b', 7, 8],
  ['the larger of a field and a product', 'max(a, b * c)', 40, 41],
  ['the smaller of two', 'min(a - b, c)', 12, 13],
  ['a difference', 'a - b - c', -3, -2],
  ['a divisor', '100 / (a + 3)', 4, 4.5],
  ['a rounded sum', 'round(a + b * 1.1, 2)', 19.98, 19.99],
  ['a distance', 'abs(a - b)', 1000, 1001],
  ['a negated quotient', '-(a / b)', 2.5, 2.6],
])('an input shows where %s is between two limits', (_name, computed, low, high) => {
  for (const config of [{}, DEFAULTS]) {
    const [before, after] = [`${computed} > ${low}`, `${computed} > ${high}`].map((one) => ruleset(one, config))
    if (before === undefined || after === undefined) throw new Error('two versions')
    const found = diff(before, after)
    expect(found.unknown).toEqual([])
    expect(
      found.regions.map((one) => ['code' in one.before && one.before.code, 'code' in one.after && one.after.code]),
    ).toEqual([['X', 'N']])
  }
})

test('a missing field with a default bounds what is computed of it', () => {
  // The default is 0, so a product beyond 0 needs the field.
  const [before, after] = ['true', 'exists(a) || a * b <= 0'].map((one) =>
    ruleset(`is_number(b) && (${one})`, DEFAULTS),
  )
  if (before === undefined || after === undefined) throw new Error('two versions')
  expect(diff(before, after)).toMatchObject({ unknown: [] })
})

test.each<[computation: string, low: number, high: number, start: Readonly<Record<string, number>>]>([
  ['a + b', 7, 8, { a: 0, b: 0 }],
  ['a - b', 7, 8, { a: 1, b: 90 }],
  ['b - a', 7, 8, { a: 90, b: 1 }],
  ['a * b', 7, 8, { a: 3, b: 2 }],
  ['a * b', 7, 8, { a: 3, b: -2 }],
  ['a * b', 7, 8, { a: 0, b: 2 }],
  ['a * b', 7, 8, { a: 2, b: 0 }],
  ['a * b', 7, 8, { a: 0, b: 0 }],
  ['a * b', -8, -7, { a: 0, b: 0 }],
  ['a / b', 7, 8, { a: 3, b: 2 }],
  ['a / b', 7, 8, { a: 0, b: 2 }],
  ['a / b', -8, -7, { a: 3, b: 2 }],
  ['100 / b', 7, 8, { b: 2 }],
  ['max(a, b)', 7, 8, { a: 50, b: 60 }],
  ['max(a, b)', 7, 8, { a: 1, b: 2 }],
  ['min(a, b)', 7, 8, { a: 1, b: 2 }],
  ['min(a, b)', 7, 8, { a: 50, b: 60 }],
  ['-(a + b)', 7, 8, { a: 1, b: 2 }],
  ['abs(a - b)', 7, 8, { a: 1, b: 2 }],
  ['floor(a + b)', 6, 8, { a: 1, b: 2 }],
  ['ceil(a - b)', 6, 8, { a: 1, b: 2 }],
  ['round(a + b, 1)', 7.1, 7.3, { a: 1, b: 2 }],
])('%s comes between %d and %d from %j', (computation, low, high, start) => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const read = parse(`${computation} > ${low} && ${computation} < ${high}`)
  const own = parse(computation)
  if (read.kind === 'failed' || own.kind === 'failed') throw new Error('not an expression')
  const { holds } = encoder.truth(read.expression, LENIENT)
  const kinds = [...encoder.terms.values()].map((field) => field.is('number'))
  expect(solver.solve([holds, ...kinds], 10_000)).toBe('satisfiable')
  const valueOf = (expression: typeof own.expression, values: Readonly<Record<string, number>>) => {
    const found = evaluate(expression, LENIENT, { ...values })
    return 'value' in found && isNumber(found.value) ? Number(found.value) : undefined
  }
  const named = (chosen: Iterable<readonly [{ readonly expression: typeof own.expression }, unknown]>) =>
    Object.fromEntries([...chosen].map(([term, value]) => [print(term.expression), Number(value)]))
  const steering = new Steering(encoder, {
    of: (term, chosen) => valueOf(term.expression, named(chosen)),
    absent: () => undefined,
  })
  const term = [...encoder.computedBy.keys()].find((one) => print(one.expression) === print(own.expression))
  if (term === undefined) throw new Error(`${computation} is not computed`)
  const fields = [...encoder.terms.values()].filter((one) => one.field !== undefined)
  const chosen = new Map(fields.map((field) => [field, start[print(field.expression)] ?? 0]))
  const results = Array.from(steering.moves(term, chosen), (moved) => valueOf(own.expression, named(moved)))
  expect(results.length).toBeLessThanOrEqual(60)
  expect(results.filter((one) => one !== undefined && one > low && one < high)).not.toEqual([])
})

/** The encoded condition, with an assignment in which it holds and all fields are numbers. */
function steered(condition: string) {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const read = parse(condition)
  if (read.kind === 'failed') throw new Error(condition)
  const { holds } = encoder.truth(read.expression, LENIENT)
  const terms = [...encoder.terms.values()]
  expect(solver.solve([holds, ...terms.map((term) => term.is('number'))], 10_000)).toBe('satisfiable')
  const named = (chosen: Chosen) =>
    Object.fromEntries([...chosen].map(([term, value]) => [print(term.expression), Number(value)]))
  const valueOf = (term: Term, chosen: Chosen) => {
    const found = evaluate(term.expression, LENIENT, named(chosen))
    return 'value' in found && isNumber(found.value) ? Number(found.value) : undefined
  }
  const steering = new Steering(encoder, { of: valueOf, absent: () => undefined })
  const agrees = ({ term }: { readonly term: Term }, chosen: Chosen): boolean => {
    const value = valueOf(term, chosen)
    const { low, high, isLowOpen, isHighOpen } = term.numbers.bounds()
    return (
      value !== undefined &&
      (low === undefined || (isLowOpen ? value > Number(low) : value >= Number(low))) &&
      (high === undefined || (isHighOpen ? value < Number(high) : value <= Number(high)))
    )
  }
  const from = (start: Readonly<Record<string, number>>): Chosen =>
    new Map(terms.filter(({ field }) => field !== undefined).map((term) => [term, start[print(term.expression)] ?? 0]))
  return { steering, encoder, agrees, from, named }
}

test.each<[condition: string, start: Readonly<Record<string, number>>, end: Readonly<Record<string, number>>]>([
  ['a + b > 7 && a + b < 9', { a: 1, b: 2 }, { a: 6, b: 2 }],
  ['a + b > 7 && a + b < 9', { a: 4, b: 4 }, { a: 4, b: 4 }],
  ['a + b > 7 && a + b < 9 && c * d > 10 && c * d < 14', { a: 1, b: 2, c: 3, d: 4 }, { a: 6, b: 2, c: 3, d: 4 }],
  ['a + b > 7 && a + b < 9 && c * d > 10 && c * d < 14', { a: 1, b: 2, c: 1, d: 4 }, { a: 6, b: 2, c: 3, d: 4 }],
  // A field stays within its own bounds.
  ['a + b > 7 && a + b < 9 && a <= 3', { a: 1, b: 2 }, { a: 1, b: 7 }],
  ['a + b > 7 && a + b < 9 && a <= 3 && b <= 3', { a: 1, b: 2 }, { a: 1, b: 2 }],
  ['a * b > 7 && a * b < 9 && a >= 0 && a <= 0', { a: 0, b: 1 }, { a: 0, b: 1 }],
  // One of two computations agrees.
  [
    'a + b > 7 && a + b < 9 && c * d > 10 && c * d < 14 && c <= 0 && c >= 0',
    { a: 1, b: 2, c: 0, d: 1 },
    { a: 6, b: 2, c: 0, d: 1 },
  ],
])('with %s, %j becomes %j', (condition, start, end) => {
  const { steering, encoder, agrees, from, named } = steered(condition)
  const found = steering.agreeing(from(start), encoder.arithmetic, agrees)
  expect(named(found)).toEqual(end)
})

/** The values of `a` and `b` that are proposed one after the other. */
test.each<[condition: string, computation: string, start: string, moves: string]>([
  ['a + b >= 10 && a + b <= 20', 'a + b', '1 2', '9 2, 8 2, 18 2, 1 10, 1 9, 1 19'],
  ['a - b >= 10 && a - b <= 20', 'a - b', '1 2', '13 2, 12 2, 22 2, 1 -18, 1 -19, 1 -9'],
  ['a * b >= 10 && a * b <= 20', 'a * b', '1 2', '6 2, 5 2, 10 2, 1 11, 1 10, 1 20'],
  ['a * b >= 10 && a * b <= 20', 'a * b', '1 -2', '-9 -2, -10 -2, -5 -2, 1 11, 1 10, 1 20'],
  ['a / b >= 10 && a / b <= 20', 'a / b', '100 2', '21 2, 20 2, 40 2, 100 6, 100 5, 100 10'],
  ['a / b >= -10 && a / b <= 20', 'a / b', '100 2', '-19 2, -20 2, 40 2'],
  ['-(a + b) >= 10 && -(a + b) <= 20', '-(a + b)', '1 2', '-21 2, -22 2, -12 2, 1 -20, 1 -21, 1 -11'],
  ['abs(a + b) >= 10 && abs(a + b) <= 20', 'abs(a + b)', '1 2', '9 2, 8 2, 18 2, 1 10, 1 9, 1 19'],
  ['floor(a + b) >= 10 && floor(a + b) <= 20', 'floor(a + b)', '1 2', '9 2, 8 2, 18 2, 1 10, 1 9, 1 19'],
  [
    'round(a + b, 1) >= 0.31 && round(a + b, 1) <= 0.59',
    'round(a + b, 1)',
    '1 2',
    '-1.55 2, -1.6 2, -1.5 2, 1 -0.55, 1 -0.6, 1 -0.5',
  ],
  ['round(a + b) >= 0.31 && round(a + b) <= 0.59', 'round(a + b)', '1 2', ''],
  ['max(a, b) >= 10 && max(a, b) <= 20', 'max(a, b)', '1 2', '11 2, 10 2, 20 2, 1 11, 1 10, 1 20'],
  [
    'max(a, b) >= 10 && max(a, b) <= 20',
    'max(a, b)',
    '1 50',
    '11 19, 10 19, 20 19, 11 20, 10 20, 20 20, 1 11, 1 10, 1 20',
  ],
  [
    'min(a, b) >= 10 && min(a, b) <= 20',
    'min(a, b)',
    '1 2',
    '11 11, 10 11, 20 11, 11 10, 10 10, 20 10, 11 11, 11 10, 11 20, 10 11, 10 10, 10 20',
  ],
  ['min(a, b) >= 10 && min(a, b) <= 20', 'min(a, b)', '50 60', '11 60, 10 60, 20 60, 50 11, 50 10, 50 20'],
  [
    'a * b >= 10 && a * b <= 20',
    'a * b',
    '0 2',
    '6 2, 5 2, 10 2, 2 6, 2 5, 2 10, 1 11, 1 10, 1 20, -2 -9, -2 -10, -2 -5, -1 -19, -1 -20, -1 -10',
  ],
  ['a % b >= 10 && a % b <= 20', 'a % b', '0 2', ''],
  ['a + b >= 10 && a + b <= 10', 'a + b', '1 2', '8 2, 1 9'],
  [
    'a - b >= 0.1 && a - b <= 0.5',
    'a - b',
    '1 0.2',
    '0.5 0.2, 0.30000000000000004 0.2, 0.3 0.2, 0.7 0.2, 1 0.7, 1 0.5, 1 0.9',
  ],
  [
    'a * b >= 10 && a * b <= 20',
    'a * b',
    '2 0',
    '6 2, 5 2, 10 2, 11 1, 10 1, 20 1, -9 -2, -10 -2, -5 -2, -19 -1, -20 -1, -10 -1, 2 6, 2 5, 2 10',
  ],
  [
    'a * b >= -20 && a * b <= -10',
    'a * b',
    '0 0',
    '-9 2, -10 2, -5 2, -19 1, -20 1, -10 1, 6 -2, 5 -2, 10 -2, 11 -1, 10 -1, 20 -1, 2 -9, 2 -10, 2 -5, 1 -19, 1 -20, 1 -10, -2 6, -2 5, -2 10, -1 11, -1 10, -1 20',
  ],
  [
    'a / b >= 10 && a / b <= 20',
    'a / b',
    '0 2',
    '21 2, 20 2, 40 2, 2 0.15, 2 0.1, 2 0.2, 1 0.08, 1 0.05, 1 0.1, -2 -0.15, -2 -0.2, -2 -0.1, -1 -0.08, -1 -0.1, -1 -0.05',
  ],
  [
    'a / b >= 10 && a / b <= 20',
    'a / b',
    '100 0',
    '21 2, 20 2, 40 2, 11 1, 10 1, 20 1, -39 -2, -40 -2, -20 -2, -19 -1, -20 -1, -10 -1, 100 6, 100 5, 100 10',
  ],
  ['a / b >= 0 && a / b <= 20', 'a / b', '100 2', '1 2, 0 2, 40 2'],
  ['a / b >= 0.5 && a / b <= 20', 'a / b', '100 2', '2 2, 1 2, 40 2, 100 6, 100 5, 100 200'],
  ['a / b >= -20 && a / b <= 0', 'a / b', '100 2', '-39 2, -40 2, 0 2'],
  ['a / b >= -20 && a / b <= 0.5', 'a / b', '100 2', '-39 2, -40 2, 1 2'],
  ['a / b >= -20 && a / b <= -0.5', 'a / b', '100 2', '-39 2, -40 2, -1 2, 100 -199, 100 -200, 100 -5'],
  ['max(a, b) >= 10 && max(a, b) <= 20', 'max(a, b)', '1 20', '11 20, 10 20, 20 20, 1 11, 1 10, 1 20'],
  ['min(a, b) >= 10 && min(a, b) <= 20', 'min(a, b)', '50 10', '11 10, 10 10, 20 10, 50 11, 50 10, 50 20'],
  ['abs(a + b) >= -20 && abs(a + b) <= -10', 'abs(a + b)', '1 2', ''],
  ['abs(a + b) >= -20 && abs(a + b) <= 5', 'abs(a + b)', '1 2', '-1 2, -2 2, 3 2, 1 0, 1 -1, 1 4'],
  ['abs(a + b) >= 0 && abs(a + b) <= 0', 'abs(a + b)', '1 2', '-2 2, 1 -1'],
  ['floor(a + b) >= 10.2 && floor(a + b) <= 10.8', 'floor(a + b)', '1 2', ''],
  ['floor(a + b) >= 10.2 && floor(a + b) <= 11', 'floor(a + b)', '1 2', '9 2, 1 10'],
  ['round(a + b, 1) >= 0.3 && round(a + b, 1) <= 0.3', 'round(a + b, 1)', '1 2', '-1.7 2, 1 -0.7'],

  ['(a + b) * 2 >= 10 && (a + b) * 2 <= 20 && a + b <= 7', '(a + b) * 2', '1 2', '4 2, 3 2, 5 2, 1 5, 1 4, 1 6'],
  ['min(a + b, 50) >= 10 && min(a + b, 50) <= 20', 'min(a + b, 50)', '1 2', '9 2, 8 2, 18 2, 1 10, 1 9, 1 19'],
  ['max(a + b, 5) >= 10 && max(a + b, 5) <= 20', 'max(a + b, 5)', '1 2', '9 2, 8 2, 18 2, 1 10, 1 9, 1 19'],
  // A sum that a double rounds, and the one with fewer digits.
  [
    'a - b >= 0.1 && a - b <= 0.5',
    'a - b',
    '1 0.7',
    '1 0.7, 0.7999999999999999 0.7, 0.8 0.7, 1.2 0.7, 1 0.7, 1 0.5, 1 0.9',
  ],
  ['a + b >= 10', 'a + b', '1 2', '9 2, 8 2, 1 10, 1 9'],
  ['a + b <= 10', 'a + b', '1 20', '-11 20, -10 20, 1 8, 1 9'],
])('with %s, %s moves from %s to %s', (condition, computation, start, moves) => {
  const { steering, encoder, from, named } = steered(condition)
  const read = parse(computation)
  if (read.kind === 'failed') throw new Error(computation)
  const term = [...encoder.computedBy.keys()].find(({ expression }) => print(expression) === print(read.expression))
  if (term === undefined) throw new Error(`${computation} is not computed`)
  const [a = 0, b = 0] = start.split(' ').map(Number)
  const found = Array.from(steering.moves(term, from({ a, b })), named)
  expect(found.map((one) => `${one['a']} ${one['b']}`).join(', ')).toBe(moves)
})

test('only fields that have a value are moved', () => {
  const { steering, encoder, from, named } = steered('a + b >= 10 && a + b <= 20')
  const [a] = from({ a: 1 })
  const [term] = encoder.computedBy.keys()
  if (a === undefined || term === undefined) throw new Error('nothing is computed')
  expect(Array.from(steering.moves(term, new Map([a])), named)).toEqual([])
  expect(Array.from(steering.moves(term, from({ a: 1, b: 2 })), named)).toHaveLength(6)
})

test('one result has at most 60 proposals', () => {
  const product = '((a * b) * (c * d)) * ((e * f) * (g * h))'
  const { steering, encoder, from, named } = steered(`${product} >= 10 && ${product} <= 20`)
  const term = [...encoder.computedBy.keys()].at(-1)
  if (term === undefined) throw new Error('nothing is computed')
  expect(Array.from(steering.moves(term, from({})), named)).toHaveLength(60)
})
