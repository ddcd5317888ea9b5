import { expect, test } from 'vitest'
import { measuresOf } from './measures.ts'
import { type StageCounts, verdictOf } from './verdict.ts'

const NONE = { canary: 0, stable: 0 }
const RULE = { stages: 1, minRequests: 0, time: 'running', onInconclusive: 'hold' } as const
const stage = (more: Partial<StageCounts>): StageCounts => ({
  share: 0.1,
  requests: { canary: 100, stable: 900 },
  errors: NONE,
  slow: NONE,
  codes: new Map(),
  groups: new Map(),
  ...more,
})

test('measures are those of the verdict, and reach their alarm with it', () => {
  for (const alpha of [0.01, 0.05])
    for (let canary = 0; canary < 30; canary++)
      for (const [guard, stages] of [
        ['errors', [stage({ errors: { canary, stable: 9 } })]],
        ['latency', [stage({ slow: { canary, stable: 9 } })]],
        ['codes', [stage({ codes: new Map([['DENY', { canary, stable: 9 }]]) })]],
      ] as const) {
        const verdict = verdictOf(stages, { ...RULE, alpha })
        const measures = measuresOf(stages, alpha)
        expect(measures).toMatchObject({
          requests: verdict.requests,
          errors: verdict.errors,
          latency: verdict.latency,
          codes: verdict.codes,
        })
        const isAlarm = verdict.decision !== 'continue'
        expect(measures[guard].e >= measures[guard].alarm, `${guard} ${canary}`).toBe(isAlarm)
      }
})

test.each([
  ['one stage', [stage({ errors: { canary: 2, stable: 9 } })]],
  ['no event', [stage({})]],
  [
    'two stages',
    [stage({ errors: { canary: 1, stable: 30 } }), stage({ share: 0.5, errors: { canary: 4, stable: 5 } })],
  ],
] as const)('the number of events that is an alarm is the least one: %s', (_name, stages) => {
  const { alarm_at: at, canary } = measuresOf(stages, 0.01).errors
  const isAlarm = (more: number) => {
    const [last] = stages.slice(-1)
    const errors = { ...NONE, ...last?.errors }
    const counted = [...stages.slice(0, -1), stage({ ...last, errors: { ...errors, canary: errors.canary + more } })]
    const { e, alarm } = measuresOf(counted, 0.01).errors
    return e >= alarm
  }
  if (at === null) throw new Error('no number is an alarm')
  expect(isAlarm(at - canary)).toBe(true)
  expect(isAlarm(at - canary - 1)).toBe(false)
})

test('events that only the candidate can have are never an alarm', () => {
  expect(measuresOf([stage({ share: 1 })], 0.01).errors.alarm_at).toBeNull()
  expect(measuresOf([], 0.01).errors.alarm_at).toBeNull()
})
