import '../api/loaded-client.testing.ts'
import type { DraftStep } from '@engine/authoring'
import { expect, test } from 'vitest'
import { unitsIn } from './units.ts'

const table = (id: string, field: string, unit?: string): DraftStep => ({
  id,
  type: 'table',
  hitPolicy: 'first',
  columns: [
    { id: 'c1', kind: 'input', field: 'weight', unit: 'kg' },
    { id: 'c2', kind: 'output', field, ...(unit !== undefined && { unit }) },
  ],
  rows: [],
})
const unitOf = unitsIn({
  config: { name: 'd' },
  steps: [
    table('t', 'fee', 'EUR'),
    table('u', 'count'),
    {
      id: 'end',
      type: 'terminal',
      code: 'DONE',
      output: [
        { name: 'fee', value: '$fee' },
        { name: 'price', value: '$fee' },
        { name: 'rate', value: '$rate' },
        { name: 'half', value: '$fee / 2' },
        { name: 'typed', value: 'fee' },
      ],
    },
  ],
  subRules: { tax: { steps: [table('t', 'rate', '%')] } },
})

test.each([
  ['fee', 'EUR'],
  ['price', 'EUR'],
  ['rate', '%'],
  ['count', ''],
  ['half', ''],
  ['typed', ''],
  ['weight', ''],
  ['gone', ''],
])('the output %s has the unit %j', (output, unit) => {
  expect(unitOf(output)).toBe(unit)
})

test('an unknown draft has no units', () => {
  expect(unitsIn(undefined)('fee')).toBe('')
})
