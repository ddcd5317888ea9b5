import { describe, expect, test } from 'vitest'
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
  groups: new Map(),
  ...more,
})

test('four errors of a candidate with a tenth of the traffic against none are an alarm, three are none', () => {
  const at = (canary: number) =>
    verdictOf([stage({ errors: { canary, stable: 0 } })], { ...RULE, time: 'running' }).decision
  expect([at(3), at(4)]).toEqual(['continue', 'rollback'])
})

test('errors in proportion to the share are no evidence, whatever their number', () => {
  for (const errors of [10, 1000, 100_000])
    expect(evidence([{ share: 0.1, canary: errors / 10, stable: errors * 0.9 }], MORE)).toBeLessThan(0)
})

test('evidence adds up over stages of different shares', () => {
  const first = { share: 0.1, canary: 3, stable: 5 }
  const second = { share: 0.5, canary: 9, stable: 2 }
  for (const ratio of MORE)
    expect(evidence([first, second], [ratio])).toBeCloseTo(evidence([first], [ratio]) + evidence([second], [ratio]), 10)
})

describe('a verdict counts all stages of its rollout', () => {
  const RUNNING: StageRule = { ...RULE, time: 'running', stages: 2 }
  const byGuard = (counts: { readonly canary: number; readonly stable: number }) =>
    [
      ['errors', stage({ errors: counts }), 'rollback'],
      ['slow answers', stage({ slow: counts }), 'rollback'],
      ['result codes', stage({ codes: new Map([['DENY', counts]]) }), 'hold'],
    ] as const

  test.each(byGuard({ canary: 25, stable: 90 }))(
    '%s of two stages are an alarm, though none of either alone',
    (_, one, decision) => {
      expect(verdictOf([one], RUNNING).decision).toBe('continue')
      expect(verdictOf([one, one], RUNNING).decision).toBe(decision)
    },
  )

  test.each(byGuard({ canary: 60, stable: 90 }))('%s of an earlier stage remain an alarm', (_, one, decision) => {
    expect(verdictOf([one, stage()], RUNNING).decision).toBe(decision)
    expect(verdictOf([one, stage(), stage()], RUNNING).decision).toBe(decision)
  })

  test('errors of an earlier stage prove that the candidate fails less than twice as often', () => {
    const even = stage({ errors: { canary: 100, stable: 900 } })
    expect(verdictOf([stage()], { ...RULE, stages: 2 }).decision).toBe('hold')
    expect(verdictOf([even, stage()], { ...RULE, stages: 2 }).decision).toBe('promote')
  })

  test('the counts of the verdict are sums', () => {
    const first = stage({
      errors: { canary: 1, stable: 2 },
      slow: { canary: 3, stable: 4 },
      codes: new Map([['A', { canary: 5, stable: 6 }]]),
    })
    const second = stage({
      share: 0.5,
      requests: { canary: 10, stable: 10 },
      errors: { canary: 10, stable: 20 },
      slow: { canary: 30, stable: 40 },
      codes: new Map([
        ['A', { canary: 50, stable: 60 }],
        ['B', { canary: 7, stable: 0 }],
      ]),
    })
    expect(verdictOf([first, second], RUNNING)).toMatchObject({
      requests: { canary: 1010, stable: 9010 },
      errors: { canary: 11, stable: 22 },
      latency: { canary: 33, stable: 44 },
      codes: { counts: { A: { canary: 55, stable: 66 }, B: { canary: 7, stable: 0 } } },
    })
  })
})

describe('alpha is divided among the tests, and the exact one among the stages', () => {
  test.each([
    // With no errors and with 90 of the control: the smallest count of the candidate that raises an alarm.
    [0.01, 'errors', 0, 4],
    [0.01, 'errors', 90, 27],
    [0.05, 'errors', 90, 25],
    [0.2, 'errors', 0, 3],
    [0.2, 'errors', 90, 23],
    [0.01, 'slow', 0, 4],
    [0.01, 'slow', 90, 27],
    [0.05, 'slow', 90, 25],
    [0.2, 'slow', 90, 22],
    [0.01, 'codes', 0, 8],
    [0.01, 'codes', 90, 28],
    [0.05, 'codes', 0, 7],
    [0.2, 'codes', 0, 5],
  ] as const)('at %d, %s against %d of the control are an alarm from %d on', (alpha, guard, stable, least) => {
    const decisionAt = (canary: number) => {
      const counts = { canary, stable }
      const one = guard === 'codes' ? { codes: new Map([['DENY', counts]]) } : { [guard]: counts }
      return verdictOf([stage(one)], { ...RULE, alpha, time: 'running' }).decision
    }
    expect([decisionAt(least - 1), decisionAt(least)]).toEqual(['continue', guard === 'codes' ? 'hold' : 'rollback'])
  })

  test.each([
    [0.01, 1, 90, 21],
    [0.01, 4, 90, 23],
    [0.05, 1, 0, 2],
    [0.05, 4, 0, 3],
    [0.05, 1, 90, 18],
    [0.05, 4, 90, 21],
    [0.2, 4, 90, 18],
  ])('at %d with %d stages, errors against %d are too many at the end from %d on', (alpha, stages, stable, least) => {
    const rule = { ...RULE, alpha, stages, onInconclusive: 'promote' } as const
    const decisionAt = (canary: number) => verdictOf([stage({ errors: { canary, stable } })], rule).decision
    expect([decisionAt(least - 1), decisionAt(least)]).toEqual(['promote', 'rollback'])
  })

  test('the exact test is of the stage that ends alone', () => {
    const bad = stage({ errors: { canary: 23, stable: 90 } })
    expect(verdictOf([bad], RULE).decision).toBe('rollback')
    expect(verdictOf([bad, stage()], RULE).decision).toBe('hold')
  })
})

test('result codes hold a stage at any look, and errors count before them', () => {
  const codes = new Map([['DENY', { canary: 300, stable: 900 }]])
  for (const time of ['running', 'held', 'over'] as const)
    for (const onInconclusive of ['hold', 'promote'] as const)
      expect(verdictOf([stage({ codes })], { ...RULE, time, onInconclusive })).toMatchObject({
        decision: 'hold',
        reason: 'the candidate gives other result codes',
      })
  expect(verdictOf([stage({ codes, errors: { canary: 60, stable: 90 } })], RULE).decision).toBe('rollback')
})

test.each([
  [999, 'promote'],
  [1000, 'promote'],
  [1001, 'hold'],
] as const)('with at least %d requests wanted, a thousand requests: %s', (minRequests, decision) => {
  const even = stage({ errors: { canary: 100, stable: 900 } })
  expect(verdictOf([even], { ...RULE, minRequests }).decision).toBe(decision)
})

test('requests of earlier stages do not count for the stage that ends', () => {
  const even = stage({ errors: { canary: 100, stable: 900 } })
  const few = stage({ requests: { canary: 10, stable: 90 } })
  expect(verdictOf([even, few], { ...RULE, stages: 2, minRequests: 100 })).toMatchObject({
    decision: 'hold',
    reason: 'the time is over with too few requests (on_inconclusive)',
  })
})

test('without stages there is no evidence', () => {
  expect(verdictOf([], RULE)).toMatchObject({ decision: 'hold', errors: { canary: 0, stable: 0, e: 1 } })
})

test('all of the traffic allows no comparison', () => {
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
  // Not enough at any look except the exact test at the end.
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
