import {
  tableKeys,
  type BinaryOperator,
  type Expression,
  isList,
  isNumber,
  NO_SPAN,
  OPERATORS,
  parsePath,
  print,
  type UnaryOperator,
  type Value,
} from '@engine/expression'
import { at, described, type Fields, isFields, member, type Place } from '@engine/ruleset'
import { parseText } from '../expression-text.ts'
import { messages, type Report } from '../problem.ts'
import type { Decode } from '../shape.ts'

/** Levels of nested objects: the depth limit of JSON text. */
const MAX_DEPTH = 128

/**
 * The text of an expression or condition: text unchanged, a number, boolean or null as its literal, and the editor's
 * objects (`{type: 'variable', path}`, …) by their canonical text. Linear in the size of the object.
 */
export const expressionText: Decode<string> = (report, place, value) => {
  if (typeof value === 'string') return value
  if (isFields(value) && member(value, 'type') === 'expression') {
    const whole = member(value, 'expression')
    if (typeof whole === 'string') return whole
  }
  const expression = formIn({ report, depth: 0 }, place, value)
  return expression && print(expression)
}

interface Reading {
  readonly report: Report
  readonly depth: number
}

type Form = (reading: Reading, place: Place | undefined, fields: Fields) => Expression | undefined

function formIn(
  { report, depth }: Reading,
  place: Place | undefined,
  value: Value | undefined,
): Expression | undefined {
  if (typeof value === 'string') return parsed(report, place, value, parseText)
  if (value === null || typeof value === 'boolean' || (value !== undefined && isNumber(value))) return literal(value)
  if (!isFields(value)) return report.error(place, messages.wrongType('an expression', described(value)))
  if (depth >= MAX_DEPTH) return report.error(place, messages.nestedTooDeeply(MAX_DEPTH))
  const type = member(value, 'type')
  const form = typeof type === 'string' ? FORMS.get(type) : undefined
  if (form !== undefined) return form({ report, depth: depth + 1 }, place, value)
  return report.error(at(place, 'type'), messages.badForm(typeof type === 'string' ? type : described(type)))
}

function parsed(report: Report, place: Place | undefined, text: string, how: typeof parseText): Expression | undefined {
  const found = how(text)
  if (found.kind === 'parsed') return found.expression
  for (const problem of found.problems) report.within(place ?? at(undefined, ''), text, problem, problem.at, 'error')
  return undefined
}

const literal = (value: Value): Expression => ({ kind: 'literal', value, span: NO_SPAN })

const part = (reading: Reading, place: Place | undefined, fields: Fields, key: string) =>
  formIn(reading, at(place, key), member(fields, key))

function parts(
  reading: Reading,
  place: Place | undefined,
  fields: Fields,
  key: string,
): readonly Expression[] | undefined {
  const list = member(fields, key)
  if (!isList(list)) return reading.report.error(at(place, key), messages.wrongType('a list', described(list)))
  const found = list.map((item, index) => formIn(reading, at(at(place, key), index), item))
  return found.every((item) => item !== undefined) ? found : undefined
}

/** Operators by all their names in the editor. */
const BINARY: ReadonlyMap<string, BinaryOperator> = new Map(
  tableKeys(OPERATORS).flatMap((operator) => {
    const { form, aliases = [] } = OPERATORS[operator]
    return [operator, form, form.toLowerCase(), ...aliases].map((name) => [name, operator] as const)
  }),
)
const WORDS: ReadonlyMap<string, BinaryOperator> = new Map([
  ['not_in', 'not in'],
  ['AND', '&&'],
  ['OR', '||'],
])
const UNARY: ReadonlyMap<string, UnaryOperator> = new Map([
  ['!', '!'],
  ['not', '!'],
  ['Not', '!'],
  ['-', '-'],
  ['neg', '-'],
  ['Neg', '-'],
])

function operatorIn<Operator>(
  { report }: Reading,
  place: Place | undefined,
  value: Value | undefined,
  ...tables: readonly ReadonlyMap<string, Operator>[]
): Operator | undefined {
  const found = typeof value === 'string' ? tables.map((table) => table.get(value)).find(Boolean) : undefined
  return found ?? report.error(place, messages.badOperator(typeof value === 'string' ? value : described(value)))
}

function joined(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, span: NO_SPAN, operatorSpan: NO_SPAN }
}

/** A binary form; `key` is the member with the operator. */
const binary =
  (key: string): Form =>
  (reading, place, fields) => {
    const operator = operatorIn(reading, at(place, key), member(fields, key), BINARY, WORDS)
    const left = part(reading, place, fields, 'left')
    const right = part(reading, place, fields, 'right')
    return operator && left && right && joined(operator, left, right)
  }

const negation =
  (key: string): Form =>
  (reading, place, fields) => {
    const operand = part(reading, place, fields, key)
    return operand && { kind: 'unary', operator: '!', operand, span: NO_SPAN }
  }

const unary: Form = (reading, place, fields) => {
  const operator = operatorIn(reading, at(place, 'op'), member(fields, 'op'), UNARY)
  const operand = part(reading, place, fields, 'operand')
  return operator && operand && { kind: 'unary', operator, operand, span: NO_SPAN }
}

const logical: Form = (reading, place, fields) => {
  const operator = operatorIn(reading, at(place, 'operator'), member(fields, 'operator'), BINARY, WORDS)
  const conditions = parts(reading, place, fields, 'conditions')
  if (operator === undefined || conditions === undefined) return undefined
  const [first, ...rest] = conditions
  return first === undefined ? literal(true) : rest.reduce((left, right) => joined(operator, left, right), first)
}

const variable: Form = ({ report }, place, fields) => {
  const path = member(fields, 'path')
  if (typeof path === 'string') return parsed(report, at(place, 'path'), path, parsePath)
  return report.error(at(place, 'path'), messages.wrongType('a text', described(path)))
}

const property: Form = (reading, place, fields) => {
  const name = member(fields, 'property')
  const owner = part(reading, place, fields, 'object')
  if (typeof name !== 'string' && typeof name !== 'number')
    return reading.report.error(at(place, 'property'), messages.wrongType('a text', described(name)))
  if (owner === undefined) return undefined
  const step = typeof name === 'string' ? ({ kind: 'name', name } as const) : ({ kind: 'index', index: name } as const)
  if (owner.kind === 'field' || owner.kind === 'variable' || owner.kind === 'member')
    return { ...owner, path: [...owner.path, step] }
  return { kind: 'member', object: owner, path: [step], span: NO_SPAN }
}

const call: Form = (reading, place, fields) => {
  const name = member(fields, 'name')
  const args = parts(reading, place, fields, 'args')
  if (typeof name !== 'string' || !/^[A-Za-z_]\w*$/.test(name))
    return reading.report.error(at(place, 'name'), messages.wrongType('the name of a function', described(name)))
  return args && { kind: 'call', name, args, span: NO_SPAN, nameSpan: NO_SPAN }
}

const conditional: Form = (reading, place, fields) => {
  const condition = part(reading, place, fields, 'condition')
  const consequent = part(reading, place, fields, 'thenExpr')
  const alternate = part(reading, place, fields, 'elseExpr')
  return (
    condition && consequent && alternate && { kind: 'conditional', condition, consequent, alternate, span: NO_SPAN }
  )
}

const objectForm: Form = (reading, place, fields) => {
  const older = member(fields, 'properties')
  const key = isFields(older) ? 'properties' : 'entries'
  const pairs = isFields(older) ? Object.entries(older) : member(fields, 'entries')
  if (!isList(pairs)) return reading.report.error(at(place, key), messages.wrongType('a list', described(pairs)))
  const entries = pairs.map((pair, index) => {
    const [name, value] = isList(pair) ? pair : []
    const pairPlace = at(at(place, key), isFields(older) && typeof name === 'string' ? name : index)
    if (typeof name !== 'string') return reading.report.error(pairPlace, messages.wrongType('a pair', described(pair)))
    const inner = formIn(reading, isFields(older) ? pairPlace : at(pairPlace, 1), value)
    return inner && { key: name, value: inner }
  })
  return entries.every((entry) => entry !== undefined) ? { kind: 'object', entries, span: NO_SPAN } : undefined
}

/** The editor's objects by their `type`: expressions first, then conditions. */
const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['literal', (_reading, _place, fields) => literal(member(fields, 'value') ?? null)],
  ['variable', variable],
  ['binary', binary('op')],
  ['unary', unary],
  ['member', property],
  [
    'array',
    (reading, place, fields) => {
      const items = parts(reading, place, fields, 'elements')
      return items && { kind: 'array', items, span: NO_SPAN }
    },
  ],
  ['object', objectForm],
  ['function', call],
  ['conditional', conditional],
  ['simple', binary('operator')],
  ['logical', logical],
  ['not', negation('condition')],
  ['expression', (reading, place, fields) => part(reading, place, fields, 'expression')],
  ['constant', (_reading, _place, fields) => literal(member(fields, 'value') ?? null)],
])
