import { strToU8 } from 'fflate'
import { expect, test } from 'vitest'
import { readNumberKinds } from './date.ts'
import type { Package } from './workbook.ts'

const packageOf = (text: string): Package => {
  const packed = strToU8(text)
  return {
    files: new Map([['styles.xml', { method: 0, packed, size: packed.length }]]),
    allowance: { left: packed.length },
  }
}

/** The kinds of cells with these formats, by number or by code. */
function kindsOf(...formats: readonly (number | string)[]) {
  const codes = formats.map((format, at) =>
    typeof format === 'string'
      ? `<numFmt numFmtId="${200 + at}" formatCode="${format.replaceAll('"', '&quot;')}"/>`
      : '',
  )
  const cells = formats.map((format, at) => `<xf numFmtId="${typeof format === 'string' ? 200 + at : format}"/>`)
  const text = `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${cells.join('')}</cellXfs><dxfs><xf numFmtId="14"/></dxfs></styleSheet>`
  return readNumberKinds(packageOf(text), 'styles.xml')
}

test('formats by their numbers', () => {
  const dates = new Set([
    14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 47, 50, 51, 52, 53, 54, 55, 56, 57,
    58,
  ])
  const numbers = Array.from({ length: 61 }, (_, at) => at)
  const expected = numbers.map((at) => (at === 46 ? 'duration' : dates.has(at) ? 'date' : 'number'))
  expect(kindsOf(...numbers)).toEqual(expected)
})

test.each([
  ['0.00', 'number'],
  ['General', 'number'],
  ['yyyy', 'date'],
  ['D', 'date'],
  ['[h]:mm', 'duration'],
  ['[mm]', 'duration'],
  ['[SS]', 'duration'],
  ['[Red]0', 'number'],
  ['[$-409]d', 'date'],
  ['0;yyyy', 'number'],
  ['yyyy;0', 'date'],
  ['"year"0', 'number'],
  ['\\y0', 'number'],
  ['_d0', 'number'],
  ['*d0', 'number'],
  [`${'0'.repeat(254)}d`, 'date'],
  [`${'0'.repeat(255)}d`, 'number'],
  ['', 'number'],
])('the format %.20s is that of a %s', (code, kind) => {
  expect(kindsOf(code)).toEqual([kind])
})

test('a format without a number is general, and a workbook without styles has none', () => {
  expect(readNumberKinds(packageOf('<s><cellXfs><xf/></cellXfs></s>'), 'styles.xml')).toEqual(['number'])
  expect(readNumberKinds(packageOf(''), undefined)).toEqual([])
})
