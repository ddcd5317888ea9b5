import type { Value } from '@engine/expression'
import { expect, test } from 'vitest'
import { namedLoss } from './named-loss.ts'

const DOCUMENT: Value = {
  nodes: [
    { id: 'in', name: 'Request' },
    {
      id: 't',
      name: 'Fees',
      content: {
        inputs: [{ id: 'i1', name: 'Weight', field: 'weight' }, { id: 'i2', field: 'to/from' }, { id: 'i3' }, 5],
        outputs: [{ id: 'o/1', name: ' ', field: 'fee' }, { id: 'o2' }],
        rules: [{}, {}, 7],
        expressions: [{ key: 'total' }, { key: '' }, 'x'],
        statements: [{}],
      },
    },
    { id: 'only', name: '' },
    { name: 5 },
    'x',
  ],
  edges: [{ name: 'an edge' }],
  tests: [{ name: 'a test' }],
}

test.each([
  ['/nodes/0', 'in `Request`: m'],
  ['/nodes/1', 'in `Fees`: m'],
  ['/nodes/1/content', 'in `Fees`: m'],
  ['/nodes/1/content/hitPolicy', 'in `Fees`: m'],
  ['/nodes/1/content/rules', 'in `Fees`: m'],
  ['/nodes/1/content/rules/0', 'in `Fees`, row 1: m'],
  ['/nodes/1/content/rules/1/i1', 'in `Fees`, row 2, `Weight`: m'],
  ['/nodes/1/content/rules/1/i2', 'in `Fees`, row 2, `to/from`: m'],
  ['/nodes/1/content/rules/1/i3', 'in `Fees`, row 2: m'],
  ['/nodes/1/content/rules/1/o~11', 'in `Fees`, row 2, `fee`: m'],
  ['/nodes/1/content/rules/1/o2', 'in `Fees`, row 2: m'],
  ['/nodes/1/content/rules/1/_description', 'in `Fees`, row 2: m'],
  ['/nodes/1/content/rules/2', 'in `Fees`, row 3: m'],
  ['/nodes/1/content/inputs/0/field', 'in `Fees`, `Weight`: m'],
  ['/nodes/1/content/inputs/2/id', 'in `Fees`, column 3 of the inputs: m'],
  ['/nodes/1/content/inputs/3', 'in `Fees`, column 4 of the inputs: m'],
  ['/nodes/1/content/outputs/1/field', 'in `Fees`, column 2 of the outputs: m'],
  ['/nodes/1/content/expressions/0/value', 'in `Fees`, `total`: m'],
  ['/nodes/1/content/expressions/1/value', 'in `Fees`, expression 2: m'],
  ['/nodes/1/content/expressions/2', 'in `Fees`, expression 3: m'],
  ['/nodes/1/content/statements/0/condition', 'in `Fees`, branch 1: m'],
  ['/nodes/1/content/others/0', 'in `Fees`: m'],
  ['/nodes/2', 'in `only`: m'],
  ['/nodes/3', 'm'],
  ['/nodes/3/content/rules/0', 'in row 1: m'],
  ['/nodes/4', 'm'],
  ['/nodes/9', 'm'],
  ['/nodes', 'm'],
  ['/edges/0', 'm'],
  ['/tests/0', 'm'],
  ['', 'm'],
])('a loss at `%s` reads `%s`', (path, message) => {
  const loss = { path, code: 'c', severity: 'error', message: 'm' } as const
  expect(namedLoss(DOCUMENT, loss)).toEqual({ ...loss, message })
})

test.each([null, 5, [], {}, { nodes: 5 }])('a document that is %j has no names', (document) => {
  const loss = { path: '/nodes/0', code: 'c', severity: 'error', message: 'm' } as const
  expect(namedLoss(document, loss)).toBe(loss)
})
