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
