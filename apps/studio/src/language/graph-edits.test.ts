import type { DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import { perform } from './task-runner.ts'

const SET = { id: 'set', type: 'action', assignments: [{ name: 'x', value: 'amount + 1' }], nextStepId: 'end' } as const
const END = { id: 'end', type: 'terminal', code: 'DONE', output: [{ name: 'sum', value: 'amount + $x' }] } as const
const DRAFT: DraftRuleset = { config: { name: 'd' }, startStepId: 'set', steps: [SET, END] }
const SURROUNDINGS = { subRules: {}, contract: undefined, concepts: [] }

const named = (name: string): DraftRuleset => ({ ...DRAFT, steps: [{ ...SET, name }, END] })

test('a merge names the side of each author', async () => {
  const { conflicts } = await perform('merge', { base: DRAFT, mine: named('mine'), theirs: named('theirs') })
  expect(conflicts).toMatchObject([{ path: '/steps/set/name', mine: 'mine', theirs: 'theirs' }])
  expect(await perform('resolve', { draft: named('mine'), conflicts, theirs: ['/steps/set/name'] })).toEqual(
    named('theirs'),
  )
})

test('a renamed field counts the places that had its old name', async () => {
  expect(await perform('renameField', { draft: DRAFT, from: 'amount', to: 'order.total' })).toEqual({
    draft: {
      ...DRAFT,
      steps: [
        { ...SET, assignments: [{ name: 'x', value: 'order.total + 1' }] },
        { ...END, output: [{ name: 'sum', value: 'order.total + $x' }] },
      ],
    },
    places: 2,
  })
  await expect(perform('renameField', { draft: DRAFT, from: 'amount', to: 'a b' })).rejects.toThrow(
    '`a b` is not a path such as order.total',
  )
})

test('steps become a sub-rule of the given name, and come back from it', async () => {
  const extracted = await perform('extract', { draft: DRAFT, steps: ['set'], name: 'inner', within: undefined })
  if (extracted.kind === 'refused') throw new Error(extracted.message)
  const { draft, stepId } = extracted
  expect([Object.keys(draft.subRules ?? {}), draft.startStepId]).toEqual([['inner'], stepId])
  const inlined = await perform('inline', { ...SURROUNDINGS, draft, step: stepId, within: undefined })
  expect(inlined).toMatchObject({
    kind: 'edited',
    draft: { steps: expect.arrayContaining([expect.objectContaining(END)]) },
  })
})

test('a shared sub-rule is inlined as well', async () => {
  const use = {
    id: 'use',
    type: 'sub_rule',
    refName: 'tax',
    bindings: [],
    outputs: [],
    nextStepId: 'end',
  } as const
  const draft: DraftRuleset = { config: { name: 'd' }, startStepId: 'use', steps: [use, END] }
  const tax = {
    startStepId: 'rate',
    steps: [
      { id: 'rate', type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'out' },
      { id: 'out', type: 'terminal', code: 'OUT' },
    ],
  } as const
  const takes = { ...SURROUNDINGS, draft, step: 'use', within: undefined }
  expect((await perform('inline', { ...takes, subRules: { tax } })).kind).toBe('edited')
  expect((await perform('inline', takes)).kind).toBe('refused')
})

test('pasted steps have their new ids; other text is refused with its reason', async () => {
  const text = JSON.stringify({ steps: [SET] })
  const pasted = await perform('paste', { draft: DRAFT, text, within: undefined })
  const refused = await perform('paste', { draft: DRAFT, text: 'no steps', within: undefined })
  expect([pasted, refused]).toMatchObject([
    { kind: 'edited', ids: [expect.any(String)] },
    { kind: 'refused', message: expect.stringMatching(/./) },
  ])
})
