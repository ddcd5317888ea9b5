import { expect, test } from 'vitest'
import { lossLines } from '../jdm/documents.testing.ts'
import { Losses } from '../losses.ts'
import { isHeader, type KnownColumns, readHeader } from './header.ts'

const KNOWN: KnownColumns = [
  { kind: 'output', field: 'a' },
  { kind: 'input', field: 'a', type: 'number' },
  { kind: 'input', field: 'a', type: 'string' },
  { kind: 'output', field: 'b' },
  { kind: 'input', field: '' },
  { kind: 'input', field: 'next' },
  { kind: 'input' },
]

/** The columns of a header and its losses as text. */
function read(cells: readonly string[], known: KnownColumns) {
  const losses = new Losses()
  const columns = readHeader(cells, (index) => ({ path: `/${index}` }), losses, known)
  const texts = columns.map((one) => {
    if (one.kind === 'next') return `${one.index} next`
    const { id, kind, field, type } = one.column
    return `${one.index} ${id} ${kind} ${field}${type === undefined ? '' : ` : ${type}`}`
  })
  return [texts, lossLines(losses.lost)]
}

test.each<readonly [cell: string, columns: readonly string[], lost: readonly string[], isHeader: boolean]>([
  ['in:a', ['0 c1 input a'], [], true],
  ['out:a', ['0 c1 output a'], [], true],
  ['IN : a ', ['0 c1 input a'], [], true],
  [' Out:a', ['0 c1 output a'], [], true],
  ['in:', ['0 c1 input '], [], true],
  ['in:a:number', ['0 c1 input a : number'], [], true],
  ['in:a : Number', ['0 c1 input a : Number'], [], true],
  ['in:a:array<string>', ['0 c1 input a : array<string>'], [], true],
  ['in:a: array < string >', ['0 c1 input a: array < string >'], [], true],
  ['in:a:concept:Fee', ['0 c1 input a:concept:Fee'], [], true],
  ['in:a:concept : x', ['0 c1 input a:concept : x'], [], true],
  ['in:a:nothing', ['0 c1 input a:nothing'], [], true],
  ['in:$["x:y"]:string', ['0 c1 input $["x:y"] : string'], [], true],
  ['in:$["x:y"]', ['0 c1 input $["x:y"]'], [], true],
  ['out:$x:number', ['0 c1 output $x : number'], [], true],
  ['in:a b:string', ['0 c1 input a b : string'], [], true],
  ['in:a:', ['0 c1 input a:'], [], true],
  ['in:a:b:number', ['0 c1 input a:b : number'], [], true],
  ['next', ['0 c1 input next'], [], true],
  ['Next', ['0 next'], [], false],
  [' NEXT ', ['0 next'], [], false],
  [
    'inn:a',
    [],
    ['warning unknown-column /0 the column `inn:a` was omitted: a header is `in:field`, `out:field` or `next`'],
    false,
  ],
  [
    'in',
    [],
    ['warning unknown-column /0 the column `in` was omitted: a header is `in:field`, `out:field` or `next`'],
    false,
  ],
  ['a', ['0 c1 input a : number'], [], true],
  ['$a', ['0 c1 output a'], [], true],
  ['b', ['0 c1 output b'], [], true],
  ['$b', ['0 c1 output b'], [], true],
  [
    'c',
    [],
    ['warning unknown-column /0 the column `c` was omitted: a header is `in:field`, `out:field` or `next`'],
    false,
  ],
  ['', [], [], false],
  ['  ', [], [], false],
])('the cell %j of a header is %j', (cell, columns, lost, is) => {
  expect(read([cell], KNOWN)).toEqual([columns, lost])
  expect(isHeader([cell], KNOWN)).toBe(is)
})

test.each<readonly [cells: readonly string[], columns: readonly string[], lost: readonly string[]]>([
  [
    ['in:a', 'in:a', 'out:b', 'next', 'next'],
    ['0 c1 input a', '1 c2 input a', '2 c3 output b', '3 next'],
    ['error repeated-column /4 there are two columns `next`'],
  ],
  [
    ['', 'x', 'in:a'],
    ['2 c3 input a'],
    ['warning unknown-column /1 the column `x` was omitted: a header is `in:field`, `out:field` or `next`'],
  ],
  [['next', 'in:next'], ['0 next', '1 c2 input next'], []],
])('the header %j has the columns %j', (cells, columns, lost) => {
  expect(read(cells, [])).toEqual([columns, lost])
})

test('a field of up to 1000 characters with its type may have one', () => {
  const field = (length: number) => 'a'.repeat(length)
  expect(read([`in:${field(993)}:string`], [])).toEqual([[`0 c1 input ${field(993)} : string`], []])
  expect(read([`in:${field(994)}:string`], [])).toEqual([[`0 c1 input ${field(994)}:string`], []])
})
