import {
  type BinaryOperator,
  type Call,
  type Expression,
  type Field,
  FUNCTIONS,
  isBinaryOf,
  isList,
  mirrored,
  print,
  printPath,
  type Span,
  stringifyJson,
  type Value,
  walk,
} from '@engine/expression'
import { messages, type ProblemText } from '../problem.ts'
import { constantValue } from './constant-value.ts'
import type { DeclaredFields, DeclaredValues } from './declared-types.ts'

/** An input path and where an expression reads it: directly, or as a lambda parameter over a list. */
export interface Read {
  readonly path: Field['path']
  readonly span: Span
}

/**
 * Comparisons of a field with a constant that the contract excludes: `tier == "iron"`, `age > 200`. Not an error, since
 * engines accept any input. Linear in the expression times the values of its fields.
 *
 * @param reads of the expression, collected by the checker
 */
export function outsideValues(
  expression: Expression,
  fields: DeclaredFields,
  reads: readonly Read[],
): readonly (ProblemText & { readonly at: Span })[] {
  const found: (ProblemText & { readonly at: Span })[] = []
  const paths = new Map(reads.map(({ path, span }) => [keyOf(span), path]))
  const note = (reader: Subject, { words }: DeclaredValues, value: Value, at: Span) =>
    found.push({ ...messages.neverValue(textOf(reader), stringifyJson(value), words), at })
  walk(expression, (node) => {
    for (const { field, operator, constant } of comparisonsOf(node)) {
      const path = paths.get(keyOf(readerOf(field).span))
      const values = path && fields.valuesAt(isItem(node, field) ? [...path, ANY_ITEM] : path)
      const value = values && constantValue(constant)
      if (values === undefined || value === undefined) continue
      if (isNever(values, operator, value)) note(field, values, value, constant.span)
      else if (operator === 'in' || operator === 'not in')
        for (const [index, item] of itemsOf(value).entries())
          if (isNever(values, '==', item)) note(field, values, item, itemSpan(constant, index))
    }
  })
  return found
}

/** The first or last item of a list that is read: `first(tags)`. */
type ItemCall = Call & { readonly args: readonly [Reader] }

/** The side of a comparison that is not the constant. */
type Subject = Reader | ItemCall

const isItemCall = (node: Expression): node is ItemCall =>
  node.kind === 'call' &&
  FUNCTIONS.get(node.name)?.elements === 'one' &&
  node.args.length === 1 &&
  node.args[0] !== undefined &&
  isReader(node.args[0])

const isSubject = (node: Expression): node is Subject => isReader(node) || isItemCall(node)

const readerOf = (subject: Subject): Reader => (subject.kind === 'call' ? subject.args[0] : subject)

/** Declared types are the same for all items of a list. */
const ANY_ITEM = { kind: 'index', index: 0 } as const

/** Whether an item of the list that is read is compared, not the list. */
const isItem = (node: Expression, subject: Subject): boolean =>
  subject.kind === 'call' || isContains(node) || (node.kind === 'binary' && node.operator === 'contains')

const isContains = (node: Expression): node is Call => node.kind === 'call' && node.name === 'contains'

/** A read of a field: its path, or a lambda parameter for a list item. */
type Reader = Extract<Expression, { readonly kind: 'field' | 'local' }>

const isReader = (node: Expression): node is Reader => node.kind === 'field' || node.kind === 'local'

/** As written. */
const textOf = (reader: Subject): string =>
  reader.kind === 'call'
    ? print(reader)
    : printPath(
        reader.kind === 'field'
          ? reader
          : { kind: 'field', path: [{ kind: 'name', name: reader.name }, ...reader.path], span: reader.span },
      )

const keyOf = ({ start, end }: Span) => `${start}:${end}`

interface Comparison {
  readonly field: Subject
  readonly operator: BinaryOperator
  readonly constant: Expression
}

/** Normalized with the field on the left. */
function comparisonsOf(node: Expression): readonly Comparison[] {
  if (isBinaryOf('equality', node) || isBinaryOf('order', node)) {
    const { left, right, operator } = node
    if (isSubject(left)) return [{ field: left, operator, constant: right }]
    return isSubject(right) ? [{ field: right, operator: mirrored(operator), constant: left }] : []
  }
  if (isBinaryOf('membership', node) && isSubject(node.left)) {
    const { left, operator, right } = node
    if (operator !== 'contains') return [{ field: left, operator, constant: right }]
    // A list contains a value if an item equals it.
    return isReader(left) ? [{ field: left, operator: '==', constant: right }] : []
  }
  if (!isContains(node)) return []
  const [list, item] = node.args
  return list !== undefined && item !== undefined && isReader(list)
    ? [{ field: list, operator: '==', constant: item }]
    : []
}

/** Optional fields may be null. */
function isNever(values: DeclaredValues, operator: BinaryOperator, value: Value): boolean {
  const { minimum = -Infinity, maximum = Infinity } = values
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  switch (operator) {
    case '==':
    case '!=':
      return value !== null && !values.has(value)
    case '>':
      return isNumber && value >= maximum
    case '>=':
      return isNumber && value > maximum
    case '<':
      return isNumber && value <= minimum
    case '<=':
      return isNumber && value < minimum
    default:
      return false
  }
}

const itemsOf = (value: Value): readonly Value[] => (isList(value) ? value : [])

function itemSpan(list: Expression, index: number): Span {
  return (list.kind === 'array' ? list.items[index]?.span : undefined) ?? list.span
}
