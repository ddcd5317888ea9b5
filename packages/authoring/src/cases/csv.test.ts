import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Case, decodeCases } from './case.ts'
import { casesFromCsv, casesToCsv } from './csv.ts'

const text = fc.string({ unit: fc.constantFrom(...'ab,"\n\r \'=é'), minLength: 1, maxLength: 12 })
const oneCase: fc.Arbitrary<Case> = fc.record(
  {
    suite: text,
    name: text,
    now: fc.constant('2026-01-31T12:00:00Z'),
    input: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))),
    stubs: fc.dictionary(text, text),
    expect: fc.record({ code: text, tolerance: fc.nat() }),
  },
  { requiredKeys: ['name', 'input', 'expect'] },
)
const keyOf = ({ suite = '', name }: Case) => JSON.stringify([suite, name])

test('written cases are read back unchanged', () => {
  fc.assert(
    fc.property(fc.uniqueArray(oneCase, { selector: keyOf, maxLength: 5 }), (cases) => {
      const read = casesFromCsv(casesToCsv(cases))
      expect(read).toEqual({ list: cases })
      if ('list' in read) expect(decodeCases(read.list)).toEqual({ cases, faults: [] })
    }),
    { numRuns: 300 },
  )
})

const good = '{""code"":""A""}'
test.each([
  ['columns in another order', `expect,name\n"${good}",a\n`],
  ['a byte order mark', `\uFEFFname,expect\r\na,"${good}"\r\n`],
  ['empty rows, and no line end at the end', `name,expect\n\na,"${good}"\n\n`],
  ['columns without cells', `name,expect,suite,now\na,"${good}"`],
  ['semicolons, as spreadsheets write them', `name;expect\na;"${good}"\n`],
  ['line ends of long ago', `name,expect\ra,"${good}"\r`],
])('takes %s', (_title, csv) => {
  expect(casesFromCsv(csv)).toEqual({ list: [{ name: 'a', expect: { code: 'A' } }] })
})

test.each([
  ['nothing', '', /no header/, 1],
  ['a column that is unknown', 'name,expects\na,b', /`expects`/, 1],
  ['a column twice', 'name,name\na,b', /`name`.*each once/, 1],
  ['a quotation mark that is not closed', 'name,expect\na,"b', /not closed/, 2],
  ['a quotation mark within a cell', 'name,expect\na,b"c', /with a quote must be quoted/, 2],
  ['more cells than columns', 'name\n"a\nb"\na,b\n', /2 cells/, 4],
  ['text behind a closing quotation mark', 'name,expect\n"a"b,c', /follows the closing/, 2],
  ['more cells than a row may have', `name\n${','.repeat(1000)}`, /more than 1000 cells/, 2],
  ['a cell that is not JSON', 'name,input\na,{', /invalid JSON in the column `input`/, 2],
  ['a member twice', 'name,input\na,"{""x"":1,""x"":2}"', /invalid JSON/, 2],
])('refuses %s', (_title, csv, reason, line) => {
  expect(casesFromCsv(csv)).toEqual({ reason: expect.stringMatching(reason), line })
})

test('`__proto__` is an ordinary member', () => {
  const read = casesFromCsv(`name,input,expect\na,"{""__proto__"":{""x"":1}}","${good}"`)
  expect('list' in read && Object.keys((read.list as { input: object }[])[0]?.input ?? {})).toEqual(['__proto__'])
})
