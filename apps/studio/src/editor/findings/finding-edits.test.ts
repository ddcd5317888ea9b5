import type { DraftRuleset } from '@engine/authoring'
import { expect, test } from 'vitest'
import type { DraftFinding } from '../../language/tasks.ts'
import {
  isSameFinding,
  rowToPass,
  withIntended,
  withoutIntended,
  withoutRow,
  withRowBefore,
  withRowFor,
} from './finding-edits.ts'

const DRAFT: DraftRuleset = {
  config: { name: 'prices' },
  steps: [
    {
      id: 't',
      type: 'table',
      hitPolicy: 'first',
      columns: [
        { id: 'a', kind: 'input', field: 'order.country' },
        { id: 'b', kind: 'input', field: 'weight' },
        { id: 'c', kind: 'output', field: 'price' },
      ],
      rows: ['r1', 'r2', 'r3'].map((id) => ({ id, cells: { a: `"${id}"` } })),
    },
  ],
}
const SHADOWED: DraftFinding = { kind: 'shadowed', path: '/steps/0/rows/2', severity: 'error', by: ['/steps/0/rows/1'] }
const rowsOf = ({ steps }: DraftRuleset) => (steps[0]?.type === 'table' ? steps[0].rows.map(({ id }) => id) : [])

test('a shadowed row is moved before the first row that takes its inputs, or deleted', () => {
  const pass = rowToPass(DRAFT, SHADOWED)
  expect(pass).toMatchObject({ row: 2, before: 1 })
  expect(rowsOf(withRowBefore(DRAFT, 't', 2, 1))).toEqual(['r1', 'r3', 'r2'])
  expect(rowsOf(withoutRow(DRAFT, 't', 2))).toEqual(['r1', 'r2'])
  expect(rowToPass(DRAFT, { ...SHADOWED, kind: 'gap' })).toBeUndefined()
})

test('a row for an input that matches none names its texts, and leaves numbers open', () => {
  const grown = withRowFor(DRAFT, 't', { order: { country: 'CH' }, weight: 12 })
  expect(grown.steps[0]).toMatchObject({ rows: [{}, {}, {}, { id: 'r4', cells: { a: '"CH"' } }] })
})

test.each([
  [true, {}],
  [true, { author: 'ana', at: '2026-11-01T08:00:00Z' }],
  [false, { reason: 'other' }],
  [false, { place: '/steps/u' }],
  [false, { finding: 'overlap' as const }],
])('it is %s that a finding is the same with %j', (expected, more) => {
  const one = { finding: 'gap' as const, place: '/steps/t', reason: 'no such cart' }
  expect(isSameFinding(one, { ...one, ...more })).toBe(expected)
})

test('an intended finding is kept with its reason, by ids, and shown again', () => {
  const marked = withIntended(DRAFT, SHADOWED, 'kept for next year')
  expect(marked.config.intended).toEqual([
    { finding: 'shadowed', place: '/steps/t/rows/r3', reason: 'kept for next year' },
  ])
  expect(withoutIntended(marked, 0)).toEqual(DRAFT)
})
