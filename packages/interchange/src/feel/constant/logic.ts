import type { Comparison } from '../ast.ts'
import { compareValues, equalValues, type FeelValue } from './value.ts'

/** Three-valued `and`. */
export function and(left: FeelValue, right: FeelValue): FeelValue {
  if (left === false || right === false) return false
  return left === true && right === true ? true : null
}

/** Three-valued `or`. */
export function or(left: FeelValue, right: FeelValue): FeelValue {
  if (left === true || right === true) return true
  return left === false && right === false ? false : null
}

/** The result of a comparison; null for values of different types. */
export function compared(operator: Comparison, left: FeelValue, right: FeelValue): FeelValue {
  if (operator === '=' || operator === '!=') {
    const equal = equalValues(left, right)
    return equal === null ? null : equal === (operator === '=')
  }
  const order = compareValues(left, right)
  if (order === undefined) return null
  switch (operator) {
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
  }
}
