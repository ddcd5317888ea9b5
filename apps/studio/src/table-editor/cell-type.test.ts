import type { Column } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { CELL_TYPES, type CellType, cellTypeOf, COLUMN_TYPE, declaredType, typeOfColumn } from './cell-type.ts'

const column = (type?: string): Column => ({
  id: 'c1',
  kind: 'input',
  field: 'age',
  ...(type !== undefined && { type }),
})
const rows = (...cells: readonly (string | undefined)[]) =>
  cells.map((cell, index) => ({ id: `r${index}`, cells: cell === undefined ? {} : { c1: cell } }))

test.each<[name: string, type: CellType | undefined]>([
  ['string', 'text'],
  ['number', 'number'],
  ['integer', 'number'],
  ['decimal', 'number'],
  ['boolean', 'boolean'],
  ['date', 'date'],
  ['datetime', 'date'],
  ['any', 'expression'],
  ['object', undefined],
  ['toString', undefined],
])('cells of the type %s are of %s', (name, type) => {
  expect([cellTypeOf(name), declaredType({ type: name })]).toEqual([type, type])
})

test('every type of cells is declared by its own name, and none by none', () => {
  expect(CELL_TYPES.map((type) => cellTypeOf(COLUMN_TYPE[type]))).toEqual(CELL_TYPES)
  expect(declaredType({})).toBeUndefined()
})

describe('a column without a type', () => {
  test.each<[title: string, cells: readonly (string | undefined)[], type: CellType | undefined]>([
    ['no cells', [], undefined],
    ['empty cells', ['', ' ', undefined], undefined],
    ['texts', ['"DE"', '!= "FR"', 'in ["DE", "FR"]', 'not in ["US"]'], 'text'],
    ['numbers', ['1', '>= 2.5', '<3', '== -4', '[1..5]', '(2..3]'], 'number'],
    ['truth values', ['true', '== false'], 'boolean'],
    ['empty cells between', ['', '1', undefined, ' ', '2'], 'number'],
    ['two types', ['1', '"DE"'], undefined],
    ['a list of two types', ['in [1, "DE"]'], undefined],
    ['an empty list', ['in []'], undefined],
    ['other expressions', ['$limit + 1'], undefined],
    ['an expression beside numbers', ['1', '$limit'], undefined],
    ['null', ['null'], undefined],
    ['an interval of texts', ['["a".."b"]'], undefined],
  ])('with %s', (_title, cells, type) => {
    expect(typeOfColumn(column(), rows(...cells))).toBe(type)
  })

  test('has the type of its first fifty cells that are not empty', () => {
    const numbers = Array.from({ length: 49 }, () => '1')
    expect(typeOfColumn(column(), rows('', ...numbers, '"DE"'))).toBeUndefined()
    expect(typeOfColumn(column(), rows('', ...numbers, '2', '"DE"'))).toBe('number')
  })
})

test('a declared type decides, whatever the cells are', () => {
  expect(typeOfColumn(column('string'), rows('1', '2'))).toBe('text')
  expect(typeOfColumn(column('object'), rows('1', '2'))).toBeUndefined()
})
