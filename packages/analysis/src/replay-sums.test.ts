import type { Value } from '@engine/expression'
import type { Ruleset } from '@engine/ruleset'
import { expect, test } from 'vitest'
import { maxChangedGate } from './impact.ts'
import { addReplayed, NOTHING_REPLAYED, replay, ReplayedVersions } from './replay.ts'
import { action, decision, result, rulesetOf } from './reports.testing.ts'

/** Two prices by weight. Other values than numbers fail; `label` is a text. */
const pricing = (limit: number, price: string, more: readonly Value[] = []) =>
  rulesetOf({
    d: decision([[`weight > ${limit}`, 'heavy']], 'light'),
    heavy: result('HEAVY', { output: [['price', price], ['label', '"h"'], ...more] }),
    light: result('LIGHT', {
      output: [
        ['price', '5'],
        ['label', '"l"'],
      ],
    }),
  })

const BEFORE = pricing(10, '9', [['fee', '1']])
const AFTER = pricing(8, 'weight', [['fee', '"none"']])

const RECORDS = [
  { input: { weight: 1 }, code: 'LIGHT' },
  { input: { weight: 9 } },
  { input: { weight: 10, id: 1 } },
  { input: { weight: 10, id: 2 } },
  { input: { weight: 10, id: 3 } },
  { input: { weight: 20 }, code: 'HEAVY' },
  { input: { weight: 5 }, code: 'HEAVY' },
  { input: { weight: 6 }, code: 'HEAVY' },
  { input: { weight: 'x' } },
  { input: { weight: 2 }, isRefused: true },
]

const WHOLE = {
  total: 10,
  replayed: 7,
  changed: 5,
  share: 5 / 7,
  transitions: [
    {
      from: 'LIGHT',
      to: 'HEAVY',
      count: 4,
      examples: [{ weight: 9 }, { weight: 10, id: 1 }, { weight: 10, id: 2 }],
    },
    { from: 'HEAVY', to: 'HEAVY', count: 1, examples: [{ weight: 20 }] },
  ],
  codes: [
    { code: 'LIGHT', before: 5, after: 1 },
    { code: 'HEAVY', before: 1, after: 5 },
    { code: 'error:wrong-type', before: 1, after: 1 },
  ],
  not_replayed: [{ reason: 'the old version does not decide what was recorded', count: 3 }],
  amounts: [
    {
      output: 'price',
      count: 6,
      before: { sum: 34, mean: 34 / 6 },
      after: { sum: 64, mean: 64 / 6 },
      largest: { change: 11, example: { weight: 20 } },
      spread: [
        { change: 4, count: 1 },
        { change: 5, count: 3 },
        { change: 11, count: 1 },
      ],
    },
  ],
}

test('a replay counts results, transitions and amounts', () => {
  const { interval, ...counts } = replay(BEFORE, AFTER, RECORDS)
  expect(counts).toEqual(WHOLE)
  // Wilson's interval of five in seven.
  expect(interval[0]).toBeCloseTo(0.358_9, 4)
  expect(interval[1]).toBeCloseTo(0.917_8, 4)
})

test.each([[0], [1], [2], [5], [7], [10]])('parts before and after record %d have the sums of the whole', (at) => {
  const parts = addReplayed(replay(BEFORE, AFTER, RECORDS.slice(0, at)), replay(BEFORE, AFTER, RECORDS.slice(at)))
  expect(parts).toEqual(replay(BEFORE, AFTER, RECORDS))
})

test('nothing was replayed before the first record', () => {
  expect(replay(BEFORE, AFTER, [])).toEqual(NOTHING_REPLAYED)
  const whole = replay(BEFORE, AFTER, RECORDS)
  expect(addReplayed(NOTHING_REPLAYED, whole)).toEqual(whole)
  expect(addReplayed(whole, NOTHING_REPLAYED)).toEqual(whole)
})

test.each([
  [0, 1, [0, 0.793_5]],
  [1, 1, [0.206_5, 1]],
  [5, 10, [0.236_6, 0.763_4]],
])('%d changes of %d records: the interval is %j', (changed, total, [low = 0, high = 0]) => {
  const records = Array.from({ length: total }, (_, index) => ({ input: { weight: index < changed ? 20 : 1 } }))
  const [least, most] = replay(BEFORE, AFTER, records).interval
  expect(least).toBeCloseTo(low, 4)
  expect(most).toBeCloseTo(high, 4)
})

test('the largest change may be a decrease, and of equal ones the first', () => {
  const cheaper = pricing(10, '25 - weight')
  const { amounts } = replay(
    BEFORE,
    cheaper,
    [11, 20, 22, 10].map((weight) => ({ input: { weight } })),
  )
  expect(amounts[0]?.largest).toEqual({ change: -6, example: { weight: 22 } })
  expect(amounts[0]?.spread.map(({ change }) => change)).toEqual([-6, -4, 5])
})

test('a record without a time is replayed at the time 0', () => {
  const [before, after] = ['now_millis() == 0', 'now_millis() == 7'].map((condition) =>
    rulesetOf({ d: decision([[condition, 'X']], 'N') }),
  ) as [Ruleset, Ruleset]
  const transitionsOf = (more: object) =>
    replay(before, after, [{ input: {}, ...more }]).transitions.map(({ from, to }) => `${from} > ${to}`)
  expect([transitionsOf({}), transitionsOf({ now: 7 })]).toEqual([['X > N'], ['N > X']])
})

test.each([
  ['double', 'double', 'double'],
  ['decimal', 'double', 'decimal'],
  ['double', 'decimal', 'decimal'],
  ['decimal', 'decimal', 'decimal'],
])('records of versions with %s and %s are read as %s', (before, after, expected) => {
  const [one, other] = [before, after].map((numbers) => rulesetOf({ d: action({}, 'X') }, { numbers }))
  expect(new ReplayedVersions(one as never, other as never).numbers).toBe(expected)
})

test.each([
  [0.72, 'max-changed 72%', 'proved', undefined],
  [5 / 7, 'max-changed 71.4285714286%', 'proved', undefined],
  [0.7, 'max-changed 70%', 'refuted', { input: { weight: 9 } }],
  [0, 'max-changed 0%', 'refuted', { input: { weight: 9 } }],
])('at most %d changed: %s is %s', (most, gate, verdict, witness) => {
  const found = maxChangedGate(most, replay(BEFORE, AFTER, RECORDS))
  expect(found).toEqual({ gate, verdict, ...(witness === undefined ? {} : { witness }) })
})

test.each([[undefined], [NOTHING_REPLAYED], [replay(BEFORE, AFTER, RECORDS.slice(6, 8))]])(
  'whether a share is kept is unknown where nothing was replayed: %#',
  (replayed) => {
    expect(maxChangedGate(1, replayed)).toEqual({ gate: 'max-changed 100%', verdict: 'unknown' })
  },
)

test('the most frequent transitions and results come first, whichever version has them', () => {
  const before = rulesetOf({
    d: decision(
      [
        ['n == 1', 'X'],
        ['n == 2', 'Y'],
      ],
      'Z',
    ),
  })
  const after = rulesetOf({
    d: decision(
      [
        ['n == 1', 'Y'],
        ['n == 2', 'Z'],
      ],
      'N',
    ),
  })
  const { transitions, codes } = replay(
    before,
    after,
    [1, 2, 2, 3, 3, 3].map((n) => ({ input: { n } })),
  )
  expect(transitions.map(({ from, to, count }) => `${from} > ${to}: ${count}`)).toEqual([
    'Z > N: 3',
    'Y > Z: 2',
    'X > Y: 1',
  ])
  expect(codes.map(({ code, before: old, after: young }) => `${code} ${old} ${young}`)).toEqual([
    'Z 3 2',
    'N 0 3',
    'Y 2 1',
    'X 1 0',
  ])
})

test('of equally large changes in two parts the first is shown, and the larger one of either', () => {
  const changeOf = (...parts: readonly number[]) =>
    parts
      .map((weight) => replay(BEFORE, pricing(10, '25 - weight'), [{ input: { weight } }]))
      .reduce(addReplayed)
      .amounts.map(({ largest }) => largest)
  expect(changeOf(13, 19)).toEqual([{ change: 3, example: { weight: 13 } }])
  expect(changeOf(19, 13)).toEqual([{ change: -3, example: { weight: 19 } }])
  expect(changeOf(11, 13)).toEqual([{ change: 5, example: { weight: 11 } }])
  expect(changeOf(13, 11)).toEqual([{ change: 5, example: { weight: 11 } }])
})

test('an output with the name of a method counts where both versions have it', () => {
  const other = rulesetOf({ d: decision([['true', 'X']], 'N'), X: result('X', { output: [['constructor', '1']] }) })
  const without = rulesetOf({ d: decision([['true', 'X']], 'N') })
  expect(replay(other, other, [{ input: {} }]).amounts).toMatchObject([{ output: 'constructor', count: 1 }])
  expect(replay(other, without, [{ input: {} }]).amounts).toEqual([])
})
