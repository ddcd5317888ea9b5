import type { DraftGraph, DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import type { DraftFinding } from '../../language/tasks.ts'
import { openGraph } from '../../session/open-graph.ts'
import { findings as words } from '../../texts/en/findings.ts'
import { marksOf } from './marks.ts'

const GRAPH: DraftGraph = {
  steps: [
    { id: 'end', type: 'terminal', code: 'DONE' },
    { id: 't', type: 'table', hitPolicy: 'first', columns: [], rows: [{ id: 'r1', cells: {} }] },
    { id: 'other', type: 'table', hitPolicy: 'first', columns: [], rows: [{ id: 'r1', cells: {} }] },
  ],
}
const DRAFT: DraftRuleset = { config: { name: 'd' }, ...GRAPH, subRules: { inner: GRAPH } }

const finding = (kind: DraftFinding['kind'], path: string, more: Partial<DraftFinding> = {}): DraftFinding => ({
  kind,
  path,
  severity: 'warning',
  by: [],
  ...more,
})
const kindsOf = (findings: readonly DraftFinding[], within?: string) =>
  Array.from(marksOf(openGraph(DRAFT, within, {}), 't', findings, words), ([row, { kind }]) => [row, kind])

test.each<[finding: DraftFinding, marks: readonly (readonly [row: number, kind: string])[]]>([
  [finding('shadowed', '/steps/1/rows/0'), [[0, 'never']]],
  [finding('dead_branch', '/steps/1/rows/12'), [[12, 'never']]],
  [finding('can_fail', '/steps/1/rows/3'), [[3, 'fails']]],
  [finding('can_fail', '/steps/1/rows/3', { severity: 'info' }), []],
  [finding('overlap', '/steps/1/rows/3', { severity: 'info' }), [[3, 'also']]],
  [finding('gap', '/steps/1/rows/3'), []],
  [finding('shadowed', '/steps/2/rows/0'), []],
  [finding('shadowed', '/subRules/inner/steps/1/rows/0'), []],
])('the finding %j marks the rows %j', (one, marks) => {
  expect(kindsOf([one])).toEqual(marks)
})

test('a table of a sub-rule has the findings of the sub-rule', () => {
  expect(
    kindsOf([finding('shadowed', '/subRules/inner/steps/1/rows/4'), finding('overlap', '/steps/1/rows/0')], 'inner'),
  ).toEqual([[4, 'never']])
})

test('of several findings the first marks the row, with its kind and sentence', () => {
  const rows = [
    finding('can_fail', '/steps/1/rows/0', { error: 'divide' }),
    finding('shadowed', '/steps/1/rows/0', { by: ['/steps/1/rows/1'] }),
  ]
  expect(kindsOf(rows)).toEqual([[0, 'fails']])
  expect(marksOf(openGraph(DRAFT, undefined, {}), 't', rows.toReversed(), words).get(0)).toEqual({
    kind: 'never',
    title: 'Never reached. Each input that would match is taken before: row 2.',
  })
})
