import type { TableStep } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { csvSheet } from '../csv/from-csv.ts'
import { fromXlsx, xlsxSheets } from '../xlsx/from-xlsx.ts'
import { toXlsx } from '../xlsx/to-xlsx.ts'
import { TooLarge } from '../size-error.ts'
import { ColumnRoleFault, type ColumnRoles, PlainSheet } from './plain-sheet.ts'
import { MERGED } from './table.ts'

const sheetIn = (text: string): PlainSheet => {
  const found = csvSheet(text, 'table')
  if ('lost' in found) throw new Error(found.lost[0]?.message)
  return found.sheet
}

const tableOf = (sheet: PlainSheet, roles?: ColumnRoles) => {
  const { rulesets, lost } = sheet.toRuleset('prices', roles)
  const [table] = rulesets[0]?.ruleset.steps ?? []
  return { table: table as TableStep, lost }
}

const read = (text: string, inputs: readonly string[], outputs: readonly string[]) =>
  tableOf(sheetIn(text), { inputs, outputs })

test('a sheet as people write it becomes a table', () => {
  const { table, lost } = read(
    'Country,Order weight,Price,Remark\nDE,< 2,4.5,\nNO,-,12,dear\n',
    ['country', 'Order weight'],
    ['Price'],
  )
  expect(table).toMatchObject({
    hitPolicy: 'first',
    columns: [
      { kind: 'input', field: 'country', type: 'string' },
      { kind: 'input', field: 'order_weight', type: 'number' },
      { kind: 'output', field: 'price' },
    ],
    rows: [{ cells: { c1: '"DE"', c2: '< 2', c3: '4.5' } }, { cells: { c1: '"NO"', c3: '12' } }],
  })
  expect(lost).toMatchObject([{ code: 'unknown-column', severity: 'warning', line: 1, column: 28 }])
})

describe('a cell of an input', () => {
  test.each([
    ['DE', '"DE"'],
    ['NO', '"NO"'],
    ['007', '"007"'],
    ['"DE"', '"DE"'],
    ['10', '10'],
    ['-1.5e3', '-1.5e3'],
    ['12,5', '12.5'],
    ['TRUE', 'true'],
    ['=10', '10'],
    ['>=10', '>= 10'],
    ['≥ 10', '>= 10'],
    ['<> DE', '!= "DE"'],
    ['≠ DE', '!= "DE"'],
    ['=> 10', '>= 10'],
    ['=< 10', '<= 10'],
    ['≤ 10', '<= 10'],
    ['> 2026-01-31', '> "2026-01-31"'],
    ['10..20', '[10..20]'],
    ['[10..20)', '[10..20)'],
    ['in [DE, FR]', 'in ["DE", "FR"]'],
    ['not in ["DE"]', 'not in ["DE"]'],
    ['? len(a) > 1', '? len(a) > 1'],
    ['-', undefined],
    ['', undefined],
  ])('%s is %s', (cell, expected) => {
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const { table, lost } = read(`a,b\n${quoted},1\n`, ['a'], ['b'])
    expect(lost.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(table.rows[0]?.cells['c1']).toBe(expected)
  })

  test.each([
    ['10-20', '`10-20` may be a range or a text: write `[10..20]` or `"10-20"`'],
    ['1,500', '`1,500` may be two numbers: write 1500 or 1.5'],
    ['1.234,56', '`1.234,56` has separators of thousands: write 1234.56'],
    ['1,234,567', '`1,234,567` has separators of thousands: write 1234567'],
    ['DE, FR', '`DE, FR` may be several values or one text: write `in ["DE", "FR"]` or `"DE, FR"`'],
    ['> 10 kg', '`10 kg` is not a number: only numbers and dates have an order'],
  ])('%s is refused at its place', (cell, message) => {
    const { lost } = read(`a,b\n"${cell}",1\n`, ['a'], ['b'])
    expect(lost).toMatchObject([{ severity: 'error', line: 2, column: 1, message }])
  })
})

test.each([
  ['codes make the numbers of their column texts', 'a\n01067\n80331', ['"01067"', '"80331"'], 'string'],
  ['a declared type makes all cells texts', 'a: string\n10-20\n7', ['"10-20"', '"7"'], 'string'],
  ['a declared type behind a blank', 'a : string\n10-20\n7', ['"10-20"', '"7"'], 'string'],
  ['numbers', 'a\n1\n> 2', ['1', '> 2'], 'number'],
  ['booleans', 'a\ntrue\nFALSE', ['true', 'false'], 'boolean'],
  ['numbers and truths', 'a\n1\ntrue', ['1', 'true'], undefined],
  ['no value', 'a\n-\n-', [undefined, undefined], undefined],
  ['two types', `a\n1\n${'"'.repeat(3)}x${'"'.repeat(3)}`, ['1', '"x"'], undefined],
])('the type of a column: %s', (_name, column, cells, type) => {
  const text = column
    .split('\n')
    .map((line, at) => `${line},${at === 0 ? 'b' : '1'}`)
    .join('\n')
  const { table, lost } = read(text, ['a'], ['b'])
  expect(lost).toEqual([])
  expect(table.rows.map((row) => row.cells['c1'])).toEqual(cells)
  expect(table.columns[0]?.type).toBe(type)
})

test('a word in a column of numbers is refused', () => {
  expect(read('a,b\n1,1\nn/a,2\n', ['a'], ['b']).lost).toMatchObject([
    { code: 'cell-type', line: 3, suggestion: '"n/a"' },
  ])
})

test('a number with a point is refused where another cell has a decimal comma', () => {
  expect(read('a;b\n1,5;1\n1.500;2\n', ['a'], ['b']).lost).toMatchObject([{ code: 'cell-ambiguous', line: 3 }])
  expect(read('a,b\n1.500,1\n', ['a'], ['b']).lost).toEqual([])
})

test('cells of an output are values, and an expression behind `=`', () => {
  const { table } = read('a,b\n1,"""n/a"""\n2,=a * 2\n', ['a'], ['b'])
  expect(table.rows.map((row) => row.cells['c2'])).toEqual(['"n/a"', 'a * 2'])
})

test.each([
  ['Order weight', 'order_weight'],
  ['Größe', 'gro_e'],
  ['order.total', 'order.total'],
  ['2nd', '_2nd'],
  ['重量', '$["重量"]'],
])('the title %s names the field %s', (title, field) => {
  expect(read(`${title},b\n1,1\n`, [title], ['b']).table.columns[0]?.field).toBe(field)
})

test('an output without letters for a variable is refused', () => {
  expect(read('a,重量\n1,1\n', ['a'], ['重量']).lost).toMatchObject([{ code: 'no-field', line: 1, column: 3 }])
})

test.each([
  [['Contry'], 'no column has the title `Contry`: did you mean `Country`?'],
  [['Country', 'country'], 'the column `Country` is named twice'],
])('roles %j are refused', (inputs, message) => {
  expect(() => read('Country,b\nDE,1\n', inputs, ['b'])).toThrow(message)
})

test('a workbook that is written is read again, and its texts are no formulas', () => {
  const records = [
    ['in:a:string', 'in:n:number', 'out:b'],
    ['"=1+1"', '7', '"<&\r_x0041_"'],
    ['', '> 5', '7.5'],
  ]
  const bytes = toXlsx('prices', records)
  const found = xlsxSheets(bytes)
  const [sheet] = 'sheets' in found ? found.sheets : []
  expect(sheet?.hasRoles).toBe(true)
  const { table } = tableOf(sheet as PlainSheet)
  expect(table.rows).toMatchObject([
    { cells: { c1: '"=1+1"', c2: '7', c3: records[1]?.[2] } },
    { cells: { c2: '> 5', c3: '7.5' } },
  ])
  expect(fromXlsx(bytes).rulesets[0]?.name).toBe('prices')
  expect(toXlsx('prices', records)).toEqual(bytes)
})

describe('limits of a sheet', () => {
  const places = { cell: () => ({ path: '' }) }
  const sheet = () => new PlainSheet('s', places)

  test('has at most 100,000 rows below its header', () => {
    const many = sheet()
    for (let row = 0; row <= 100_000; row++) many.add(['a'], row)
    expect(() => many.add(['a'], 100_001)).toThrow(new TooLarge('a table may have at most 100000 rows'))
  })

  test('has at most 16,777,216 characters, those of lost cells included', () => {
    const message = 'the cells of a table may have at most 16777216 characters'
    const lost = (original: string) => ({ original, loss: { code: 'x', message: 'y' } })
    const full = sheet()
    full.add(['a'.repeat(16_777_215), lost('b')], 0)
    expect(() => full.add(['', 'c'], 1)).toThrow(new TooLarge(message))
    expect(() => full.add([lost('c')], 1)).toThrow(new TooLarge(message))
  })

  test('has at most 1,000,000 merged cells', () => {
    const merged = (right: number) => {
      const wide = sheet()
      wide.add(['a'], 0)
      wide.merge({ top: 0, left: 0, bottom: 0, right })
      return () => wide.texts().lost.length
    }
    expect(merged(999_999)()).toBe(999_999)
    expect(merged(1_000_000)).toThrow(new TooLarge('merged cells may span at most 1000000 cells'))
  })
})

test('the texts of a sheet have no blank rows, and name the cells that are not their content', () => {
  const sheet = new PlainSheet('s', { cell: () => ({ path: '' }), isComplete: true })
  const lost = { original: '=A1', loss: { code: 'formula', message: 'a formula' } }
  sheet.add(['a', 'b'], 3)
  sheet.add(['', ''], 4)
  sheet.add([lost], 5)
  sheet.add(['c', 'd'], 6)
  sheet.merge({ top: 5, left: 0, bottom: 6, right: 1 })
  expect(sheet.texts()).toEqual({
    cells: [['a', 'b'], ['=A1'], ['c', 'd']],
    lost: [
      { row: 1, column: 0, message: 'a formula' },
      { row: 1, column: 1, message: 'the row has 1 cells, the header 2' },
      ...[
        [1, 1],
        [2, 0],
        [2, 1],
      ].map(([row, column]) => ({ row, column, message: MERGED.message })),
    ],
  })
})

test('an empty sheet has no texts and no ruleset', () => {
  const sheet = new PlainSheet('s', { cell: () => ({ path: '' }) })
  expect([sheet.isEmpty, sheet.titles, sheet.hasRoles, sheet.texts()]).toEqual([
    true,
    [],
    false,
    { cells: [], lost: [] },
  ])
  expect(sheet.toRuleset('t')).toEqual({
    rulesets: [],
    lost: [
      {
        path: '',
        code: 'no-header',
        message: 'the sheet is empty: its first row names the columns',
        severity: 'error',
      },
    ],
  })
})

test.each([
  ['A,b,A', ['A'], 'two columns have the title `A`'],
  ['A,b', ['A', 'b'], 'the column `b` is named twice'],
  ['A,b', ['xyz'], 'no column has the title `xyz`: the columns are `A`, `b`'],
  ['A: number,b', ['a'], ''],
  ['A:number,b', ['a'], ''],
  ['A:x,b', [' a:X '], ''],
  ['Number,b', ['number'], ''],
])('the titles %s with the inputs %j', (header, inputs, message) => {
  const roles = () => read(`${header}\n${header.replaceAll(/[^,]+/g, '1')}\n`, inputs, ['B'])
  if (message === '') expect(roles().lost).toEqual([])
  else expect(roles).toThrow(new ColumnRoleFault(message))
})

test('titles of columns are those of the header, without types, empty ones and `next`', () => {
  expect(sheetIn('A: number, b ,,Next,c:x\n').titles).toEqual(['A', 'b', 'c:x'])
})

test('a column without a role is omitted with its title, and one without a title alone', () => {
  const { table, lost } = read('a,b,,c\n1,2,3,4\n', ['a'], ['b'])
  expect(table.rows[0]?.cells).toEqual({ c1: '1', c2: '2' })
  expect(lost).toMatchObject([
    {
      code: 'unknown-column',
      line: 1,
      column: 6,
      severity: 'warning',
      message: 'the column `c` is neither an input nor an output, and was omitted',
    },
  ])
})

test('a row with fewer cells than the header is an error in a complete sheet', () => {
  expect(read('a,b\n1\n', ['a'], ['b']).lost).toMatchObject([
    { code: 'short-row', severity: 'error', line: 2, column: 1, message: 'the row has 1 cells, the header 2' },
  ])
})

test('titles with one name give fields of different names', () => {
  const { table } = read('a b,a_b,a.b,A-B,x y,x_y\n1,1,1,1,1,1\n', ['a b', 'a_b', 'a.b', 'A-B'], ['x y', 'x_y'])
  expect(table.columns.map(({ field }) => field)).toEqual(['a_b', 'a_b_2', 'a.b', 'a_b_3', 'x_y', 'x_y_2'])
})

test('an output whose name is none has a column of its number', () => {
  const { table, lost } = read('a,重量\n1,1\n', ['a'], ['重量'])
  expect(table.columns[1]?.field).toBe('column_2')
  expect(lost[0]?.message).toBe('`重量` has no letters a to z for the name of a variable: rename the column')
})

test.each([
  ['a: Text', '7', '"7"', 'string'],
  ['a: string', '7', '"7"', 'string'],
  ['a: NUMBER', '7', '7', 'number'],
  ['a: boolean', 'true', 'true', 'boolean'],
  ['a: Boolean ', 'true', 'true', 'boolean'],
])('the title %s makes the cell %s of an input %s', (title, cell, written, type) => {
  const { table, lost } = read(`${title},b\n${cell},1\n`, ['a'], ['b'])
  expect(lost).toEqual([])
  expect([table.rows[0]?.cells['c1'], table.columns[0]?.type]).toEqual([written, type])
})

test('a column of next steps keeps its cells, and one that is omitted loses them', () => {
  const { table } = read('a,Next,c,b\n1,X,2,3\n', ['a'], ['b'])
  expect(table.rows).toEqual([{ id: 'r1', cells: { c1: '1', c4: '3' }, nextStepId: 'X' }])
})

test('rows of a workbook that end early, and merged cells in it', () => {
  const sheet = new PlainSheet('s', { cell: (row, index) => ({ path: `${row}:${index}` }) })
  sheet.add(['a', 'c', 'b'], 1)
  sheet.add(['1'], 2)
  sheet.add(['2', '3', '4'], 3)
  sheet.merge({ top: 2, left: 0, bottom: 3, right: 0 })
  const { table, lost } = tableOf(sheet, { inputs: ['a'], outputs: ['b'] })
  expect(table.rows.map(({ cells }) => cells)).toEqual([
    { c1: '? lost("merged cells")' },
    { c1: '? lost("merged cells")', c3: '4' },
  ])
  expect(lost.map(({ path, code }) => `${code} ${path}`)).toEqual(['unknown-column 1:1', 'merged-cells 2:0'])
})

test.each([
  ['a.b', 'a.b'],
  [' A . B ', 'a.b'],
  ['a.重', '$["a.重"]'],
  ['1.a', '$["1.a"]'],
  ['x1.2y', 'x1._2y'],
  ['_a_', 'a'],
])('the input %s is the field %s, and the output keeps no points', (title, field) => {
  expect(read(`${title},b\n1,1\n`, [title.trim()], ['b']).table.columns[0]?.field).toBe(field)
  expect(read('a,x.y z\n1,1\n', ['a'], ['x.y z']).table.columns[1]?.field).toBe('x_y_z')
})
