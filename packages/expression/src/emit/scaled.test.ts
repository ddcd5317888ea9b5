import { describe, expect, test } from 'vitest'
import { Budget } from '../budget.ts'
import { makeFunction } from '../compiler.ts'
import { Constants } from '../constants.ts'
import { fold } from '../fold.ts'
import { parse } from '../parser.ts'
import { LENIENT } from '../runtime.ts'
import type { Value } from '../value.ts'
import { emitScaled } from './emit.ts'

const POLICY = { ...LENIENT, numbers: 'decimal' } as const

/** The coefficient of an expression in a scale; undefined: the expression has none. The variable x has one, of scale 1. */
function coefficientOf(text: string, scale: number, input: Value = {}, x = NaN): number | undefined {
  const parsed = parse(text, [], 'decimal')
  if (parsed.kind === 'failed') throw new Error(`${text} is no expression`)
  const constants = new Constants()
  const temporaries: string[] = []
  const scaled = emitScaled(
    fold(parsed.expression, POLICY),
    {
      constants,
      input: 'input',
      runtime: 'runtime',
      policy: POLICY,
      variable: () => 'undefined',
      coefficient: (name) => (name === 'x' ? { name: 'x', scale: 1 } : undefined),
      temporary: () => `t${temporaries.push('') - 1}`,
    },
    scale,
  )
  if (scaled === undefined) return undefined
  const declared = ['t', ...temporaries.map((_, index) => `t${index}`)].join(', ')
  const body = `${constants.declarations('constants')}return (input, runtime, x) => { let ${declared}; return ${scaled.coefficient} }`
  const run: unknown = makeFunction(['constants'], body)(constants.values)
  if (typeof run !== 'function') throw new Error('no function')
  return Number(run(input, { now: 0, budget: Budget.endless() }, x))
}

describe('an expression as a scaled integer', () => {
  test.each<readonly [text: string, scale: number, input: Value, coefficient: number]>([
    ['a * b', 4, { a: 12.34, b: 2 }, 246_800],
    ['a * b', 6, { a: -12.34, b: 2 }, -24_680_000],
    ['a + b', 2, { a: 12.34, b: 0.01 }, 1235],
    ['a - 0.005', 3, { a: 12.34 }, 12_335],
    ['a - b * 0.1', 3, { a: 12.34, b: 1.01 }, 12_239],
    ['a * (b + 1) * 0.19', 6, { a: 10, b: 0.5 }, 2_850_000],
    ['a.b.c * 100', 2, { a: { b: { c: 1.5 } } }, 15_000],
    ['0.5', 1, {}, 5],
    ['12', 2, {}, 1200],
    ['a', 8, { a: 0.12345678 }, 12_345_678],
    ['a + b * 0.001', 5, { a: 0.12345, b: 1 }, 12_445],
    ['$x * 3', 1, {}, 36],
    ['$x + 0.25', 2, {}, 145],
    ['a + b', 2, { a: 9_999_999_999_999, b: 0.99 }, 999_999_999_999_999],
    ['a - b', 2, { a: -9_999_999_999_999, b: 0.99 }, -999_999_999_999_999],
  ])('%s in the scale %i', (text, scale, input, coefficient) => {
    expect(coefficientOf(text, scale, input, 12)).toBe(coefficient)
  })

  test.each<readonly [what: string, text: string, input: Value]>([
    ['of more places', 'a * b', { a: 1.234, b: 2 }],
    ['that double arithmetic made', 'a * b', { a: 0.1 + 0.2, b: 2 }],
    ['that is missing', 'a * b', { a: 1 }],
    ['that is null', 'a * b', { a: 1, b: null }],
    ['that is a text', 'a * b', { a: 1, b: '2' }],
    ['that is a large integer', 'a * b', { a: 1, b: 10n ** 20n }],
    ['that is too large', 'a * b', { a: 1e14, b: 0 }],
    ['that is too small', 'a * b', { a: -1e14, b: 0 }],
    ['whose sum is too large', 'a + b', { a: 9_999_999_999_999, b: 9 }],
    ['whose difference is too small', 'a - b', { a: -9_999_999_999_999, b: 9 }],
    ['whose product is too large', 'a * b', { a: 1e6, b: 1e6 }],
    ['whose product is too small', 'a * b', { a: 1e6, b: -1e6 }],
    ['that had no coefficient', '$x * 2', {}],
  ])('an operand %s gives none: %s', (_what, text, input) => {
    expect(coefficientOf(text, 4, input)).toBeNaN()
  })

  test.each([
    ['a quotient', 'a / 4', 4],
    ['a remainder', 'a % 4', 4],
    ['a call', 'round(a, 2) * 2', 4],
    ['a text', '"a"', 4],
    ['a wildcard', 'a.*.b * 2', 4],
    ['a member of a call', 'first(a).b * 2', 4],
    ['a finer product', 'a * b * c', 4],
    ['a product of more than 10 places', 'a * b * c * a * b * c', 20],
    ['a constant of more than 10 places', 'a * 0.00000000001', 20],
    ['a constant of more than 15 digits', 'a * 0.1234567890123456', 20],
    ['nine levels', '1 + (1 + (1 + (1 + (1 + (1 + (1 + (1 + (a + a))))))))', 4],
  ])('%s has none: %s', (_what, text, scale) => {
    expect(coefficientOf(text, scale)).toBeUndefined()
  })
})
