import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../tests/cases.testing.ts'
import { cellForms as en } from '../texts/en/table-editor.ts'
import { cellForms as zh } from '../texts/zh/table-editor.ts'
import { cellParts, editText } from './cell-display.ts'
import type { CellType } from './cell-type.ts'
import { readCell } from './cell-words.ts'

const CASES = casesOf(10_000)

const shown = (cell: string, type: CellType | undefined, kind: 'input' | 'output' = 'input', words = en) =>
  cellParts(cell, { kind, type }, words)
    ?.map(({ text }) => text)
    .join('')

describe('a condition in words, in a column of', () => {
  test.each([
    ['text', '"DE"', 'DE'],
    ['text', 'in ["DE", "AT"]', 'DE, AT'],
    ['text', 'not in ["DE", "AT"]', 'not DE, AT'],
    ['text', '!= "FR"', 'not FR'],
    ['text', '"a, b"', undefined],
    ['text', '"any"', undefined],
    ['text', '? lower(x) == "de"', undefined],
    ['number', '4.90', '4.90'],
    ['number', '<= 5', 'up to 5'],
    ['number', '< 5', 'under 5'],
    ['number', '>= 18', 'from 18'],
    ['number', '> 30', 'over 30'],
    ['number', '[2..5]', '2 to 5'],
    ['number', '(2..10]', 'over 2 up to 10'],
    ['number', '[2..5)', undefined],
    ['number', 'in [1, 2]', '1, 2'],
    ['date', '<= "2026-01-31"', 'on or before 2026-01-31'],
    ['boolean', 'true', 'yes'],
    [undefined, '"gold"', 'gold'],
    [undefined, '>= 9', '>= 9'],
  ] as const)('%s: %s', (type, cell, words) => {
    const found = shown(cell, type)
    if (type === undefined && cell.startsWith('>')) expect([undefined, words]).toContain(found)
    else expect(found).toBe(words)
  })
})

test.each([
  ['text', '"express"', 'express', 'express'],
  ['text', 'carrier', undefined, '= carrier'],
  ['number', '4.90', '4.90', '4.90'],
  ['number', '$base * 2', undefined, '$base * 2'],
  ['boolean', 'false', 'no', 'no'],
] as const)('a result of type %s: %s', (type, cell, words, edited) => {
  expect(shown(cell, type, 'output')).toBe(words)
  expect(editText(cell, { kind: 'output', type }, en)).toBe(edited)
  expect(readCell(edited, { kind: 'output', type }).text).toBe(cell)
})

test.each<[cell: string, type: CellType, values: readonly string[]]>([
  ['<= 5', 'number', ['5']],
  ['[2..5]', 'number', ['2', '5']],
  ['(2..10]', 'number', ['2', '10']],
  ['not in ["DE", "AT"]', 'text', ['DE', 'AT']],
  ['!= "FR"', 'text', ['FR']],
])('of the words of %s in a column of %s, the values are %j', (cell, type, found) => {
  const parts = cellParts(cell, { kind: 'input', type }, en) ?? []
  expect(parts.flatMap(({ text, isValue }) => (isValue ? [text] : []))).toEqual(found)
})

const values = fc.oneof(fc.string(), fc.constantFrom('DE', '5', '4.90', 'true', '2026-01-31', 'any', 'up to 5', '2-5'))
const literals = values.map((value) => JSON.stringify(value))
const cells = fc.oneof(
  literals,
  fc.constantFrom('5', '4.90', 'true', 'false', '', '? x > 1', '$a + 1', 'carrier'),
  fc
    .tuple(fc.constantFrom('==', '!=', '<=', '<', '>=', '>'), fc.oneof(literals, fc.constantFrom('5', '-2.5')))
    .map(([operator, right]) => `${operator} ${right}`),
  fc.array(literals, { minLength: 1, maxLength: 4 }).map((items) => `in [${items.join(', ')}]`),
  fc.array(literals, { minLength: 1, maxLength: 4 }).map((items) => `not in [${items.join(', ')}]`),
  fc
    .tuple(fc.constantFrom('[', '('), fc.nat(9), fc.nat(9), fc.constantFrom(']', ')'))
    .map(([open, low, more, close]) => `${open}${low}..${low + more}${close}`),
)
const columns = fc.record({
  kind: fc.constantFrom('input' as const, 'output' as const),
  type: fc.constantFrom<CellType | undefined>('text', 'number', 'date', 'boolean', 'expression', undefined),
})

test(`the words of a cell are read as the same cell, in both languages (${CASES} cells)`, () => {
  fc.assert(
    fc.property(cells, columns, fc.constantFrom(en, zh), (cell, column, words) => {
      const parts = cellParts(cell, column, words)
      if (parts === undefined) return
      const text = parts.map((part) => part.text).join('')
      expect(readCell(text, column)).toEqual({ kind: 'read', text: cell.trim() })
      expect(editText(cell, column, words)).toBe(text)
    }),
    { numRuns: CASES },
  )
})
