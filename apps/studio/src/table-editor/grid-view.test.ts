import { expect, test } from 'vitest'
import { NUMBER_WIDTH, ROW_HEIGHT } from './grid-row.tsx'
import { columnsIn, leftEdges, rowsIn } from './grid-view.ts'
import type { GridColumn } from './rows.ts'

const columns = (...widths: readonly number[]) => widths.map((width) => ({ width })) as unknown as readonly GridColumn[]

test('each column begins where the one before ends, behind the numbers of the rows', () => {
  expect(leftEdges(columns(100, 50, 200))).toEqual([0, 100, 150, 350].map((left) => left + NUMBER_WIDTH))
  expect(leftEdges([])).toEqual([NUMBER_WIDTH])
})

test.each<[left: number, width: number, from: number, to: number]>([
  [0, 10_000, 0, 20],
  // 200 pixels more are rendered.
  [0, NUMBER_WIDTH, 0, 2],
  [0, NUMBER_WIDTH + 1, 0, 3],
  [NUMBER_WIDTH + 500, 100, 4, 8],
  [NUMBER_WIDTH + 501, 100, 5, 9],
  [100_000, 100, 19, 20],
])('a view from %i that is %i wide shows the columns %i to %i', (left, width, from, to) => {
  const all = columns(...Array.from({ length: 20 }, () => 100))
  expect(columnsIn({ left, width }, all, leftEdges(all))).toEqual({ from, to })
})

test('a table without columns shows none', () => {
  expect(columnsIn({ left: 0, width: 100 }, [], leftEdges([]))).toEqual({ from: 0, to: 0 })
})

test.each<[top: number, height: number, count: number, first: number, last: number]>([
  [0, 10, 1000, 0, 17],
  [0, 10, 5, 0, 4],
  [100, 10, 1000, 92, 117],
  [990, 10, 1000, 982, 999],
  [0, 10, 0, 0, -1],
])('at row %i, with a height of %i rows of %i, the rows %i to %i are rendered', (top, height, count, first, last) => {
  const shown = rowsIn({ top: top * ROW_HEIGHT, height: height * ROW_HEIGHT }, count).filter((row) => row !== undefined)
  const expected = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  expect(shown.toSorted((left, right) => left - right)).toEqual(expected)
})

test('a row keeps its slot while the view moves', () => {
  const view = (top: number) => rowsIn({ top: top * ROW_HEIGHT, height: 10 * ROW_HEIGHT }, 1000)
  for (let top = 0; top < 60; top++) {
    const [before, after] = [view(top), view(top + 1)]
    expect(after).toHaveLength(before.length)
    const moved = after.filter((row, slot) => row !== undefined && row !== before[slot])
    expect(moved.length).toBeLessThanOrEqual(1)
  }
})
