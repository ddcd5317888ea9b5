import type { Case, DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import { perform } from '../language/task-runner.ts'
import { openGraph } from '../session/open-graph.ts'
import { coverageIn } from './coverage.ts'
import { rowsIn, visitsOf } from './trace.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'd', version: '1.0.0' },
  startStepId: 'check',
  steps: [
    {
      id: 'check',
      type: 'decision',
      branches: [{ id: 'small', condition: 'amount < 10', nextStepId: 'end' }],
      defaultNextStepId: 'use',
    },
    {
      id: 'use',
      type: 'sub_rule',
      refName: 'tax',
      bindings: [{ field: 'sum', expr: 'amount' }],
      outputs: [{ childVar: 'rate', parentVar: 'rate' }],
      nextStepId: 'rows',
    },
    {
      id: 'rows',
      type: 'table',
      hitPolicy: 'collect',
      columns: [
        { id: 'a', kind: 'input', field: 'amount' },
        { id: 'b', kind: 'output', field: 'found' },
      ],
      rows: [
        { id: 'r1', cells: { a: '>= 10', b: '1' } },
        { id: 'r2', cells: { a: '>= 20', b: '2' } },
        { id: 'r3', cells: { a: '>= 90', b: '3' } },
      ],
      nextStepId: 'end',
    },
    { id: 'end', type: 'terminal', code: 'DONE' },
  ],
  subRules: {
    tax: {
      startStepId: 'check',
      steps: [
        {
          id: 'check',
          type: 'decision',
          branches: [{ id: 'x', condition: 'sum > 50', nextStepId: 'high' }],
          defaultNextStepId: 'low',
        },
        { id: 'high', type: 'action', assignments: [{ name: 'rate', value: '2' }], nextStepId: 'out' },
        { id: 'low', type: 'action', assignments: [{ name: 'rate', value: '1' }], nextStepId: 'out' },
        { id: 'out', type: 'terminal', code: 'OUT' },
      ],
    },
  },
}
const SUBJECT = { draft: DRAFT, subRules: {}, contract: undefined, concepts: [] }
const CASES = [5, 15, 25].map((amount): Case => ({ name: `${amount}`, input: { amount }, expect: { code: 'DONE' } }))

test('cases are counted at steps, exits and rows, in the ruleset and in its sub-rule of equal ids', async () => {
  const outcome = await perform('cases', { ...SUBJECT, cases: CASES })
  if (outcome.kind !== 'ran') throw new Error(JSON.stringify(outcome.problems))
  expect(outcome.cases.map(({ failures }) => failures)).toEqual([[], [], []])
  const root = coverageIn(openGraph(DRAFT, undefined, {}), outcome)
  expect(root.get('check')).toMatchObject({
    count: 3,
    ways: new Map([
      ['branch:small', 1],
      ['default', 2],
    ]),
  })
  expect(root.get('use')?.count).toBe(2)
  expect(root.get('rows')).toMatchObject({ count: 2, rows: [2, 1, 0] })
  const inner = coverageIn(openGraph(DRAFT, 'tax', {}), outcome)
  expect([...inner].map(([id, { count }]) => [id, count])).toEqual([
    ['check', 2],
    ['high', 0],
    ['low', 2],
    ['out', 2],
  ])
})

test('an execution is shown at the steps of the open graph, that of a sub-rule at the step that uses it', async () => {
  const outcome = await perform('run', { ...SUBJECT, input: { amount: 25 } })
  if (outcome.kind !== 'ran') throw new Error(JSON.stringify(outcome.problems))
  const { steps, parts } = outcome.run
  const root = openGraph(DRAFT, undefined, {})
  expect([...visitsOf(root, steps)].map(([id, { port }]) => [id, port])).toEqual([
    ['check', 'default'],
    ['use', 'next'],
    ['rows', 'next'],
    ['end', undefined],
  ])
  expect([...visitsOf(root, steps.slice(0, 1)).keys()]).toEqual(['check'])
  expect([...visitsOf(openGraph(DRAFT, 'tax', {}), steps).keys()]).toEqual(['check', 'low', 'out'])
  expect([...rowsIn(root, 'rows', parts)]).toEqual([0, 1])
})
