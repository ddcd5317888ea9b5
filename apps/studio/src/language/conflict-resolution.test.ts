import type { DraftRuleset, MergeConflict } from '@engine/authoring'
import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { withTheirs } from './conflict-resolution.ts'

const SET = { id: 'set', type: 'action', assignments: [{ name: 'x', value: '1' }], nextStepId: 'end' } as const
const END = { id: 'end', name: 'Mine', type: 'terminal', code: 'MINE' } as const
const DRAFT: DraftRuleset = {
  config: { name: 'd', description: 'mine' },
  startStepId: 'set',
  steps: [SET, END],
}

const conflict = (path: string, theirs: Value): MergeConflict => ({ path, base: null, mine: null, theirs })

test.each<[name: string, conflicts: readonly (readonly [path: string, theirs: Value])[], changed: DraftRuleset]>([
  ['a member', [['/config/description', 'theirs']], { ...DRAFT, config: { name: 'd', description: 'theirs' } }],
  ['a removed member', [['/config/description', null]], { ...DRAFT, config: { name: 'd' } }],
  [
    'a member of a step, by its id',
    [['/steps/end/code', 'THEIRS']],
    { ...DRAFT, steps: [SET, { ...END, code: 'THEIRS' }] },
  ],
  [
    'an item without an id, by its position',
    [['/steps/set/assignments/0/value', '2']],
    { ...DRAFT, steps: [{ ...SET, assignments: [{ name: 'x', value: '2' }] }, END] },
  ],
  ['a removed step', [['/steps/set', null]], { ...DRAFT, steps: [END] }],
  ['a removed step that mine lacks too', [['/steps/gone', null]], DRAFT],
  [
    'a step that mine lacks',
    [['/steps/more', { id: 'more', type: 'terminal', code: 'MORE' }]],
    { ...DRAFT, steps: [SET, END, { id: 'more', type: 'terminal', code: 'MORE' }] },
  ],
  ['nothing within a step that mine lacks', [['/steps/gone/code', 'THEIRS']], DRAFT],
  ['nothing within a text', [['/startStepId/code', 'THEIRS']], DRAFT],
  [
    'a member of an object that mine lacks',
    [['/subRules/tax', { steps: [END] }]],
    { ...DRAFT, subRules: { tax: { steps: [END] } } },
  ],
  [
    'two members',
    [
      ['/steps/end/code', 'THEIRS'],
      ['/steps/end/name', null],
    ],
    { ...DRAFT, steps: [SET, { id: 'end', type: 'terminal', code: 'THEIRS' }] },
  ],
  ['a draft that is none is refused', [['/steps', 'none']], DRAFT],
])('their side of a conflict: %s', (_name, given, changed) => {
  const conflicts = given.map(([path, theirs]) => conflict(path, theirs))
  expect(
    withTheirs(
      DRAFT,
      conflicts,
      conflicts.map(({ path }) => path),
    ),
  ).toEqual(changed)
})

test('conflicts that are not named keep my side', () => {
  const conflicts = [conflict('/steps/end/code', 'THEIRS'), conflict('/config/description', 'theirs')]
  expect(withTheirs(DRAFT, conflicts, ['/config/description'])).toEqual({
    ...DRAFT,
    config: { name: 'd', description: 'theirs' },
  })
  expect(withTheirs(DRAFT, conflicts, [])).toEqual(DRAFT)
})
