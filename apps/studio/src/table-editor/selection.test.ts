import { describe, expect, test } from 'vitest'
import {
  bottomOf,
  cellAt,
  dropBefore,
  leftOf,
  movedTo,
  rightOf,
  rowsPressed,
  type Selection,
  topOf,
} from './selection.ts'

const SIZE = { rows: 10, columns: 4, page: 3 }
const press = (keys: string, selection: Selection, size = SIZE) => {
  const parts = keys.split('+')
  const event = {
    key: parts.at(-1) ?? '',
    ctrlKey: parts.includes('Ctrl'),
    metaKey: parts.includes('Meta'),
    shiftKey: parts.includes('Shift'),
  }
  return movedTo(event, selection, size)
}

describe('a key of movement leads from row 5 and column 1', () => {
  test.each([
    ['ArrowDown', 6, 1],
    ['ArrowUp', 4, 1],
    ['ArrowRight', 5, 2],
    ['ArrowLeft', 5, 0],
    ['Ctrl+ArrowDown', 9, 1],
    ['Ctrl+ArrowUp', 0, 1],
    ['Ctrl+ArrowRight', 5, 3],
    ['Ctrl+ArrowLeft', 5, 0],
    ['Meta+ArrowDown', 9, 1],
    ['PageDown', 8, 1],
    ['PageUp', 2, 1],
    ['Home', 5, 0],
    ['End', 5, 3],
    ['Ctrl+Home', 0, 0],
    ['Ctrl+End', 9, 3],
    ['Tab', 5, 2],
    ['Shift+Tab', 5, 0],
  ])('%s to row %d and column %d', (keys, row, column) => {
    expect(press(keys, cellAt(5, 1))).toEqual(cellAt(row, column))
  })
})

describe('movement stays within the grid', () => {
  test.each([
    ['ArrowDown', 9, 3, 9, 3],
    ['ArrowUp', 0, 0, 0, 0],
    ['ArrowLeft', 0, 0, 0, 0],
    ['ArrowRight', 9, 3, 9, 3],
    ['PageDown', 8, 0, 9, 0],
    ['PageUp', 1, 0, 0, 0],
  ])('%s from row %d and column %d to row %d and column %d', (keys, fromRow, fromColumn, row, column) => {
    expect(press(keys, cellAt(fromRow, fromColumn))).toEqual(cellAt(row, column))
  })

  test('Tab leaves it at its edges', () => {
    expect(press('Tab', cellAt(5, 3))).toBeUndefined()
    expect(press('Shift+Tab', cellAt(5, 0))).toBeUndefined()
  })

  test('a key that moves nothing is ignored', () => {
    for (const keys of ['a', 'Enter', 'Escape', 'F2']) expect(press(keys, cellAt(5, 1))).toBeUndefined()
  })
})

describe('with Shift the selection grows from its active cell', () => {
  test.each([
    ['Shift+ArrowDown', { toRow: 7, toColumn: 2 }],
    ['Shift+ArrowLeft', { toRow: 6, toColumn: 1 }],
    ['Ctrl+Shift+End', { toRow: 9, toColumn: 3 }],
    ['Shift+PageUp', { toRow: 3, toColumn: 2 }],
  ])('%s', (keys, to) => {
    expect(press(keys, { row: 5, column: 1, toRow: 6, toColumn: 2 })).toEqual({ row: 5, column: 1, ...to })
  })

  test('but Tab moves the active cell', () => {
    expect(press('Shift+Tab', { row: 5, column: 1, toRow: 6, toColumn: 2 })).toEqual(cellAt(5, 0))
  })

  test('and without it, the active cell moves alone', () => {
    expect(press('ArrowDown', { row: 5, column: 1, toRow: 8, toColumn: 3 })).toEqual(cellAt(6, 1))
  })
})

test.each([
  [{ row: 1, column: 2, toRow: 3, toColumn: 4 }, [1, 3, 2, 4]],
  [{ row: 3, column: 4, toRow: 1, toColumn: 2 }, [1, 3, 2, 4]],
])('the sides of %j', (selection, sides) => {
  expect([topOf(selection), bottomOf(selection), leftOf(selection), rightOf(selection)]).toEqual(sides)
})

const rows = (row: number, toRow: number, toColumn = 2): Selection => ({ row, column: 0, toRow, toColumn })

test.each<[row: number, selection: Selection, isExtended: boolean, pressed: Selection]>([
  [5, rows(1, 1), false, rows(5, 5)],
  [2, rows(1, 3), false, rows(1, 3)],
  [1, rows(1, 3), false, rows(1, 3)],
  [3, rows(3, 1), false, rows(1, 3)],
  [4, rows(1, 3), false, rows(4, 4)],
  [0, rows(1, 3), false, rows(0, 0)],
  // Not all columns are selected.
  [2, rows(1, 3, 1), false, rows(2, 2)],
  [5, rows(1, 3), true, rows(1, 5)],
  [0, rows(3, 3), true, rows(3, 0)],
])('a press on the number of row %i, with %j selected and Shift %s', (row, selection, isExtended, pressed) => {
  expect(rowsPressed(row, selection, 3, isExtended)).toEqual(pressed)
})

test.each<[row: number, before: number | undefined]>([
  [0, 0],
  [1, 1],
  [2, undefined],
  [3, undefined],
  [4, 5],
  [7, 8],
])('rows 2 and 3 that are dragged over row %i are dropped before %s', (row, before) => {
  expect(dropBefore(row, 2, 3)).toBe(before)
})
