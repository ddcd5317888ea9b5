import { cellCondition, literalOf } from '@engine/authoring'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../tests/cases.testing.ts'
import { type CellType } from './cell-type.ts'
import { readCell } from './cell-words.ts'

const CASES = casesOf(10_000)

describe('a condition, as people write it, in a column of', () => {
  const rows: readonly (readonly [CellType | undefined, string, string])[] = [
    ['text', 'DE', '"DE"'],
    ['text', '"DE"', '"DE"'],
    ['text', '10', '"10"'],
    ['text', 'true', '"true"'],
    ['text', 'DE, AT', 'in ["DE", "AT"]'],
    ['text', 'DE|AT', 'in ["DE", "AT"]'],
    ['text', 'not DE', '!= "DE"'],
    ['text', 'not DE, AT', 'not in ["DE", "AT"]'],
    ['text', '!= DE', '!= "DE"'],
    ['text', 'in ["DE", "AT"]', 'in ["DE", "AT"]'],
    ['text', '-', ''],
    ['text', 'any', ''],
    ['text', '*', ''],
    ['text', '? x == y', '? x == y'],
    ['text', '= lower(country) == "de"', '? lower(country) == "de"'],
    ['text', '="DE"', '"DE"'],
    ['text', 'It is "so"', '"It is \\"so\\""'],
    ['number', '5', '5'],
    ['number', '4,90', '4.90'],
    ['number', '€ 19.90', '19.90'],
    ['number', '5 kg', '5'],
    ['number', '1.234,50', '1234.50'],
    ['number', "1'234.50", '1234.50'],
    ['number', 'up to 5', '<= 5'],
    ['number', 'max 5', '<= 5'],
    ['number', '≤ 5', '<= 5'],
    ['number', 'bis 4,5', '<= 4.5'],
    ['number', 'over 5', '> 5'],
    ['number', 'from 5', '>= 5'],
    ['number', 'ab 18', '>= 18'],
    ['number', '18+', '>= 18'],
    ['number', 'under 5', '< 5'],
    ['number', '<5', '< 5'],
    ['number', '2-5', '[2..5]'],
    ['number', '2 – 5', '[2..5]'],
    ['number', '2..5', '[2..5]'],
    ['number', '2 to 5', '[2..5]'],
    ['number', 'over 2 up to 10', '(2..10]'],
    ['number', '(2..10]', '(2..10]'],
    ['number', '1 | 2', 'in [1, 2]'],
    ['number', 'not 5', '!= 5'],
    ['number', '-5', '-5'],
    ['date', '31.1.2026', '"2026-01-31"'],
    ['date', '1/31/2026', '"2026-01-31"'],
    ['date', 'on or after 2026-01-31', '>= "2026-01-31"'],
    ['date', 'before 31.1.2026', '< "2026-01-31"'],
    ['boolean', 'yes', 'true'],
    ['boolean', 'Nein', 'false'],
    [undefined, 'gold', '"gold"'],
    [undefined, 'gold, silver', 'in ["gold", "silver"]'],
    [undefined, '>= 9', '>= 9'],
    [undefined, '12', '12'],
    [undefined, 'true', 'true'],
  ]
  test.each(rows)('%s: %s is %s', (type, given, cell) => {
    expect(readCell(given, { kind: 'input', type })).toEqual({ kind: 'read', text: cell })
    expect(cellCondition('x', cell).kind).not.toBe('failed')
  })

  test.each([
    ['number', 'express'],
    ['number', '2-'],
    ['number', '5-2'],
    ['number', '007'],
    ['boolean', 'maybe'],
    ['date', '31.2.2026'],
    ['expression', 'gold silver'],
  ] as const)('%s: %s is not understood, and kept', (type, given) => {
    expect(readCell(given, { kind: 'input', type })).toEqual({ kind: 'unread', text: given })
  })
})

describe('a result, as people write it, in a column of', () => {
  const isField = (word: string) => word === 'price'
  test.each([
    ['text', 'express', '"express"'],
    ['text', '=price', 'price'],
    ['text', 'DE, AT', '"DE, AT"'],
    ['number', '4,90', '4.90'],
    ['number', 'price', 'price'],
    ['number', '$price * 2', '$price * 2'],
    ['boolean', 'yes', 'true'],
    ['date', '31.1.2026', '"2026-01-31"'],
    ['expression', 'express', 'express'],
    [undefined, 'express', '"express"'],
    [undefined, 'next day', '"next day"'],
    [undefined, 'price', 'price'],
    [undefined, '$x + 1', '$x + 1'],
    [undefined, '"so"', '"so"'],
    [undefined, '4.9', '4.9'],
  ] as const)('%s: %s is %s', (type, given, cell) => {
    expect(readCell(given, { kind: 'output', type, isField })).toEqual({ kind: 'read', text: cell })
  })

  test.each([
    ['number', 'express'],
    ['boolean', 'maybe'],
  ] as const)('%s: %s is not understood, and kept', (type, given) => {
    expect(readCell(given, { kind: 'output', type, isField })).toEqual({ kind: 'unread', text: given })
  })
})

const value = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom('"any"', '"a, b"', '"=x"', '"not a"', '"\\"q\\""', '"up to 5"', '"2026-01-31"', 'true', 'false'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const cell = fc.oneof(
  value,
  fc.tuple(fc.constantFrom('<= ', '>= ', '< ', '> ', '!= ', '? x == '), value).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('', 'not '), fc.array(value)).map(([not, list]) => `${not}in [${list.join(', ')}]`),
  fc
    .tuple(fc.constantFrom('[', '('), value, value, fc.constantFrom(']', ')'))
    .map(([a, b, c, d]) => `${a}${b}..${c}${d}`),
  fc.string(),
)
const type = fc.constantFrom<CellType | undefined>('text', 'number', 'date', 'boolean', 'expression', undefined)

test(`reading gives a cell or the unchanged text (${CASES} texts)`, () => {
  const given = fc.oneof(fc.string(), cell, fc.constantFrom('up to 5', '2-5', 'DE, AT', '18+', 'not DE'))
  fc.assert(
    fc.property(given, type, (text, of) => {
      const found = readCell(text, { kind: 'input', type: of })
      if (found.kind === 'unread') expect(found.text).toBe(text.trim())
      else if (!found.text.startsWith('?')) expect(cellCondition('x', found.text).kind).not.toBe('failed')
      if (of === 'text' && found.text.startsWith('"')) expect(typeof literalOf(found.text)).toBe('string')
    }),
    { numRuns: CASES },
  )
})
