import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchingOptions, createBatching } from './batching.ts'
import type { BatchAnswer, BatchItem } from './transport.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const decided = (code: string): BatchItem => ({ code, message: '', output: {}, duration_us: 1 })
const SUMMARY = { total: 0, success: 0, failed: 0 }

/** Decisions in batches, each of which is answered with the inputs as codes. */
function batching(options: BatchingOptions, results?: readonly BatchItem[]) {
  const sent: string[] = []
  const { execute } = createBatching(options, async (name, inputs): Promise<BatchAnswer> => {
    sent.push(`${name}: ${JSON.stringify(inputs).slice(1, -1)}`)
    return { results: results ?? inputs.map((input) => decided(`${name} ${JSON.stringify(input)}`)), summary: SUMMARY }
  })
  return { execute, sent }
}

describe('decisions in batches', () => {
  test('wait for each other, and each ruleset has its own batch', async () => {
    const { execute, sent } = batching({ waitMs: 10 })
    const codes = Promise.all([execute('a', 1), execute('b', 2), execute('a', 3)].map(async (one) => (await one).code))
    await vi.advanceTimersByTimeAsync(9)
    const late = execute('a', 4)
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual(['a: 1,3,4', 'b: 2'])
    expect(await codes).toEqual(['a 1', 'b 2', 'a 3'])
    expect((await late).code).toBe('a 4')
  })

  test('do not wait for the end of a turn longer than its events by default', async () => {
    const { execute, sent } = batching({})
    const all = Promise.all(Array.from({ length: 101 }, (_, index) => execute('a', index)))
    // One batch is full.
    expect(sent.map((one) => one.split(',').length)).toEqual([100])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent.map((one) => one.split(',').length)).toEqual([100, 1])
    expect(await all).toHaveLength(101)
  })

  test('go at once when a batch is full, and only once', async () => {
    const { execute, sent } = batching({ most: 2, waitMs: 10 })
    const first = [execute('a', 1), execute('a', 2)]
    expect(sent).toEqual(['a: 1,2'])
    await vi.advanceTimersByTimeAsync(5)
    const second = execute('a', 3)
    await vi.advanceTimersByTimeAsync(9)
    expect(sent).toEqual(['a: 1,2'])
    await vi.advanceTimersByTimeAsync(1)
    expect(sent).toEqual(['a: 1,2', 'a: 3'])
    expect((await Promise.all([...first, second])).map(({ code }) => code)).toEqual(['a 1', 'a 2', 'a 3'])
  })

  test('end one by one: with their result, their error, or without either', async () => {
    const { execute } = batching({}, [decided('OK'), { error: 'no branch fits' }])
    const ended = Promise.allSettled([execute('a', 1), execute('a', 2), execute('a', 3)])
    await vi.advanceTimersByTimeAsync(1)
    expect(await ended).toMatchObject([
      { value: { code: 'OK' } },
      { reason: { kind: 'execution', message: 'no branch fits' } },
      { reason: { kind: 'server', message: 'the answer has fewer results than there were inputs' } },
    ])
  })

  test('fail together where their request fails', async () => {
    const { execute } = createBatching({}, () => Promise.reject(new Error('away')))
    const ended = Promise.allSettled([execute('a', 1), execute('a', 2)])
    await vi.advanceTimersByTimeAsync(1)
    expect(await ended).toMatchObject([{ reason: { message: 'away' } }, { reason: { message: 'away' } }])
  })
})
