import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type BranchCounts, boundedBranches, branchIncrease, branchSum, dayOf } from './branch-counts.ts'

const counts: fc.Arbitrary<BranchCounts> = fc.dictionary(
  fc.constantFrom('grade', '__proto__', 'constructor'),
  fc.array(fc.nat({ max: 1000 }), { minLength: 2, maxLength: 2 }),
)

test('the increase added to the earlier counts gives the current ones', () => {
  fc.assert(
    fc.property(counts, counts, (before, more) => {
      const now = branchSum(before, more)
      expect(branchSum(before, branchIncrease(now, before))).toEqual(now)
    }),
  )
})

test('counts that have decreased have no increase', () => {
  expect(branchIncrease({ grade: [1, 5] }, { grade: [3, 3] })).toEqual({ grade: [0, 2] })
})

test('counts that are larger than those of a ruleset are not kept', () => {
  const of = (length: number) => ({ grade: Array.from({ length }, () => 1) })
  expect(boundedBranches(of(49_999))).toEqual(of(49_999))
  expect(boundedBranches(of(50_000))).toEqual({})
  const steps = Object.fromEntries(Array.from({ length: 50_001 }, (_, step) => [`s${step}`, []]))
  expect(boundedBranches(steps)).toEqual({})
})

test('a day begins at midnight, UTC', () => {
  expect(dayOf(new Date('2026-11-29T23:59:59.999Z'))).toEqual(new Date('2026-11-29T00:00:00Z'))
  expect(dayOf(new Date('2026-11-30T00:00:00Z'))).toEqual(new Date('2026-11-30T00:00:00Z'))
})
