import { expect, test } from 'vitest'
import { searchableLog } from './sync.testing.ts'
import { DeduplicatedLog } from './deduplicated-log.ts'
import { BrokerErrors } from './broker-errors.ts'

test('a repeated refusal with random client names is logged less and less often', () => {
  let now = 0
  const { log, said } = searchableLog()
  const refusals = new BrokerErrors(log, () => now)
  for (let attempt = 0; attempt < 100; attempt++, now += 300)
    refusals.failed(new Error(`Permissions Violation for Publish to "$JS.API.X.ABCDEFGHIJKLMNOPQRST${100 + attempt}"`))
  expect(said('the broker did not accept an event')).toBe(5)
  expect(refusals.current).toEqual({
    times: 100,
    seconds: 30,
    reason: 'Error: Permissions Violation for Publish to "$JS.API.X.*"',
  })
  refusals.over()
  expect(refusals.current).toBeUndefined()
})

test('a kind of error is logged immediately, after 1 s, 2 s, … up to every 300 s, and again after a long pause', () => {
  let now = 0
  const quiet = new DeduplicatedLog(() => now)
  const told: number[] = []
  for (; now < 2_000_000; now += 500) if (quiet.due('a') !== undefined) told.push(now / 1000)
  expect(told.slice(0, 11)).toEqual([0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 811])
  expect(quiet.due('b')).toBe(1)
  now += 1_000_000
  expect(quiet.due('a')).toBeGreaterThan(1)
})
