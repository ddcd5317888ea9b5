import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BurstLimit } from './burst-limit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** How many of so many events are allowed. */
const allowed = (limit: BurstLimit, events: number) =>
  Array.from({ length: events }, () => limit.take()).filter(Boolean).length

test('a burst is allowed, and then the rate', () => {
  const limit = new BurstLimit({ burst: 10, perSecond: 5 })
  expect(allowed(limit, 20)).toBe(10)
  vi.advanceTimersByTime(2000)
  // Refused events count as well: a flood does not pass by being tried again.
  expect(allowed(limit, 20)).toBe(0)
  vi.advanceTimersByTime(10_000)
  expect(allowed(limit, 20)).toBe(10)
  // Time without events is not saved up.
  vi.advanceTimersByTime(3_600_000)
  expect(allowed(limit, 1000)).toBe(10)
})

test('a reset allows a burst again', () => {
  const limit = new BurstLimit({ burst: 3, perSecond: 1 })
  expect(allowed(limit, 5)).toBe(3)
  limit.reset()
  expect(allowed(limit, 5)).toBe(3)
})
