import { expect, test } from 'vitest'
import { changesAt } from './place-changes.ts'

const diff = {
  config: [{ path: '/subRules/tax/steps/above/name', before: 'a', after: 'b' }],
  steps_added: ['new'],
  steps_removed: ['old'],
  steps_changed: [
    { id: 'prices', path: '/rows/r1/cells/c1', before: '1', after: '2' },
    { id: 'prices', path: '/rows/r10/cells/c1', before: '3', after: '4' },
    { id: 'prices', path: '/position', before: null, after: { x: 1 } },
    { id: 'prices', path: '/rows', before: [], after: [1] },
  ],
}

test.each([
  ['a row', '/steps/prices/rows/r1', ['/steps/prices/rows/r1/cells/c1', '/steps/prices/rows']],
  [
    'a step, without its position',
    '/steps/prices',
    ['/steps/prices/rows/r1/cells/c1', '/steps/prices/rows/r10/cells/c1', '/steps/prices/rows'],
  ],
  ['a step that was added', '/steps/new', ['/steps/new']],
  ['a step that was removed', '/steps/old', ['/steps/old']],
  ['a step whose id begins alike', '/steps/price', []],
  ['a step of a sub-rule', '/subRules/tax/steps/above', ['/subRules/tax/steps/above/name']],
])('finds the changes of %s', (_what, at, paths) => expect(changesAt(diff, at).map(({ path }) => path)).toEqual(paths))
