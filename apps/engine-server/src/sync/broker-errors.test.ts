import { describe, expect, test } from 'vitest'
import { StoreRefusal } from './broker.ts'
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

describe('a broker that cannot store an event has its stream recreated', () => {
  const refusal = (what: StoreRefusal['what']) => new StoreRefusal(what, 'stream store failed')
  /** After which of these errors, from 1, one second apart, something is recreated. */
  function recreated(errors: readonly (Error | undefined)[], seconds = 1): readonly string[] {
    let now = 0
    const failures = new BrokerErrors(searchableLog().log, () => now)
    return errors.flatMap((error, index) => {
      now += seconds * 1000
      const what = error === undefined ? failures.over() : failures.failed(error)
      return what === undefined ? [] : [`${index + 1} ${what}`]
    })
  }
  const times = (count: number, error: Error | undefined) => Array.from({ length: count }, () => error)

  test.each<[title: string, errors: readonly (Error | undefined)[], after: readonly string[]]>([
    ['after ten refusals', times(10, refusal('stream')), ['10 stream']],
    ['or its state after ten of these', times(10, refusal('state')), ['10 state']],
    ['not after nine', times(9, refusal('stream')), []],
    ['not after other errors', times(30, new Error('timeout')), []],
    ['not after refusals of both kinds', [...times(9, refusal('stream')), ...times(9, refusal('state'))], []],
    ['not where another error is between', [...times(9, refusal('stream')), new Error('x'), refusal('stream')], []],
    ['not where it took an event between', [...times(9, refusal('stream')), undefined, refusal('stream')], []],
    ['and again a minute later at the earliest', times(75, refusal('stream')), ['10 stream', '70 stream']],
  ])('%s', (_title, errors, after) => {
    expect(recreated(errors)).toEqual(after)
  })
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
