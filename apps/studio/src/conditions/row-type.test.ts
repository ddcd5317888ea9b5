import { expect, test } from 'vitest'
import { type Comparison, type Operand, type Operator, readCondition, type Subject } from './condition.ts'
import {
  newRow,
  operatorsOf,
  problemOfRow,
  readOperand,
  readOperands,
  type RowType,
  shownOperand,
  typeOfSubject,
  withOperator,
} from './row-type.ts'

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

const field = (path: string, type: string) => ({ path, type, description: '', values: [] })
const KNOWN = {
  functions: [],
  fields: [field('name', 'string'), field('age', 'integer'), field('since', 'date'), field('tags', 'array<string>')],
  variables: ['rate'],
}
const NAME: Subject = { kind: 'field', text: 'name' }
const COUNT: Subject = { kind: 'count', text: 'tags' }
const rowOf = (text: string): Comparison => {
  const [row] = readCondition(text)?.rows ?? []
  if (row?.kind !== 'comparison') throw new Error(text)
  return row
}

test.each<[subject: Subject, type: RowType]>([
  [NAME, 'text'],
  [{ kind: 'field', text: 'age' }, 'number'],
  [{ kind: 'field', text: 'since' }, 'date'],
  [{ kind: 'field', text: 'tags' }, 'list'],
  [{ kind: 'field', text: 'unknown' }, 'any'],
  [COUNT, 'number'],
  [{ kind: 'code', text: 'age * 2' }, 'number'],
])('the subject %j has the type %s', (subject, type) => {
  expect(typeOfSubject(subject, KNOWN)).toBe(type)
})

test.each([
  ['object', 'any'],
  ['any', 'any'],
  ['boolean', 'boolean'],
  ['decimal', 'number'],
  ['datetime', 'date'],
])('a field of the type %s has rows of the type %s', (type, rows) => {
  expect(typeOfSubject(NAME, { fields: [field('name', type)] })).toBe(rows)
})

test('rows about a field can ask whether it is known, others cannot', () => {
  expect(operatorsOf(rowOf('age > 1'), 'boolean')).toEqual(['more', 'is', 'known', 'unknown'])
  expect(operatorsOf(rowOf('name == "x"'), 'boolean')).toEqual(['is', 'known', 'unknown'])
  expect(operatorsOf(rowOf('count(tags) > 1'), 'date')).toEqual([
    'is',
    'is-not',
    'less',
    'at-most',
    'more',
    'at-least',
    'between',
  ])
})

const one = (operator: Operator, kind: Operand['kind'], text: string, subject = NAME): Comparison => ({
  kind: 'comparison',
  subject,
  operator,
  operands: [{ kind, text }],
})

test.each<[subject: Subject, type: RowType, values: readonly string[], row: Comparison]>([
  [NAME, 'boolean', [], { ...one('is', 'boolean', 'true'), isBare: true }],
  [NAME, 'number', [], one('at-least', 'number', '0')],
  [NAME, 'number', ['5', '6'], one('is', 'number', '5')],
  [COUNT, 'number', [], one('at-least', 'number', '1', COUNT)],
  [NAME, 'list', [], one('contains', 'text', '""')],
  [NAME, 'text', [], one('is', 'text', '""')],
  [NAME, 'text', ['"DE"'], one('is', 'text', '"DE"')],
  [NAME, 'any', [], one('is', 'text', '""')],
])('a new row about %j of the type %s with the values %j', (subject, type, values, row) => {
  expect(newRow(subject, type, values)).toEqual(row)
})

test('a new row about a date begins with today', () => {
  const [operand] = newRow(NAME, 'date').operands
  expect(operand).toEqual({ kind: 'text', text: JSON.stringify(new Date().toISOString().slice(0, 10)) })
})

test.each<[text: string, operator: Operator, type: RowType, texts: readonly string[], isBare?: true]>([
  ['age > 1', 'known', 'number', []],
  ['age > 1', 'unknown', 'number', []],
  ['age > 1', 'at-most', 'number', ['1']],
  ['age > 1', 'between', 'number', ['1', '1']],
  ['age >= 1 && age <= 5', 'between', 'number', ['1', '5']],
  ['age >= 1 && age <= 5', 'more', 'number', ['1']],
  ['age in [1, 2, 3]', 'none-of', 'number', ['1', '2', '3']],
  ['age in [1, 2, 3]', 'is', 'number', ['1']],
  ['age > limit', 'one-of', 'number', ['0']],
  ['!is_null(age)', 'is', 'number', ['0']],
  ['name == "x"', 'is', 'boolean', ['"x"'], true],
])('%s with the operator %s of the type %s keeps %j', (text, operator, type, texts, isBare) => {
  const changed = withOperator(rowOf(text), operator, type, [])
  expect([changed.operator, changed.operands.map((operand) => operand.text), changed.isBare]).toEqual([
    operator,
    texts,
    isBare,
  ])
})

test.each<[given: string, type: RowType, operand: Operand | undefined]>([
  ['5', 'number', { kind: 'number', text: '5' }],
  [' 4,90 ', 'number', { kind: 'number', text: '4.90' }],
  ['five', 'number', undefined],
  ['age', 'number', { kind: 'field', text: 'age' }],
  ['age', 'date', { kind: 'field', text: 'age' }],
  ['age', 'text', { kind: 'text', text: '"age"' }],
  ['= age', 'text', { kind: 'field', text: 'age' }],
  ['= unknown', 'text', { kind: 'text', text: '"= unknown"' }],
  ['$rate', 'text', { kind: 'field', text: '$rate' }],
  ['$rate.low', 'text', { kind: 'field', text: '$rate.low' }],
  ['$other', 'text', { kind: 'text', text: '"$other"' }],
  ['31.1.2026', 'date', { kind: 'text', text: '"2026-01-31"' }],
  ['"2026-01-31"', 'date', { kind: 'text', text: '"2026-01-31"' }],
  ['soon', 'date', undefined],
  ['true', 'boolean', { kind: 'boolean', text: 'true' }],
  ['false', 'boolean', { kind: 'boolean', text: 'false' }],
  ['yes', 'boolean', undefined],
  ['true', 'any', { kind: 'boolean', text: 'true' }],
  ['"5"', 'any', { kind: 'text', text: '"5"' }],
  ['"', 'text', { kind: 'text', text: '"\\""' }],
  ["'x'", 'text', { kind: 'text', text: "'x'" }],
])('%s as a value of the type %s', (given, type, operand) => {
  expect(readOperand(given, type, KNOWN)).toEqual(operand)
})

test.each<[operand: Operand, text: string]>([
  [{ kind: 'text', text: '"DE"' }, 'DE'],
  [{ kind: 'text', text: '"a\\nb"' }, '"a\\nb"'],
  [{ kind: 'number', text: '5' }, '5'],
  [{ kind: 'field', text: 'age' }, 'age'],
])('the value %j is shown as %s', (operand, text) => {
  expect(shownOperand(operand)).toBe(text)
})

test.each<[given: string, type: RowType, texts: readonly string[] | undefined]>([
  ['DE, AT;FR', 'text', ['"DE"', '"AT"', '"FR"']],
  ['1、2，3|4', 'number', ['1', '2', '3', '4']],
  ['DE,', 'text', ['"DE"']],
  ['1, x', 'number', undefined],
  [' , ', 'text', undefined],
  // In a list, a word is a text even if a field has its name.
  ['age, name', 'any', ['"age"', '"name"']],
])('the list %j of the type %s', (given, type, texts) => {
  expect(readOperands(given, type, KNOWN)?.map(({ text }) => text)).toEqual(texts)
})

test.each<[text: string, problem: object | undefined, fix?: string]>([
  ['age > 5', undefined],
  ['agee > 5', { kind: 'no-field', name: 'agee' }, 'age'],
  ['tags[0] == "x"', undefined],
  ['$rate > 5', undefined],
  ['$rat > 5', { kind: 'no-variable', name: '$rat' }, '$rate'],
  ['age > $rat', { kind: 'no-variable', name: '$rat' }, '$rate'],
  ['name == gold', { kind: 'read-as-field', name: 'gold' }, '"gold"'],
  ['age > agee', { kind: 'no-field', name: 'agee' }, 'age'],
  ['age > "5"', { kind: 'wrong-type', name: '5', type: 'number' }, '5'],
  ['age > "five"', { kind: 'wrong-type', name: 'five', type: 'number' }],
  ['name == 5', { kind: 'wrong-type', name: '5', type: 'text' }, '"5"'],
  ['unheard.of == 5', { kind: 'no-field', name: 'unheard.of' }],
])('%s has the problem %j', (text, problem, fix) => {
  const found = problemOfRow(rowOf(text), { ...KNOWN, isOpen: false })
  if (problem === undefined) expect(found).toBeUndefined()
  else expect(found).toMatchObject(problem)
  const fixed = found?.fix?.row
  const texts = fixed === undefined ? [] : [fixed.subject.text, ...fixed.operands.map((operand) => operand.text)]
  if (fix === undefined) expect(found?.fix).toBeUndefined()
  else expect(texts).toContain(fix)
})
