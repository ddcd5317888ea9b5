import { expect, test } from 'vitest'
import { hasDecimalComma, plainColumn, type PlainKind, type PlainType } from './plain-cell.ts'

/** The cells of a column as text, and its type. */
function columnOf(kind: PlainKind, given: readonly string[], declared: PlainType, hasCommas: boolean) {
  const { cells, type = 'several' } = plainColumn(kind, given, declared, hasCommas)
  const texts = cells.map((cell) => {
    if (typeof cell === 'string') return cell
    const { code, message, suggestion } = cell.loss
    return `${code}: ${message}${suggestion === undefined ? '' : ` [${suggestion}]`} of ${cell.original}`
  })
  return [texts, type]
}

type Column = readonly [given: readonly string[], cells: readonly string[], type: string]

test.each<Column>([
  [[''], [''], 'several'],
  [['-'], [''], 'several'],
  [[' DE '], ['"DE"'], 'string'],
  [['7'], ['7'], 'number'],
  [['-7'], ['-7'], 'number'],
  [['007'], ['"007"'], 'string'],
  [['0'], ['0'], 'number'],
  [['0.5'], ['0.5'], 'number'],
  [['.5'], ['".5"'], 'string'],
  [['5.'], ['"5."'], 'string'],
  [['1e5'], ['1e5'], 'number'],
  [['1,5'], ['1.5'], 'number'],
  [['1,50'], ['1.50'], 'number'],
  [['1,500'], ['cell-ambiguous: `1,500` may be two numbers: write 1500 or 1.5 of 1,500'], 'several'],
  [['1.500'], ['1.500'], 'number'],
  [['1.500,5'], ['cell-ambiguous: `1.500,5` has separators of thousands: write 1500.5 of 1.500,5'], 'several'],
  [['1,500.5'], ['cell-ambiguous: `1,500.5` has separators of thousands: write 1500.5 of 1,500.5'], 'several'],
  [['1,234,567'], ['cell-ambiguous: `1,234,567` has separators of thousands: write 1234567 of 1,234,567'], 'several'],
  [['1.234.567'], ['cell-ambiguous: `1.234.567` has separators of thousands: write 1234567 of 1.234.567'], 'several'],
  [['12,3456'], ['12.3456'], 'number'],
  [['TRUE'], ['true'], 'boolean'],
  [['false'], ['false'], 'boolean'],
  [['null'], ['"null"'], 'string'],
  [['"a"'], ['"a"'], 'string'],
  [['"a" x'], ['"\\"a\\" x"'], 'string'],
  [['["a", 1]'], ['["a", 1]'], 'several'],
  [['{"a": 1}'], ['{"a": 1}'], 'several'],
  [['[1'], ['"[1"'], 'string'],
  [['[1,2]'], ['[1,2]'], 'several'],
  [["'a, b'"], ['"\'a, b\'"'], 'string'],
  [
    ['a, b'],
    [
      'cell-ambiguous: `a, b` may be several values or one text: write `in ["a", "b"]` or `"a, b"` [in ["a", "b"]] of a, b',
    ],
    'several',
  ],
  [
    ['a,b,c'],
    [
      'cell-ambiguous: `a,b,c` may be several values or one text: write `in ["a", "b", "c"]` or `"a,b,c"` [in ["a", "b", "c"]] of a,b,c',
    ],
    'several',
  ],
  [
    ['1, 2'],
    [
      'cell-ambiguous: `1, 2` may be several values or one text: write `in ["1", "2"]` or `"1, 2"` [in ["1", "2"]] of 1, 2',
    ],
    'several',
  ],
  [['> 5'], ['> 5'], 'number'],
  [['>5'], ['> 5'], 'number'],
  [['>= 5'], ['>= 5'], 'number'],
  [['=> 5'], ['>= 5'], 'number'],
  [['< 5'], ['< 5'], 'number'],
  [['<= 5'], ['<= 5'], 'number'],
  [['=< 5'], ['<= 5'], 'number'],
  [['= 5'], ['5'], 'number'],
  [['== 5'], ['5'], 'number'],
  [['!= 5'], ['!= 5'], 'number'],
  [['<> 5'], ['!= 5'], 'number'],
  [['≠ a'], ['!= "a"'], 'string'],
  [['≥ 5'], ['>= 5'], 'number'],
  [['≤ 5'], ['<= 5'], 'number'],
  [['> a'], ['cell-not-literal: `a` is not a number: only numbers and dates have an order of a'], 'string'],
  [['> "a"'], ['> "a"'], 'string'],
  [['> true'], ['> true'], 'boolean'],
  [['> 2026-01-31'], ['> "2026-01-31"'], 'string'],
  [['> 2026-01-31T10:00:00Z'], ['> "2026-01-31T10:00:00Z"'], 'string'],
  [['> 1,5'], ['> 1.5'], 'number'],
  [['>'], ['">"'], 'string'],
  [['5..7'], ['[5..7]'], 'number'],
  [['5 .. 7'], ['[5..7]'], 'number'],
  [['[5..7]'], ['[5..7]'], 'number'],
  [['(5..7)'], ['(5..7)'], 'number'],
  [['[5..7'], ['"[5..7"'], 'string'],
  [['a..b'], ['"a..b"'], 'string'],
  [['2026-01-01..2026-02-01'], ['"2026-01-01..2026-02-01"'], 'string'],
  [['5-7'], ['cell-ambiguous: `5-7` may be a range or a text: write `[5..7]` or `"5-7"` [[5..7]] of 5-7'], 'several'],
  [
    ['5 - 7'],
    ['cell-ambiguous: `5 - 7` may be a range or a text: write `[5..7]` or `"5 - 7"` [[5..7]] of 5 - 7'],
    'several',
  ],
  [['-5-7'], ['"-5-7"'], 'string'],
  [['in [1, 2]'], ['in [1, 2]'], 'several'],
  [['in [a, b]'], ['in ["a", "b"]'], 'string'],
  [
    ['IN (a, b)'],
    [
      'cell-ambiguous: `IN (a, b)` may be several values or one text: write `in ["IN (a", "b)"]` or `"IN (a, b)"` [in ["IN (a", "b)"]] of IN (a, b)',
    ],
    'several',
  ],
  [['in ["a", b]'], ['cell-not-literal: an item of the list is not a literal of in ["a", b]'], 'several'],
  [['not in [1]'], ['not in [1]'], 'several'],
  [['NOT  IN [a]'], ['not in ["a"]'], 'string'],
  [
    ['in a, b'],
    [
      'cell-ambiguous: `in a, b` may be several values or one text: write `in ["in a", "b"]` or `"in a, b"` [in ["in a", "b"]] of in a, b',
    ],
    'several',
  ],
  [['in 5'], ['"in 5"'], 'string'],
  [['? x > 1'], ['? x > 1'], 'several'],
  [['?'], ['?'], 'several'],
  [['=a + 1'], ['"a + 1"'], 'string'],
  [['1', 'true'], ['1', 'true'], 'several'],
  [
    ['1', 'a'],
    [
      '1',
      'cell-type: `a` is a text in a column of numbers: write `"a"` if it is meant, or `: string` after the title if all cells are texts ["a"] of a',
    ],
    'number',
  ],
  [
    ['true', 'a'],
    [
      'true',
      'cell-type: `a` is a text in a column of booleans: write `"a"` if it is meant, or `: string` after the title if all cells are texts ["a"] of a',
    ],
    'boolean',
  ],
  [['007', '7'], ['"007"', '"7"'], 'string'],
  [['007', 'a'], ['"007"', '"a"'], 'string'],
  [['"a"', 'b'], ['"a"', '"b"'], 'string'],
  [['"a"', '1'], ['"a"', '1'], 'several'],
  [['"a"', 'true'], ['"a"', 'true'], 'several'],
  [['[1]', 'a'], ['[1]', '"a"'], 'several'],
  [['1', '> 2'], ['1', '> 2'], 'number'],
  [['1', ''], ['1', ''], 'number'],
  [['1', '-'], ['1', ''], 'number'],
  [['1', '"a"'], ['1', '"a"'], 'several'],
  [['1,5', '1.500'], ['1.5', '1.500'], 'number'],
  [
    ['5-7', 'a'],
    ['cell-ambiguous: `5-7` may be a range or a text: write `[5..7]` or `"5-7"` [[5..7]] of 5-7', '"a"'],
    'string',
  ],
  [['10%'], ['"10%"'], 'string'],
  [['€ 5'], ['"€ 5"'], 'string'],
  [['a "b"'], ['"a \\"b\\""'], 'string'],
  [['2026-01-31'], ['"2026-01-31"'], 'string'],
  [['00'], ['"00"'], 'string'],
])('cells of an input %j are %j of the type %s', (given, cells, type) => {
  expect(columnOf('input', given, undefined, false)).toEqual([cells, type])
})

test.each<Column>([
  [['7'], ['"7"'], 'string'],
  [['5-7'], ['"5-7"'], 'string'],
  [['> a'], ['cell-not-literal: `a` is not a number: only numbers and dates have an order of a'], 'string'],
  [['> 7'], ['cell-not-literal: `7` is not a number: only numbers and dates have an order of 7'], 'string'],
  [['5..7'], ['"5..7"'], 'string'],
  [['true'], ['"true"'], 'string'],
  [
    ['a, b'],
    [
      'cell-ambiguous: `a, b` may be several values or one text: write `in ["a", "b"]` or `"a, b"` [in ["a", "b"]] of a, b',
    ],
    'string',
  ],
  [['"x"'], ['"x"'], 'string'],
  [['in [1, a]'], ['in ["1", "a"]'], 'string'],
  [['= 7'], ['"7"'], 'string'],
  [['1,500'], ['"1,500"'], 'string'],
])('cells of an input of texts %j are %j', (given, cells, type) => {
  expect(columnOf('input', given, 'string', false)).toEqual([cells, type])
})

test.each<Column>([
  [['1.500'], ['cell-ambiguous: `1.500` may be two numbers: write 1500 or 1.5 of 1.500'], 'several'],
  [['1,500'], ['cell-ambiguous: `1,500` may be two numbers: write 1500 or 1.5 of 1,500'], 'several'],
  [['1,5'], ['1.5'], 'number'],
  [['1.5'], ['1.5'], 'number'],
  [['> 1.500'], ['cell-ambiguous: `1.500` may be two numbers: write 1500 or 1.5 of 1.500'], 'several'],
])('cells of a sheet with decimal commas %j are %j', (given, cells, type) => {
  expect(columnOf('input', given, undefined, true)).toEqual([cells, type])
})

test.each<Column>([
  [[''], [''], 'several'],
  [['-'], ['"-"'], 'string'],
  [[' a '], ['"a"'], 'string'],
  [['7'], ['7'], 'number'],
  [['=a * 2'], ['a * 2'], 'several'],
  [['= a'], ['a'], 'several'],
  [['a, b'], ['"a, b"'], 'string'],
  [['> 5'], ['"> 5"'], 'string'],
  [['true'], ['true'], 'boolean'],
  [['"a"'], ['"a"'], 'string'],
  [['5-7'], ['cell-ambiguous: `5-7` may be a range or a text: write `[5..7]` or `"5-7"` [[5..7]] of 5-7'], 'several'],
  [['1,500'], ['cell-ambiguous: `1,500` may be two numbers: write 1500 or 1.5 of 1,500'], 'several'],
  [['[1]'], ['[1]'], 'several'],
  [['? x'], ['"? x"'], 'string'],
  [
    ['1', 'a'],
    [
      '1',
      'cell-type: `a` is a text in a column of numbers: write `"a"` if it is meant, or `: string` after the title if all cells are texts ["a"] of a',
    ],
    'number',
  ],
  [['in [1]'], ['"in [1]"'], 'string'],
])('cells of an output %j are %j of the type %s', (given, cells, type) => {
  expect(columnOf('output', given, undefined, false)).toEqual([cells, type])
})

test.each<readonly [cell: string, declared: PlainType, cells: readonly string[], type: string]>([
  [
    'a',
    'number',
    [
      'cell-type: `a` is a text in a column of numbers: write `"a"` if it is meant, or `: string` after the title if all cells are texts ["a"] of a',
    ],
    'number',
  ],
  ['5', 'number', ['5'], 'number'],
  [
    'a',
    'boolean',
    [
      'cell-type: `a` is a text in a column of booleans: write `"a"` if it is meant, or `: string` after the title if all cells are texts ["a"] of a',
    ],
    'boolean',
  ],
  ['true', 'boolean', ['true'], 'boolean'],
  ['5', 'boolean', ['5'], 'boolean'],
  ['"a"', 'number', ['"a"'], 'number'],
])('the cell %j of an input of the declared type %s is %j', (cell, declared, cells, type) => {
  expect(columnOf('input', [cell], declared, false)).toEqual([cells, type])
})

test.each([
  ['1,5', true],
  ['-1,5', true],
  [' 1,5 ', true],
  ['1,500', false],
  ['1,50', true],
  ['1.5', false],
  ['a', false],
  ['> 1,5', true],
  ['>= 1,500', false],
  ['1,5a', false],
  ['0,5', true],
  [',5', false],
  ['', false],
  ['12,34', true],
])('whether %j has a decimal comma: %j', (cell, has) => {
  expect(hasDecimalComma(cell)).toBe(has)
})

test('a cell that is lost already stays so, and does not count for the type', () => {
  const lost = { original: '= 1,5', loss: { code: 'formula', message: 'a formula' } }
  expect(plainColumn('input', [lost, ' 7 '], undefined, false)).toEqual({ cells: [lost, '7'], type: 'number' })
  expect(hasDecimalComma(lost)).toBe(false)
})

test.each<readonly [given: readonly string[], type: string]>([
  [['"a"', '[1]'], 'several'],
  [['"a"', '"b"'], 'string'],
  [['007', 'a', 'true'], 'boolean'],
  [['007', 'true'], 'boolean'],
  [['!= a', '> b'], 'string'],
])('cells of an input %j are of the type %s', (given, type) => {
  expect(columnOf('input', given, undefined, false)[1]).toBe(type)
})
