import type { Column, TableStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import type { CellType } from './cell-type.ts'
import {
  withColumn,
  withColumnChange,
  withColumnCopied,
  withColumnMoved,
  withColumnType,
  withoutColumn,
} from './columns.ts'

const AGE: Column = { id: 'c1', kind: 'input', field: 'age' }
const LAND: Column = { id: 'c2', kind: 'input', field: 'land', label: 'Country', unit: 'ISO' }
const FEE: Column = { id: 'c3', kind: 'output', field: 'fee' }
const TABLE: TableStep = {
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [AGE, LAND, FEE],
  rows: [
    { id: 'r1', cells: { c1: '1', c2: '"DE"', c3: '10' }, note: 'n' },
    { id: 'r2', cells: { c2: '"FR"' } },
  ],
}
const ids = ({ columns }: TableStep) => columns.map(({ id }) => id).join(' ')

describe('a new column', () => {
  test.each<[title: string, kind: Column['kind'], after: string | undefined, columns: string]>([
    ['of inputs is the last of them', 'input', undefined, 'c1 c2 c4 c3'],
    ['of outputs is the last', 'output', undefined, 'c1 c2 c3 c4'],
    ['follows another one', 'input', 'c1', 'c1 c4 c2 c3'],
    ['follows the last one', 'output', 'c3', 'c1 c2 c3 c4'],
    ['is the last of its kind where the other is gone', 'input', 'gone', 'c1 c2 c4 c3'],
  ])('%s', (_title, kind, after, columns) => {
    const made = withColumn(TABLE, { kind, field: 'new' }, after)
    expect([ids(made), made.columns.find(({ id }) => id === 'c4'), made.rows]).toEqual([
      columns,
      { id: 'c4', kind, field: 'new' },
      TABLE.rows,
    ])
  })
})

test('a column is removed with its cells, and nothing else', () => {
  expect(withoutColumn(TABLE, 'c2')).toEqual({
    ...TABLE,
    columns: [AGE, FEE],
    rows: [
      { id: 'r1', cells: { c1: '1', c3: '10' }, note: 'n' },
      { id: 'r2', cells: {} },
    ],
  })
})

test.each<[title: string, change: Partial<Column>, expected: Column]>([
  ['another field', { field: 'country' }, { ...LAND, field: 'country' }],
  ['another label and unit', { label: 'L', unit: 'U' }, { ...LAND, label: 'L', unit: 'U' }],
  ['no label', { label: '' }, { id: 'c2', kind: 'input', field: 'land', unit: 'ISO' }],
  ['no unit', { unit: '' }, { id: 'c2', kind: 'input', field: 'land', label: 'Country' }],
])('a column gets %s', (_title, change, expected) => {
  expect(withColumnChange(TABLE, 'c2', change)).toEqual({ ...TABLE, columns: [AGE, expected, FEE] })
})

test.each<[id: string, way: 1 | -1, columns: string]>([
  ['c1', 1, 'c2 c1 c3'],
  ['c2', -1, 'c2 c1 c3'],
  ['c1', -1, 'c1 c2 c3'],
  ['c2', 1, 'c1 c2 c3'],
  ['c3', -1, 'c1 c2 c3'],
  ['c3', 1, 'c1 c2 c3'],
  ['gone', 1, 'c1 c2 c3'],
])('%s that is moved by %i among those of its kind: %s', (id, way, columns) => {
  const moved = withColumnMoved(TABLE, id, way)
  expect(ids(moved)).toBe(columns)
  expect(moved === TABLE).toBe(columns === 'c1 c2 c3')
  expect(moved.rows).toBe(TABLE.rows)
})

test('a copy follows its column, with the cells that it has', () => {
  const copied = withColumnCopied(TABLE, 'c1', 'age2')
  expect(ids(copied)).toBe('c1 c4 c2 c3')
  expect(copied.columns[1]).toEqual({ ...AGE, id: 'c4', field: 'age2' })
  expect(copied.rows).toEqual([
    { id: 'r1', cells: { c1: '1', c2: '"DE"', c3: '10', c4: '1' }, note: 'n' },
    { id: 'r2', cells: { c2: '"FR"' } },
  ])
  expect(withColumnCopied(TABLE, 'gone', 'x')).toBe(TABLE)
})

describe('another type of a column', () => {
  const typed = (column: Column, cells: readonly string[], type: CellType | undefined) => {
    const rows = cells.map((cell, index) => ({ id: `r${index}`, cells: { [column.id]: cell } }))
    const made = withColumnType({ ...TABLE, columns: [column], rows }, column.id, type)
    return [made.columns[0]?.type, made.rows.map((row) => row.cells[column.id])]
  }
  test.each<[title: string, column: Column, cells: readonly string[], type: CellType | undefined, expected: unknown]>([
    ['reads the texts of numbers', { ...AGE, type: 'string' }, ['"12"', '"ab"'], 'number', ['number', ['12', '"ab"']]],
    ['reads numbers as texts', { ...AGE, type: 'number' }, ['12'], 'text', ['string', ['"12"']]],
    [
      'reads words of yes and no',
      { ...AGE, type: 'string' },
      ['"yes"', '"no"'],
      'boolean',
      ['boolean', ['true', 'false']],
    ],
    ['keeps cells of any type', { ...AGE, type: 'string' }, ['"yes"'], undefined, [undefined, ['"yes"']]],
    ['keeps conditions of numbers', { ...AGE, type: 'any' }, ['>= 5'], 'number', ['number', ['>= 5']]],
  ])('%s', (_title, column, cells, type, expected) => {
    expect(typed(column, cells, type)).toEqual(expected)
  })

  test('leaves other columns and rows without a cell alone', () => {
    const made = withColumnType(TABLE, 'c1', 'text')
    expect(made.rows.map((row) => row.cells)).toEqual([{ c1: '"1"', c2: '"DE"', c3: '10' }, { c2: '"FR"' }])
    expect(made.columns).toEqual([{ ...AGE, type: 'string' }, LAND, FEE])
    expect(withColumnType(TABLE, 'gone', 'text')).toBe(TABLE)
  })
})
