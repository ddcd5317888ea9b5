import type { TableStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { tableCsv } from './csv.ts'

const TABLE: TableStep = {
  id: 't',
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'a', kind: 'input', field: 'age', type: 'number' },
    { id: 'b', kind: 'output', field: 'limit' },
    { id: 'c', kind: 'input' },
  ],
  rows: [
    { id: 'r1', cells: { a: '>= 18', b: '"a, b"' }, nextStepId: 'yes', note: 'since 2020' },
    { id: 'r2', cells: { a: '< 18', b: '0' }, nextStepId: 'no', disabled: true },
    { id: 'r3', cells: {}, disabled: false },
  ],
}

test('rows are exported in order with their next step, and neither disabled rows nor notes', () => {
  expect(tableCsv(TABLE)).toBe('in:age:number,out:limit,in:,next\r\n>= 18,"""a, b""",,yes\r\n,,,\r\n')
})

test('rows of a table that collects have no next step', () => {
  expect(tableCsv({ ...TABLE, hitPolicy: 'collect' })).toBe(
    'in:age:number,out:limit,in:\r\n>= 18,"""a, b""",\r\n,,\r\n',
  )
})
