import { describe, expect, test } from 'vitest'
import { latencyAt, latencyClass } from './quantile.ts'

/** Upper bound of the last class: beyond it a latency has none. */
const LAST_BOUND = 0.02 * 1.1 ** 159

const counts = (...latencies: readonly (readonly [milliseconds: number, times: number])[]) =>
  new Map(latencies.map(([milliseconds, times]) => [latencyClass(milliseconds), times]))

describe('the class of a latency', () => {
  test.each([
    ['of none', 0, 0],
    ['at the bound of the first class', 0.02, 0],
    ['just above it', 0.020_01, 1],
    ['in the last class with a bound', LAST_BOUND * 0.999, 159],
    ['beyond all bounds', LAST_BOUND * 1.001, 160],
    ['of an hour', 3_600_000, 160],
  ])('%s', (_, milliseconds, expected) => {
    expect(latencyClass(milliseconds)).toBe(expected)
  })
})

describe('the latency that a share of answers exceeds', () => {
  test.each([
    ['is unknown without answers', counts(), 0.5, undefined],
    ['is unknown while less than one answer may exceed it', counts([0.01, 1]), 0.5, undefined],
    ['is known from the first answer that may exceed it', counts([0.01, 2]), 0.5, 0.02],
    ['leaves out exactly the share', counts([0.01, 3], [5, 1]), 0.75, 0.02],
    ['is of the next class if more than the share exceed it', counts([0.01, 2], [0.021, 2]), 0.75, 0.022],
    ['is unknown if more than the share are beyond all bounds', counts([0.01, 1], [3_600_000, 3]), 0.5, undefined],
  ])('%s', (_, latencies, quantile, expected) => {
    const limit = latencyAt(latencies, quantile)
    if (expected === undefined) expect(limit).toBeUndefined()
    else expect(limit).toBeCloseTo(expected, 10)
  })
})
