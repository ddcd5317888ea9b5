import type { DraftRuleset } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { changedPlaces, coverableParts } from './changed-places.ts'
import type { ReleaseDiff } from './release-parts.ts'
import { releaseSearch } from './search.ts'

const NONE = { config: [], steps_added: [], steps_removed: [], steps_changed: [], branches_changed: [] }
const diff = (more: object, subRules: object[] = []) =>
  ({ ...NONE, sub_rules: subRules, ...more }) as unknown as ReleaseDiff
const value = { path: '/condition', before: 'a', after: 'b' }

describe('a change of a ruleset is at', () => {
  test.each<[title: string, more: object, expected: readonly object[]]>([
    [
      'its config',
      { config: [{ path: '/config/name', before: 'a', after: 'b' }] },
      [{ path: '/config/name', change: 'changed', before: 'a', after: 'b' }],
    ],
    ['a step that is new', { steps_added: ['a/b'] }, [{ path: '/steps/a~1b', change: 'added', part: 'step' }]],
    ['a step that is gone', { steps_removed: ['s'] }, [{ path: '/steps/s', change: 'removed', part: 'step' }]],
    [
      'a member of a step',
      { steps_changed: [{ id: 's', path: '/code', before: 'A', after: 'B' }] },
      [{ path: '/steps/s/code', change: 'changed', before: 'A', after: 'B' }],
    ],
    [
      'no place of a step that was moved in the graph',
      { steps_changed: [{ id: 's', path: '/position/x', before: 1, after: 2 }] },
      [],
    ],
    [
      'a branch that is new',
      { branches_changed: [{ step: 's', kind: 'branch', id: 'b', change: 'added', changes: [value] }] },
      [{ path: '/steps/s/branches/b', change: 'added', part: 'branch' }],
    ],
    [
      'a row that is gone',
      { branches_changed: [{ step: 's', kind: 'row', id: 'r', change: 'removed', changes: [] }] },
      [{ path: '/steps/s/rows/r', change: 'removed', part: 'row' }],
    ],
    [
      'a row that was moved',
      { branches_changed: [{ step: 's', kind: 'row', id: 'r', change: 'moved', changes: [] }] },
      [{ path: '/steps/s/rows/r', change: 'moved', part: 'row' }],
    ],
    [
      'a member of a branch',
      { branches_changed: [{ step: 's', kind: 'branch', id: 'b', change: 'changed', changes: [value] }] },
      [{ ...value, path: '/steps/s/branches/b/condition', change: 'changed' }],
    ],
    [
      'a member of a row that was moved too',
      { branches_changed: [{ step: 's', kind: 'row', id: 'r', change: 'moved', changes: [value] }] },
      [{ ...value, path: '/steps/s/rows/r/condition', change: 'changed' }],
    ],
    [
      'a default',
      {
        branches_changed: [
          { step: 's', kind: 'default', id: '', change: 'changed', changes: [{ path: '', before: 'x', after: 'y' }] },
        ],
      },
      [{ path: '/steps/s/defaultNextStepId', change: 'changed', before: 'x', after: 'y' }],
    ],
    [
      'a default that is new',
      { branches_changed: [{ step: 's', kind: 'default', id: '', change: 'added', changes: [] }] },
      [{ path: '/steps/s/defaultNextStepId', change: 'added', part: 'default' }],
    ],
  ])('%s', (_title, more, expected) => {
    expect(changedPlaces(diff(more))).toEqual(expected)
    const inSubRule = expected.map((one) => ({ ...one, path: `/subRules/x~1y${(one as { path: string }).path}` }))
    expect(changedPlaces(diff({}, [{ ...NONE, name: 'x/y', change: 'changed', ...more }]))).toEqual(inSubRule)
  })

  test('its own places first, then those of its sub-rules', () => {
    const places = changedPlaces(
      diff({ steps_added: ['s'] }, [{ ...NONE, name: 'x', change: 'changed', steps_added: ['t'] }]),
    )
    expect(places.map(({ path }) => path)).toEqual(['/steps/s', '/subRules/x/steps/t'])
  })
})

describe('the part that tests can reach of', () => {
  const table = { id: 't', type: 'table', rows: [{ id: 'r1' }, { id: 'r/2' }] }
  const decision = { id: 'd/1', type: 'decision', branches: [{ id: 'b1' }, { id: 'b2' }] }
  const DRAFT = { steps: [table, decision], subRules: { 'x/y': { steps: [decision] } } } as unknown as DraftRuleset
  test.each<[path: string, expected: readonly [path: string, key: string] | undefined]>([
    ['/steps/t', ['/steps/t', '/steps/0']],
    ['/steps/d~11/code', ['/steps/d~11', '/steps/1']],
    ['/steps/t/rows/r~12/cells/c1', ['/steps/t/rows/r~12', '/steps/0/rows/1']],
    ['/steps/d~11/branches/b2/condition', ['/steps/d~11/branches/b2', '/steps/1/branches/1']],
    ['/steps/d~11/defaultNextStepId', ['/steps/d~11/defaultNextStepId', '/steps/1/default']],
    [
      '/subRules/x~1y/steps/d~11/branches/b1',
      ['/subRules/x~1y/steps/d~11/branches/b1', '/subRules/x~1y/steps/0/branches/0'],
    ],
    ['/subRules/gone/steps/d~11', undefined],
    ['/steps/gone', undefined],
    ['/steps/t/rows/gone', undefined],
    ['/config/name', undefined],
  ])('%s', (path, expected) => {
    const found = coverableParts([{ path, change: 'changed' }], DRAFT)
    expect(found).toEqual(expected === undefined ? [] : [{ path: expected[0], key: expected[1] }])
  })

  test('several changes is named once, and what is gone not at all', () => {
    const changed = ['/steps/t/rows/r1/cells/a', '/steps/t/rows/r1/cells/b'].map((path) => ({
      path,
      change: 'changed' as const,
    }))
    expect(coverableParts([...changed, { path: '/steps/t', change: 'removed' }], DRAFT)).toEqual([
      { path: '/steps/t/rows/r1', key: '/steps/0/rows/0' },
    ])
  })
})

test('an address opens one of the parts of a review, or the usual one', () => {
  expect([{ tab: 'plan' }, { tab: 'other' }, { tab: 1 }, {}].map(releaseSearch)).toEqual([{ tab: 'plan' }, {}, {}, {}])
})
