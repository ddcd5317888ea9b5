import { expect, test } from 'vitest'
import { type Operand, readCondition } from './condition.ts'
import { problemOfRow, readOperand } from './row-type.ts'

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

const NUMBER: Operand = { kind: 'number', text: '30' }
const TEXT: Operand = { kind: 'text', text: '"light"' }

test.each([
  ['25', TEXT, '25'],
  ['25 €', TEXT, '"25 €"'],
  ['25 €', NUMBER, '25'],
  ['"25 €"', NUMBER, '"25 €"'],
  ['heavy', NUMBER, '"heavy"'],
])('%s in the place of %j is read as %s while the type of the field is not known', (given, replaced, text) => {
  expect(readOperand(given, 'any', { fields: [], variables: [] }, replaced)?.text).toBe(text)
})
