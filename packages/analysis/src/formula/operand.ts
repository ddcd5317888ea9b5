import {
  constantOf,
  type EvaluationPolicy,
  type Expression,
  type Field,
  inferType,
  isBinaryOf,
  isQuotient,
  printPath,
  TYPE,
  type Value,
} from '@engine/expression'
import { isPlain } from '../terms/path.ts'
import { EXAMPLES, type Kind } from '../terms/term.ts'
import { type Building, evaluate, put, truthOf } from './evaluate.ts'
import { FREE } from './shape.ts'

/** The variable of `replaced`. */
export const HOLE = 'hole'

/** A variable that replaces an expression. */
export function hole(name: string, at: Expression): Expression {
  return { kind: 'variable', name, path: [], span: at.span }
}

/** The same expression with its operand replaced by a variable. */
export function replaced(expression: Expression, operand: Expression): Expression {
  if (expression === operand) return hole(HOLE, expression)
  if (expression.kind === 'binary')
    return expression.left === operand
      ? { ...expression, left: hole(HOLE, operand) }
      : { ...expression, right: hole(HOLE, operand) }
  if (expression.kind === 'call')
    return {
      ...expression,
      args: expression.args.map((argument) => (argument === operand ? hole(HOLE, operand) : argument)),
    }
  return expression
}

/** What an operand of a kind is when it is read: a missing field is null or its default, or the reading fails. */
export function exampleOf(kind: Kind, node: Expression, policy: EvaluationPolicy): { readonly value: Value } | 'fails' {
  if (kind !== 'missing') return { value: EXAMPLES[kind as keyof typeof EXAMPLES] }
  const found = evaluate(node, policy, {})
  return 'error' in found ? 'fails' : found
}

/** The field that an operand is, perhaps with a constant in its place when it is missing or null, or its type. */
export function transparent(operand: Expression): Field | undefined {
  if (operand.kind === 'field') return isPlain(operand.path) ? operand : undefined
  if (operand.kind !== 'call') return undefined
  const [first, ...rest] = operand.args
  if (first?.kind !== 'field' || !isPlain(first.path)) return undefined
  if (operand.name === 'type' && rest.length === 0) return first
  const areConstant = rest.every((argument) => constantOf(argument) !== undefined)
  return operand.name === 'coalesce' && areConstant ? first : undefined
}

/** The outcome of a condition by the value of the one field that it reads. */
export function inField(
  expression: Expression,
  policy: EvaluationPolicy,
  field: Field,
): (value: Value | undefined) => string {
  return (value) => {
    const input: Building = {}
    if (value !== undefined) put(input, field.path, value)
    return truthOf(evaluate(expression, policy, input))
  }
}

/** A value that is rounded where it is read: what compares or rounds a decimal quotient itself reads it exactly. */
export function settled(value: Expression, { numbers }: EvaluationPolicy): Expression {
  if (!isQuotient(value, numbers)) return value
  const { span } = value
  return { kind: 'unary', operator: '-', operand: { kind: 'unary', operator: '-', operand: value, span }, span }
}

/** A comparison of a conditional with a constant, as a conditional of comparisons; undefined: it is something else. */
export function distributedTest(expression: Expression, policy: EvaluationPolicy): Expression | undefined {
  if (!isBinaryOf('order', expression) && !isBinaryOf('equality', expression)) return undefined
  const { left, right } = expression
  if (left.kind === 'conditional' && constantOf(right) !== undefined)
    return overWays(left, (way) => ({ ...expression, left: settled(way, policy) }))
  if (right.kind === 'conditional' && constantOf(left) !== undefined)
    return overWays(right, (way) => ({ ...expression, right: settled(way, policy) }))
  return undefined
}

const overWays = (
  { condition, consequent, alternate, span }: Extract<Expression, { readonly kind: 'conditional' }>,
  test: (way: Expression) => Expression,
): Expression => ({ kind: 'conditional', condition, consequent: test(consequent), alternate: test(alternate), span })

/** Whether an expression combines conditions. */
export function isLogical(expression: Expression): boolean {
  return isBinaryOf('logic', expression) || (expression.kind === 'unary' && expression.operator === '!')
}

/** The paths of the fields that contain a field, from the outermost one. */
export function outerPaths(field: Field): readonly string[] {
  return field.path.slice(1).map((_, index) => printPath({ ...field, path: field.path.slice(0, index + 1) }))
}

const KINDS_BY_TYPE: readonly (readonly [number, readonly Kind[]])[] = [
  [TYPE.null, ['null']],
  [TYPE.boolean, ['false', 'true']],
  [TYPE.number, ['number']],
  [TYPE.string, ['text']],
  [TYPE.array, ['empty list', 'list']],
  [TYPE.object, ['empty object', 'object']],
]

/** The kinds of values that an expression can have by its type. */
export function kindsByType(expression: Expression): readonly Kind[] {
  if (expression.kind === 'variable' && expression.name.startsWith(FREE))
    return KINDS_BY_TYPE.flatMap(([, kinds]) => kinds)
  const type = inferType(expression)
  return KINDS_BY_TYPE.flatMap(([bit, kinds]) => ((type & bit) === 0 ? [] : kinds))
}
