import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'
import type { IncomingMessage } from './broker.ts'
import { DeduplicatedLog } from './deduplicated-log.ts'
import { GapDetector } from './gap-detector.ts'
import { rulesetCount, type LocalState } from './local-state.ts'
import { createMemoryOutbox, type OutboxEvent } from './outbox.ts'
import { StaleReplicas } from './stale-replicas.ts'

describe('a line about a condition that lasts', () => {
  const lines = () => {
    let now = 0
    const log = new DeduplicatedLog(() => now)
    return {
      log,
      at: (time: number, kind = 'away') => {
        now = time
        return log.due(kind)
      },
    }
  }

  test('comes at once, and then after 1, 2, 4 seconds, with the number of times since', () => {
    const { at } = lines()
    const told = [0, 1, 999, 1000, 1001, 2999, 3000, 6999, 7000].map((time) => at(time))
    expect(told).toEqual([1, undefined, undefined, 3, undefined, undefined, 3, undefined, 2])
  })

  test('comes every five minutes at last', () => {
    const { at } = lines()
    const times: number[] = []
    for (let time = 0; time <= 1_500_000; time += 1000) if (at(time) !== undefined) times.push(time)
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    expect(pauses.slice(0, 9)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256].map((seconds) => seconds * 1000))
    expect(new Set(pauses.slice(9))).toEqual(new Set([300_000]))
  })

  test('begins anew after a quiet time, and after its end', () => {
    const { at, log } = lines()
    for (const time of [0, 1000, 3000]) at(time)
    expect([at(307_000), at(307_500)]).toEqual([1, undefined])
    expect([at(314_999), at(315_000)]).toEqual([undefined, 3])
    const calm = lines()
    for (const time of [0, 1000, 3000]) calm.at(time)
    expect([calm.at(307_001), calm.at(308_000), calm.at(308_001)]).toEqual([1, undefined, 2])
    log.over('away')
    expect(at(315_001)).toBe(1)
  })

  test('is of its kind alone', () => {
    const { at } = lines()
    expect([at(0), at(0, 'slow'), at(0), at(0, 'slow')]).toEqual([1, 1, undefined, undefined])
  })
})

describe('a hole in the sequence of the stream', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const message = (seq: number, isRedelivered = false) => ({ seq, isRedelivered }) as IncomingMessage
  const detector = (isWhole = true) => {
    const lost = vi.fn<() => void>()
    const made = new GapDetector(lost)
    made.isWhole = isWhole
    return { made, lost }
  }

  test.each<[title: string, seqs: readonly number[], times: number]>([
    ['is none in order', [1, 2, 3], 0],
    ['is a loss where it stays open', [1, 3], 1],
    ['is filled in time', [1, 3, 2], 0],
    ['of two messages is filled by both', [1, 4, 2], 1],
    ['before the first message is none', [5, 6], 0],
    ['of many messages is one loss', [1, 5000], 1],
  ])('%s', (_title, seqs, times) => {
    const { made, lost } = detector()
    for (const seq of seqs) made.saw(message(seq))
    vi.advanceTimersByTime(299)
    expect(lost).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2)
    expect([lost.mock.calls.length, made.last]).toEqual([times, Math.max(...seqs)])
    vi.advanceTimersByTime(10_000)
    expect(lost).toHaveBeenCalledTimes(times)
  })

  test('is filled by a message that is sent again, which opens none', () => {
    const { made, lost } = detector()
    for (const one of [message(1), message(3), message(2, true), message(9, true)]) made.saw(one)
    vi.advanceTimersByTime(1000)
    expect([lost.mock.calls.length, made.last]).toEqual([0, 3])
  })

  test('means nothing where the stream has messages for others', () => {
    const { made, lost } = detector(false)
    for (const seq of [1, 5]) made.saw(message(seq))
    vi.advanceTimersByTime(1000)
    expect([lost.mock.calls.length, made.last]).toEqual([0, 5])
  })

  test('means nothing after another stream has begun, or the end', () => {
    const { made, lost } = detector()
    for (const seq of [1, 5]) made.saw(message(seq))
    made.begin()
    made.saw(message(9))
    vi.advanceTimersByTime(1000)
    for (const seq of [10, 12]) made.saw(message(seq))
    made.close()
    vi.advanceTimersByTime(1000)
    expect(lost).not.toHaveBeenCalled()
  })

  test('is looked at again after a loss', () => {
    const { made, lost } = detector()
    for (const seq of [1, 3]) made.saw(message(seq))
    vi.advanceTimersByTime(300)
    for (const seq of [4, 6]) made.saw(message(seq))
    vi.advanceTimersByTime(300)
    expect(lost).toHaveBeenCalledTimes(2)
  })
})

test('a replica is reported once it has lagged for a minute, and when it follows again', () => {
  let now = 0
  const { log, lines } = memoryLog()
  const replicas = new StaleReplicas(log, () => now)
  const counts = (
    [
      [0, ['a', 'b']],
      [59_999, ['a', 'b']],
      [60_000, ['a']],
      [61_000, ['a', 'b']],
      [120_999, ['a', 'b']],
      [121_000, ['b']],
      [122_000, []],
    ] as const
  ).map(([time, stale]) => {
    now = time
    replicas.update(stale)
    return replicas.count
  })
  expect(counts).toEqual([0, 0, 1, 1, 1, 1, 0])
  expect(lines.map(([level, fields]) => `${level} ${(fields as { replica: string }).replica}`)).toEqual([
    'warn a',
    'info a',
    'warn b',
    'info b',
  ])
})

test('an outbox in memory keeps changes in order until they are published, and their greatest revision', async () => {
  const outbox = createMemoryOutbox()
  const event = (revision: number) => ({ revision, subject: 's', type: 'RulePut', text: '{}' }) as OutboxEvent
  expect([outbox.events, outbox.lastRevision]).toEqual([[], 0])
  await Promise.all([3, 5].map((revision) => outbox.append(event(revision))))
  outbox.published(1)
  expect([outbox.events.map(({ revision }) => revision), outbox.lastRevision]).toEqual([[5], 5])
  outbox.published(1)
  expect([outbox.events, outbox.lastRevision]).toEqual([[], 5])
})

test('rulesets of all tenants are counted', () => {
  const rulesets = () =>
    [
      ['a', {}],
      ['b', {}],
    ] as unknown as ReturnType<LocalState['rulesets']>
  expect(rulesetCount({ rulesets } as unknown as LocalState)).toBe(2)
})
