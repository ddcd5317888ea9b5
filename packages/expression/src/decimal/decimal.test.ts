import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { add, divide, power, squareRoot } from './arithmetic.ts'
import { digitsOf, fractionDigits, isDecimal, numberOfText, type NumberValue } from './decimal.ts'
import { round, type RoundingMode, roundQuotient } from './rounding.ts'
import { computed, digitsOfText, vectorsOf } from './vectors.testing.ts'

/** Rows whose result is another one than Python's. */
function differences(text: string): { readonly rows: number; readonly wrong: readonly string[] } {
  const wrong: string[] = []
  let rows = 0
  for (const vector of vectorsOf(text)) {
    rows++
    const found = computed(vector)
    if (found !== digitsOfText(vector.result))
      wrong.push(`${vector.operation} ${vector.operands.join(' ')} is ${vector.result}, not ${found}`)
  }
  return { rows, wrong }
}

test("20,000 operations give what Python's decimal module gives, each in its one form, by doubles and by digits", () => {
  const vectors = readFileSync(new URL('vectors.tsv', import.meta.url), 'utf8')
  expect(differences(vectors)).toEqual({ rows: 20_000, wrong: [] })
})

const PYTHON = spawnSync('python3', ['--version']).status === 0

test.skipIf(!PYTHON)('so do new ones, where Python is installed', { timeout: 900_000 }, () => {
  const cases = casesOf(1_000_000, 30)
  printSeed(cases)
  const generator = new URL('vectors.py', import.meta.url).pathname
  for (let left = cases, seed = SEED; left > 0; left -= 100_000, seed++) {
    const count = String(Math.min(left, 100_000))
    const made = spawnSync('python3', [generator, count, String(seed)], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    expect(made.stderr).toBe('')
    expect(differences(made.stdout)).toEqual({ rows: Number(count), wrong: [] })
  }
})

describe('the number of a text', () => {
  test.each([
    ['0', '0'],
    ['-0.0', '0'],
    ['0e999999999999', '0'],
    ['5.0', '5'],
    ['1e20', '100000000000000000000'],
    ['12345678901234567890123456789012345678901234567890.00', '12345678901234567890123456789012345678901234567890'],
    ['0.1000000000000000055', '0.1000000000000000055'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['1.23456789e-7', '1.23456789e-7'],
    ['1.234567890123456789e-7', '1.234567890123456789e-7'],
    // Rounded half to even to 34 digits.
    ['1.0000000000000000000000000000000005', '1'],
    ['1.0000000000000000000000000000000015', '1.000000000000000000000000000000002'],
    ['1.00000000000000000000000000000000050001', '1.000000000000000000000000000000001'],
    [`0.${'3'.repeat(1_000_000)}`, `0.${'3'.repeat(34)}`],
    [`1.${'0'.repeat(500)}1`, '1'],
    [`0.5${'0'.repeat(1_000_000)}`, '0.5'],
    ['1e-6176', '1e-6176'],
    ['1e-6177', '0'],
    ['6e-6177', '1e-6176'],
    ['1e-999999999999999', '0'],
    ['1e309', undefined],
    ['1e999999999999999', undefined],
    ['-1.8e308', undefined],
    ['9'.repeat(1_000_000), undefined],
  ])('%s', (text, shown) => {
    const value = numberOfText(text)
    expect(value === undefined ? undefined : String(value)).toBe(shown)
  })
})

test.each([
  [0n, 1],
  [9n, 1],
  [-10n, 2],
  [999_999_999_999_999n, 15],
  [BigInt(Number.MAX_SAFE_INTEGER), 16],
  [9_999_999_999_999_999n, 16],
  [10_000_000_000_000_000n, 17],
  [10n ** 600n - 1n, 600],
  [10n ** 600n, 601],
  // From 512 hexadecimal digits on they are estimated.
  [10n ** 700n - 1n, 700],
  [-(10n ** 700n), 701],
  [10n ** 1000n, 1001],
  [16n ** 600n, 723],
  [16n ** 600n - 1n, 723],
])('digits of an integer', (integer, digits) => {
  expect(digitsOf(integer)).toBe(digits)
})

test.each([
  ['5', 0],
  ['500', 0],
  ['1.50', 2],
  ['12.050', 4],
  ['0.00120', 2],
  ['1.5e1', 0],
  ['1.25e1', 3],
  ['12000e-5', 2],
  ['0.0', 0],
])('%s has %i digits, counted where it is a fraction', (text, digits) => {
  expect(fractionDigits(text)).toBe(digits)
})

test.each<readonly [NumberValue, number, string]>([
  [0, 0, '1'],
  [0, 3, '0'],
  [2, 0, '1'],
  [-2, 3, '-8'],
  [2, -2, '0.25'],
  [10, -3, '0.001'],
  [-0.1, 3, '-0.001'],
  [10, 308, `1${'0'.repeat(308)}`],
  [0.1, 999, '1e-999'],
  [0.1, -308, `1${'0'.repeat(308)}`],
  [1.5, 999, `8225603979374489861516260663245200${'0'.repeat(142)}`],
  [1e-10, 999, '0'],
  [1.5, -999, '1.215716198479135000572639879492859e-176'],
])('%s to the power of %i', (base, exponent, expected) => {
  expect(String(power(base, exponent))).toBe(expected)
})

test.each<readonly [NumberValue, number, string]>([
  [0, -1, 'not-finite'],
  [10, 309, 'not-finite'],
  [1e10, 99, 'not-finite'],
  [0.1, -309, 'not-finite'],
])('%s to the power of %i is %s', (base, exponent, reason) => {
  expect(() => power(base, exponent)).toThrow(reason)
})

test('the root of a whole square is exact at any size', () => {
  const root = 10n ** 40n + 5n
  expect([squareRoot(root ** 2n), squareRoot(root ** 2n + 1n), squareRoot(2.25)]).toEqual([root, 10n ** 40n, 1.5])
})

test.each([NaN, Infinity, -Infinity])('%f is no decimal', (value) => {
  expect(() => add(value, 1)).toThrow('not-finite')
})

/** With seven places doubles do not decide. */
test.each<readonly [mode: RoundingMode, rounded: readonly number[]]>([
  ['half_up', [0.1234567, 0.1234568, 0.1234566, 0.1234567, -0.1234567, -0.1234568]],
  ['half_even', [0.1234566, 0.1234568, 0.1234566, 0.1234567, -0.1234566, -0.1234568]],
  ['half_down', [0.1234566, 0.1234567, 0.1234566, 0.1234567, -0.1234566, -0.1234567]],
  ['up', [0.1234567, 0.1234568, 0.1234567, 0.1234567, -0.1234567, -0.1234568]],
  ['down', [0.1234566, 0.1234567, 0.1234566, 0.1234566, -0.1234566, -0.1234567]],
  ['ceiling', [0.1234567, 0.1234568, 0.1234567, 0.1234567, -0.1234566, -0.1234567]],
  ['floor', [0.1234566, 0.1234567, 0.1234566, 0.1234566, -0.1234567, -0.1234568]],
])('digits round by %s', (mode, rounded) => {
  const given = [0.12345665, 0.12345675, 0.123456649, 0.123456651, -0.12345665, -0.12345675]
  expect(given.map((x) => round(x, 7, mode))).toEqual(rounded)
  expect(given.map((x) => roundQuotient(x, 1, 7, mode))).toEqual(rounded)
  expect(given.map((x) => roundQuotient(-x, -1, 7, mode))).toEqual(rounded)
})

test('a decimal exposes only its text', () => {
  const third = divide(1, 3)
  expect(isDecimal(third)).toBe(true)
  expect(Object.keys(third)).toEqual([])
  expect(`${String(third)} ${Number(third)}`).toBe(`0.${'3'.repeat(34)} ${1 / 3}`)
  expect(() => JSON.stringify(third)).toThrow('stringifyJson')
})
