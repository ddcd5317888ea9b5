import type { Row } from '@engine/authoring'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../tests/cases.testing.ts'
import { findCells, replacedText } from './find.ts'
import { viewedRows, withViewChange } from './row-view.ts'
import { emptyRow, rowsMovedTo, withCells } from './rows.ts'

const CASES = casesOf(2000)
const row = (id: string, a: string): Row => ({ id, cells: a === '' ? {} : { a } })
const plain = ({ cells }: Row, column: string) => cells[column] ?? ''

describe('a view of the rows', () => {
  const rows = [row('1', '<= 10'), row('2', '"b"'), row('3', '2'), row('4', ''), row('5', '"a"'), row('6', '(2..5]')]
  test.each([
    ['up: numbers, texts, then empty cells', { sort: { column: 'a', isDown: false }, filters: {} }, [2, 5, 0, 4, 1, 3]],
    ['down, empty cells last', { sort: { column: 'a', isDown: true }, filters: {} }, [1, 4, 0, 5, 2, 3]],
    ['rows that contain a text', { filters: { a: '2' } }, [2, 5]],
    ['all rows without a filter', { filters: { a: '' } }, [0, 1, 2, 3, 4, 5]],
  ])('shows %s', (_title, view, shown) => expect(viewedRows({ rows }, view, plain)).toEqual(shown))
})

test.each([
  ['words of a cell', 'UP TO', [0]],
  ['code of a cell', '<=', [0]],
  ['no text of an empty cell', 'undefined', []],
])('a filter finds the %s', (_, text, shown) => {
  const words = ({ cells }: Row, column: string) => (cells[column] ?? '').replace('<=', 'up to')
  expect(viewedRows({ rows: [row('1', '<= 10'), row('2', '')] }, { filters: { a: text } }, words)).toEqual(shown)
})

const tables = fc
  .uniqueArray(fc.nat(30), { maxLength: 12 })
  .map((ids) => ids.map((id): Row => ({ id: `r${id}`, cells: { a: String(id) } })))

test(`a change of shown rows never changes the order of the table, or a hidden row (${CASES} changes)`, () => {
  fc.assert(
    fc.property(tables, fc.array(fc.nat(11)), fc.nat(11), (rows, some, at) => {
      const shown = [...new Set(some)].filter((index) => index < rows.length)
      const changed = withViewChange(rows, shown, (all) => [
        ...all.filter((_, index) => index !== at).map((one) => ({ ...one, note: 'x' })),
        emptyRow(all),
      ])
      const removed = shown[at] === undefined ? undefined : rows[shown[at]]?.id
      const kept = changed.filter(({ id }) => rows.some((one) => one.id === id))
      expect(kept.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).filter((id) => id !== removed))
      for (const [index, one] of rows.entries()) if (!shown.includes(index)) expect(changed).toContain(one)
      expect(new Set(changed.map(({ id }) => id)).size).toBe(changed.length)
      expect(changed).toHaveLength(kept.length + 1)
    }),
    { numRuns: CASES },
  )
})

test(`dragged rows stand before the row that they were dropped on (${CASES} drags)`, () => {
  fc.assert(
    fc.property(tables, fc.nat(11), fc.nat(11), fc.nat(12), (rows, one, other, before) => {
      fc.pre(Math.max(one, other) < rows.length && before <= rows.length)
      const [first, last] = [Math.min(one, other), Math.max(one, other)]
      const moved = rowsMovedTo(rows, first, last, before)
      const block = rows.slice(first, last + 1)
      const others = rows.filter((of) => !block.includes(of))
      expect(moved.filter((of) => !block.includes(of))).toEqual(others)
      const start = moved.indexOf(block[0] as Row)
      expect(moved.slice(start, start + block.length)).toEqual(block)
      const target = rows[before]
      if (target !== undefined && !block.includes(target)) expect(moved[start + block.length]).toBe(target)
    }),
    { numRuns: CASES },
  )
})

describe('find and replace', () => {
  const columns = [{ id: 'a', kind: 'input', title: 'a', width: 1 }] as const
  test('finds cells by their text, whatever its case', () => {
    const rows = [row('1', '"Gold"'), row('2', '"silver"'), row('3', '"GOLD plus"')]
    const shown = (one: Row) => plain(one, 'a')
    expect(findCells(rows, columns, 'gold', shown)).toEqual([
      { row: 0, column: 0 },
      { row: 2, column: 0 },
    ])
    expect(findCells(rows, columns, '', shown)).toEqual([])
    expect(withCells(rows, columns, { row: 0, column: 0 }, [['x']])[0]?.cells).toEqual({ a: 'x' })
  })
  test.each([
    ['up to 5', '5', '6', 'up to 6'],
    ['Gold gold', 'GOLD', 'x', 'x x'],
    ['aaa', 'aa', 'b', 'ba'],
    ['a', '', 'b', 'a'],
    ['İi', 'i', 'x', 'İx'],
  ])('%s: %s becomes %s', (text, wanted, by, result) => expect(replacedText(text, wanted, by)).toBe(result))
})
