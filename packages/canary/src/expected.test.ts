import { describe, expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../tests/cases.testing.ts'
import { seededRandom } from '../../ruleset/src/random.testing.ts'
import { evidence, OTHER } from './evidence.ts'
import { type ExpectedTransition, FAILED, linkedResults } from './expected.ts'
import { ALPHA, type Changing, EXPECTED_CHANGES, isHeld, OTHER_CHANGES, PART_OF_CODES } from './expected.testing.ts'
import { measuresOf } from './measures.ts'
import { type Sides, type StageCounts, verdictOf } from './verdict.ts'

const NONE: Sides = { canary: 0, stable: 0 }

test.each<[string, readonly ExpectedTransition[], readonly (readonly string[])[]]>([
  ['nothing', [], []],
  ['one transition', [{ from: 'A', to: 'B' }], [['A', 'B']]],
  [
    'two that share no result',
    [
      { from: 'A', to: 'B' },
      { from: 'C', to: 'D' },
    ],
    [
      ['A', 'B'],
      ['C', 'D'],
    ],
  ],
  [
    'a third that links both',
    [
      { from: 'A', to: 'B' },
      { from: 'C', to: 'D' },
      { from: 'D', to: 'A' },
    ],
    [['A', 'B', 'C', 'D']],
  ],
  [
    'both directions',
    [
      { from: 'A', to: 'B' },
      { from: 'B', to: 'A' },
    ],
    [['A', 'B']],
  ],
  ['a failure', [{ from: FAILED, to: 'B' }], [[FAILED, 'B']]],
])('results that are linked by %s', (_, expected, groups) => {
  expect(linkedResults(expected)).toEqual(groups)
})

describe('with a tenth of the requests, of which 1,000 were priced by the live version', () => {
  const stageOf = (
    codes: Readonly<Record<string, readonly [canary: number, stable: number]>>,
    more: Partial<StageCounts> = {},
  ): StageCounts => {
    const sides = new Map(Object.entries(codes).map(([code, [canary, stable]]) => [code, { canary, stable }]))
    const group = [...sides.values()].reduce(
      (sum, { canary, stable }) => ({ canary: sum.canary + canary, stable: sum.stable + stable }),
      NONE,
    )
    const requests = { canary: 150, stable: 1350 }
    return { share: 0.1, requests, errors: NONE, slow: NONE, codes: sides, groups: new Map([[0, group]]), ...more }
  }
  const RULE = { alpha: 0.05, stages: 1, minRequests: 0, time: 'running', onInconclusive: 'hold' } as const
  const DEFAULT: readonly ExpectedTransition[] = [{ from: 'PRICED', to: 'NONE' }]
  const decisionOf = (stage: StageCounts, expected = DEFAULT) => verdictOf([stage], RULE, expected).decision

  test.each<[string, StageCounts, readonly ExpectedTransition[], 'continue' | 'hold']>([
    ['the expected shift, not expected', stageOf({ PRICED: [40, 900], NONE: [110, 450] }), [], 'hold'],
    ['the expected shift', stageOf({ PRICED: [40, 900], NONE: [110, 450] }), DEFAULT, 'continue'],
    ['no shift at all', stageOf({ PRICED: [100, 900], NONE: [50, 450] }), DEFAULT, 'continue'],
    ['all that was priced', stageOf({ PRICED: [0, 900], NONE: [150, 450] }), DEFAULT, 'continue'],
    ['the other direction', stageOf({ PRICED: [140, 900], NONE: [10, 450] }), DEFAULT, 'hold'],
    [
      'a new code',
      stageOf({ PRICED: [60, 900], NONE: [50, 450], NEW: [40, 0] }, { groups: new Map() }),
      DEFAULT,
      'hold',
    ],
    [
      'a code that is linked to none becomes rare',
      stageOf(
        { PRICED: [100, 900], NONE: [90, 450], REQUEST: [0, 450] },
        { groups: new Map([[0, { canary: 190, stable: 1350 }]]) },
      ),
      DEFAULT,
      'hold',
    ],
    [
      'at most a tenth of it: a twentieth',
      stageOf({ PRICED: [95, 900], NONE: [55, 450] }),
      [{ from: 'PRICED', to: 'NONE', share: 0.1 }],
      'continue',
    ],
    [
      'at most a tenth of it: more than a half',
      stageOf({ PRICED: [40, 900], NONE: [110, 450] }),
      [{ from: 'PRICED', to: 'NONE', share: 0.1 }],
      'hold',
    ],
    [
      'at most a half of it, of which all is gone',
      stageOf({ PRICED: [0, 900], NONE: [50, 450] }, { groups: new Map() }),
      [{ from: 'PRICED', to: 'NONE', share: 0.5 }],
      'hold',
    ],
    [
      'at most all of it, of which all is gone',
      stageOf({ PRICED: [0, 900], NONE: [50, 450] }, { groups: new Map() }),
      [{ from: 'PRICED', to: 'NONE', share: 1 }],
      'continue',
    ],
    [
      'two halves are all of it',
      stageOf({ PRICED: [0, 900], NONE: [50, 450] }, { groups: new Map() }),
      [
        { from: 'PRICED', to: 'NONE', share: 0.5 },
        { from: 'PRICED', to: 'REQUEST', share: 0.5 },
      ],
      'continue',
    ],
    [
      'what failed is priced',
      stageOf(
        { PRICED: [150, 900] },
        { errors: { canary: 0, stable: 450 }, groups: new Map([[0, { canary: 150, stable: 1350 }]]) },
      ),
      [{ from: FAILED, to: 'PRICED' }],
      'continue',
    ],
    [
      'more is priced than had failed',
      stageOf(
        { PRICED: [180, 900] },
        { errors: { canary: 0, stable: 90 }, groups: new Map([[0, { canary: 100, stable: 900 }]]) },
      ),
      [{ from: FAILED, to: 'PRICED' }],
      'hold',
    ],
    [
      'the codes agree, and their group does not',
      stageOf({ PRICED: [100, 900], NONE: [50, 450] }, { groups: new Map([[0, { canary: 100, stable: 450 }]]) }),
      DEFAULT,
      'hold',
    ],
  ])('%s', (_, stage, expected, decision) => {
    expect(decisionOf(stage, expected)).toBe(decision)
  })

  test('failures and slow answers count as without it, and the reason names what is expected', () => {
    const many = { canary: 60, stable: 90 }
    expect(decisionOf(stageOf({}, { errors: many }))).toBe('rollback')
    expect(decisionOf(stageOf({}, { slow: many }))).toBe('rollback')
    expect(verdictOf([stageOf({ PRICED: [140, 900], NONE: [10, 450] })], RULE, DEFAULT).reason).toBe(
      'the candidate gives other result codes than expected',
    )
  })

  test('measures have the evidence of the verdict', () => {
    const stages = [stageOf({ PRICED: [40, 900], NONE: [110, 450] })]
    const { codes } = measuresOf(stages, RULE.alpha, DEFAULT)
    expect(codes.e).toBe(verdictOf(stages, RULE, DEFAULT).codes.e)
    expect(codes.e).toBeLessThan(measuresOf(stages, RULE.alpha).codes.e)
  })

  test('a weighted count of the live version is never more evidence than its exact bet', () => {
    for (const share of [0.1, 0.25, 0.9])
      for (const ratio of OTHER.filter((one) => one > 1))
        for (const weight of [0.05, 0.3, 0.5, 0.95]) {
          const scale = 1 + (ratio - 1) * share
          const exact = Math.log((1 + (ratio - 1) * share * (1 - weight)) / scale)
          expect(evidence([{ share, canary: 0, stable: weight }], [ratio])).toBeLessThanOrEqual(exact + 1e-12)
        }
  })
})

const RUNS = casesOf(300)
const random = seededRandom(SEED)

const shareHeld = (changing: Changing): number => {
  let held = 0
  for (let run = 0; run < RUNS; run++) if (isHeld(random, changing, ALPHA)) held++
  return held / RUNS
}

test.each(EXPECTED_CHANGES)('false holds are as rare as alpha says when results change %s', (_, changing) => {
  printSeed(RUNS)
  const most = ALPHA * PART_OF_CODES
  expect(shareHeld(changing)).toBeLessThan(most + 4 * Math.sqrt((most * (1 - most)) / RUNS))
})

test.each(OTHER_CHANGES)('a change %s is found', (_, changing) => {
  expect(shareHeld(changing)).toBeGreaterThan(0.9)
})
