import { expect, test } from 'vitest'
import { intendedPlace } from './intended-place.ts'
import type { DraftRuleset } from './model.ts'

const TABLE = {
  id: 'prices/eu',
  type: 'table',
  hitPolicy: 'first',
  columns: [],
  rows: [
    { id: 'r7', cells: {} },
    { id: 'r2', cells: {} },
  ],
} as const
const DRAFT: DraftRuleset = {
  config: { name: 'x' },
  steps: [{ id: 'ask', type: 'decision', branches: [{ id: 'b1' }] }, TABLE],
  subRules: { inner: { steps: [TABLE] } },
}

test.each([
  ['/steps/0', '/steps/ask'],
  ['/steps/0/branches/0', '/steps/ask/branches/b1'],
  ['/steps/1/rows/1', '/steps/prices~1eu/rows/r2'],
  ['/steps/1/rows/0/cells/c1', '/steps/prices~1eu/rows/r7/cells/c1'],
  ['/subRules/inner/steps/0/rows/0', '/subRules/inner/steps/prices~1eu/rows/r7'],
  ['/steps/9', '/steps/9'],
  ['', ''],
])('%s is kept as %s', (path, place) => expect(intendedPlace(path, DRAFT)).toBe(place))
