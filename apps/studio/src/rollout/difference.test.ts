import fc from 'fast-check'
import { expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { differenceOf } from './difference.ts'

test.each([
  // Table II of Newcombe (1998), method 10.
  [56, 70, 48, 80, 20, 5.24, 33.39],
  [9, 10, 3, 10, 60, 17.05, 80.9],
  [10, 10, 0, 10, 100, 60.75, 100],
  [0, 10, 0, 20, 0, -16.11, 27.75],
])('%i of %i against %i of %i differ by %d points, between %d and %d', (hits, of, others, all, estimate, low, high) => {
  const found = differenceOf({ canary: hits, stable: others }, { canary: of, stable: all })
  expect(found?.estimate).toBeCloseTo(estimate, 2)
  expect(found?.low).toBeCloseTo(low, 1)
  expect(found?.high).toBeCloseTo(high, 1)
})

test('without requests on a side there is no difference', () => {
  expect(differenceOf({ canary: 0, stable: 0 }, { canary: 0, stable: 9 })).toBeUndefined()
  expect(differenceOf({ canary: 0, stable: 0 }, { canary: 9, stable: 0 })).toBeUndefined()
})

test('a range encloses its difference, lies within 100 points, and is mirrored when the sides are exchanged', () => {
  const side = fc
    .integer({ min: 1, max: 10_000 })
    .chain((of) => fc.tuple(fc.integer({ min: 0, max: of }), fc.constant(of)))
  fc.assert(
    fc.property(side, side, ([hits, of], [others, all]) => {
      const one = differenceOf({ canary: hits, stable: others }, { canary: of, stable: all })
      const other = differenceOf({ canary: others, stable: hits }, { canary: all, stable: of })
      if (one === undefined || other === undefined) throw new Error('both sides have requests')
      expect(one.low).toBeLessThanOrEqual(one.estimate + 1e-9)
      expect(one.high).toBeGreaterThanOrEqual(one.estimate - 1e-9)
      expect(one.low).toBeGreaterThanOrEqual(-100 - 1e-9)
      expect(one.high).toBeLessThanOrEqual(100 + 1e-9)
      expect(other.low).toBeCloseTo(-one.high, 9)
      expect(other.high).toBeCloseTo(-one.low, 9)
    }),
    casesOfProperty(500),
  )
})
