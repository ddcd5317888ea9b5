import type { Case, DraftRuleset, DraftStep, TableStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { perform } from '../language/task-runner.ts'
import type { LocalStep } from '../language/tasks.ts'
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

const step = (path: string, taken?: string) =>
  ({ path, branches: taken === undefined ? [] : [{ path: taken, taken: true }] }) as unknown as LocalStep

test.each<[name: string, table: Partial<TableStep>, taken: string | undefined, port: string]>([
  ['no row, with a default', { defaultNextStepId: 'end' }, undefined, 'default'],
  ['no row, without a default', {}, undefined, 'next'],
  ['no row, collecting', { hitPolicy: 'collect', defaultNextStepId: 'end' }, undefined, 'next'],
  ['a row without a target', { defaultNextStepId: 'end' }, '/steps/0/rows/0', 'next'],
  ['a row with a target', {}, '/steps/0/rows/1', 'row:r2'],
  ['a later row with the same target', {}, '/steps/0/rows/2', 'row:r2'],
])('a table is left by its exit for %s', (_name, more, taken, port) => {
  const table: TableStep = {
    id: 't',
    type: 'table',
    hitPolicy: 'first',
    columns: [],
    rows: [
      { id: 'r1', cells: {} },
      { id: 'r2', cells: {}, nextStepId: 'end' },
      { id: 'r3', cells: {}, nextStepId: 'end' },
    ],
    nextStepId: 'end',
    ...more,
  }
  const draft: DraftRuleset = { config: { name: 'd' }, steps: [table, { id: 'end', type: 'terminal', code: 'DONE' }] }
  expect(visitsOf(openGraph(draft, undefined, {}), [step('/steps/0', taken)]).get('t')?.port).toBe(port)
})

test('a step of a loop has its last visit, with its place in the execution', () => {
  const visits = visitsOf(openGraph(DRAFT, undefined, {}), [step('/steps/0'), step('/steps/2'), step('/steps/0')])
  expect([...visits].map(([id, { order }]) => [id, order])).toEqual([
    ['rows', 2],
    ['check', 3],
  ])
})

test('of several steps that use a sub-rule the one that was entered last has its steps', () => {
  const use = (id: string): DraftStep => ({ id, type: 'sub_rule', refName: 'tax', bindings: [], outputs: [] })
  const draft: DraftRuleset = { ...DRAFT, steps: [use('a'), use('b'), use('c')] }
  const visited = (...paths: readonly string[]) =>
    [
      ...visitsOf(
        openGraph(draft, undefined, {}),
        paths.map((path) => step(path)),
      ),
    ].map(([id, { order }]) => [id, order])
  expect(visited('/subRules/tax/steps/0')).toEqual([['a', 1]])
  expect(visited('/steps/1', '/subRules/tax/steps/0')).toEqual([['b', 2]])
  expect(visited('/steps/0', '/steps/1', '/subRules/tax/steps/0', '/subRules/tax/steps/2')).toEqual([
    ['a', 1],
    ['b', 4],
  ])
})
