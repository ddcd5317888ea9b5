import { convertDraft, type DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { freshId, idMaker, newDraft, newStep, newTableDraft } from './new-draft.ts'

test('a new ruleset has its name and converts without a problem', () => {
  const draft = newDraft('limit')
  const { ruleset, problems } = convertDraft(draft)
  expect([draft.config.name, problems]).toEqual(['limit', []])
  expect(Object.keys(ruleset?.['steps'] as object)).toEqual(['check', 'accepted', 'declined'])
})

test('a new ruleset decides by one question', () => {
  const { steps, startStepId } = newDraft('limit')
  expect([startStepId, steps]).toEqual([
    'check',
    [
      {
        id: 'check',
        name: 'Is it enough?',
        type: 'decision',
        branches: [{ id: 'b1', condition: 'amount >= 100', nextStepId: 'accepted' }],
        defaultNextStepId: 'declined',
      },
      { id: 'accepted', name: 'Accepted', type: 'terminal', code: 'ACCEPTED', message: "'enough'" },
      { id: 'declined', name: 'Declined', type: 'terminal', code: 'DECLINED', message: "'not enough'" },
    ],
  ])
})

test('a new table decides by its rows, and names the inputs that match none', () => {
  const draft = newTableDraft('prices')
  const { ruleset, problems } = convertDraft(draft)
  expect([draft.config, draft.startStepId, problems.filter(({ severity }) => severity === 'error')]).toEqual([
    { name: 'prices', version: '0.1.0', numbers: 'decimal' },
    'table',
    [],
  ])
  expect(ruleset).toBeDefined()
  expect(draft.steps).toEqual([
    { ...newStep('table', 'table', 'prices'), nextStepId: 'decided', defaultNextStepId: 'no_match' },
    {
      id: 'decided',
      name: 'Decided',
      type: 'terminal',
      code: 'DECIDED',
      output: [{ name: 'result', value: '$result' }],
    },
    { id: 'no_match', name: 'No row matches', type: 'terminal', code: 'NO_MATCH' },
  ])
})

test.each<[type: DraftStep['type'], more: object]>([
  ['decision', { branches: [] }],
  ['action', { assignments: [] }],
  ['terminal', { code: 'CODE' }],
  ['sub_rule', { bindings: [], outputs: [] }],
  [
    'table',
    {
      hitPolicy: 'first',
      columns: [
        { id: 'c1', kind: 'input', field: 'amount' },
        { id: 'c2', kind: 'output', field: 'result' },
      ],
      rows: [{ id: 'r1', cells: {} }],
    },
  ],
])('a new step of the kind %s is empty', (type, more) => {
  expect(newStep(type, 's1', 'First')).toEqual({ id: 's1', name: 'First', type, ...more })
})

test.each<[taken: readonly string[], fresh: string]>([
  [[], 'r1'],
  [['r1'], 'r2'],
  [['r2'], 'r3'],
  [['x', 'y'], 'r3'],
  [['r1', 'r3', 'r4'], 'r5'],
])('beside %j a fresh id is %s', (taken, fresh) => {
  expect([freshId('r', taken), idMaker('r', taken)()]).toEqual([fresh, fresh])
})

test('successive ids leave out those that are taken', () => {
  const next = idMaker('r', ['r3', 'r5'])
  expect([next(), next(), next()]).toEqual(['r4', 'r6', 'r7'])
})
