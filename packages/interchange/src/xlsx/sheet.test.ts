import { strToU8 } from 'fflate'
import { expect, test } from 'vitest'
import type { CellRange, SheetCell } from '../sheet/table.ts'
import { cellName, readSheet } from './sheet.ts'
import { PartFault } from './workbook.ts'

/** The rows and merged cells of the XML within a sheet. */
function read(content: string) {
  const packed = strToU8(`<worksheet>${content}</worksheet>`)
  const pack = {
    files: new Map([['s', { method: 0, packed, size: packed.length }]]),
    allowance: { left: packed.length },
  }
  const rows: (readonly [row: number, cells: readonly SheetCell[]])[] = []
  const ranges: CellRange[] = []
  const context = { texts: ['zero', 'one'], kinds: ['number', 'date', 'duration'] as const, is1904: false }
  readSheet(pack, 's', context, {
    row: (cells, row) => rows.push([row, cells]),
    merged: (range) => ranges.push(range),
  })
  return { rows, ranges }
}
const cellsOf = (content: string) => read(`<row>${content}</row>`).rows[0]?.[1] ?? []
const lost = (original: string, code: string, message: string) => ({ original, loss: { code, message } })

test.each<readonly [cell: string, value: SheetCell | undefined]>([
  ['<c><v>1.50</v></c>', '1.5'],
  ['<c t="n"><v> 7 </v></c>', '7'],
  ['<c><v/></c>', undefined],
  ['<c/>', undefined],
  ['<c s="0"><v>5</v></c>', '5'],
  ['<c s="9"><v>5</v></c>', '5'],
  ['<c s="1"><v>46346</v></c>', '"2026-11-20"'],
  ['<c s="1"><v>-1</v></c>', lost('-1', 'no-date', 'the number of this cell is out of range for dates')],
  ['<c s="2"><v>1</v></c>', lost('1', 'duration', 'a cell formatted as a duration is not supported')],
  ['<c t="s"><v>1</v></c>', 'one'],
  ['<c t="str"><v> a_x0041_ </v></c>', ' aA '],
  ['<c t="inlineStr"><is><t>a</t><r><t>b</t></r></is></c>', 'ab'],
  ['<c t="b"><v>1</v></c>', 'true'],
  ['<c t="b"><v>true</v></c>', 'true'],
  ['<c t="b"><v>0</v></c>', 'false'],
  ['<c t="b"><v>false</v></c>', 'false'],
  ['<c t="b"><v/></c>', undefined],
  ['<c t="d"><v>2026-11-20</v></c>', '"2026-11-20"'],
  ['<c t="d"><v/></c>', undefined],
  ['<c t="e"><v>#N/A</v></c>', lost('#N/A', 'error-value', 'the cell contains the error `#N/A`')],
  [
    '<c><f>A1+1</f><v>5</v></c>',
    lost('=A1+1', 'formula', 'formulas and their values are not imported: enter the value into the cell'),
  ],
  [
    '<c><f/><v>5</v></c>',
    lost('=', 'formula', 'formulas and their values are not imported: enter the value into the cell'),
  ],
])('the cell %s is %j', (cell, value) => {
  expect(cellsOf(cell)).toEqual(value === undefined ? [] : [value])
})

test.each([
  ['<c t="x"><v>1</v></c>', 'a cell has an unknown type'],
  ['<c t="s"><v>2</v></c>', 'a cell refers to a text that the workbook does not have'],
  ['<c t="s"><v/></c>', 'a cell refers to a text that the workbook does not have'],
  ['<c><v>x</v></c>', 'a cell contains an invalid number'],
  ['<c><v>Infinity</v></c>', 'a cell contains an invalid number'],
  ['<c r="B1"/><c r="B1"/>', 'the cells of a row are out of order'],
  ['<c r="B1"/><c r="A1"/>', 'the cells of a row are out of order'],
  ['<c r="XFE1"/>', 'the cells of a row are out of order'],
  ['<c r="1"/>', 'the cells of a row are out of order'],
  ['<c r="AAAA1"/>', 'the cells of a row are out of order'],
  ['<c r="A"/>', 'the cells of a row are out of order'],
  ['<c r="A0"/>', 'the cells of a row are out of order'],
  ['<c r="A1.5"/>', 'the cells of a row are out of order'],
])('the cells %s are refused: %s', (cells, message) => {
  expect(() => cellsOf(cells)).toThrow(new PartFault(message))
})

test('cells have the column that they name, or the next one', () => {
  expect(cellsOf('<c><v>1</v></c><c r="C1"><v>3</v></c><c><v>4</v></c>')).toEqual(['1', '', '3', '4'])
  expect(cellsOf('<c r="XFD1"><v>1</v></c>')).toHaveLength(16_384)
})

test('rows have the number that they name, or the next one, and empty ones are left out', () => {
  const cell = '<c><v>1</v></c>'
  const { rows } = read(
    `<row>${cell}</row><row r="4">${cell}</row><row/><row>${cell}</row><row r="1048576">${cell}</row>`,
  )
  expect(rows.map(([row]) => row)).toEqual([0, 3, 5, 1_048_575])
})

test.each(['<row r="0"/>', '<row r="2"/><row r="2"/>', '<row r="1048577"/>', '<row r="x"/>', '<row r="1.5"/>'])(
  'the rows %s are refused',
  (rows) => {
    expect(() => read(rows)).toThrow(new PartFault('the rows of a sheet are out of order'))
  },
)

test.each([
  ['A1:B3', { top: 0, left: 0, bottom: 2, right: 1 }],
  ['C4', { top: 3, left: 2, bottom: 3, right: 2 }],
  ['Z1:AB10', { top: 0, left: 25, bottom: 9, right: 27 }],
])('the merged cells %s', (reference, range) => {
  expect(read(`<mergeCells><mergeCell ref="${reference}"/></mergeCells>`).ranges).toEqual([range])
})

test.each(['', 'A', 'A1:B', '1:2', ':'])('the merged cells %j are refused', (reference) => {
  const fault = new PartFault('a range of merged cells is invalid')
  expect(() => read(`<mergeCell ref="${reference}"/>`)).toThrow(fault)
})

test.each([
  [0, 0, 'A1'],
  [2, 1, 'B3'],
  [9, 25, 'Z10'],
  [0, 26, 'AA1'],
  [0, 701, 'ZZ1'],
  [0, 702, 'AAA1'],
])('the cell of row %d and column %d is %s', (row, column, name) => {
  expect(cellName(row, column)).toBe(name)
})
