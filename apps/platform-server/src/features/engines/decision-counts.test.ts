import { DURATION_BOUNDS } from '@engine/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Counts, difference, latencyOf, NOTHING, sum } from './decision-counts.ts'

const count = fc.nat({ max: 1000 })
const counts: fc.Arbitrary<Counts> = fc
  .tuple(
    count,
    count,
    fc.dictionary(fc.constantFrom('A', 'B'), fc.integer({ min: 1, max: 9 })),
    fc.array(count, { maxLength: 4 }),
  )
  .map(([ok, errors, codes, buckets]) => ({ ok, errors, codes, durations: { counts: buckets, sum_seconds: ok } }))

test('the difference added to the earlier counts gives the current ones', () => {
  fc.assert(
    fc.property(counts, counts, (before, more) => {
      const now = sum(before, more)
      expect(sum(before, difference(now, before))).toEqual(now)
    }),
  )
})

test('counts that have decreased are all new', () => {
  const now = { ...NOTHING, ok: 3, codes: { A: 3 } }
  expect(difference(now, { ...NOTHING, ok: 5, codes: { A: 5 } })).toEqual(now)
})

test('percentiles are bounds of buckets', () => {
  const counted = (rows: Readonly<Record<number, number>>) => ({
    counts: Array.from({ length: DURATION_BOUNDS.length + 1 }, (_, index) => rows[index] ?? 0),
    sum_seconds: 1,
  })
  expect(latencyOf(counted({}))).toEqual({ mean: null, p50: null, p90: null, p99: null })
  expect(latencyOf(counted({ 0: 100 }))).toEqual({ mean: 10_000, p50: 1, p90: 1, p99: 1 })
  expect(latencyOf(counted({ 0: 50, 3: 45, [DURATION_BOUNDS.length]: 5 }))).toMatchObject({
    p50: 1,
    p90: 10,
    p99: null,
  })
})
