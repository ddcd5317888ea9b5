import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

test('allows the rate per second, and a burst of as many after a pause', () => {
  let now = 0
  const limit = createRateLimit(4, () => now)
  const taken = () => Array.from({ length: 6 }, () => limit.take())
  expect(taken()).toEqual([0, 0, 0, 0, 0.25, 0.25])
  now = 250
  expect(taken()).toEqual([0, 0.25, 0.25, 0.25, 0.25, 0.25])
  now = 60_000
  expect(taken()).toEqual([0, 0, 0, 0, 0.25, 0.25])
})

test('without a rate there is no limit', () => {
  const limit = createRateLimit(undefined, () => 0)
  expect(Array.from({ length: 1000 }, () => limit.take()).every((wait) => wait === 0)).toBe(true)
})

test('states the seconds until the next one', () => {
  let now = 0
  const limit = createRateLimit(2, () => now)
  const at = (time: number) => {
    now = time
    return limit.take()
  }
  expect([0, 0, 0, 125, 250, 375, 500].map(at)).toEqual([0, 0, 0.5, 0.375, 0.25, 0.125, 0])
})

test('of less than one per second, one is allowed at first', () => {
  let now = 0
  const limit = createRateLimit(0.5, () => now)
  expect([limit.take(), limit.take()]).toEqual([0, 2])
  now = 1999
  expect(limit.take()).toBeCloseTo(0.001)
  now = 2000
  expect(limit.take()).toBe(0)
})
