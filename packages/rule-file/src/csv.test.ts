import { describe, expect, test } from 'vitest'
import { csvCell, csvCellValue, csvFields, CsvHeaderError, csvInput, csvSeparator } from './csv.ts'

test.each([
  ['a,b;c', ','],
  ['a;b,c', ';'],
  ['a\tb,c', '\t'],
  ['"a,b";c', ';'],
  ['"a"",b";c', ';'],
  ['a', ','],
  ['', ','],
])('the header %j has the separator %j', (header, separator) => {
  expect(csvSeparator(header)).toBe(separator)
})

describe('an unquoted cell', () => {
  test.each([
    ['', undefined],
    ['true', true],
    ['false', false],
    ['True', 'True'],
    ['0', 0],
    ['-1.5', -1.5],
    ['2e3', 2000],
    ['007', '007'],
    ['+1', '+1'],
    ['1,000', '1,000'],
    ['.5', '.5'],
    ['null', 'null'],
    [' 1', ' 1'],
    ['1e400', '1e400'],
  ])('%j is %j', (text, value) => {
    expect(csvCellValue(text, false, 'double')).toBe(value)
  })

  test('keeps each digit of an integer', () => {
    expect(csvCellValue('9007199254740993', false, 'double')).toBe(9007199254740993n)
    expect(csvCellValue('-9007199254740993', false, 'double')).toBe(-9007199254740993n)
    expect(csvCellValue('123456789012345', false, 'double')).toBe(123456789012345)
  })
})

test.each(['', 'true', '1', '1e400', ' a'])('the quoted cell %j is a text', (text) => {
  expect(csvCellValue(text, true, 'double')).toBe(text)
})

test.each([
  [undefined, ''],
  [null, ''],
  [1.5, '1.5'],
  [true, 'true'],
  ['plain', 'plain'],
  ['', '""'],
  ['true', '"true"'],
  ['false', '"false"'],
  ['12', '"12"'],
  ['007', '007'],
  ['a,b', '"a,b"'],
  ['a;b', '"a;b"'],
  ['a\tb', '"a\tb"'],
  ['a\nb', '"a\nb"'],
  ['a\rb', '"a\rb"'],
  ['say "a"', '"say ""a"""'],
  [' a', '" a"'],
  ['a ', '"a "'],
  [[1], '"[1]"'],
  [{ a: 'b' }, '"{""a"":""b""}"'],
])('the value %j is the cell %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell)
})

describe('a record', () => {
  test.each([
    [['a', 'b'], [1, 'x'], { a: 1, b: 'x' }],
    [[' a ', 'b'], [1, undefined], { a: 1 }],
    [['o.a', 'b', 'o.c.d'], [1, 2, 3], { o: { a: 1, c: { d: 3 } }, b: 2 }],
    [['o.a', 'b'], [undefined, 2], { b: 2 }],
    [['o.c.d', 'o.a'], [undefined, undefined], {}],
  ])('under the header %j with the cells %j is the input %j', (header, cells, input) => {
    expect(csvInput(csvFields(header), cells)).toEqual({ input })
  })

  test.each([
    [[1], 'the line has 1 cells, the header 2'],
    [[1, 2, 3], 'the line has 3 cells, the header 2'],
  ])('with the cells %j has the fault %j', (cells, fault) => {
    expect(csvInput(csvFields(['a', 'b']), cells)).toEqual({ fault })
  })
})

describe('a header', () => {
  const nested = (levels: number) => Array.from({ length: levels }, () => 'a').join('.')
  const wide = (columns: number) => Array.from({ length: columns }, (_, index) => `c${index}`)

  test('has at most 16384 columns and names of 128 levels', () => {
    expect(csvFields(wide(16_384)).width).toBe(16_384)
    expect(csvFields([nested(128)]).width).toBe(1)
  })

  test.each([
    ['an empty name', ['a', ' '], 'column 2 of the header names no field: ` `'],
    ['an empty part', ['a..b'], 'column 1 of the header names no field: `a..b`'],
    ['an empty first part', ['.b'], 'column 1 of the header names no field: `.b`'],
    ['a repeated name', ['a', 'a'], 'the header names `a` twice'],
    ['a repeated nested name', ['o.a', 'o.a'], 'the header names `o.a` twice'],
    ['an object that is a field', ['a', 'a.b'], 'the columns `a` and `a.b` contradict each other'],
    ['a field that is an object', ['a.b', 'a'], 'the header names `a` twice'],
    ['129 levels', [nested(129)], 'column 1 of the header is nested more than 128 levels deep'],
    ['16385 columns', wide(16_385), 'the header has 16385 columns; at most 16384 are read'],
  ])('with %s is refused', (_, header, message) => {
    expect(() => csvFields(header)).toThrow(new CsvHeaderError(message))
  })
})
