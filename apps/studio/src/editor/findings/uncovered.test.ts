import type { DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import { uncovered } from './uncovered.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'd' },
  steps: Array.from({ length: 12 }, (_, index) => ({ id: `s${index}`, type: 'terminal', code: 'DONE' })),
}
const EXAMPLE = { input: { amount: 1 }, stubs: {} }
const pathsOf = (paths: readonly string[], hits?: ReadonlyMap<string, number>) =>
  uncovered(DRAFT, hits, new Map(paths.map((path) => [path, EXAMPLE]))).map(({ path }) => path)

test('parts are in the order of steps, then of rows, with “otherwise” last', () => {
  expect(
    pathsOf(['/steps/10/rows/0', '/steps/2/default', '/steps/2/rows/10', '/steps/2/rows/9', '/steps/1/default']),
  ).toEqual(['/steps/1/default', '/steps/2/rows/9', '/steps/2/rows/10', '/steps/2/default', '/steps/10/rows/0'])
})

test('parts that a test reaches are left out, as are those of steps that are gone', () => {
  const hits = new Map([
    ['/steps/0/rows/0', 1],
    ['/steps/0/rows/1', 0],
  ])
  expect(pathsOf(['/steps/0/rows/0', '/steps/0/rows/1', '/steps/12/rows/0'], hits)).toEqual(['/steps/0/rows/1'])
})

test('a part has its example, and “otherwise” a place in the draft', () => {
  expect(uncovered(DRAFT, undefined, new Map([['/steps/0/default', EXAMPLE]]))).toEqual([
    { path: '/steps/0/default', place: '/steps/0/defaultNextStepId', ...EXAMPLE },
  ])
})
