import { expect, test } from 'vitest'
import { fromCsv } from '../csv/from-csv.ts'

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
