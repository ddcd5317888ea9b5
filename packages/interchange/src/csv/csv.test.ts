import type { TableStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { chance, pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import { randomSheet } from '../sheet/random-sheet.testing.ts'
import { csvSheet, fromCsv } from './from-csv.ts'

const TABLES = casesOf(2000)

const LOAN = [
  'in:age:number,"in:address[""country""]:string",out:limit,next',
  '>= 18,"in [""DE"", ""FR""]",1000 * 2,APPROVED',
  '< 18,,,DENIED',
].join('\r\n')

test('a table becomes one table step with a terminal for each code of the column `next`', () => {
  const { rulesets, lost } = fromCsv(`\uFEFF${LOAN}\r\n`, 'loan')
  expect(lost).toEqual([])
  expect(rulesets).toMatchObject([
    {
      name: 'loan',
      ruleset: {
        config: { name: 'loan' },
        startStepId: 'table',
        steps: [
          {
            id: 'table',
            type: 'table',
            hitPolicy: 'first',
            columns: [
              { id: 'c1', kind: 'input', field: 'age', type: 'number' },
              { id: 'c2', kind: 'input', field: 'address["country"]', type: 'string' },
              { id: 'c3', kind: 'output', field: 'limit' },
            ],
            rows: [
              { id: 'r1', cells: { c1: '>= 18', c2: 'in ["DE", "FR"]', c3: '1000 * 2' }, nextStepId: 'APPROVED' },
              { id: 'r2', cells: { c1: '< 18' }, nextStepId: 'DENIED' },
            ],
            nextStepId: 'done',
            defaultNextStepId: 'no_match',
          },
          { id: 'APPROVED', type: 'terminal', code: 'APPROVED', output: [{ name: 'limit', value: '$limit' }] },
          { id: 'DENIED', type: 'terminal', code: 'DENIED' },
          { id: 'done', type: 'terminal', code: 'DONE' },
          { id: 'no_match', type: 'terminal', code: 'NO_MATCH' },
        ],
      },
    },
  ])
})

test('a header may name the columns of the table that it is read for by their fields alone', () => {
  const known = [
    { kind: 'input', field: 'age', type: 'number' },
    { kind: 'output', field: 'limit' },
  ] as const
  const { rulesets, lost } = fromCsv('age,$limit,next,remark\n>= 18,100,APPROVED,fine\n', 'loan', known)
  expect(rulesets[0]?.ruleset.steps[0]).toMatchObject({
    columns: [
      { id: 'c1', kind: 'input', field: 'age', type: 'number' },
      { id: 'c2', kind: 'output', field: 'limit' },
    ],
    rows: [{ cells: { c1: '>= 18', c2: '100' }, nextStepId: 'APPROVED' }],
  })
  expect(lost).toMatchObject([{ code: 'unknown-column', line: 1, column: 17 }])
  expect(fromCsv('age,$limit\n>= 18,100\n').rulesets).toEqual([])
})

test('an error in a cell is reported at its line and column', () => {
  const { lost } = fromCsv('in:age:number,in:name,out:x,remark\n1,Ada,1,fine\n"""one""",,1 +,\n')
  expect(lost).toMatchObject([
    { code: 'unknown-column', severity: 'warning', line: 1, column: 29, length: 6 },
    { code: 'cell-not-literal', severity: 'error', line: 2, column: 3, length: 3, suggestion: '"Ada"' },
    { code: 'cell-type', line: 3, column: 1, length: 9 },
    { code: 'unexpected-token', line: 3, column: 12 },
  ])
})

test(`${TABLES} random tables written as CSV are read back unchanged`, () => {
  printSeed(TABLES)
  const random = seededRandom(SEED)
  for (let count = 0; count < TABLES; count++) {
    const { cells, columns, rows } = randomSheet(random)
    const text = csvText(random, cells)
    const { rulesets } = fromCsv(text)
    const [table] = rulesets[0]?.ruleset.steps ?? []
    const renamed = rows.map((row) => (row.nextStepId === 'table' ? { ...row, nextStepId: 'table-2' } : row))
    expect({ columns: (table as TableStep).columns, rows: (table as TableStep).rows }, text).toEqual({
      columns,
      rows: renamed,
    })
  }
}, 600_000)

/** Writes every form that RFC 4180 allows. */
function csvText(random: Random, cells: readonly (readonly string[])[]): string {
  const separator = cells[0]?.length === 1 ? ',' : pick(random, [',', ';', '\t'] as const)
  const lineEnd = pick(random, ['\r\n', '\n'])
  const cellText = (cell: string) =>
    /["\r\n,;\t]/.test(cell) || chance(random, 0.2) ? `"${cell.replaceAll('"', '""')}"` : cell
  const text = cells.map((row) => row.map(cellText).join(separator)).join(lineEnd)
  return `${chance(random, 0.3) ? '\uFEFF' : ''}${text}${chance(random, 0.5) ? lineEnd : ''}`
}

test('a table of 100,000 rows is read; it is not checked here', () => {
  const { rulesets, lost } = fromCsv(`in:a,out:b\n${'> 1,2\n'.repeat(100_000)}`)
  const [table] = rulesets[0]?.ruleset.steps ?? []
  expect((table as TableStep).rows.length).toBe(100_000)
  expect(lost).toMatchObject([{ code: 'unchecked', severity: 'warning', line: 1, column: 1 }])
})

const NO_HEADER = '`the table` has no header: its first row must name the columns, `in:field`, `out:field` or `next`'

test.each([
  ['in:a,out:b\n1,"2', { code: 'bad-csv', line: 2, column: 3, length: 1 }],
  ['a,b\n1,2\n', { code: 'no-header', line: 1, column: 1, length: 1, message: NO_HEADER }],
  ['', { code: 'no-header', path: '', message: NO_HEADER }],
  [
    'in:a,out:b\n12\n',
    { code: 'short-row', line: 2, column: 1, length: 2, message: 'the row has 1 cells, the header 2' },
  ],
  [
    'in:a,out:b\n1,2,,34\n',
    { code: 'cell-without-column', line: 2, column: 6, length: 2, message: 'the header has no name for this column' },
  ],
])('the table %j is refused at its place', (text, loss) => {
  const { lost } = fromCsv(text)
  expect(lost).toMatchObject([{ severity: 'error', ...loss }])
})

test('a text that is no CSV has no ruleset and no sheet', () => {
  const text = 'in:a,out:b\n1,"2'
  expect(fromCsv(text).rulesets).toEqual([])
  expect(csvSheet(text, 's')).toMatchObject({ lost: [{ code: 'bad-csv', line: 2, column: 3, length: 1 }] })
})

test('a sheet begins behind the mark of the byte order, and has its places', () => {
  const read = csvSheet('\uFEFFa;b\n1;2\n', 's')
  if ('lost' in read) throw new Error('not read')
  const { sheet } = read
  expect([sheet.name, sheet.titles, sheet.texts().cells]).toEqual([
    's',
    ['a', 'b'],
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ])
  expect(sheet.toRuleset('t', { inputs: [], outputs: ['b'] }).lost).toMatchObject([
    { code: 'unknown-column', line: 1, column: 1 },
  ])
})
