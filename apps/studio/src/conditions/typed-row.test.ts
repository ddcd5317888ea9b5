import { expect, test } from 'vitest'
import { readCondition, type Row, type Subject } from './condition.ts'
import { numbersOf, rowIn, subjectIn } from './typed-row.ts'

const numberOf = (field: string) => `number of ${field} items`
const field = (path: string, type: string, values: readonly string[] = []) => ({ path, type, description: '', values })
const KNOWN = { fields: [field('age', 'number'), field('tier', 'string', ['"gold"']), field('tags', 'array<string>')] }

test.each<[text: string, numbers: readonly number[]]>([
  ['a > 1', [1]],
  ['a > 1 && b > 2', [1, 2]],
  ['(a > 1 || b > 2) && c > 3', [1, 3]],
  ['a > 1 && (b > 2 || c > 3 || d > 4) && e > 5', [1, 2, 5]],
])('the rows of %s have the numbers %j', (text, numbers) => {
  const condition = readCondition(text)
  expect(condition && numbersOf(condition)).toEqual(numbers)
})

test.each<[typed: string, subject: Subject | undefined]>([
  ['age', { kind: 'field', text: 'age' }],
  [' order.total ', { kind: 'field', text: 'order.total' }],
  ['$rate', { kind: 'field', text: '$rate' }],
  ['number of tags items', { kind: 'count', text: 'tags' }],
  ['number of  items', undefined],
  ['age * 2', { kind: 'code', text: 'age * 2' }],
  ['age > 5', undefined],
  ['age +', undefined],
  ['', undefined],
])('%j is the subject %j', (typed, subject) => {
  expect(subjectIn(typed, numberOf)).toEqual(subject)
})

test.each<
  [typed: string, row: Partial<Extract<Row, { kind: 'comparison' }>> | { kind: 'code'; text: string } | undefined]
>([
  ['age', { operator: 'at-least', operands: [{ kind: 'number', text: '0' }] }],
  ['tier', { operator: 'is', operands: [{ kind: 'text', text: '"gold"' }] }],
  ['tags', { operator: 'contains' }],
  ['number of tags items', { operator: 'at-least', operands: [{ kind: 'number', text: '1' }] }],
  ['unknown', { operator: 'is', operands: [{ kind: 'text', text: '""' }] }],
  ['age < 5', { operator: 'less', operands: [{ kind: 'number', text: '5' }] }],
  ['age < 5 || tier == "x"', { kind: 'code', text: '(age < 5 || tier == "x")' }],
  ['age <', undefined],
])('the text %j becomes the row %j', (typed, row) => {
  const found = rowIn(typed, KNOWN, numberOf)
  if (row === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(row)
})
