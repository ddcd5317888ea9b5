import { expect, test } from 'vitest'
import { createRateLimit } from './rate-limit.ts'

test("a minute's worth of requests is allowed as a burst, then as many as are refilled", () => {
  let now = 0
  const limit = createRateLimit(60, () => now)
  for (let count = 0; count < 60; count++) limit('a')
  expect(() => limit('a')).toThrow(/more than 60 requests a minute/)
  limit('b')
  now += 1000
  limit('a')
  expect(() => limit('a')).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }))
})

test('0 means no limit', () => {
  const limit = createRateLimit(0, () => 0)
  for (let count = 0; count < 1000; count++) limit('a')
})

test('the memory for callers is bounded', () => {
  const limit = createRateLimit(1, () => 0)
  limit('first')
  for (let count = 0; count < 10_000; count++) limit(`caller ${count}`)
  // The caller counted first starts over.
  expect(() => limit('first')).not.toThrow()
})
