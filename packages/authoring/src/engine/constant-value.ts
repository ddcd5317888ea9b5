import { constantOf, type Expression, isNumber, negated, type Value } from '@engine/expression'

/** The value of a literal, including signed numbers, or of a list of literals; undefined for any other expression. */
export function constantValue(expression: Expression): Value | undefined {
  if (expression.kind === 'unary' && expression.operator === '-') {
    const value = constantValue(expression.operand)
    return value !== undefined && isNumber(value) ? negated(value) : undefined
  }
  if (expression.kind !== 'array') return constantOf(expression)
  const items = expression.items.map(constantValue)
  return items.every((item) => item !== undefined) ? items : undefined
}
