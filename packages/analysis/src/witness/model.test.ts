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

const MAX = Number.MAX_VALUE
const MIN = Number.MIN_VALUE

/** Inputs for which a condition likely holds: as many as are given. */
test.each<[condition: string, inputs: readonly unknown[]]>([
  ['n > 3', [{ n: 4 }, { n: 12 }, { n: MAX }, { n: 4 }, { n: 1000003 }, { n: 12 }, { n: 12 }, { n: 12 }]],
  ['n >= 3', [{ n: 3 }, { n: 12 }, { n: MAX }, { n: 3 }, { n: 1000003 }, { n: 12 }, { n: 12 }, { n: 12 }]],
  ['n < 3', [{ n: 2 }, { n: 0 }, { n: 1 }, { n: -MAX }, { n: 0 }, { n: -999997 }, { n: MIN }, { n: -MIN }]],
  ['n <= 3', [{ n: 3 }, { n: 3 }, { n: 1 }, { n: -MAX }, { n: 0 }, { n: -999997 }, { n: MIN }, { n: -MIN }]],
  ['n > 3 && n < 9', [{ n: 4 }, { n: 6 }, { n: 7 }, { n: 4 }, { n: 6 }, { n: 6 }, { n: 6 }, { n: 6 }]],
  ['n >= 3 && n <= 9', [{ n: 3 }, { n: 9 }, { n: 7 }, { n: 3 }, { n: 6 }, { n: 6 }, { n: 6 }, { n: 6 }]],
  ['n > 3 && n < 4', [{ n: 3.5 }, { n: 3.5 }, { n: 3.8 }, { n: 3.3 }, { n: 3.5 }, { n: 3.5 }, { n: 3.5 }, { n: 3.5 }]],
  ['is_number(n)', [{ n: 1 }, { n: 0 }, { n: MAX }, { n: -MAX }, { n: 0 }, { n: 0 }, { n: MIN }, { n: -MIN }]],
  ['n > 0 && n < 1', [{ n: 0.5 }, { n: 0.5 }, { n: 0.8 }, { n: 0.3 }, { n: 0.5 }, { n: 0.5 }, { n: MIN }, { n: 0.5 }]],
  [
    'n > -1 && n < 0',
    [{ n: -0.5 }, { n: -0.5 }, { n: -0.3 }, { n: -0.8 }, { n: -0.5 }, { n: -0.5 }, { n: -0.5 }, { n: -MIN }],
  ],
  ['t == "x"', [{ t: 'x' }, { t: 'x' }]],
  ['t > "a"', [{ t: 'a~' }, { t: 'a~' }]],
  ['starts_with(t, "ab")', [{ t: 'ab' }, { t: 'ab' }]],
  ['ends_with(t, "ab")', [{ t: 'textab' }, { t: 'textab' }]],
  ['contains(t, "ab") && contains(t, "cd")', [{ t: 'textabcd' }, { t: 'textabcd' }]],
  ['ends_with(t, "ab") && contains(t, "x")', [{ t: 'textab' }, { t: 'textab' }]],
  ['ends_with(t, "ab") && t != "ab"', [{ t: '--ab' }, { t: '--ab' }]],
  ['contains(t, "ab") && !starts_with(t, "ab")', [{ t: '-ab-' }, { t: '-ab-' }]],
  ['ends_with(t, "b") && ends_with(t, "ab")', [{ t: 'textab' }]],
  ['starts_with(t, "ab") && ends_with(t, "b")', [{ t: 'abb' }]],
  ['contains(t, "a") && contains(t, "b") && !contains(t, "ab")', [{ t: 'text-a-b-' }]],
  ['contains(t, "a") && contains(t, "b") && !contains(t, "ab") && !contains(t, "ba")', [{ t: 'text-a-b-' }]],
  ['is_array(l)', [{ l: [] }, { l: [] }]],
  ['l == []', [{ l: [] }]],
  ['l == [1, 2]', [{ l: [1, 2] }]],
  ['contains(l, 3) && is_array(l)', [{ l: [3] }]],
  ['3 in l && 4 in l', [{ l: [3, 4] }]],
  ['is_object(o)', [{ o: {} }]],
  ['o == {"a": 1}', [{ o: { a: 1 } }]],
  ['o.a == 1 && o.b == 2', [{ o: { a: 1, b: 2 } }]],
  ['b', [{ b: true }, { b: true }, { b: true }]],
  ['!b', [{}, {}, {}, {}]],
  ['b == null', [{}]],
  ['exists(b)', [{ b: null }, { b: null }, { b: null }]],
  ['b == true', [{ b: true }, { b: true }]],
  [
    'a < b',
    [
      { a: 1, b: 2 },
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ],
  ],
  [
    'a < b && b < c',
    [
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2, c: 3 },
    ],
  ],
  [
    'a == b && a > 5',
    [
      { a: 6, b: 6 },
      { a: 6, b: 6 },
    ],
  ],
  ['a <= b && b < 4', [{ a: 1, b: 3 }]],
  ['a > b && b > 3', [{ a: 5, b: 4 }]],
  ['a - b == 3 && a == 5', [{ a: 5, b: 2 }]],
  ['abs(a) == 5 && a < 0', [{ a: -5 }]],
  ['min(a, b) == 3', [{ a: 5, b: 3 }]],
  ['floor(a) == 3 && a > 3', [{ a: 3.9999999999999996 }]],
  ['a % 3 == 1 && a > 10', [{ a: 40 }]],
  [
    't < u',
    [
      { t: 1, u: 2 },
      { t: 1, u: 2 },
    ],
  ],
  ['t == u && t > "m"', [{ t: 'm~', u: 'text' }]],
  ['n != floor(n) && n > 3', [{ n: 10 }, { n: 10 }]],
  ['a + b > 100 && a < 10', [{ a: 1, b: MAX }]],
  ['a * b > 100 && a < 10 && b < 30', [{ a: 9, b: 29 }]],
  ['a - b > 5 && b > 1000', [{ a: MAX, b: 1001 }]],
  ['a < b && a > 5 && b < 6', [{ a: 5.3, b: 5.5 }]],
  ['a < b && a >= 5 && b <= 6', [{ a: 5, b: 6 }]],
  ['a > b && a < 3 && b > 1', [{ a: 2.5, b: 2 }]],
  ['a != b && is_number(a) && is_number(b)', [{ a: 1, b: 2 }]],
  ['a == b && a >= 3 && b <= 3', [{ a: 3, b: 3 }]],
  ['a < b && b < 3', [{ a: 1, b: 2 }]],
  ['a < b && a > 3', [{ a: 4, b: 5 }]],
  ['a >= b && b >= 7 && a <= 7', [{ a: 7, b: 7 }]],
  ['a + b == c && is_number(c)', [{ a: 0, b: 0, c: 0 }]],
  ['a / b > 2 && b > 3', [{ a: MAX, b: 4 }]],
  ['n < -5', [{ n: -6 }, { n: -20 }, { n: -19 }]],
  ['n > -1 && n < 1', [{ n: 0 }, { n: 0 }, { n: 0.5 }]],
  ['n > -2', [{ n: -1 }, { n: 0 }, { n: MAX }]],
  ['n < 2', [{ n: 1 }, { n: 0 }, { n: 1 }]],
  ['n < 0', [{ n: -1 }, { n: -16 }, { n: -15 }]],
  ['n > 0', [{ n: 1 }, { n: 16 }, { n: MAX }]],
  ['a + b > 1000000', [{ a: MAX, b: 1 }]],
  ['a * b < -1000000', [{ a: 1, b: -MAX }]],
  ['a == b && b == c && c > 9', [{ a: 10, b: 10, c: 10 }]],
  ['a + b > 10 && a < b', [{ a: 0, b: MAX }]],
  ['a * b == 0 && a > 0', [{ a: 16, b: 0 }]],
  ['max(a, b) < 3 && a > 1', [{ a: 2, b: 1 }]],
  ['abs(a) > 100 && a < 0', [{ a: -MAX }]],
  ['floor(a) > 7 && a < 9', [{ a: 8 }, { a: 8.5 }, { a: 8.8 }]],
  ['a - b < 0 && a > 50', [{ a: 1000050, b: MAX }]],
  ['a == b && a < 9 && b > 7 && is_number(a)', [{ a: 8, b: 8 }]],
  ['l == ["x"] || l == ["y"]', [{ l: ['x'] }]],
  ['ends_with(t, "x") && t > "m" && t < "n"', [{ t: 'm~x' }]],
  ['contains(t, "x") && t >= "b" && t < "c"', [{ t: 'b~x' }]],
  ['t != "text" && t > "t" && t < "u"', [{ t: 'ta' }]],
  ['!contains(t, "e") && is_string(t)', [{ t: '' }]],
  ['contains(t, "a") && contains(t, "ba") && ends_with(t, "c")', [{ t: 'textabac' }]],
])('the candidates of %s', (text, inputs) => {
  const { solver, model, holds } = modelOf(text)
  expect(solver.solve([holds], 100_000, () => model.check())).toBe('satisfiable')
  expect(Array.from(model.candidates(inputs.length), ({ input }) => input)).toEqual(inputs)
})

test('the time is a part of a candidate', () => {
  const { solver, model, holds } = modelOf('now_millis() > 5')
  expect(solver.solve([holds], 100_000, () => model.check())).toBe('satisfiable')
  expect([...model.candidates(1)]).toEqual([{ input: {}, now: 6 }])
})

function modelOf(text: string) {
  const read = parse(text)
  if (read.kind === 'failed') throw new Error(text)
  const solver = new Solver()
  const encoder = new Encoder(solver)
  const { holds } = encoder.truth(read.expression, LENIENT)
  const model = new Model(encoder)
  model.begin()
  return { solver, model, holds }
}
