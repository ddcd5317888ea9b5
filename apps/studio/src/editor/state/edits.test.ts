import type { DraftRuleset, DraftStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import {
  variablesOf,
  withInserted,
  withLabel,
  withNewStep,
  withoutPlaces,
  withoutSteps,
  withPlaces,
  withShifted,
  withStep,
} from './edits.ts'

const CHECK: DraftStep = {
  id: 'check',
  name: 'Check',
  type: 'decision',
  branches: [
    { id: 'b1', label: 'high', condition: 'amount > 10', nextStepId: 'end' },
    { id: 'b2', label: 'low', condition: 'amount > 5', nextStepId: 'end' },
  ],
  defaultNextStepId: 'set',
}
const SET: DraftStep = { id: 'set', type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'end' }
const END: DraftStep = { id: 'end', type: 'terminal', code: 'DONE' }
const DRAFT: DraftRuleset = { config: { name: 'd' }, startStepId: 'check', steps: [CHECK, SET, END] }
const stepOf = ({ steps }: DraftRuleset, id: string) => steps.find((step) => step.id === id)

test('a changed step replaces the one of its id and no other', () => {
  const changed = { ...SET, name: 'Changed' }
  expect(withStep(DRAFT, changed)).toEqual({ ...DRAFT, steps: [CHECK, changed, END] })
  expect(withStep(DRAFT, { ...SET, id: 'gone' })).toEqual(DRAFT)
})

describe('a new step', () => {
  test('is the entry of an empty draft alone', () => {
    const empty: DraftRuleset = { config: { name: 'd' }, steps: [] }
    expect(withNewStep(empty, 'terminal', 'End').draft).toMatchObject({ startStepId: 'terminal1' })
    const { draft, id } = withNewStep(DRAFT, 'action', 'More')
    expect([draft.startStepId, id, draft.steps.length, draft.steps.at(-1)]).toEqual([
      'check',
      'action4',
      4,
      { id: 'action4', name: 'More', type: 'action', assignments: [] },
    ])
  })

  test.each<[type: DraftStep['type'], exit: 'nextStepId' | 'defaultNextStepId']>([
    ['action', 'nextStepId'],
    ['sub_rule', 'nextStepId'],
    ['table', 'nextStepId'],
    ['decision', 'defaultNextStepId'],
  ])('of the kind %s on an exit leads by `%s` to the former target', (type, exit) => {
    const { draft, id } = withInserted(DRAFT, 'check', { kind: 'branch', id: 'b2' }, type, 'New')
    expect(stepOf(draft, id)).toMatchObject({ name: 'New', type, [exit]: 'end' })
    expect(stepOf(draft, 'check')).toEqual({
      ...CHECK,
      branches: [CHECK.branches[0], { ...CHECK.branches[1], nextStepId: id }],
    })
  })

  test('on an exit without a target leads nowhere', () => {
    const { nextStepId: _next, ...open } = SET
    const draft = { ...DRAFT, steps: [CHECK, open, END] }
    const { draft: grown, id } = withInserted(draft, 'set', { kind: 'next' }, 'action', 'New')
    expect([stepOf(grown, 'set'), stepOf(grown, id)]).toEqual([
      { ...open, nextStepId: id },
      { id, name: 'New', type: 'action', assignments: [] },
    ])
  })
})

test('exits to removed steps lead on to what followed them', () => {
  expect(withoutSteps(DRAFT, ['set']).steps).toEqual([{ ...CHECK, defaultNextStepId: 'end' }, END])
  expect(withoutSteps(DRAFT, ['gone'])).toEqual(DRAFT)
  expect(withoutSteps(DRAFT, ['set', 'end']).steps.map(({ id }) => id)).toEqual(['check'])
})

describe('the position of a step', () => {
  function at(step: DraftStep, x: number, y: number): DraftStep {
    const placed: object = { position: { x, y } }
    return { ...step, ...placed }
  }

  test('is stored in whole pixels for the moved steps alone', () => {
    const moved = withPlaces(DRAFT, new Map([['set', { x: 10.4, y: 20.6 }]]))
    expect(moved.steps).toEqual([CHECK, at(SET, 10, 21), END])
    expect(moved.steps[0]).toBe(CHECK)
  })

  test('is removed from all steps at once', () => {
    expect(withoutPlaces({ ...DRAFT, steps: [at(CHECK, 1, 2), SET, at(END, 3, 4)] })).toEqual(DRAFT)
    expect(withoutPlaces(DRAFT)).toBe(DRAFT)
  })

  test('of a copy is beside its original; steps that the layout places stay with it', () => {
    const draft = { ...DRAFT, steps: [at(CHECK, 1, 2), at(SET, 10, 20), END] }
    expect(withShifted(draft, new Set(['set', 'end'])).steps).toEqual([at(CHECK, 1, 2), at(SET, 58, 68), END])
  })
})

test.each<[name: string, id: string, branch: string | undefined, text: string, changed: DraftRuleset]>([
  ['a name', 'set', undefined, 'Set', { ...DRAFT, steps: [CHECK, { ...SET, name: 'Set' }, END] }],
  [
    'a label of one branch',
    'check',
    'b2',
    'small',
    {
      ...DRAFT,
      steps: [{ ...CHECK, branches: [CHECK.branches[0]!, { ...CHECK.branches[1]!, label: 'small' }] }, SET, END],
    },
  ],
  [
    'no label of a branch',
    'check',
    'b1',
    '',
    {
      ...DRAFT,
      steps: [
        { ...CHECK, branches: [{ id: 'b1', condition: 'amount > 10', nextStepId: 'end' }, CHECK.branches[1]!] },
        SET,
        END,
      ],
    },
  ],
  ['nothing for a step that is not there', 'gone', undefined, 'Set', DRAFT],
  ['nothing for a branch of a step without branches', 'set', 'b1', 'small', DRAFT],
])('the map changes %s', (_name, id, branch, text, changed) => {
  expect(withLabel(DRAFT, id, branch, text)).toEqual(changed)
})

test('an empty name is removed', () => {
  expect(stepOf(withLabel(DRAFT, 'check', undefined, ''), 'check')).not.toHaveProperty('name')
})

test('variables are what actions, calls, results of tables and outputs of sub-rules set, each once', () => {
  const steps: readonly DraftStep[] = [
    {
      id: 'a',
      type: 'action',
      assignments: [{ name: 'x', value: '1' }, { value: '2' }],
      externalCalls: [{ service: 's', method: 'm', resultVariable: 'called' }],
    } as unknown as DraftStep,
    {
      id: 't',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'c1', kind: 'input', field: 'amount' },
        { id: 'c2', kind: 'output', field: 'fee' },
        { id: 'c3', kind: 'output', field: '' },
      ],
      rows: [],
    },
    { id: 's', type: 'sub_rule', bindings: [], outputs: [{ childVar: 'inner', parentVar: 'outer' }] },
    { id: 'b', type: 'action', assignments: [{ name: 'x', value: '3' }] },
    END,
  ]
  expect(variablesOf({ ...DRAFT, steps })).toEqual(['x', 'called', 'fee', 'outer'])
})
