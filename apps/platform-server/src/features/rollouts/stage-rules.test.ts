import { describe, expect, test } from 'vitest'
import { basisPoints, endOf, hasChanged, isDue, remainingMs, ruleOf } from './stage-rules.ts'

const NOW = new Date('2026-01-31T12:00:00.000Z')
const at = (milliseconds: number) => new Date(NOW.getTime() + milliseconds)

test.each([
  [0.01, 1],
  [0.1, 10],
  [0.4, 40],
  [0.29, 29],
  [1, 100],
  [33.33, 3333],
  [99.99, 9999],
  [100, 10_000],
])('a stage of %d has %d hundredths of a percent', (percent, points) => expect(basisPoints({ percent })).toBe(points))

test('a stage ends after its duration, to the millisecond', () => {
  expect(endOf(NOW, { duration_s: 90 })).toEqual(new Date('2026-01-31T12:01:30.000Z'))
  expect(endOf(NOW, { duration_s: 0 })).toEqual(NOW)
})

describe('a stage that is paused', () => {
  test.each([
    [90_000, 90_000],
    [1, 1],
    [0, 0],
    [-1, 0],
  ])('%d ms before its end has %d ms left', (before, left) => {
    expect(remainingMs({ ends_at: at(before).toISOString() }, NOW)).toBe(left)
  })

  test('and resumed later ends after the time that it had left', () => {
    const left = remainingMs({ ends_at: at(40_000).toISOString() }, NOW)
    const resumed = at(3_600_000)
    const moved = { index: 0, ends_at: new Date(resumed.getTime() + left).toISOString() }
    expect(ruleOf(moved, CANARY, {}, at(3_639_999)).time).toBe('running')
    expect(ruleOf(moved, CANARY, {}, at(3_640_000)).time).toBe('over')
  })
})

const CANARY = {
  alpha: 0.02,
  on_inconclusive: 'promote',
  stages: [
    { percent: 1, duration_s: 60, min_requests: 100 },
    { percent: 10, duration_s: 60, min_requests: 2000 },
  ],
} as unknown as Parameters<typeof ruleOf>[1]

describe('the rule for one check of a stage', () => {
  const ends_at = at(0).toISOString()

  test.each<[string, number, number | undefined, 'running' | 'over' | 'held']>([
    ['while its time runs', -1, undefined, 'running'],
    ['as its time runs out', 0, undefined, 'over'],
    ['later, for the first time', 5000, undefined, 'over'],
    ['later, again', 5000, 1, 'held'],
    ['later, after the stage before it was found over', 5000, 0, 'over'],
    ['while its time runs again', -1, 1, 'running'],
  ])('%s', (_, milliseconds, over, time) => {
    const progress = over === undefined ? {} : { over }
    expect(ruleOf({ index: 1, ends_at }, CANARY, progress, at(milliseconds)).time).toBe(time)
  })

  test('has what is set for the environment and the stage', () => {
    expect(ruleOf({ index: 0, ends_at }, CANARY, {}, NOW)).toEqual({
      alpha: 0.02,
      stages: 2,
      minRequests: 100,
      time: 'over',
      onInconclusive: 'promote',
    })
    expect(ruleOf({ index: 1, ends_at }, CANARY, {}, NOW).minRequests).toBe(2000)
  })

  test('of stages that were removed from the settings meanwhile', () => {
    expect(ruleOf({ index: 3, ends_at }, { ...CANARY, stages: [] }, {}, NOW)).toMatchObject({
      stages: 1,
      minRequests: 0,
    })
  })
})

describe('a verdict that changes nothing', () => {
  test.each([
    ['of a short stage once in 5 s', 60, 5000],
    ['of a stage of 250 s once in 5 s', 250, 5000],
    ['of an hour fifty times', 3600, 72_000],
  ])('is reported %s', (_, duration_s, interval) => {
    const begin = Math.ceil(NOW.getTime() / interval) * interval
    const told = Array.from({ length: (3 * interval) / 500 }, (_one, look) =>
      isDue(new Date(begin + look * 500), duration_s),
    )
    expect(told.filter(Boolean)).toHaveLength(3)
    expect(told[0]).toBe(true)
  })

  const verdict = { requests: { canary: 1, stable: 2 }, errors: { canary: 3, stable: 4 } } as Parameters<
    typeof hasChanged
  >[1]
  test.each([
    ['requests of the candidate', { requests: { canary: 9, stable: 2 } }],
    ['requests of the control', { requests: { canary: 1, stable: 9 } }],
    ['errors of the candidate', { errors: { canary: 9, stable: 4 } }],
    ['errors of the control', { errors: { canary: 3, stable: 9 } }],
  ])('is another one with other %s', (_, more) => {
    expect(hasChanged(verdict, { ...verdict, ...more } as typeof verdict)).toBe(true)
    expect(hasChanged(verdict, structuredClone(verdict))).toBe(false)
    expect(hasChanged(null, verdict)).toBe(true)
  })
})
