import { describe, expect, test } from 'vitest'
import { fromXlsx } from './from-xlsx.ts'
import { isoDate } from './date.ts'
import { number, text, workbookBytes } from './workbook.testing.ts'

describe('a number of days from 1900', () => {
  test.each<[number, string | undefined]>([
    [0, '00:00:00'],
    [0.25, '06:00:00'],
    [0.999_988_425_925_925_9, '23:59:59'],
    [1, '1900-01-01'],
    [1.5, '1900-01-01T12:00:00'],
    [2, '1900-01-02'],
    [31, '1900-01-31'],
    [32, '1900-02-01'],
    [59, '1900-02-28'],
    // Spreadsheets count 29 February 1900, which did not exist.
    [60, undefined],
    [60.75, undefined],
    [61, '1900-03-01'],
    [62, '1900-03-02'],
    [366, '1900-12-31'],
    [367, '1901-01-01'],
    [36_526, '2000-01-01'],
    [36_585, '2000-02-29'],
    [46_346.437_5, '2026-11-20T10:30:00'],
    [2_958_465, '9999-12-31'],
    [2_958_466, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])('%d is %s', (serial, day) => expect(isoDate(serial, false)).toBe(day))
})

describe('a number of days from 1904', () => {
  test.each<[number, string | undefined]>([
    [0.5, '12:00:00'],
    [1, '1904-01-02'],
    [59, '1904-02-29'],
    [60, '1904-03-01'],
    [61, '1904-03-02'],
    [44_884, '2026-11-20'],
  ])('%d is %s', (serial, day) => expect(isoDate(serial, true)).toBe(day))
})

describe('a number is a day or a time by its format', () => {
  /** A cell with 1.5 in a number format. */
  const cellOf = (format: string) => {
    const rows = [[text('out:a')], [number(1.5, 1)]]
    const { rulesets } = fromXlsx(workbookBytes({ formats: [format], sheets: [{ name: 'T', rows }] }))
    const [table] = rulesets[0]?.ruleset.steps ?? []
    return table?.type === 'table' ? table.rows[0]?.cells['c1'] : undefined
  }
  test.each([
    'yyyy-mm-dd',
    'd.m.yy',
    'DD/MM/YYYY',
    'mmm',
    'dddd',
    'h:mm',
    'hh:mm:ss',
    'ss.000',
    's',
    'h AM/PM',
    '[$-409]d-mmm-yy;@',
    '[Red]yyyy',
  ])('%s', (format) => expect(cellOf(format)).toBe('"1900-01-01T12:00:00"'))

  test.each(['0.00', '#,##0', '0%', '0.00E+00', '"days"0', '\\d0', '_d0', '*h0', '[Red]0', 'General', '0;"y"0', '@'])(
    '%s is not a date format',
    (format) => expect(cellOf(format)).toBe('1.5'),
  )
})
