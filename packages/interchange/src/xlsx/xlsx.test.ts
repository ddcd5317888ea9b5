import type { TableStep } from '@engine/authoring'
import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { casesOf, printSeed, SEED } from '../../../../tests/cases.testing.ts'
import { pick, type Random, seededRandom } from '../../../ruleset/src/random.testing.ts'
import type { Imported } from '../conversion-result.ts'
import { randomSheet } from '../sheet/random-sheet.testing.ts'
import { fromXlsx, xlsxSheets } from './from-xlsx.ts'
import {
  flag,
  formula,
  number,
  packed,
  shared,
  text,
  workbookBytes,
  workbookParts,
  type WrittenCell,
} from './workbook.testing.ts'

const TABLES = casesOf(400)

const tableIn = ({ rulesets }: Imported, index = 0) => rulesets[index]?.ruleset.steps[0] as TableStep

test('texts, numbers, flags and days become cells; texts are cells as they are written', () => {
  const bytes = workbookBytes({
    sharedTexts: [
      '<t>in:age</t>',
      '<r><t>out:</t></r><r><rPr/><t>fee</t></r><rPh sb="0" eb="1"><t>read aloud</t></rPh>',
    ],
    formats: ['yyyy\\-mm\\-dd', '"d"0.00', 'dd/mm/yy hh:mm', '[$-409]h:mm AM/PM;@'],
    sheets: [
      {
        name: 'Fees',
        rows: [
          [shared(0), shared(1)],
          [text(' > 5 '), number('1E-3')],
          [number(18), flag(true)],
          [undefined, number(46_346, 1)],
          [number(7, 2), number(46_346.4375, 3)],
          [text('_x0022_a_x0022_'), number(0.5, 4)],
        ],
      },
    ],
  })
  const imported = fromXlsx(bytes)
  expect(imported.lost).toEqual([])
  expect(imported.rulesets[0]?.name).toBe('Fees')
  expect(tableIn(imported).rows.map(({ cells }) => cells)).toEqual([
    { c1: '> 5', c2: '0.001' },
    { c1: '18', c2: 'true' },
    { c2: '"2026-11-20"' },
    { c1: '7', c2: '"2026-11-20T10:30:00"' },
    { c1: '"a"', c2: '"12:00:00"' },
  ])
})

test('a workbook may count its days from 1904, and be of the strict form', () => {
  const rows = [[text('out:day')], [number(44_884, 1)]]
  const bytes = workbookBytes({ is1904: true, isStrict: true, formats: ['d.m.yyyy'], sheets: [{ name: 'T', rows }] })
  expect(tableIn(fromXlsx(bytes)).rows[0]?.cells).toEqual({ c1: '"2026-11-20"' })
})

test('each sheet with a header is a ruleset, and the others are named', () => {
  const rows = [[text('in:a')], [number(1)]]
  const sheets = [
    { name: 'Größe 1', rows },
    { name: 'Notes', rows: [[text('read me')]] },
    { name: 'Größe 2', rows: [[], ...rows] },
    { name: 'Empty', rows: [] },
  ]
  const { rulesets, lost } = fromXlsx(workbookBytes({ sheets }), 'size')
  expect(rulesets.map(({ name, ruleset }) => [name, ruleset.config.name])).toEqual([
    ['size-Gro-e-1', 'size-Gro-e-1'],
    ['size-Gro-e-2', 'size-Gro-e-2'],
  ])
  expect(lost).toMatchObject([
    { path: '/Notes', code: 'no-header', severity: 'warning' },
    { path: '/Empty', code: 'no-header', severity: 'warning' },
  ])
  expect(fromXlsx(workbookBytes({ sheets: sheets.slice(0, 1) }), 'size').rulesets[0]?.name).toBe('size')
})

test('a formula is reported at its cell and never replaced by its value; the draft cannot be published', () => {
  const rows = [
    [text('in:age'), text('out:fee'), text('remark')],
    [formula('A1+1', '18'), formula('SUM(A1:A2)', '5'), formula('NOW()', '1')],
    [text('> 5'), { attributes: 't="e"', content: '<v>#N/A</v>' }],
  ]
  const imported = fromXlsx(workbookBytes({ sheets: [{ name: 'A/B', rows }] }))
  expect(imported.lost).toMatchObject([
    { path: '/A~1B/C1', code: 'unknown-column', severity: 'warning' },
    { path: '/A~1B/A2', code: 'formula', severity: 'error' },
    { path: '/A~1B/B2', code: 'formula', severity: 'error' },
    { path: '/A~1B/B3', code: 'error-value', severity: 'error' },
  ])
  expect(tableIn(imported).rows.map(({ cells }) => cells)).toEqual([
    { c1: '? lost("=A1+1")', c2: 'lost("=SUM(A1:A2)")' },
    { c1: '> 5', c2: 'lost("#N/A")' },
  ])
})

test('the texts of a sheet come without blank rows, and with the cells whose texts are not their content', () => {
  const rows = [
    [text('Age'), text('Limit'), text('Note')],
    [number(1), formula('A2*2', '2'), text('x')],
    [],
    [undefined, number(3)],
  ]
  const read = xlsxSheets(workbookBytes({ sheets: [{ name: 'T', rows, merged: ['A2:A4'] }] }))
  const [sheet] = 'sheets' in read ? read.sheets : []
  const { cells, lost } = sheet?.texts() ?? { cells: [], lost: [] }
  expect(cells.map((row) => row[0])).toEqual(['Age', '1', ''])
  expect(lost.map(({ row, column }) => [row, column])).toEqual([
    [1, 1],
    [2, 0],
  ])
})

test('merged cells are reported, and hold the place of what they may mean', () => {
  const rows = [
    [text('in:a'), text('out:b')],
    [number(1), number(2)],
    [undefined, number(3)],
    [number(4), number(5)],
  ]
  const imported = fromXlsx(workbookBytes({ sheets: [{ name: 'T', rows, merged: ['A2:A3', 'D1:E9', 'B4:B4'] }] }))
  expect(imported.lost).toMatchObject([{ path: '/T/A2', code: 'merged-cells', severity: 'error' }])
  expect(tableIn(imported).rows.map(({ cells }) => cells['c1'])).toEqual([
    '? lost("merged cells")',
    '? lost("merged cells")',
    '4',
  ])
})

test('an error in a cell is reported at the cell', () => {
  const rows = [
    [text('in:age:number'), text('out:fee')],
    [text('adult'), text('1 +')],
  ]
  expect(fromXlsx(workbookBytes({ sheets: [{ name: 'T', rows }] })).lost).toMatchObject([
    { path: '/T/A2', code: 'cell-not-literal', suggestion: '"adult"' },
    { path: '/T/B2', code: 'unexpected-token' },
  ])
})

test(`${TABLES} random tables written as workbooks are read back unchanged`, () => {
  printSeed(TABLES)
  const random = seededRandom(SEED)
  for (let count = 0; count < TABLES; count++) {
    const { cells, columns, rows } = randomSheet(random)
    const sharedTexts: string[] = []
    const written = cells.map((row) => row.map((cell) => cellOf(random, cell, sharedTexts)))
    const table = tableIn(fromXlsx(workbookBytes({ sharedTexts, sheets: [{ name: 'T', rows: written }] })))
    const renamed = rows.map((row) => (row.nextStepId === 'table' ? { ...row, nextStepId: 'table-2' } : row))
    expect({ columns: table.columns, rows: table.rows }, JSON.stringify(cells)).toEqual({ columns, rows: renamed })
  }
}, 600_000)

/** The cell in one of the forms that spreadsheets use. */
function cellOf(random: Random, cell: string, sharedTexts: string[]): WrittenCell {
  if (cell === '') return undefined
  if (/^[\d.]+$/.test(cell)) return pick(random, [number(cell), text(cell)])
  if (cell === 'true') return pick(random, [flag(true), text(cell)])
  if (pick(random, [true, false])) return text(cell)
  const escaped = cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\r', '_x000D_')
  sharedTexts.push(`<t>${escaped}</t>`)
  return shared(sharedTexts.length - 1)
}

test.each([
  ['no archive', new TextEncoder().encode('no workbook')],
  ['a workbook of Excel 97', Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0)],
  ['an archive without a workbook', zipSync({ 'a.txt': strToU8('a') })],
])('%s is refused, as a table and as sheets', (_, bytes) => {
  const error = { path: '', severity: 'error', code: 'unreadable' }
  expect(fromXlsx(bytes)).toEqual({ rulesets: [], lost: [expect.objectContaining(error)] })
  expect(xlsxSheets(bytes)).toEqual({ lost: [expect.objectContaining(error)] })
})

/** The table of one sheet whose XML a test writes. */
const sheetOf = (change: (xml: string) => string, rows: readonly (readonly WrittenCell[])[]) => {
  const parts = workbookParts({ sheets: [{ name: 'T', rows }] })
  const changed = Object.entries(parts).map(([path, xml]) => [path, strToU8(/sheets\//.test(path) ? change(xml) : xml)])
  return fromXlsx(zipSync(Object.fromEntries(changed) as Record<string, Uint8Array>))
}

test('rows and cells without their positions follow each other', () => {
  const rows = [[text('in:a'), text('out:b')], [number(1), number(2)], [formula('A1', '3')]]
  const imported = sheetOf((xml) => xml.replaceAll(/ r="[A-Z]*\d+"/g, ''), rows)
  expect(tableIn(imported).rows[0]?.cells).toEqual({ c1: '1', c2: '2' })
  expect(imported.lost).toMatchObject([{ path: expect.stringContaining('A3') }])
})

test.each([
  ['the rows of a sheet are out of order', ' r="2"', ' r="1"'],
  ['the rows of a sheet are out of order', ' r="2"', ' r="x"'],
  ['the cells of a row are out of order', ' r="B1"', ' r="A1"'],
  ['the cells of a row are out of order', ' r="B1"', ' r="?"'],
  ['a cell has an unknown type', ' t="inlineStr"', ' t="x"'],
])('a sheet is refused: %s', (message, original, wrong) => {
  const rows = [
    [text('in:a'), text('out:b')],
    [number(1), number(2)],
  ]
  expect(sheetOf((xml) => xml.replace(original, wrong), rows).lost).toMatchObject([
    { code: 'unreadable', message: expect.stringContaining(message) },
  ])
})

test('a cell may have a date as ISO 8601, a truth as a word, or no value', () => {
  const typed = (type: string, value: string): WrittenCell => ({
    attributes: `t="${type}"`,
    content: `<v>${value}</v>`,
  })
  const rows = [
    [text('in:a'), text('in:b'), text('out:c')],
    [typed('d', ' 2026-01-31 '), typed('b', 'true'), typed('n', '7')],
    [typed('d', ''), typed('b', ''), typed('b', 'false')],
  ]
  expect(tableIn(sheetOf((xml) => xml, rows)).rows.map(({ cells }) => cells)).toEqual([
    { c1: '"2026-01-31"', c2: 'true', c3: '7' },
    { c3: 'false' },
  ])
})

const HEADED = { name: 'T', rows: [[text('in:a')], [number(1)]] }

test.each([
  [
    [0xd0, 0xcf, 0x11, 0xe0],
    'this is a workbook of Excel 97 or one with a password: save it as .xlsx without a password',
  ],
  ...[0, 1, 2, 3].map((at): [number[], string] => [
    [0xd0, 0xcf, 0x11, 0xe0].with(at, 0),
    'the workbook cannot be read: it is not a zip archive, or incomplete',
  ]),
])('bytes that begin with %j are refused', (bytes, message) => {
  const loss = { path: '', code: 'unreadable', severity: 'error', message }
  expect(fromXlsx(Uint8Array.from(bytes))).toEqual({ rulesets: [], lost: [loss] })
  expect(xlsxSheets(Uint8Array.from(bytes))).toEqual({ lost: [loss] })
})

test('a workbook has at most 100 sheets', () => {
  const sheets = (count: number) => Array.from({ length: count }, (_, at) => ({ ...HEADED, name: `T${at}` }))
  expect(fromXlsx(workbookBytes({ sheets: sheets(100) })).rulesets).toHaveLength(100)
  expect(fromXlsx(workbookBytes({ sheets: sheets(101) })).lost).toMatchObject([
    { message: 'the workbook cannot be read: it has more than 100 sheets' },
  ])
})

test('a sheet without cells, such as a chart, is named, and a workbook without a table is refused', () => {
  const parts = workbookParts({ sheets: [HEADED, { name: 'Chart', rows: [] }] })
  const relations = 'xl/_rels/workbook.xml.rels'
  const chart = {
    ...parts,
    [relations]: (parts[relations] ?? '').replace(
      '/worksheet" Target="worksheets/sheet2',
      '/chartsheet" Target="worksheets/sheet2',
    ),
  }
  const { rulesets, lost } = fromXlsx(packed(chart))
  expect(rulesets).toHaveLength(1)
  expect(lost).toEqual([
    { path: '/Chart', code: 'no-cells', severity: 'warning', message: 'the sheet is empty and was omitted' },
  ])
  const read = xlsxSheets(packed(chart))
  expect('sheets' in read && read.sheets.map(({ name }) => name)).toEqual(['T'])
  expect(fromXlsx(workbookBytes({ sheets: [{ name: 'N', rows: [[text('a')], [text('in:a')]] }] })).lost).toMatchObject([
    { path: '/N', code: 'no-header' },
    {
      path: '',
      code: 'no-table',
      severity: 'error',
      message: 'no sheet of the workbook starts with a table header',
    },
  ])
  const empty = xlsxSheets(workbookBytes({ sheets: [{ name: 'E', rows: [] }] }))
  expect(empty).toEqual({ sheets: [] })
})

test('texts are those of runs, without what reads them aloud, and outside of texts nothing is one', () => {
  const sharedTexts = [
    '<t>in:a</t>',
    '<rPh sb="0" eb="1"><t>x</t></rPh><r>y<t>b</t>z</r><rPh sb="0" eb="1"><t>x</t></rPh><t>c</t>',
    '<t>d</t>e',
  ]
  const rows = [[shared(0)], [shared(1)], [shared(2)]]
  const found = xlsxSheets(workbookBytes({ sharedTexts, sheets: [{ name: 'T', rows }] }))
  expect('sheets' in found && found.sheets[0]?.texts().cells).toEqual([['in:a'], ['bc'], ['d']])
  const parts = workbookParts({ sheets: [HEADED] })
  const relations = 'xl/_rels/workbook.xml.rels'
  const without = { ...parts, [relations]: (parts[relations] ?? '').replace(/<Relationship Id="t"[^>]*>/, '') }
  expect(fromXlsx(packed(without)).rulesets).toHaveLength(1)
})
