import { expect, test } from 'vitest'
import { findCells, replacedText } from './find.ts'
import type { GridColumn } from './rows.ts'

const COLUMNS = [{ id: 'c1' }, { id: 'c2' }] as unknown as readonly GridColumn[]
const ROWS = [
  { id: 'r1', cells: { c1: 'Berlin', c2: 'x' } },
  { id: 'r2', cells: { c2: 'BER' } },
]
const found = (text: string) =>
  findCells(ROWS, COLUMNS, text, ({ cells }, { id }) => cells[id] ?? '').map(({ row, column }) => `${row}/${column}`)

test.each<[text: string, cells: readonly string[]]>([
  ['ber', ['0/0', '1/1']],
  ['LIN', ['0/0']],
  ['x', ['0/1']],
  ['paris', []],
  ['', []],
])('%j is found in the shown cells %j, whatever its case', (text, cells) => {
  expect(found(text)).toEqual(cells)
})

test.each([
  ['a-b-c', '-', '+', 'a+b+c'],
  ['Fee fee FEE', 'fee', 'x', 'x x x'],
  ['aaa', 'aa', 'b', 'ba'],
  ['ab', 'a', 'aa', 'aab'],
  ['ab', 'c', 'x', 'ab'],
  ['ab', '', 'x', 'ab'],
  ['abab', 'ab', '', ''],
  ['start end', 'end', 'X', 'start X'],
  // The small letter of İ has two units.
  ['İx İX', 'x', 'y', 'İy İX'],
])('%j with %j as %j is %j', (text, wanted, by, expected) => {
  expect(replacedText(text, wanted, by)).toBe(expected)
})
