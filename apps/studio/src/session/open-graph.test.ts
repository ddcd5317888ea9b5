import type { DraftGraph, DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import { openGraph, putBack, stepAt, usesSubRule } from './open-graph.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'd' },
  startStepId: 'use',
  steps: [{ id: 'use', type: 'sub_rule', refName: 'a/b', bindings: [], outputs: [] }],
  subRules: {
    'a/b': { startStepId: 'use', steps: [{ id: 'use', type: 'sub_rule', refName: 'c', bindings: [], outputs: [] }] },
    c: { steps: [{ id: 'end', type: 'terminal', code: 'DONE' }] },
  },
}

test('a sub-rule is shown as a draft, and its changed steps are put back where they were', () => {
  const { draft, prefix, isOwn } = openGraph(DRAFT, 'c', {})
  expect([draft.steps, draft.startStepId, prefix, isOwn]).toEqual([
    DRAFT.subRules?.['c']?.steps,
    undefined,
    '/subRules/c',
    true,
  ])
  const changed = { ...draft, startStepId: 'end', steps: [{ id: 'end', type: 'terminal', code: 'OTHER' }] } as const
  const back = putBack(DRAFT, 'c', changed)
  expect(back).toEqual({
    ...DRAFT,
    subRules: { ...DRAFT.subRules, c: { startStepId: 'end', steps: changed.steps } },
  })
  expect(back.steps).toBe(DRAFT.steps)
})

test('a view of a sub-rule that the draft does not have changes nothing', () => {
  const { draft } = openGraph(DRAFT, 'shared', { shared: { steps: [] } })
  expect(putBack(DRAFT, 'shared', { ...draft, config: { name: 'other' } })).toBe(DRAFT)
  expect(putBack(DRAFT, 'constructor', { ...draft, steps: [] })).toBe(DRAFT)
  const changed = { ...DRAFT, startStepId: 'other' }
  expect(putBack(DRAFT, undefined, changed)).toBe(changed)
})

test('changes outside the steps of a sub-rule are kept', () => {
  const { draft } = openGraph(DRAFT, 'c', {})
  const { c, ...others } = DRAFT.subRules ?? {}
  const extracted = { ...draft, subRules: { ...others, c: c as DraftGraph, d: { steps: [] } } }
  expect(putBack(DRAFT, 'c', extracted)).toEqual({ ...DRAFT, subRules: { ...DRAFT.subRules, d: { steps: [] } } })
})

test('the ruleset itself is shown when there is no sub-rule of the name', () => {
  expect(openGraph(DRAFT, undefined, {})).toEqual({ within: undefined, draft: DRAFT, prefix: '', isOwn: true })
  expect(openGraph(DRAFT, 'gone', {}).draft).toBe(DRAFT)
  expect(openGraph(DRAFT, 'shared', { shared: { steps: [] } })).toMatchObject({ within: 'shared', isOwn: false })
})

test('a pointer leads to its step, also in a sub-rule whose name has a slash', () => {
  expect(stepAt(DRAFT, '/subRules/a~1b/steps/0/refName')).toEqual({ within: 'a/b', id: 'use' })
  expect(stepAt(DRAFT, '/steps/0')).toEqual({ within: undefined, id: 'use' })
  expect(stepAt(DRAFT, '/steps/7')).toBeUndefined()
  expect(stepAt(DRAFT, '/config/name')).toBeUndefined()
})

test.each(['/subRules/gone/steps/0', '/subRules/constructor/steps/0', '/steps/-1', '', '/subRules/c'])(
  'the pointer %j leads to no step',
  (path) => {
    expect(stepAt(DRAFT, path)).toBeUndefined()
  },
)

test('a sub-rule of the draft is shown instead of a shared one of its name', () => {
  const shared = { c: { steps: [] } }
  expect(openGraph(DRAFT, 'c', shared)).toMatchObject({ isOwn: true, draft: { steps: DRAFT.subRules?.['c']?.steps } })
  const { subRules: _, ...without } = DRAFT
  expect(openGraph(without, 'c', shared)).toMatchObject({ isOwn: false, draft: { steps: [] } })
  expect(openGraph(without, 'gone', shared).within).toBeUndefined()
})

test('a sub-rule that uses itself, or names none, ends', () => {
  const loop: DraftRuleset = {
    ...DRAFT,
    subRules: {
      a: { steps: [{ id: 'use', type: 'sub_rule', refName: 'a', bindings: [], outputs: [] }] },
      b: {
        steps: [
          { id: 'end', type: 'terminal', code: 'DONE' },
          { id: 'use', type: 'sub_rule', bindings: [], outputs: [] },
        ],
      },
    },
  }
  expect([usesSubRule(loop, 'a', 'b'), usesSubRule(loop, 'b', 'a'), usesSubRule(loop, 'gone', 'a')]).toEqual([
    false,
    false,
    false,
  ])
})

test('a sub-rule uses another through a third', () => {
  expect([usesSubRule(DRAFT, 'a/b', 'c'), usesSubRule(DRAFT, 'c', 'a/b'), usesSubRule(DRAFT, 'c', 'c')]).toEqual([
    true,
    false,
    true,
  ])
})
