import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { decodeDraft } from './decode.ts'
import { diffDrafts } from './diff.ts'
import type { DraftRuleset } from './model.ts'

function draft(change: { readonly [key: string]: Value } = {}, ...steps: readonly Value[]): DraftRuleset {
  const end = { id: 'end', type: 'terminal', code: 'END' }
  const found = decodeDraft({ config: { name: 'a' }, startStepId: 'end', steps: [end, ...steps], ...change })
  if (found.draft === undefined) throw new Error(JSON.stringify(found.problems))
  return found.draft
}

const table = (rows: readonly Value[]): Value => ({ id: 't', type: 'table', hitPolicy: 'first', columns: [], rows })
const row = (id: string, age = '1'): Value => ({ id, cells: { age } })
const NOTHING = { config: [], steps_added: [], steps_removed: [], steps_changed: [] }

test.each<[string, DraftRuleset, DraftRuleset, object]>([
  ['nothing', draft(), draft(), {}],
  [
    'steps in another order',
    draft({}, table([]), { id: 'x', type: 'terminal' }),
    draft({}, { id: 'x', type: 'terminal' }, table([])),
    {},
  ],
  [
    'a step moved on the canvas',
    draft({}, { id: 'x', type: 'terminal', position: { x: 1 } }),
    draft({}, { id: 'x', type: 'terminal' }),
    {},
  ],
  ['a step added', draft(), draft({}, table([])), { steps_added: ['t'] }],
  ['a step removed', draft({}, table([])), draft(), { steps_removed: ['t'] }],
  [
    'the config',
    draft({ config: { name: 'a', version: '1.0.0' } }),
    draft({ config: { name: 'a', timeout: 5 } }),
    {
      config: [
        { path: '/config/version', before: '1.0.0', after: null },
        { path: '/config/timeout', before: null, after: 5 },
      ],
    },
  ],
  [
    'a cell',
    draft({}, table([row('a'), row('b')])),
    draft({}, table([row('a'), row('b', '2')])),
    { steps_changed: [{ id: 't', path: '/rows/b/cells/age', before: '1', after: '2' }] },
  ],
  [
    'a row added in front',
    draft({}, table([row('a')])),
    draft({}, table([row('b'), row('a')])),
    { steps_changed: [{ id: 't', path: '/rows/b', before: null, after: row('b') }] },
  ],
  [
    'rows in another order, which decide otherwise',
    draft({}, table([row('a'), row('b')])),
    draft({}, table([row('b'), row('a')])),
    { steps_changed: [{ id: 't', path: '/rows', before: ['a', 'b'], after: ['b', 'a'] }] },
  ],
  [
    'a list without ids',
    draft({}, { id: 'x', type: 'terminal', output: [{ name: 'a', value: '1' }] }),
    draft({}, { id: 'x', type: 'terminal', output: [{ name: 'a', value: '2' }] }),
    {
      steps_changed: [
        { id: 'x', path: '/output', before: [{ name: 'a', value: '1' }], after: [{ name: 'a', value: '2' }] },
      ],
    },
  ],
  [
    'the type of a step',
    draft({}, { id: 'x', type: 'terminal' }),
    draft({}, { id: 'x', type: 'decision', branches: [] }),
    {
      steps_changed: [
        { id: 'x', path: '/type', before: 'terminal', after: 'decision' },
        { id: 'x', path: '/branches', before: null, after: [] },
      ],
    },
  ],
])('reports %s', (_what, before, after, expected) => {
  expect(diffDrafts(before, after)).toEqual({ ...NOTHING, ...expected })
})

test('drafts of 100,000 cells are compared row by row', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => row(`r${index}`))
  const changed = rows.with(99_999, row('r99999', '2'))
  expect(diffDrafts(draft({}, table(rows)), draft({}, table(changed))).steps_changed).toEqual([
    { id: 't', path: '/rows/r99999/cells/age', before: '1', after: '2' },
  ])
})
