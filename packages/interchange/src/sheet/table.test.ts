import { describe, expect, test } from 'vitest'
import { fromCsv } from '../csv/from-csv.ts'
import { lossLines } from '../jdm/documents.testing.ts'
import { Losses } from '../losses.ts'
import { TooLarge } from '../size-error.ts'
import type { KnownColumns } from './header.ts'
import { type CellRange, type Places, type SheetCell, SheetTable } from './table.ts'

const rowsOf = (text: string) => {
  const [table] = fromCsv(text).rulesets[0]?.ruleset.steps ?? []
  return table?.type === 'table' ? table.rows : undefined
}

test('a row with a next step alone matches everything, and is kept', () => {
  expect(rowsOf('in:age,out:fee,next\n>= 18,1,ADULT\n,,OTHER\n')).toEqual([
    { id: 'r1', cells: { c1: '>= 18', c2: '1' }, nextStepId: 'ADULT' },
    { id: 'r2', cells: {}, nextStepId: 'OTHER' },
  ])
})

test('a row with one cell is kept, and one without any content is skipped', () => {
  expect(rowsOf('in:age,out:fee,next\n,7,\n,,\n > 1 ,,\n  ,\t, \n')).toEqual([
    { id: 'r1', cells: { c2: '7' } },
    { id: 'r2', cells: { c1: '> 1' } },
  ])
})

test.each([
  ['in: age : number', { field: 'age', type: 'number' }],
  ['in: tags :array<string>', { field: 'tags', type: 'array<string>' }],
  ['in:age:unknown', { field: 'age:unknown' }],
  ['in: age ', { field: 'age' }],
])('the header %s names %j', (header, expected) => {
  const [table] = fromCsv(`${header},out:fee\n,1\n`).rulesets[0]?.ruleset.steps ?? []
  expect(table?.type === 'table' ? table.columns[0] : undefined).toEqual({ id: 'c1', kind: 'input', ...expected })
})

test('a cell behind the last column of the header is reported at its place', () => {
  const { lost } = fromCsv('in:age,out:fee\n1,2,,3\n')
  expect(lost).toMatchObject([{ code: 'cell-without-column', severity: 'error', line: 2 }])
})

/** A table whose cells are placed by `row:index`. */
function tableOf(header: readonly SheetCell[], known: KnownColumns = []) {
  const losses = new Losses()
  const places: Places = { cell: (row, index) => ({ path: `${row}:${index}` }) }
  return { losses, table: new SheetTable(header, 7, places, losses, known) }
}
const lost = (original: string): SheetCell => ({ original, loss: { code: 'formula', message: 'a formula' } })
const rowsIn = (table: SheetTable) => {
  const [step] = table.finish('t').steps
  return step?.type === 'table' ? step.rows : []
}

test('cells that are lost are placeholders, in a header too, and none in the column of next steps', () => {
  const { losses, table } = tableOf(['in:a', 'out:b', 'next', lost('=A1')])
  table.add([lost('=B1'), lost('=B2'), lost('=B3')], 8)
  table.add(['1', '2', ' A '], 9)
  expect(table.width).toBe(4)
  expect(rowsIn(table)).toEqual([
    { id: 'r1', cells: { c1: '? lost("=B1")', c2: 'lost("=B2")' } },
    { id: 'r2', cells: { c1: '1', c2: '2' }, nextStepId: 'A' },
  ])
  expect(lossLines(losses.lost)).toEqual([
    'error formula 7:3 a formula',
    'error formula 8:0 a formula',
    'error formula 8:1 a formula',
    'error formula 8:2 a formula',
  ])
})

test.each<readonly [title: string, range: CellRange, marked: readonly string[], losses: number]>([
  ['two rows of an input', { top: 8, left: 0, bottom: 9, right: 0 }, ['r1 c1', 'r2 c1'], 1],
  ['two columns of a row', { top: 9, left: 0, bottom: 9, right: 1 }, ['r2 c1', 'r2 c2'], 1],
  ['a column and that of next steps', { top: 9, left: 1, bottom: 9, right: 2 }, ['r2 c2'], 1],
  ['the column of next steps alone', { top: 8, left: 2, bottom: 9, right: 2 }, [], 1],
  ['the header and a row', { top: 7, left: 0, bottom: 8, right: 0 }, ['r1 c1'], 1],
  ['the header alone', { top: 7, left: 0, bottom: 7, right: 1 }, [], 1],
  ['rows above the header', { top: 1, left: 0, bottom: 6, right: 1 }, [], 0],
  ['one cell', { top: 8, left: 0, bottom: 8, right: 0 }, [], 0],
  ['columns behind the last', { top: 8, left: 3, bottom: 9, right: 4 }, [], 0],
  ['rows behind the last', { top: 12, left: 0, bottom: 13, right: 0 }, [], 1],
  ['a row that was skipped', { top: 10, left: 0, bottom: 11, right: 1 }, ['r3 c1', 'r3 c2'], 1],
  ['all rows', { top: 8, left: 1, bottom: 20, right: 1 }, ['r1 c2', 'r2 c2', 'r3 c2'], 1],
])('merged cells: %s', (_, range, marked, count) => {
  const { losses, table } = tableOf(['in:a', 'out:b', 'next'])
  for (const row of [8, 9, 11]) table.add(['1', '2', 'A'], row)
  table.merge(range)
  const found = rowsIn(table).flatMap(({ id, cells }) =>
    Object.entries(cells).flatMap(([column, cell]) =>
      cell.includes('lost("merged cells")') ? [`${id} ${column}`] : [],
    ),
  )
  expect(found).toEqual(marked)
  const message = 'merged cells are not supported in a table: repeat the content in each cell'
  expect(lossLines(losses.lost)).toEqual(
    Array.from({ length: count }, () => `error merged-cells ${range.top}:${range.left} ${message}`),
  )
})

describe('limits of a table', () => {
  test('has at most 100,000 rows, empty ones not counted', () => {
    const { table } = tableOf(['in:a'])
    for (let row = 0; row < 100_000; row++) table.add(['1'], row)
    table.add([''], 100_000)
    expect(() => table.add(['1'], 100_001)).toThrow(new TooLarge('a table may have at most 100000 rows'))
  })

  test('has at most 16,777,216 characters', () => {
    const { table } = tableOf(['in:a', 'next'])
    table.add(['1'.repeat(16_777_215), 'A'], 8)
    expect(() => table.add(['1'], 9)).toThrow(new TooLarge('the cells of a table may have at most 16777216 characters'))
  })

  test('has at most 1,000,000 rows of merged cells', () => {
    const { table } = tableOf(['next', 'in:a'])
    for (let row = 0; row < 1000; row++) table.add(['A'], row + 8)
    const all = { top: 8, left: 0, bottom: 1007, right: 0 }
    for (let count = 0; count < 1000; count++) table.merge(all)
    expect(() => table.merge({ ...all, bottom: 9 })).toThrow(new TooLarge('merged cells may span at most 1000000 rows'))
  })
})

test('problems of the draft are reported at their cells, and those of lost cells are not', () => {
  const { losses, table } = tableOf(['x', 'in:a:number', 'out:b', 'next'])
  table.add(['', '1 +', lost('='), 'A'], 8)
  table.add(['', '"x"', '2', 'B'], 12)
  table.add(['', '1', '3 +'], 13)
  table.finish('t')
  expect(losses.lost.map(({ path, code, severity }) => `${severity} ${code} ${path}`)).toEqual([
    'warning unknown-column 7:0',
    'error formula 8:2',
    'error cell-not-literal 8:1',
    'error cell-type 12:1',
    'error unexpected-token 13:2',
  ])
})

test('a column that no rule can have is reported in the header', () => {
  const { losses, table } = tableOf(['in:a b +', 'out:c d'])
  table.add(['1', '2'], 8)
  table.finish('t')
  expect(losses.lost.map(({ path, severity }) => `${severity} ${path}`)).toEqual([
    'error 7:0',
    'error 7:1',
    'error 7:0',
  ])
})

test('steps have names of their own where codes are those of steps', () => {
  const { table } = tableOf(['in:a', 'out:$b', 'out:b', 'next'])
  for (const [row, code] of ['table', 'done', 'no_match', 'A', 'A', ''].entries())
    table.add(['1', '2', '3', code], row + 8)
  const { steps } = table.finish('t')
  const [step, ...terminals] = steps
  expect(step).toMatchObject({
    id: 'table',
    nextStepId: 'done-2',
    defaultNextStepId: 'no_match-2',
    rows: ['table-2', 'done', 'no_match', 'A', 'A', undefined].map((nextStepId) =>
      nextStepId === undefined ? { id: 'r6' } : { nextStepId },
    ),
  })
  expect(terminals).toEqual(
    [
      ['table-2', 'table'],
      ['done', 'done'],
      ['no_match', 'no_match'],
      ['A', 'A'],
      ['done-2', 'DONE'],
      ['no_match-2', 'NO_MATCH'],
    ].map(([id, code]) => ({ id, type: 'terminal', code, output: [{ name: 'b', value: '$b' }] })),
  )
})
