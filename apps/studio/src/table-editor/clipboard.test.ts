import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { type Cells, cellsHtml, cellsText, parseCells, spreadsheetCells } from './clipboard.ts'

describe('cells copied from a spreadsheet', () => {
  test.each<[string, string, Cells]>([
    ['one cell', '18', [['18']]],
    ['nothing', '', [['']]],
    ['a row', '1\t2\t3', [['1', '2', '3']]],
    [
      'rows',
      '1\t2\n3\t4',
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['a line break at the end is not a row', '1\n2\n', [['1'], ['2']]],
    ['an empty row at the end is one', '1\n\n', [['1'], ['']]],
    ['line breaks of Windows', '1\r\n2\r\n', [['1'], ['2']]],
    ['line breaks of old Macs', '1\r2\r', [['1'], ['2']]],
    [
      'empty cells',
      '\t\n1\t',
      [
        ['', ''],
        ['1', ''],
      ],
    ],
    ['rows of different lengths', '1\n2\t3', [['1'], ['2', '3']]],
    ['a quoted tab', '"a\tb"\tc', [['a\tb', 'c']]],
    ['a quoted line break', '"a\nb"\nc', [['a\nb'], ['c']]],
    ['a quoted quote', '"say ""hi"""\tc', [['say "hi"', 'c']]],
    ['quotes in a cell that has a tab', '"a""\tb"', [['a"\tb']]],
    ['a literal text of an expression', '"DE"\t"FR"', [['"DE"', '"FR"']]],
    ['an empty literal text', '""\t1', [['""', '1']]],
    ['quotes within a cell', 'a "b" c\t"d" e', [['a "b" c', '"d" e']]],
    ['a quote that nothing closes', '"a\tb', [['"a', 'b']]],
  ])('%s', (_, text, cells) => expect(parseCells(text)).toEqual(cells))
})

test.each<[Cells, string]>([
  [
    [
      ['1', '2'],
      ['3', '4'],
    ],
    '1\t2\n3\t4',
  ],
  [[['"DE"', 'a "b"']], '"DE"\ta "b"'],
  [[['a\tb', 'c']], '"a\tb"\tc'],
  [[['a\nb'], ['c']], '"a\nb"\nc'],
  [[['say "hi"\n']], '"say ""hi""\n"'],
  [[['"a""b"']], '"""a""""b"""'],
  [[['"a', 'b"']], '"""a"\tb"'],
  [[['"DE", "FR"', '"']], '"DE", "FR"\t""""'],
])('%j is copied as %j', (cells, text) => expect(cellsText(cells)).toBe(text))

test('copied cells are pasted unchanged', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'ab"\t\n ,'), maxLength: 6 })
  const rectangle = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
    .chain(([rows, columns]) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows }),
    )
  fc.assert(
    fc.property(rectangle, (cells) => {
      expect(parseCells(`${cellsText(cells)}\n`)).toEqual(cells)
      expect(parseCells(`${cellsText(cells)}\n`.replaceAll('\n', '\r\n'))).toEqual(cells)
    }),
    casesOfProperty(5000),
  )
})

test('cells as a table of a document have no markup of their own', () => {
  expect(
    cellsHtml([
      ['a < b && c', '<b>'],
      ['', '1'],
    ]),
  ).toBe('<table><tr><td>a &lt; b &amp;&amp; c</td><td>&lt;b></td></tr><tr><td></td><td>1</td></tr></table>')
})

test.each<[string, Cells]>([
  [
    'blanks, tabs, line breaks and quotes',
    [
      ['a b', 'c\td'],
      ['"e"', 'f\n"g"'],
    ],
  ],
  [
    'numbers and expressions',
    [
      ['-1', '>= 5'],
      ['+ 2', '== "x"'],
    ],
  ],
  [
    'a text that looks like a neutralized formula',
    [
      ["'=1", "''-2"],
      ["'a", ''],
    ],
  ],
])('cells are the same after a copy: %s', (_, cells) => {
  expect(parseCells(cellsText(spreadsheetCells(cells)))).toEqual(cells)
})

test('no cell of a range begins as a formula', () => {
  const formulas = ['=HYPERLINK("http://a.example")', '+1', '-1', '@SUM(A1)', '\uFF1D1', "'=1"]
  const text = cellsText(spreadsheetCells([formulas, ['a', '1', '"b"', '', ' =1', "'c"]]))
  expect(text.split('\n')).toEqual([
    `'=HYPERLINK("http://a.example")\t'+1\t'-1\t'@SUM(A1)\t'\uFF1D1\t''=1`,
    `a\t1\t"b"\t\t =1\t'c`,
  ])
})

test('one cell alone is copied and pasted as it is', () => {
  for (const cell of ['-1', '== 5', "'=1"]) {
    expect(spreadsheetCells([[cell]])).toEqual([[cell]])
    expect(parseCells(cell)).toEqual([[cell]])
  }
})
