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
