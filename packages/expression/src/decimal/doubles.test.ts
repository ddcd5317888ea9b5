import { describe, expect, test } from 'vitest'
import { add, compareQuotients, divide, multiply, remainder, subtract } from './doubles.ts'
import { roundByDoubles, type RoundingMode, roundQuotientByDoubles } from './rounding.ts'

/** Which operations doubles decide. NaN leaves one to digits, which take a hundred times as long and give the same result. */

const LARGEST = Number.MAX_SAFE_INTEGER

describe('doubles decide', () => {
  test.each([
    [0.1, 0.2, 0.3],
    [1.1, -0.1, 1],
    [LARGEST - 1, 1, LARGEST],
    [1 - LARGEST, -1, -LARGEST],
    // 10 places below 9e4, 8 below 9e6, 4 below 9e10, 2 below 9e12.
    [1234.123456789, 0.1, 1234.223456789],
    [-1234.123456789, -0.1, -1234.223456789],
    [89_999.123456789, 0.5, 89_999.623456789],
    [8_999_999.12345678, 0.1, 8_999_999.22345678],
    [0.1, -8_999_999.12345678, -8_999_999.02345678],
    [9_000_000.1234, 1.5, 9_000_001.6234],
    [89_999_999_999.1234, 0.5, 89_999_999_999.6234],
    [90_000_000_000.12, 0.5, 90_000_000_000.62],
    [8_999_999_999_999.25, 0.5, 8_999_999_999_999.75],
  ])('%f + %f', (x, y, sum) => {
    expect(add(x, y)).toBe(sum)
    expect(subtract(x, -y)).toBe(sum)
  })

  test.each([
    [3, 5, 15],
    [94_906_265, 94_906_265, 9_007_199_136_250_225],
    [-94_906_265, 94_906_265, -9_007_199_136_250_225],
    [19.99, 3, 59.97],
    [19.99, 0.0725, 1.449275],
    [0.0725, 19.99, 1.449275],
    [123_456.12345678, 0.19, 23_456.6634567882],
    [0.19, 123_456.12345678, 23_456.6634567882],
    [0.123, 0.456, 0.056088],
    [1.000001, 1.000001, 1.000002000001],
    [-1.000001, 1.000001, -1.000002000001],
    [1e-10, 3, 3e-10],
    [3, 1e-14, 3e-14],
    [0, 0.5, 0],
    [0.001, 0, 0],
    // A product of 10^15 units.
    [100_000, 10_000.0001, 1_000_000_010],
    [1.00001, 1e7, 10_000_100],
  ])('%f * %f', (x, y, product) => {
    expect(multiply(x, y)).toBe(product)
  })

  test.each([
    [1, 4, 0.25],
    [10, 2.5, 4],
    [-10, 2.5, -4],
    [1, 0.0001, 10_000],
    [1, 1_000_000, 0.000001],
    [899_999.9999, 1, 899_999.9999],
    [-899_999.9999, 1, -899_999.9999],
    [0, 7, 0],
  ])('%f / %f', (x, y, quotient) => {
    expect(divide(x, y)).toBe(quotient)
  })

  test.each([
    [7, 4, 3],
    [LARGEST, 2, 1],
    [7.5, 2.2, 0.9],
    [-7.5, 2, -1.5],
    [7.5, -2, 1.5],
    [99_999_999_999.5, 3, 0.5],
    [-99_999_999_999.5, 3, -0.5],
    [3, 99_999_999_999.5, 3],
    [0.0003, 0.0002, 0.0001],
  ])('%f %% %f', (x, y, rest) => {
    expect(remainder(x, y)).toBe(rest)
  })

  test.each([
    [1, 3, 1, 2, -1],
    [1, 2, 1, 3, 1],
    [-1, 2, 1, 2, -1],
    [1, -2, -1, -3, -1],
    [0, 5, 1, 2, -1],
    [1, 2, 0, 5, 1],
    [1, 1, 1.00000000000001, 1, -1],
    [1e280, 1, 1, 1, 1],
    [1e-280, 1, 1, 1, -1],
  ])('the order of %f / %f and %f / %f', (x, y, z, w, order) => {
    expect(compareQuotients(x, y, z, w)).toBe(order)
  })

  test.each<readonly [number, number, RoundingMode, number]>([
    [2.675, 2, 'half_up', 2.68],
    [-2.675, 2, 'half_up', -2.68],
    [2.665, 2, 'half_even', 2.66],
    [2.675, 2, 'half_even', 2.68],
    [2.675, 2, 'half_down', 2.67],
    [2.6751, 2, 'half_down', 2.68],
    [2.671, 2, 'up', 2.68],
    [2.679, 2, 'down', 2.67],
    [-2.679, 2, 'ceiling', -2.67],
    [-2.671, 2, 'floor', -2.68],
    [12.5, 1, 'up', 12.5],
    [0.1234567, 6, 'half_up', 0.123457],
    [0.5, 0, 'half_up', 1],
    [8_999_999.125, 2, 'half_up', 8_999_999.13],
    [-8_999_999.125, 2, 'half_up', -8_999_999.13],
    [1e15, 0, 'up', 1e15],
    [-1e15, 0, 'up', -1e15],
    [1e13, 2, 'up', 1e13],
  ])('round(%f, %i, %s)', (x, places, mode, rounded) => {
    expect(roundByDoubles(x, places, mode)).toBe(rounded)
  })

  test.each([
    [10, 3, 2, 3.33],
    [-10, 3, 2, -3.33],
    [20, 3, 0, 7],
    [1, 3, 6, 0.333333],
    [999_999_999.2, 1, 0, 999_999_999],
    [-999_999_999.2, 1, 0, -999_999_999],
  ])('round(%f / %f, %i)', (x, y, places, rounded) => {
    expect(roundQuotientByDoubles(x, y, places, 'half_up')).toBe(rounded)
  })
})

describe('doubles leave to digits', () => {
  test.each([
    ['a sum of more places', add(0.12345678901, 1)],
    ['a sum of 9 places from 9e4 on', add(90_000, 0.123456789)],
    ['a sum of 8 places from 9e6 on', add(9_000_000, 0.12345678)],
    ['a sum of 4 places from 9e10 on', add(90_000_000_000, 0.1234)],
    ['a sum of fractions from 9e12 on', add(9_000_000_000_000, 0.5)],
    ['a sum of 17 digits', add(0.1 + 0.2, 1)],
    ['a sum beyond the safe integers', add(LARGEST, 1)],
    ['the same below 0', add(-LARGEST, -1)],
    ['a sum of a safe integer and a fraction', add(LARGEST, 0.5)],
    ['a product beyond the safe integers', multiply(94_906_267, 94_906_267)],
    ['the same below 0', multiply(-94_906_267, 94_906_267)],
    ['a product of 18 digits', multiply(9_999_999.99, 9_999_999.99)],
    ['the same below 0', multiply(-9_999_999.99, 9_999_999.99)],
    ['a product of 15 places', multiply(0.123456789012345, 2)],
    ['the same, exchanged', multiply(2, 0.123456789012345)],
    ['a product of 17 digits', multiply(0.1 + 0.2, 2)],
    ['a quotient without end', divide(1, 3)],
    ['a quotient of more than 6 places', divide(1, 10_000_000)],
    ['a quotient of 5 places', divide(0.00001, 1)],
    ['a quotient by 5 places', divide(1, 0.00001)],
    ['a quotient of a large dividend', divide(900_000.0001, 1)],
    ['the same below 0', divide(-900_000.0001, 1)],
    ['a quotient by a large divisor', divide(1, 100_000_000_000.5)],
    ['a rest of 5 places', remainder(0.00001, 1)],
    ['a rest by 5 places', remainder(1, 0.00001)],
    ['a rest of a large dividend', remainder(100_000_000_000.5, 3)],
    ['the same below 0', remainder(-100_000_000_000.5, 3)],
    ['a rest by a large divisor', remainder(3.5, 100_000_000_000.5)],
    ['the same below 0', remainder(3.5, -100_000_000_000.5)],
    ['the order of equal quotients', compareQuotients(1, 3, 2, 6)],
    ['the order of quotients that differ in the 16th digit', compareQuotients(1, 3, 333_333_333_333_333, 1e15)],
    ['the order of a tiny dividend', compareQuotients(5e-324, 1, 1, 1)],
    ['the order of a tiny divisor', compareQuotients(1, 5e-324, 1, 1)],
    ['the order of a tiny second dividend', compareQuotients(1, 1, 5e-324, 1)],
    ['the order of a tiny second divisor', compareQuotients(1, 1, 1, -5e-324)],
    ['the order of quotients beyond doubles', compareQuotients(1e300, 1e-10, 1, 1)],
    ['the order of tiny quotients', compareQuotients(1e-280, 1e10, 2e-280, 1e10)],
    ['rounding before the point', roundByDoubles(125, -1, 'half_up')],
    ['rounding to 7 places', roundByDoubles(0.12345678, 7, 'half_up')],
    ['rounding a large fraction', roundByDoubles(9_000_000.125, 2, 'half_up')],
    ['the same below 0', roundByDoubles(-9_000_000.125, 2, 'half_up')],
    ['rounding 9 places', roundByDoubles(0.123456789, 2, 'half_up')],
    ['rounding beyond 10^15', roundByDoubles(1_000_000_000_000_002, 0, 'half_up')],
    ['the same below 0', roundByDoubles(-1_000_000_000_000_002, 0, 'half_up')],
    ['a quotient rounded by another mode', roundQuotientByDoubles(10, 3, 2, 'half_even')],
    ['a quotient rounded before the point', roundQuotientByDoubles(100, 3, -1, 'half_up')],
    ['a quotient rounded to 7 places', roundQuotientByDoubles(1, 3, 7, 'half_up')],
    ['a quotient half way', roundQuotientByDoubles(1, 8, 2, 'half_up')],
    ['a quotient close to half way', roundQuotientByDoubles(1.2500000001, 10, 2, 'half_up')],
    ['a quotient just below half way', roundQuotientByDoubles(1.2499999999, 10, 2, 'half_up')],
    ['a large quotient', roundQuotientByDoubles(1e9, 1, 0, 'half_up')],
    ['the same below 0', roundQuotientByDoubles(-1e9, 1, 0, 'half_up')],
    ['a quotient by a tiny divisor', roundQuotientByDoubles(1e-300, 1e-299, 2, 'half_up')],
    ['the same below 0', roundQuotientByDoubles(1e-300, -1e-299, 2, 'half_up')],
  ])('%s', (_what, decided) => {
    expect(decided).toBeNaN()
  })
})
