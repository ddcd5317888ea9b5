import { decodeRuleset, inspect } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { testHost } from '../../../ruleset/src/host.testing.ts'
import { convertDraft } from '../convert/convert.ts'
import type { DraftGraph, DraftRuleset, DraftStep, HitPolicy } from '../draft/model.ts'
import { tracedSteps } from './step-trace.ts'

const table = (hitPolicy: HitPolicy): DraftStep => ({
  id: 'grade',
  type: 'table',
  hitPolicy,
  columns: [
    { id: 'age', kind: 'input', field: 'age' },
    { id: 'limit', kind: 'output', field: 'limit' },
  ],
  rows: [
    { id: 'young', cells: { age: '< 18', limit: '1' } },
    { id: 'adult', cells: { age: '>= 18', limit: '2' } },
  ],
  nextStepId: 'end',
})
const END: DraftStep = { id: 'end', type: 'terminal', code: 'OK' }

async function traced(draft: DraftRuleset, subRules?: ReadonlyMap<string, DraftGraph>) {
  const converted = convertDraft(draft, subRules === undefined ? {} : { subRules })
  const { ruleset } = decodeRuleset(converted.ruleset ?? {})
  if (ruleset === undefined) throw new Error(JSON.stringify(converted.problems))
  return tracedSteps(await inspect(ruleset, testHost(), { age: 20 }), draft, converted)
}

describe('a trace has the variables of the draft and the path taken', () => {
  test.each<readonly [HitPolicy, string | undefined, unknown]>([
    ['first', 'adult', 2],
    ['unique', 'adult', 2],
    ['collect', undefined, [2]],
  ])('of a table with the hit policy %s', async (policy, branch, limit) => {
    const draft = { config: { name: 'x' }, startStepId: 'grade', steps: [table(policy), END] }
    const [step] = await traced(draft)
    expect([step?.id, step?.type]).toEqual(['grade', 'table'])
    expect(step?.branch).toBe(branch)
    expect(step?.values).toEqual({ limit })
  })

  test('of a decision; its default has no id', async () => {
    const decision = (condition: string): DraftRuleset => ({
      config: { name: 'x' },
      startStepId: 'd',
      steps: [
        {
          id: 'd',
          type: 'decision',
          branches: [{ id: 'b1', condition, nextStepId: 'end' }],
          defaultNextStepId: 'end',
        },
        END,
      ],
    })
    expect((await traced(decision('age > 5')))[0]?.branch).toBe('b1')
    expect(Object.hasOwn((await traced(decision('age > 50')))[0] ?? {}, 'branch')).toBe(false)
  })

  test('of a table in a sub-rule, of the draft and of the project', async () => {
    const graph: DraftGraph = { startStepId: 'grade', steps: [table('collect'), END] }
    const use: DraftStep = {
      id: 'use',
      type: 'sub_rule',
      refName: 'part',
      bindings: [{ field: 'age', expr: 'age' }],
      outputs: [{ parentVar: 'limits', childVar: 'limit' }],
      nextStepId: 'end',
    }
    const draft = { config: { name: 'x' }, startStepId: 'use', steps: [use, END] }
    for (const steps of [
      await traced({ ...draft, subRules: { part: graph } }),
      await traced(draft, new Map([['part', graph]])),
    ]) {
      const values = steps.at(-1)?.values ?? {}
      expect(values['limits']).toEqual([2])
      const generated = Object.keys(values).filter((name) => /matches|rows/.test(name))
      expect(generated).toEqual([])
    }
  })
})
