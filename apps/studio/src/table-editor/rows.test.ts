import type { Row, TableStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { cellText, columnsOf, emptyRow, mayOverflow, movedRows, withCells } from './rows.ts'

const TABLE: TableStep = {
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'a', kind: 'input', field: 'age' },
    { id: 'b', kind: 'output', field: 'limit' },
  ],
  rows: [],
}
const COLUMNS = columnsOf(TABLE, { next: 'then', note: 'why' })
const ROWS: readonly Row[] = [
  { id: 'r1', cells: { a: '1', b: '10' }, nextStepId: 'yes', note: 'first' },
  { id: 'r2', cells: { a: '2' } },
  { id: 'r3', cells: {}, disabled: true },
]

test('the grid has the columns of the table, then the next step and the note', () => {
  expect(COLUMNS.map(({ id, kind, title }) => [id, kind, title])).toEqual([
    ['a', 'input', 'age'],
    ['b', 'output', 'limit'],
    ['next', 'next', 'then'],
    ['note', 'note', 'why'],
  ])
  const collecting = columnsOf({ ...TABLE, hitPolicy: 'collect' }, { next: 'then', note: 'why' })
  expect(collecting.map(({ id }) => id)).toEqual(['a', 'b', 'note'])
})

test('a cell shows its text, the next step or the note', () => {
  const shown = (row: Row) => COLUMNS.map((column) => cellText(row, column))
  expect(ROWS.map(shown)).toEqual([
    ['1', '10', 'yes', 'first'],
    ['2', '', '', ''],
    ['', '', '', ''],
  ])
})

describe('cells set at a place', () => {
  test('change those alone', () => {
    const rows = withCells(ROWS, COLUMNS, { row: 0, column: 1 }, [['20', 'no'], ['30']])
    expect(rows).toEqual([
      { id: 'r1', cells: { a: '1', b: '20' }, nextStepId: 'no', note: 'first' },
      { id: 'r2', cells: { a: '2', b: '30' } },
      ROWS[2],
    ])
    expect(rows[2]).toBe(ROWS[2])
    expect(ROWS[0]?.cells).toEqual({ a: '1', b: '10' })
  })

  test('that are empty are absent', () => {
    expect(withCells(ROWS, COLUMNS, { row: 0, column: 0 }, [['', '', '', '']])[0]).toEqual({ id: 'r1', cells: {} })
  })

  test('keep whether a row is disabled', () => {
    expect(withCells(ROWS, COLUMNS, { row: 2, column: 0 }, [['3']])[2]).toEqual({
      id: 'r3',
      cells: { a: '3' },
      disabled: true,
    })
  })

  test('add rows with ids of their own, and leave out what has no column', () => {
    const rows = withCells(ROWS, COLUMNS, { row: 2, column: 2 }, [
      ['yes', 'third', 'lost'],
      ['no', 'fourth', 'lost'],
      ['no', 'fifth', 'lost'],
    ])
    expect(rows.slice(2)).toEqual([
      { id: 'r3', cells: {}, disabled: true, nextStepId: 'yes', note: 'third' },
      { id: 'r4', cells: {}, nextStepId: 'no', note: 'fourth' },
      { id: 'r5', cells: {}, nextStepId: 'no', note: 'fifth' },
    ])
  })
})

test('an empty row has an id that no other has', () => {
  expect(emptyRow(ROWS)).toEqual({ id: 'r4', cells: {} })
  expect(
    emptyRow([
      { id: 'r3', cells: {} },
      { id: 'x', cells: {} },
    ]),
  ).toEqual({ id: 'r4', cells: {} })
  expect(emptyRow([])).toEqual({ id: 'r1', cells: {} })
})

describe('a block of rows is moved by one place', () => {
  const ids = (first: number, last: number, way: 1 | -1) => movedRows(ROWS, first, last, way).map(({ id }) => id)
  test.each<[number, number, 1 | -1, string[]]>([
    [0, 0, 1, ['r2', 'r1', 'r3']],
    [1, 1, 1, ['r1', 'r3', 'r2']],
    [0, 1, 1, ['r3', 'r1', 'r2']],
    [1, 1, -1, ['r2', 'r1', 'r3']],
    [1, 2, -1, ['r2', 'r3', 'r1']],
    [0, 0, -1, ['r1', 'r2', 'r3']],
    [0, 1, -1, ['r1', 'r2', 'r3']],
    [2, 2, 1, ['r1', 'r2', 'r3']],
    [1, 2, 1, ['r1', 'r2', 'r3']],
    [0, 2, 1, ['r1', 'r2', 'r3']],
  ])('%d to %d by %d', (first, last, way, order) => expect(ids(first, last, way)).toEqual(order))
})

test('a text that may be wider than its column is cut off there', () => {
  const [code, , , note] = COLUMNS
  const widths = (text: string) => [code, note].map((column) => column !== undefined && mayOverflow(text, column))
  expect(widths('x'.repeat(15))).toEqual([false, false])
  expect(widths('x'.repeat(16))).toEqual([false, true])
  expect(widths('x'.repeat(17))).toEqual([true, true])
  expect(widths('ß'.repeat(15))).toEqual([true, false])
})
