import { analyze } from '@engine/analysis'
import { LENIENT, parse } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { Encoder } from '../formula/encoder.ts'
import { Solver } from '../search/solver.ts'
import { Model } from './model.ts'

const NUMBERS = ['double', 'decimal']

/** Whether the only branch of a decision can be taken. */
function verdictOf(condition: string, numbers: string): 'possible' | 'impossible' | 'unknown' {
  const { ruleset, problems } = decodeRuleset({
    config: { name: 'bounds', entry_step: 'd', numbers },
    steps: {
      d: { id: 'd', type: 'decision', branches: [{ condition, next_step: 'X' }], default_next: 'N' },
      X: { id: 'X', type: 'terminal', result: { code: 'X', message: '' } },
      N: { id: 'N', type: 'terminal', result: { code: 'N', message: '' } },
    },
  })
  if (ruleset === undefined) throw new Error(problems[0]?.message)
  const found = analyze(ruleset).findings.find(
    ({ place, kind }) => kind !== 'can_fail' && (place === '/steps/d/branches/0' || place === '/steps/X'),
  )
  if (found === undefined) return 'possible'
  return found.verdict === 'proved' ? 'impossible' : 'unknown'
}

/** `a` is from 2 to 3, `b` is 1, `c` is from -4 to 5, and `d` is from -3 to -2. */
const FIELDS = 'a >= 2 && a <= 3 && b >= 1 && b <= 1 && c >= -4 && c <= 5 && d >= -3 && d <= -2'

describe.each(NUMBERS)('the bounds of a computation, numbers: %s', (numbers) => {
  test.each<[computation: string, low: number, high: number, unit?: number]>([
    ['a + c', -2, 8],
    ['c - a', -7, 3],
    ['a - d', 4, 6],
    ['a * b', 2, 3],
    ['b * a', 2, 3],
    ['a * c', -12, 15],
    ['a * d', -9, -4],
    ['c * d', -15, 12],
    ['a / b', 2, 3],
    ['c / (b + b)', -2, 2.5],
    // Quotients of decimals that do not end are wider.
    ['c / a', -2, 2.5, 0.001],
    ['c / d', -2.5, 2, 0.001],
    ['-(a + b)', -4, -3],
    ['abs(a + c)', 0, 8],
    ['abs(d - b)', 3, 4],
    ['min(a, c)', -4, 3],
    ['max(a, c)', 2, 5],
    ['max(c, d)', -3, 5],
    ['floor(a / b)', 2, 3],
    ['ceil(c - a)', -7, 3],
    ['round(a + b)', 3, 4, 1],
    ['round(a + b, 2)', 3, 4, 0.01],
  ])('%s: from %d to %d', (computation, low, high, unit = 0) => {
    const questions = [
      `${computation} <= ${low}`,
      `${computation} >= ${high}`,
      `${computation} < ${low - unit}`,
      `${computation} > ${high + unit}`,
    ]
    expect(questions.map((one) => verdictOf(`${FIELDS} && ${one}`, numbers))).toEqual([
      'possible',
      'possible',
      'impossible',
      'impossible',
    ])
  })

  test.each([
    ['e / (b + b) < 2', 'impossible'],
    ['e / (b + b) <= 2', 'possible'],
    ['e * b < 4', 'impossible'],
    ['e * b <= 4', 'possible'],
    ['e - b < 3', 'impossible'],
    ['-(e * b) > -4', 'impossible'],
    ['b / e > 1', 'impossible'],
    ['b / e < 0', 'impossible'],
  ])('with a field from 4 upwards, %s is %s', (question, verdict) => {
    expect(verdictOf(`b >= 1 && b <= 1 && e >= 4 && ${question}`, numbers)).toBe(verdict)
  })

  test.each<[comparisons: string, verdict: string]>([
    ['a < b && c < a', 'possible'],
    ['a < b && c < a && b < d', 'possible'],
    ['a < b && c < d', 'possible'],
    ['a < b && c < d && b < c', 'possible'],
    ['d > c && c > b && b > a', 'possible'],
    ['a < b && b < c && c < d && d > 7 && a > 6', 'possible'],
    ['a < b && b < a', 'impossible'],
    ['a < b && b < c && c < a', 'impossible'],
    ['a < b && b == c && c < a', 'impossible'],
    ['a < b && b <= c && c <= a', 'impossible'],
    ['a <= b && b <= c && c <= a && a != c', 'impossible'],
    ['a <= b && b <= c && c <= a && a > 3', 'possible'],
  ])('of numbers, %s is %s', (comparisons, verdict) => {
    const numbersOnly = ['a', 'b', 'c', 'd'].map((name) => `is_number(${name})`).join(' && ')
    expect(verdictOf(`${numbersOnly} && ${comparisons}`, numbers)).toBe(verdict)
  })
})

test('decimals that no double holds bound what is computed of them', () => {
  const small = 'a > 1e-400 && a < 1e-300'
  expect(verdictOf(`${small} && 1e-390 / a > 5`, 'decimal')).not.toBe('impossible')
  expect(verdictOf(`${small} && 1e-280 / a < 5`, 'decimal')).toBe('impossible')
})

test('the first candidate has no field that conditions leave open', () => {
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const [first] = ['n == 3', 'a == 1', 'b == 1', 'c == 1'].map((text) => {
    const read = parse(text)
    if (read.kind === 'failed') throw new Error(text)
    return encoder.truth(read.expression, LENIENT).holds
  })
  const model = new Model(encoder)
  expect(solver.solve(first === undefined ? [] : [first], 10_000, () => model.check())).toBe('satisfiable')
  expect([...model.candidates(1)]).toEqual([{ input: { n: 3 } }])
})
