import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvRecords } from './records.ts'
import { csvText } from './write.ts'

const cellsOf = (csv: string) => Array.from(csvRecords(csv, ','), ({ cells }) => cells)

test.each([
  ['=HYPERLINK("http://evil.test","x")', `"'=HYPERLINK(""http://evil.test"",""x"")"`],
  ['=1+1', `'=1+1`],
  ['+1', `'+1`],
  ['-1+cmd', `'-1+cmd`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['＝1+1', `'＝1+1`],
  [`'=1`, `''=1`],
  [`''=1`, `'''=1`],
  ['a=1', 'a=1'],
  [`'a`, `'a`],
  ['', ''],
])('the cell %j is written as %j, and read back', (cell, written) => {
  expect(csvText([['a', cell]])).toBe(`a,${written}\r\n`)
  expect(cellsOf(csvText([['a', cell]]))).toEqual([['a', cell]])
})

test('everything written is read back, and none of its cells begins as a formula', () => {
  const cell = fc.string({ unit: fc.constantFrom(...'=+-@\'"\t\r\n,; ab＝'), maxLength: 8 })
  // A record of one empty cell is an empty line, which is skipped.
  const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 4 })
  fc.assert(
    fc.property(records, (written) => {
      const csv = csvText(written)
      expect(cellsOf(csv)).toEqual(written)
      for (const one of written.flat()) expect(csvText([[one]])).not.toMatch(/^"?[=+\-@\t\r\n＝](?!\n$)/)
    }),
    { numRuns: 300 },
  )
})
