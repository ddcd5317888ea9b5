import type { DraftRuleset, Row, TableStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { compareTables, stepChanges } from './changes.ts'

const row = (id: string, limit: string): Row => ({ id, cells: { limit } })
const table = (...rows: readonly Row[]): TableStep => ({
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [{ id: 'limit', kind: 'output', field: 'limit' }],
  rows,
})
const draft = (...steps: DraftRuleset['steps']): DraftRuleset => ({ config: { name: 'd', version: '1.0.0' }, steps })

test('steps are added, removed or changed; one that was only moved on the canvas is not', () => {
  const end = (id: string, code: string) => ({ id, type: 'terminal' as const, code })
  const before = draft(end('a', 'OK'), end('b', 'NO'), end('c', 'OLD'))
  const after = draft({ ...end('a', 'OK'), position: { x: 1, y: 2 } } as never, end('b', 'YES'), end('d', 'NEW'))
  expect(Object.fromEntries(stepChanges(before, after))).toEqual({ b: 'changed', c: 'removed', d: 'added' })
})

test('rows of two tables are aligned by their ids, with their own numbers', () => {
  const { before, after, changed } = compareTables(
    table(row('r1', '10'), row('gone', '20'), row('r3', '30')),
    table(row('r1', '10'), row('r3', '31'), row('new', '40')),
  )
  expect(before.rows.map(({ id }) => id)).toEqual(['r1', 'gone', 'r3', 'new'])
  expect(after.rows.map(({ id }) => id)).toEqual(['r1', 'gone', 'r3', 'new'])
  expect(before.sides).toEqual([
    { number: 1, change: undefined, cells: '' },
    { number: 2, change: 'removed', cells: '' },
    { number: 3, change: undefined, cells: 'limit' },
    { number: undefined, change: 'absent', cells: '' },
  ])
  expect(after.sides.map(({ number, change }) => [number, change])).toEqual([
    [1, undefined],
    [undefined, 'absent'],
    [2, undefined],
    [3, 'added'],
  ])
  expect(changed).toEqual([1, 2, 3])
})

test('a table that only one side has is all added, and a row that is switched off has changed', () => {
  expect(compareTables(undefined, table(row('r1', '1'))).before.sides).toEqual([
    { number: undefined, change: 'absent', cells: '' },
  ])
  const off = compareTables(table(row('r1', '1')), table({ ...row('r1', '1'), disabled: true }))
  expect(off.after.sides[0]?.cells).toBe('disabled')
})
