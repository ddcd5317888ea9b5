import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ClientError, type Repeatable } from './errors.ts'
import { retried, type RetryOptions } from './retry.ts'

// No jitter.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const failure = (repeatable: Repeatable, retryAfterMs?: number) =>
  new ClientError('unavailable', 'away', { repeatable, retryAfterMs })
const never = new AbortController().signal

test.each<[title: string, options: RetryOptions, error: Error, pauses: readonly number[]]>([
  ['is made three times by default', {}, failure('safe'), [100, 200]],
  ['is made once where retries are off', { attempts: 1 }, failure('safe'), []],
  ['is made again after doubled pauses', { attempts: 5, firstDelayMs: 10 }, failure('safe'), [10, 20, 40, 80]],
  ['is made again after the longest pause', { attempts: 4, longestDelayMs: 150 }, failure('safe'), [100, 150, 150]],
  ['waits as long as the engine requests', {}, failure('safe', 150), [150, 200]],
  ['that may have run is not repeated', {}, failure('ambiguous'), []],
  ['that may have run is repeated where that is allowed', { ambiguous: true }, failure('ambiguous'), [100, 200]],
  ['for good is not repeated', { ambiguous: true }, failure('never'), []],
  ['in another way is not repeated', {}, new Error('defect'), []],
])('a call that fails %s', async (_title, options, error, pauses) => {
  const waited: number[] = []
  const call = vi.fn<() => Promise<never>>(() => Promise.reject(error))
  await expect(retried(options, never, call, async (ms) => waited.push(ms))).rejects.toBe(error)
  expect([waited, call.mock.calls.length]).toEqual([pauses, pauses.length + 1])
})

test('the pause is shorter by up to three tenths, so that clients do not return together', async () => {
  vi.mocked(Math.random).mockReturnValue(1)
  const waited: number[] = []
  const call = () => Promise.reject(failure('safe'))
  await expect(retried({}, never, call, async (ms) => waited.push(Math.round(ms)))).rejects.toThrow('away')
  expect(waited).toEqual([70, 140])
})

test.each([
  ['at the deadline, before a pause', AbortSignal.abort(), 1],
  ['at the deadline, during a pause', never, 1],
])('a call is not repeated %s: its last failure counts', async (_title, signal, calls) => {
  const call = vi.fn<() => Promise<never>>(() => Promise.reject(failure('safe')))
  await expect(retried({}, signal, call, () => Promise.reject(new Error('late')))).rejects.toThrow('away')
  expect(call).toHaveBeenCalledTimes(calls)
})
