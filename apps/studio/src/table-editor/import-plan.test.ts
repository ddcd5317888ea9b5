import type { DraftGraph, Row, TableStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { readSheets } from '../language/read-sheets.ts'
import { tableCsv } from './csv.ts'
import { firstTargets, type ImportChoice, planImport, withImport } from './import-plan.ts'

const TABLE: TableStep = {
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
  steps: [TABLE, { id: 'yes', type: 'terminal', code: 'APPROVED' }, { id: 'no', type: 'terminal', code: 'DENIED' }],
}

const read = (text: string) =>
  readSheets({ bytes: new TextEncoder().encode(text).buffer, format: 'csv', columns: TABLE.columns })

const plan = (text: string, mode: ImportChoice['mode'] = 'replace') => {
  const [sheet = { name: '', columns: [], rows: [] }] = read(text).tables
  return planImport(GRAPH, TABLE, { sheet, targets: firstTargets(TABLE, sheet.columns), mode })
}

test('a table copied as CSV is imported unchanged', () => {
  const text = tableCsv(TABLE)
  expect(text).toBe('in:age:number,out:limit,next\r\n>= 18,100,yes\r\n< 18,,no\r\n')
  expect(read(text).lost).toEqual([])
  expect(plan(text)).toEqual({ step: TABLE, results: [], same: 2, added: 0, removed: 0 })
})

test('columns are matched by field; existing rows keep id and note; unknown columns and results are created', () => {
  const made = plan('age,$limit,in:country,next\n>= 18,100,,APPROVED\n>= 65,50,"""DE""",SENIOR\n')
  expect(made).toMatchObject({ same: 1, added: 1, removed: 1 })
  expect(made.step.columns.map(({ field }) => field)).toEqual(['age', 'country', 'limit'])
  const [first, second] = made.step.rows as [Row, Row]
  expect(first).toBe(TABLE.rows[0])
  expect(Object.values(second.cells)).toEqual(['>= 65', '50', '"DE"'])
  expect(made.results).toEqual([
    { id: second.nextStepId, type: 'terminal', code: 'SENIOR', output: [{ name: 'limit', value: '$limit' }] },
  ])
  expect(withImport(GRAPH, made).steps.map(({ id }) => id)).toEqual(['t', 'yes', 'no', second.nextStepId])
})

test('rows are added behind those of the table', () => {
  const made = plan('age\n1\n2\n', 'add')
  expect(made.step.rows.map(({ id }) => id)).toHaveLength(new Set(made.step.rows.map(({ id }) => id)).size)
  expect(made.step.rows.map(({ cells }) => cells['a'])).toEqual(['>= 18', '< 18', '1', '2'])
})

test('rows of a table that collects keep no next step, and create no result', () => {
  const collecting = { ...TABLE, hitPolicy: 'collect' as const }
  const [sheet = { name: '', columns: [], rows: [] }] = read('age,$limit,next\n1,2,yes\n3,4,SENIOR\n').tables
  const graph = { ...GRAPH, steps: [collecting, ...GRAPH.steps.slice(1)] }
  const made = planImport(graph, collecting, {
    sheet,
    targets: firstTargets(collecting, sheet.columns),
    mode: 'replace',
  })
  expect(made.results).toEqual([])
  expect(made.step.rows).toEqual([
    { id: expect.any(String), cells: { a: '1', b: '2' } },
    { id: expect.any(String), cells: { a: '3', b: '4' } },
  ])
})

test('a next step is an id, else the code of a result, else a name, and never the table itself', () => {
  const graph: DraftGraph = {
    startStepId: 't',
    steps: [
      { ...TABLE, name: 'self' },
      { id: 'yes', type: 'terminal', code: 'no', name: 'first' },
      { id: 'no', type: 'terminal', code: 'DENIED', name: 'second' },
      { id: 'other', type: 'terminal', code: 'DENIED', name: 'first' },
    ],
  }
  const [sheet = { name: '', columns: [], rows: [] }] = read('age,next\n1,no\n2,DENIED\n3,first\n4,self\n5,t\n').tables
  const { step, results } = planImport(graph, TABLE, {
    sheet,
    targets: firstTargets(TABLE, sheet.columns),
    mode: 'replace',
  })
  const made = results.map(({ id }) => id)
  expect(results.map((one) => one.code)).toEqual(['self', 't'])
  expect(step.rows.map(({ nextStepId }) => nextStepId)).toEqual(['no', 'no', 'yes', ...made])
})

test('equal rows are kept once, in the order of the file', () => {
  const twice = planImport(
    GRAPH,
    {
      ...TABLE,
      rows: [
        { id: 'x', cells: { a: '1' } },
        { id: 'y', cells: { a: '1', b: '' } },
      ],
    },
    {
      sheet: {
        name: '',
        columns: [{ id: 's', kind: 'input', field: 'age' }],
        rows: ['1', '1', '1'].map((s, at) => ({ id: `${at}`, cells: { s } })),
      },
      targets: [{ id: 'a' }],
      mode: 'replace',
    },
  )
  expect(twice).toMatchObject({ same: 2, added: 1, removed: 0 })
  expect(twice.step.rows.map(({ id }) => id)).toEqual(['x', 'y', 'r3'])
})

test('a column may be assigned elsewhere, or nowhere', () => {
  const [sheet = { name: '', columns: [], rows: [] }] = read('in:years,out:amount\n5,6\n').tables
  const made = planImport(GRAPH, TABLE, { sheet, targets: [{ id: 'a' }, 'none'], mode: 'replace' })
  expect(made.step.columns).toEqual(TABLE.columns)
  expect(made.step.rows).toMatchObject([{ cells: { a: '5' } }])
})

test('text in the Western European code page is read, and errors are reported at their place', () => {
  const bytes = Uint8Array.from('in:city,out:x\n"""M\u00fcnchen""",1 +\n', (one) => one.charCodeAt(0)).buffer
  const { tables, lost } = readSheets({ bytes, format: 'csv', columns: [] })
  expect(tables[0]?.rows[0]?.cells['c1']).toBe('"M\u00fcnchen"')
  expect(lost).toMatchObject([{ severity: 'error', line: 2 }])
})
