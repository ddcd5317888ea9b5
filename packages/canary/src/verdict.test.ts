import { expect, test } from 'vitest'
import { upperTail } from './binomial.ts'
import { evidence, LESS_THAN_DOUBLE, MORE } from './evidence.ts'
import { latencyAt, latencyClass } from './quantile.ts'
import { type StageCounts, type StageRule, verdictOf } from './verdict.ts'

const RULE: StageRule = { alpha: 0.01, stages: 1, minRequests: 0, time: 'over', onInconclusive: 'hold' }
const NONE = { canary: 0, stable: 0 }
const stage = (more: Partial<StageCounts> = {}): StageCounts => ({
  share: 0.1,
  requests: { canary: 1000, stable: 9000 },
  errors: NONE,
  slow: NONE,
  codes: new Map(),
  ...more,
})

test('four errors of a candidate with a tenth of the traffic against none are an alarm, three are none', () => {
  const at = (canary: number) =>
    verdictOf([stage({ errors: { canary, stable: 0 } })], { ...RULE, time: 'running' }).decision
  expect([at(3), at(4)]).toEqual(['continue', 'rollback'])
})

test('errors as the share has it are no evidence, whatever their number', () => {
  for (const errors of [10, 1000, 100_000])
    expect(evidence([{ share: 0.1, canary: errors / 10, stable: errors * 0.9 }], MORE)).toBeLessThan(0)
})

test('evidence adds up over stages of different shares', () => {
  const first = { share: 0.1, canary: 3, stable: 5 }
  const second = { share: 0.5, canary: 9, stable: 2 }
  for (const ratio of MORE)
    expect(evidence([first, second], [ratio])).toBeCloseTo(evidence([first], [ratio]) + evidence([second], [ratio]), 10)
})

test('all of the traffic is no comparison', () => {
  const { decision, errors } = verdictOf([stage({ share: 1, errors: { canary: 500, stable: 0 } })], RULE)
  expect([decision, errors.e]).toEqual(['hold', 1])
})

test('the arms are not swapped: a bad control promotes, a bad candidate is rolled back', () => {
  const bad = { canary: 3, stable: 400 }
  expect(verdictOf([stage({ errors: bad })], RULE)).toMatchObject({ decision: 'promote', errors: bad })
  expect(verdictOf([stage({ errors: { canary: 90, stable: 100 } })], RULE).decision).toBe('rollback')
})

test.each([
  ['no error on either side', stage(), RULE, 'hold'],
  ['the same, to be promoted then', stage(), { ...RULE, onInconclusive: 'promote' }, 'promote'],
  ['while the time runs', stage({ errors: { canary: 100, stable: 900 } }), { ...RULE, time: 'running' }, 'continue'],
  ['as many errors as the control', stage({ errors: { canary: 100, stable: 900 } }), RULE, 'promote'],
  ['too few requests', stage({ errors: { canary: 100, stable: 900 } }), { ...RULE, minRequests: 1001 }, 'hold'],
  ['slow answers', stage({ slow: { canary: 60, stable: 90 } }), RULE, 'rollback'],
  [
    'other codes',
    stage({ codes: new Map([['DENY', { canary: 300, stable: 900 }]]) }),
    { ...RULE, onInconclusive: 'promote' },
    'hold',
  ],
  ['a code that became rare', stage({ codes: new Map([['DENY', { canary: 10, stable: 1800 }]]) }), RULE, 'hold'],
  // Not enough at any look, but for the one exact look at the end.
  ['errors that came slowly', stage({ errors: { canary: 24, stable: 96 } }), RULE, 'rollback'],
  [
    'the same while the time runs',
    stage({ errors: { canary: 24, stable: 96 } }),
    { ...RULE, time: 'running' },
    'continue',
  ],
  [
    'the same when it was looked at already',
    stage({ errors: { canary: 24, stable: 96 } }),
    { ...RULE, time: 'held' },
    'hold',
  ],
] as const)('%s', (_, counts, rule, decision) => {
  expect(verdictOf([counts], rule).decision).toBe(decision)
})

test('less than double is shown by equal rates, and not by double ones', () => {
  expect(evidence([{ share: 0.1, canary: 50, stable: 450 }], LESS_THAN_DOUBLE, 2)).toBeGreaterThan(Math.log(20))
  expect(evidence([{ share: 0.1, canary: 100, stable: 450 }], LESS_THAN_DOUBLE, 2)).toBeLessThan(0)
})

test.each([
  [10, 0.5, 0, 1],
  [10, 0.5, 11, 0],
  [10, 0.5, 10, 2 ** -10],
  [10, 0.5, 1, 1 - 2 ** -10],
  [2, 0.1, 1, 0.19],
  [100, 0.1, 20, 0.001_978_56],
  [1000, 0.1, 130, 0.001_341_4],
])('at least %d successes: of %d trials of %d', (trials, p, least, probability) => {
  expect(upperTail(trials, p, least)).toBeCloseTo(probability, 6)
})

test('the limit of slow answers is the class that holds the quantile', () => {
  const counts = new Map<number, number>()
  const add = (milliseconds: number, times: number) => counts.set(latencyClass(milliseconds), times)
  add(2, 989)
  add(50, 11)
  const limit = latencyAt(counts, 0.99) ?? 0
  expect(limit).toBeGreaterThanOrEqual(50)
  expect(limit).toBeLessThan(50 * 1.11)
  expect(latencyAt(new Map([[latencyClass(2), 99]]), 0.99)).toBeUndefined()
  for (const milliseconds of [0, 0.02, 0.5, 3, 1e9]) {
    const bound = latencyAt(new Map([[latencyClass(milliseconds), 1000]]), 0.99)
    expect(bound ?? Infinity).toBeGreaterThanOrEqual(milliseconds)
  }
})
