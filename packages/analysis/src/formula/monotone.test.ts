import { LENIENT, parse, print } from '@engine/expression'
import { expect, test } from 'vitest'
import { monotoneOf, thresholdsOf } from './monotone.ts'
import { testOf } from './shape.ts'

function parsed(text: string, numbers: 'double' | 'decimal' = 'double') {
  const found = parse(text, [], numbers)
  if (found.kind !== 'parsed') throw new Error(text)
  return found.expression
}

function fieldOf(text: string, numbers?: 'decimal') {
  const expression = parsed(text, numbers)
  const found = testOf(expression)
  return found && monotoneOf(expression, found)
}

test.each([
  ['a + 1 > 3', 'a'],
  ['3 < 1 + a', 'a'],
  ['a - 1 == 3', 'a'],
  ['1 - a >= 3', 'a'],
  ['a * -2 > 3', 'a'],
  ['2 * a > 3', 'a'],
  ['a / 2 > 3', 'a'],
  ['a / 0 > 3', undefined],
  ['2 / a > 3', undefined],
  ['a % 2 > 3', undefined],
  ['-a > 3', 'a'],
  ['-(a + 1) > 3', 'a'],
  ['a.b + 1 > 3', 'a.b'],
  ['(a + 1) * 2 > 3', 'a'],
  ['round(a) > 3', 'a'],
  ['round(a, 2) > 3', 'a'],
  ['round(5, a) > 3', undefined],
  ['round(a, 2, "floor") > 3', 'a'],
  ['floor(a) > 3', 'a'],
  ['ceil(a) > 3', 'a'],
  ['min(a, 5) > 3', 'a'],
  ['min(5, a) > 3', 'a'],
  ['max(a, 5) > 3', 'a'],
  ['max(a, "x") > 3', undefined],
  ['max("x", a) > 3', undefined],
  ['max(a + 1, 5) > 3', 'a'],
  ['max(a % 2, 5) > 3', undefined],
  ['abs(a) > 3', undefined],
  ['len(a) > 3', undefined],
  ['a + "x" > 3', undefined],
  ['a + a > 3', undefined],
  ['a + b > 3', undefined],
  ['a > 3', undefined],
  ['a + 1 == "x"', undefined],
  ['a + 1 in [3, 4]', undefined],
])('%s rises or falls with the field %s', (text, expected) => {
  const found = fieldOf(text)
  expect(found && print(found)).toBe(expected)
})

/** The points at which a comparison changes, and the intervals between two doubles of which nothing is known. */
function thresholds(text: string, numbers: 'double' | 'decimal' = 'double') {
  const expression = parsed(text, numbers)
  const field = fieldOf(text, numbers === 'decimal' ? numbers : undefined)
  if (field === undefined) throw new Error(text)
  return thresholdsOf(expression, field, { ...LENIENT, numbers })
}

test.each<[comparison: string, cuts: readonly number[] | undefined]>([
  ['a + 1 > 3', [1.999_999_999_999_999_6, 1.999_999_999_999_999_8, 2, 2.000_000_000_000_000_4]],
  ['3 < a + 1', [1.999_999_999_999_999_6, 1.999_999_999_999_999_8, 2, 2.000_000_000_000_000_4]],
  ['a - 1 >= 3', [3.999_999_999_999_999_6, 4, 4.000_000_000_000_001]],
  ['a / 3 == 1', [2.999_999_999_999_999_6, 3, 3.000_000_000_000_000_4]],
  ['floor(a) == 3', [2.999_999_999_999_999_6, 3, 3.999_999_999_999_999_6, 4]],
  ['min(a, 5) > 3', [2.999_999_999_999_999_6, 3, 3.000_000_000_000_000_4]],
  ['round(a, 2) >= 0.01', [0.004_999_999_999_999_999, 0.005, 0.014_999_999_999_999_998, 0.015]],
  ['-a > 0', [-5e-324, 0, 5e-324]],
  ['a + 0 >= 0', [-5e-324, 0, 5e-324]],
  ['min(a, 1) > 3', []],
  ['a * 0 > 1', []],
  // Near the constant at all ends, or beyond the exact integers.
  ['a * 0 > 0', undefined],
  ['a * 1e300 > 5', undefined],
  ['a + 9007199254740991 > 0', undefined],
  ['a + 6000000000000000 > 10', undefined],
])('the double comparison %s changes at %j', (text, cuts) => {
  expect(thresholds(text)).toEqual(cuts && { cuts, blurred: [] })
})

test('a product of doubles is too large from some double on: nothing is known between it and the last before', () => {
  const ends = [8.988_465_674_311_579e307, 8.988_465_674_311_58e307] as const
  const [last, first] = ends
  expect(thresholds('a * 2 > 3')).toEqual({
    cuts: [1.499_999_999_999_999_8, 1.5, 1.500_000_000_000_000_2, -last, -first, last, first],
    blurred: [[-first, -last], ends],
  })
})

test.each<[comparison: string, cuts: readonly string[] | undefined]>([
  ['a + 1 > 3', ['1.999999999999999999999999999999999', '2']],
  ['a - 1 >= 3', ['3.999999999999999999999999999999999', '4']],
  ['a / 3 == 1', ['2.999999999999999999999999999999999', '3']],
  ['floor(a) == 3', ['2.999999999999999999999999999999999', '3.999999999999999999999999999999999']],
  ['round(a, 2) >= 0.01', ['0.004999999999999999999999999999999999', '0.01499999999999999999999999999999999']],
  ['-a > 0', ['0']],
  ['-a >= 0', ['0']],
  ['a + 0 >= 0', ['0']],
  ['a + 0 > 0', ['0']],
  ['min(a, 1) > 3', []],
  ['a * 0 > 0', undefined],
])('the decimal comparison %s changes after %j', (text, cuts) => {
  const found = thresholds(text, 'decimal')
  expect(found && { cuts: found.cuts.map(String), blurred: found.blurred }).toEqual(cuts && { cuts, blurred: [] })
})

test('a product of decimals is too large from some integer on', () => {
  const { cuts = [] } = thresholds('a * 2 > 3', 'decimal') ?? {}
  // Twice the half of the largest double is rounded up to 34 digits, which is more.
  const last = BigInt(Number.MAX_VALUE) / 2n - 1n
  expect(cuts.slice(-2)).toEqual([-last, last])
})
