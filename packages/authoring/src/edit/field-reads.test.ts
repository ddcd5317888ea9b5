import { expect, test } from 'vitest'
import { fieldReads } from './field-reads.ts'
import type { DraftRuleset, DraftStep } from '../draft/model.ts'

const draftOf = (steps: readonly DraftStep[], config: object = {}): DraftRuleset => ({
  config: { name: 'a', ...config },
  steps,
})

const STEPS: readonly DraftStep[] = [
  {
    id: 'ask',
    type: 'decision',
    branches: [
      { id: 'b1', condition: 'order.total > 5\n&& order.total < limit' },
      { id: 'b2', condition: 'orders.total > 5 || $order.total' },
      { id: 'b3', condition: 'order.total >' },
    ],
  },
  {
    id: 'do',
    type: 'action',
    assignments: [{ name: 'a', value: 'order' }],
    externalCalls: [{ type: 'http', params: { 'a/b': 'order.total.net' } }],
    logging: { message: '"at " + order.total' },
  },
  { id: 'use', type: 'sub_rule', bindings: [{ field: 'order', expr: '-order.total' }], outputs: [] },
  {
    id: 't',
    type: 'table',
    hitPolicy: 'first',
    columns: [
      { id: 'total', kind: 'input', field: 'order.total' },
      { id: 'out', kind: 'output', field: 'order' },
    ],
    rows: [
      { id: 'r', cells: { total: '> 5', out: 'order.total' } },
      { id: 's', cells: { total: ' ? order.total > 5', out: '' } },
      // The condition of a cell without a question mark is compared with its column.
      { id: 'u', cells: { total: 'order.total', out: '' } },
    ],
  },
  { id: 'end', type: 'terminal', message: 'order.total', output: [{ name: 'x', value: 'order.totals' }] },
]

test('a field is read in each kind of text of each kind of step, at its characters', () => {
  const { places, count } = fieldReads(draftOf(STEPS, { defaults: { 'order.total': 1, order: {} } }), 'order.total')
  const shown = places.map(
    ({ step_id, path, reads, line, column, length }) => `${step_id ?? ''} ${path} ${reads} ${line}:${column}+${length}`,
  )
  expect(shown).toEqual([
    'ask /steps/0/branches/0/condition order.total 1:1+11',
    'ask /steps/0/branches/0/condition order.total 2:4+11',
    'do /steps/1/assignments/0/value order 1:1+5',
    'do /steps/1/externalCalls/0/params/a~1b order.total.net 1:1+15',
    'do /steps/1/logging/message order.total 1:9+11',
    'use /steps/2/bindings/0/expr order.total 1:2+11',
    't /steps/3/columns/0/field order.total 1:1+11',
    't /steps/3/rows/0/cells/out order.total 1:1+11',
    't /steps/3/rows/1/cells/total order.total 1:4+11',
    'end /steps/4/message order.total 1:1+11',
    ' /config/defaults/order.total order.total 1:1+11',
    ' /config/defaults/order order 1:1+5',
  ])
  expect(count).toBe(12)
})

test.each([
  ['items', 'any(items, i => i.price > 5)', ['items']],
  ['items.*.price', 'items[0].price > 1 && sum(items.*.net) > 2', ['items[0].price']],
  ['i', 'any(items, i => i.price > 5)', []],
  ['price', 'any(items, i => i.price > price)', ['price']],
  ['items', 'items.*.price[0] == 1', ['items.*.price[0]']],
])('%s is read by `%s`', (name, value, reads) => {
  const step: DraftStep = { id: 'a', type: 'action', assignments: [{ name: 'x', value }] }
  expect(fieldReads(draftOf([step]), name).places.map((place) => place.reads)).toEqual(reads)
})

test('sub-rules of the draft read their bound inputs, and a name that is not a path is read nowhere', () => {
  const subRules = { s: { steps: STEPS } }
  expect(fieldReads({ ...draftOf([]), subRules }, 'order.total').count).toBe(0)
  expect(fieldReads(draftOf(STEPS), 'order total').count).toBe(0)
})

test('a hundred places are listed, and all are counted', () => {
  const assignments = Array.from({ length: 250 }, () => ({ name: 'x', value: 'a + a' }))
  const { places, count } = fieldReads(draftOf([{ id: 'a', type: 'action', assignments }]), 'a')
  expect([places.length, count]).toEqual([100, 500])
})
