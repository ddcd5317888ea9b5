import type { DraftGraph, Row, TableStep } from '@engine/authoring'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../tests/cases.testing.ts'
import { type Cells, parseCells } from './clipboard.ts'
import { readSheets } from '../language/read-sheets.ts'
import { tableCsv } from './csv.ts'
import { withPaste, withPasted } from './paste.ts'
import { needsLook, planPaste } from './paste-plan.ts'
import { fieldOf } from './paste-title.ts'

const CASES = casesOf(2000)

const EMPTY: TableStep = { id: 't', type: 'table', hitPolicy: 'first', columns: [], rows: [] }
const TABLE: TableStep = {
  ...EMPTY,
  columns: [
    { id: 'c1', kind: 'input', field: 'country', type: 'string' },
    { id: 'c2', kind: 'input', field: 'weight', type: 'number' },
    { id: 'c3', kind: 'input', field: 'member_level' },
    { id: 'c4', kind: 'output', field: 'price', type: 'number' },
  ],
  rows: [{ id: 'r1', cells: {} }],
}

/** The rows of the findings: words without quotes, ranges, commas and currencies. */
const SHEET = parseCells(
  [
    'Country\tWeight\tMember level\tPrice',
    'DE\tup to 2\tgold\t0',
    'DE\tup to 2\tsilver\t2,90',
    'DE\tup to 2\t-\t4,90',
    'DE\t2-10\tgold\t2,90',
    'FR\t<= 2\tgold\t3,9',
    'US\t<= 2\tany\t€ 19.90',
    'US\tany\tgold\texpress',
  ].join('\n'),
)

const pasted = (
  step: TableStep,
  plan: ReturnType<typeof planPaste>,
  place: Partial<Parameters<typeof withPaste>[3]> = {},
) => withPaste({ steps: [step] }, step, plan, { mode: 'at', row: 0, ...place }).step

const rowsOf = ({ rows, columns }: TableStep) => rows.map(({ cells }) => columns.map(({ id }) => cells[id] ?? ''))

describe('a table from a spreadsheet', () => {
  test('finds its columns by their names, and its words need no quotes', () => {
    const plan = planPaste(SHEET, TABLE, 0, {}, () => false)
    expect([plan.hasHeader, plan.matched]).toEqual([true, 4])
    expect(plan.columns.map(({ type }) => type)).toEqual(['text', 'number', 'text', 'number'])
    expect(plan.unread).toEqual([{ row: 6, column: 3, text: 'express' }])
    expect(rowsOf(pasted(TABLE, plan))).toEqual([
      ['"DE"', '<= 2', '"gold"', '0'],
      ['"DE"', '<= 2', '"silver"', '2.90'],
      ['"DE"', '<= 2', '', '4.90'],
      ['"DE"', '(2..10]', '"gold"', '2.90'],
      ['"FR"', '<= 2', '"gold"', '3.9'],
      ['"US"', '<= 2', '', '19.90'],
      ['"US"', '', '"gold"', 'express'],
    ])
    expect(plan.notes).toEqual({ texts: 12, decimals: 4, units: 1, ranges: 1, limits: 3 })
  })

  test('makes the columns of an empty table: the last one is the result', () => {
    const table = pasted(EMPTY, planPaste(SHEET, EMPTY, 0))
    expect(table.columns).toEqual([
      { id: 'c1', kind: 'input', field: 'country', type: 'string', label: 'Country' },
      { id: 'c2', kind: 'input', field: 'weight', type: 'number', label: 'Weight' },
      { id: 'c3', kind: 'input', field: 'member_level', type: 'string', label: 'Member level' },
      // Seven of eight prices are numbers: too few for a column of numbers.
      { id: 'c4', kind: 'output', field: 'price', type: 'string', label: 'Price' },
    ])
    expect(table.rows).toHaveLength(7)
  })

  test('names units from headers and cells', () => {
    const plan = planPaste(
      [
        ['Weight (kg)', 'Fee'],
        ['5', '5 EUR'],
        ['6', '7 EUR'],
      ],
      EMPTY,
      0,
    )
    expect(pasted(EMPTY, plan).columns).toEqual([
      { id: 'c1', kind: 'input', field: 'weight', type: 'number', label: 'Weight', unit: 'kg' },
      { id: 'c2', kind: 'output', field: 'fee', type: 'number', label: 'Fee', unit: 'EUR' },
    ])
  })

  test('offers columns that the table lacks, which may be left out', () => {
    const cells = [
      ['country', 'region', 'price'],
      ['DE', 'north', '1'],
      ['AT', 'south', '2'],
    ]
    const plan = planPaste(cells, TABLE, 0)
    expect(plan.columns.map(({ target }) => target)).toEqual([{ id: 'c1' }, 'input', { id: 'c4' }])
    expect(pasted(TABLE, plan).columns.map(({ field }) => field)).toContain('region')
    const without = planPaste(cells, TABLE, 0, { targets: { 1: 'none' } })
    expect(pasted(TABLE, without).columns).toHaveLength(4)
  })

  test('begins at the active cell, or replaces all rows', () => {
    const full: TableStep = { ...TABLE, rows: ['a', 'b', 'c'].map((id) => ({ id, cells: { c1: `"${id}"` } })) }
    const plan = planPaste([['NL'], ['BE']], full, 0)
    const countries = (step: TableStep) => rowsOf(step).map(([country]) => country)
    expect(countries(pasted(full, plan, { row: 2 }))).toEqual(['"a"', '"b"', '"NL"', '"BE"'])
    expect(countries(pasted(full, plan, { mode: 'replace' }))).toEqual(['"NL"', '"BE"'])
    expect(countries(pasted(full, plan, { asWritten: true }))).toEqual(['NL', 'BE', '"c"'])
  })

  test('keeps the note and the next step of a row that it changes', () => {
    const row = { id: 'r1', cells: { c1: '"DE"', c2: '5' }, nextStepId: 'yes', note: 'as agreed' }
    const full: TableStep = { ...TABLE, rows: [row] }
    const changed = pasted(full, planPaste([['NL']], full, 0))
    expect(changed.rows).toEqual([{ ...row, cells: { c1: '"NL"', c2: '5' } }])
  })

  test('names no cells of a column that it leaves out', () => {
    const types = { 3: 'number' } as const
    expect(planPaste(SHEET, TABLE, 0, { types }, () => false).unread).toHaveLength(1)
    expect(planPaste(SHEET, TABLE, 0, { types, targets: { 3: 'none' } }, () => false).unread).toEqual([])
  })

  test.each([
    ['half of it names columns', ['country', 'member level', 'remark', 'source'], true],
    ['less than half of it does', ['country', 'remark', 'source', 'status'], false],
    ['none of it does', ['remark', 'source'], false],
  ])('takes the first row as the names of columns where %s', (_, titles, hasHeader) => {
    const texts = titles.map((_title, at) => `text ${at}`)
    expect(planPaste([titles, texts], TABLE, 0).hasHeader).toBe(hasHeader)
  })

  test('asks only where a decimal sign or the order of a date is open', () => {
    const price = (...texts: readonly string[]) =>
      planPaste(
        texts.map((text) => [text]),
        TABLE,
        3,
      )
    expect(price('1.500', '2.300').asksDecimal).toBe(true)
    expect(price('1.500', '2,30').asksDecimal).toBe(false)
    expect(price('1.500', '2,30').columns[0]?.cells.map(({ text }) => text)).toEqual(['1500', '2.30'])
    const answered = planPaste([['1.500']], TABLE, 3, { decimal: ',' })
    expect(answered.columns[0]?.cells).toEqual([{ kind: 'read', text: '1500' }])
    const dates = (...texts: readonly string[]) =>
      planPaste(
        texts.map((text) => [text]),
        EMPTY,
        0,
      )
    expect(dates('3/4/2026', '5/6/2026').asksDate).toBe(true)
    expect(dates('3/4/2026', '5/16/2026').asksDate).toBe(false)
    expect(dates('3/4/2026', '5/16/2026').columns[0]?.cells[0]?.text).toBe('"2026-03-04"')
  })

  test('reads ranges that touch as half-open, others with both ends', () => {
    const weights = (...texts: readonly string[]) => {
      const plan = planPaste(
        texts.map((text) => [text]),
        TABLE,
        1,
      )
      return [...(plan.columns[0]?.cells.map(({ text }) => text) ?? []), plan.isClosed]
    }
    expect(weights('2-5', '5-10')).toEqual(['(2..5]', '(5..10]', false])
    expect(weights('up to 2', '2-5')).toEqual(['<= 2', '(2..5]', false])
    expect(weights('2-4', '5-10')).toEqual(['[2..4]', '[5..10]', true])
  })

  test('reads yes and no as a whole column only', () => {
    const column = (...texts: readonly string[]) =>
      planPaste(
        texts.map((text) => [text]),
        EMPTY,
        0,
      ).columns[0]?.type
    expect(column('yes', 'no')).toBe('boolean')
    expect(column('ja', '-')).toBe('boolean')
    expect(column('1', '0')).toBe('boolean')
    expect(column('1', '1')).toBe('number')
    expect(column('yes', 'no', 'maybe')).toBe('text')
  })

  test('needs no look where little is read another way: copied cells, a few words', () => {
    const look = (...cells: Cells) => needsLook(planPaste(cells, TABLE, 0))
    expect(look(['"DE"', '<= 2', '"gold"', '0'])).toBe(false)
    expect(look(['DE', '5'], ['not AT', '4,90'])).toBe(false)
    expect(look(['DE', '2-5'])).toBe(true)
    expect(look(['DE', 'heavy'])).toBe(true)
    expect(needsLook(planPaste([['1', '2']], TABLE, 3))).toBe(true)
    expect(look(...Array.from({ length: 8 }, () => ['DE']))).toBe(true)
  })

  test.each([
    ['Member level', 'member_level'],
    ['Preis (€)', 'preis'],
    ['2nd price', '_2nd_price'],
    ['order.total', 'order.total'],
    ['国家', '国家'],
    ['%', 'field'],
  ])('%s names the field %s', (title, field) => expect(fieldOf(title)).toBe(field))
})

/** A table of two columns, with the results that it leads to. */
const LIMITS: TableStep = {
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'a', kind: 'input', field: 'age', type: 'number' },
    { id: 'b', kind: 'output', field: 'limit' },
  ],
  rows: [
    { id: 'r7', cells: { a: '>= 18', b: '100' }, nextStepId: 'yes', note: 'since 2020' },
    { id: 'r8', cells: { a: '< 18' }, nextStepId: 'no' },
  ],
}
const GRAPH: DraftGraph = {
  startStepId: 't',
  steps: [LIMITS, { id: 'yes', type: 'terminal', code: 'APPROVED' }, { id: 'no', type: 'terminal', code: 'DENIED' }],
}

const ofFile = (text: string) => {
  const [table] = readSheets({ bytes: new TextEncoder().encode(text).buffer, format: 'csv' }).tables
  return table ?? { cells: [], lost: [] }
}
const imported = (text: string, mode: 'replace' | 'add' = 'replace', step = LIMITS) =>
  withPaste(GRAPH, step, planPaste(ofFile(text).cells, step, 0), { mode, row: 0 })

describe('a file', () => {
  test('that is a copy of the table changes nothing', () => {
    const text = tableCsv(LIMITS)
    expect(text).toBe('in:age:number,out:limit,next\r\n>= 18,100,yes\r\n< 18,,no\r\n')
    expect(planPaste(ofFile(text).cells, LIMITS, 0).unread).toEqual([])
    expect(imported(text)).toEqual({ step: LIMITS, changed: [], results: [], same: 2, added: 0, removed: 0 })
  })

  test('finds columns by their names, keeps rows that are there, and makes new columns and results', () => {
    const made = imported('Age,$limit,in:country,next\nfrom 18,100,,APPROVED\n65+,50,"""DE""",SENIOR\n')
    expect(made).toMatchObject({ same: 1, added: 1, removed: 1 })
    expect(made.step.columns.map(({ field }) => field)).toEqual(['age', 'country', 'limit'])
    const [first, second] = made.step.rows as [Row, Row]
    expect(first).toBe(LIMITS.rows[0])
    expect(Object.values(second.cells)).toEqual(['>= 65', '50', '"DE"'])
    expect(made.results).toEqual([
      { id: second.nextStepId, type: 'terminal', code: 'SENIOR', output: [{ name: 'limit', value: '$limit' }] },
    ])
    expect(withPasted(GRAPH, made).steps.map(({ id }) => id)).toEqual(['t', 'yes', 'no', second.nextStepId])
  })

  test('with equal rows keeps as many as there are, each once', () => {
    const twice = { ...LIMITS, rows: [LIMITS.rows[0]!, { ...LIMITS.rows[0]!, id: 'r9' }] }
    const made = imported(tableCsv({ ...LIMITS, rows: [...twice.rows, ...twice.rows] }), 'replace', twice)
    expect(made).toMatchObject({ same: 2, added: 2, removed: 0 })
    expect(new Set(made.step.rows.map(({ id }) => id)).size).toBe(4)
    expect(made.step.rows.slice(0, 2)).toEqual(twice.rows)
  })

  test.each([
    ['first', 'shared'],
    ['APPROVED', 'yes'],
    // An id counts before the code and the name of another step, and a code before a name.
    ['no', 'no'],
    ['DENIED', 'no'],
  ])('leads by %s to the step %s', (name, id) => {
    const steps: DraftGraph['steps'] = [
      ...GRAPH.steps,
      { id: 'shared', name: 'first', type: 'terminal', code: 'no' },
      { id: 'other', name: 'first', type: 'terminal', code: 'APPROVED' },
      { id: 'last', name: 'DENIED', type: 'action', assignments: [] },
    ]
    const plan = planPaste(ofFile(`age,next\n7,${name}\n`).cells, LIMITS, 0)
    const made = withPaste({ ...GRAPH, steps }, LIMITS, plan, { mode: 'add', row: 0 })
    expect([made.step.rows.at(-1)?.nextStepId, made.results]).toEqual([id, []])
  })

  test('is added behind the rows of the table', () => {
    const made = imported('age\n1\n2\n', 'add')
    expect(new Set(made.step.rows.map(({ id }) => id)).size).toBe(4)
    expect(made.step.rows.map(({ cells }) => cells['a'])).toEqual(['>= 18', '< 18', '1', '2'])
  })

  test('makes no results for a table that collects', () => {
    const collecting: TableStep = { ...LIMITS, hitPolicy: 'collect' }
    const made = imported('age,next\n7,SENIOR\n', 'replace', collecting)
    expect(made.results).toEqual([])
    expect(made.step.rows).toEqual([{ id: 'r3', cells: { a: '7' } }])
  })

  test('names rows that lack cells', () => {
    expect(ofFile('age,limit\n1\n').lost).toEqual([{ row: 1, column: 1, message: 'the row has 1 cells, the header 2' }])
  })

  test('in the code page of a spreadsheet is read in it', () => {
    const bytes = new Uint8Array([0x61, 0x67, 0x65, 0x0a, 0xfc, 0x0a])
    expect(readSheets({ bytes: bytes.buffer, format: 'csv' }).tables[0]?.cells).toEqual([['age'], ['ü']])
  })
})

test('a blank table takes the columns of the texts, and its result their values', () => {
  const blank: TableStep = {
    ...EMPTY,
    columns: [
      { id: 'c1', kind: 'input', field: 'amount' },
      { id: 'c2', kind: 'output', field: 'result' },
    ],
    rows: [{ id: 'r1', cells: {} }],
    nextStepId: 'done',
  }
  const graph: DraftGraph = {
    steps: [blank, { id: 'done', type: 'terminal', code: 'DONE', output: [{ name: 'result', value: '$result' }] }],
  }
  const made = withPaste(graph, blank, planPaste(SHEET, blank, 0), { mode: 'at', row: 0 })
  expect(made.step.columns.map(({ field }) => field)).toEqual(['country', 'weight', 'member_level', 'price'])
  expect(made.changed).toEqual([
    { id: 'done', type: 'terminal', code: 'DONE', output: [{ name: 'price', value: '$price' }] },
  ])
})

test(`any texts are pasted without a loss (${CASES} pastes)`, () => {
  const cells: fc.Arbitrary<Cells> = fc.array(
    fc.array(
      fc.oneof(fc.string(), fc.constantFrom('DE', '2-5', 'up to 5', '4,90', 'yes', '31.1.2026', '-', 'Country')),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    { minLength: 1, maxLength: 6 },
  )
  fc.assert(
    fc.property(cells, fc.nat(3), (given, from) => {
      const plan = planPaste(given, TABLE, from)
      const table = pasted(TABLE, plan)
      expect(table.rows).toHaveLength(Math.max(1, plan.given.length))
      expect(plan.given.length).toBe(given.length - (plan.hasHeader ? 1 : 0))
      const targets = plan.columns.flatMap(({ target }) => (typeof target === 'string' ? [] : [target.id]))
      expect(new Set(targets).size).toBe(targets.length)
      for (const { row, column, text } of plan.unread) expect(text).toBe((plan.given[row]?.[column] ?? '').trim())
      expect(new Set(table.columns.map(({ id }) => id)).size).toBe(table.columns.length)
    }),
    { numRuns: CASES },
  )
})
