import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPollSchedule } from './poll-schedule.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A schedule whose looks last 100 ms, and when each began and whether it was a full one. */
function scheduled() {
  const looks: [at: number, isFull: boolean][] = []
  const start = performance.now()
  const schedule = createPollSchedule({ quietMs: 200, longestMs: 500 }, async (isFull) => {
    looks.push([performance.now() - start, isFull])
    await new Promise((resolve) => setTimeout(resolve, 100))
  })
  return { schedule, looks }
}

const at = (milliseconds: number, happens: () => void) => void setTimeout(happens, milliseconds)

test.each<[what: string, events: readonly number[], looks: readonly number[]]>([
  ['one event', [0], [200]],
  ['a burst: after its end', [0, 50, 100], [300]],
  ['two bursts', [0, 50, 1000, 1100], [250, 1300]],
  ['endless events: not postponed forever', [0, 150, 300, 450, 600, 750, 900], [500, 1100]],
  ['an event during a look', [0, 250], [200, 450]],
])('polls after %s', async (_what, events, expected) => {
  const { schedule, looks } = scheduled()
  for (const time of events) at(time, schedule.soon)
  await vi.advanceTimersByTimeAsync(3000)
  expect(looks.map(([time]) => time)).toEqual(expected)
})

test('one poll at a time; requests meanwhile are merged into one more poll, full if any of them was', async () => {
  const { schedule, looks } = scheduled()
  schedule.now(false)
  for (const [time, isFull] of [
    [10, false],
    [20, true],
    [30, false],
  ] as const)
    at(time, () => schedule.now(isFull))
  await vi.advanceTimersByTimeAsync(3000)
  expect(looks).toEqual([
    [0, false],
    [100, true],
  ])
})

test('closing waits for a running poll and starts no other', async () => {
  const { schedule, looks } = scheduled()
  schedule.now(false)
  await vi.advanceTimersByTimeAsync(10)
  schedule.now(true)
  schedule.soon()
  let isClosed = false
  const closed = schedule.close().then(() => (isClosed = true))
  await vi.advanceTimersByTimeAsync(50)
  expect(isClosed).toBe(false)
  await vi.advanceTimersByTimeAsync(3000)
  await closed
  schedule.soon()
  await vi.advanceTimersByTimeAsync(3000)
  expect(looks).toHaveLength(1)
})
