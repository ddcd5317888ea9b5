import { expect, test } from 'vitest'
import { readCondition } from './condition.ts'
import { problemOfRow } from './row-type.ts'

const fields = [{ path: 'cart_amount', type: 'number', description: '', values: [] }]

test.each([
  ['cart_amount < 30', false, undefined],
  ['weight < 30', false, { kind: 'no-field', name: 'weight' }],
  ['weight < 30', true, undefined],
  ['cart_amont < 30', true, { kind: 'no-field', name: 'cart_amont' }],
])('%s, where a contract is missing: %s', (text, isOpen, expected) => {
  const [row] = readCondition(text)?.rows ?? []
  if (row?.kind !== 'comparison') throw new Error(text)
  const problem = problemOfRow(row, { fields, variables: [], isOpen })
  expect(problem && { kind: problem.kind, name: problem.name }).toEqual(expected)
})
