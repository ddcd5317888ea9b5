import {
  type BinaryOperator,
  type Expression,
  type Field,
  isBinaryOf,
  isList,
  mirrored,
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
  const note = (reader: Reader, { words }: DeclaredValues, value: Value, at: Span) =>
    found.push({ ...messages.neverValue(textOf(reader), stringifyJson(value), words), at })
  walk(expression, (node) => {
    for (const { field, operator, constant } of comparisonsOf(node)) {
      const path = paths.get(keyOf(field.span))
      const values = path && fields.valuesAt(path)
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

/** A read of a field: its path, or a lambda parameter for a list item. */
type Reader = Extract<Expression, { readonly kind: 'field' | 'local' }>

const isReader = (node: Expression): node is Reader => node.kind === 'field' || node.kind === 'local'

/** As written. */
const textOf = (reader: Reader) =>
  printPath(
    reader.kind === 'field'
      ? reader
      : { kind: 'field', path: [{ kind: 'name', name: reader.name }, ...reader.path], span: reader.span },
  )

const keyOf = ({ start, end }: Span) => `${start}:${end}`

interface Comparison {
  readonly field: Reader
  readonly operator: BinaryOperator
  readonly constant: Expression
}

/** Normalized with the field on the left. */
function comparisonsOf(node: Expression): readonly Comparison[] {
  if (isBinaryOf('equality', node) || isBinaryOf('order', node)) {
    const { left, right, operator } = node
    if (isReader(left)) return [{ field: left, operator, constant: right }]
    return isReader(right) ? [{ field: right, operator: mirrored(operator), constant: left }] : []
  }
  return isBinaryOf('membership', node) && isReader(node.left) && node.operator !== 'contains'
    ? [{ field: node.left, operator: node.operator, constant: node.right }]
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
