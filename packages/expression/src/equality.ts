import type { Budget } from './budget.ts'
import type { Expression } from './ast.ts'
import { compare } from './decimal/arithmetic.ts'
import { isDecimal } from './decimal/decimal.ts'
import { defined } from './defined.ts'
import { failures } from './failures.ts'
import { keysOf } from './members.ts'
import { isList, isNumber, type ObjectValue, type Value, VALUE_DEPTH } from './value.ts'

/**
 * Deep, typed equality; key order does not matter, and numbers compare by value. Every comparison is charged. `at` is
 * the position of the error for values nested deeper than `VALUE_DEPTH`.
 */
export function equal(budget: Budget, left: Value, right: Value, at: Expression): boolean {
  return equalWithin(budget, left, right, at, 0)
}

function equalWithin(budget: Budget, left: Value, right: Value, at: Expression, depth: number): boolean {
  // Texts of equal length are compared up to the first difference.
  if (typeof left === 'string') {
    if (typeof right !== 'string' || left.length !== right.length) return false
    budget.spend(1 + (left.length >> 3))
    return left === right
  }
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') {
    // Only numbers of different representations can be equal without being identical.
    return typeof left === 'bigint' || typeof right === 'bigint' ? equalNumbers(budget, left, right) : false
  }
  if (left === null || right === null) return false
  if (isDecimal(left) || isDecimal(right)) return equalDecimals(budget, left, right)
  if (depth >= VALUE_DEPTH) throw failures.nestedTooDeeply(at.span, VALUE_DEPTH)
  budget.spend(4)
  if (isList(left)) {
    return (
      isList(right) &&
      left.length === right.length &&
      left.every((item, index) => {
        budget.spend(1)
        return equalWithin(budget, item, defined(right[index]), at, depth + 1)
      })
    )
  }
  return !isList(right) && equalObjects(budget, left, right, at, depth + 1)
}

/** A decimal has a single form: no integer or double equals it. */
function equalDecimals(budget: Budget, left: Value, right: Value): boolean {
  budget.spend(4)
  return isDecimal(left) && isDecimal(right) && compare(left, right) === 0
}

function equalNumbers(budget: Budget, left: Value, right: Value): boolean {
  budget.spend(4)
  // JavaScript would compare a decimal as the nearest double.
  if (typeof left === 'object' || typeof right === 'object') return false
  // oxlint-disable-next-line eqeqeq -- exact comparison between bigint and number
  return isNumber(left) && isNumber(right) && left == right
}

function equalObjects(budget: Budget, left: ObjectValue, right: ObjectValue, at: Expression, depth: number): boolean {
  const keys = keysOf(left, budget)
  const others = keysOf(right, budget)
  budget.spend(keys.length + others.length)
  if (keys.length !== others.length) return false
  return keys.every((key) => {
    budget.spend(4)
    return Object.hasOwn(right, key) && equalWithin(budget, defined(left[key]), defined(right[key]), at, depth)
  })
}

/** The position of an item in a list by equality, or -1. Charges the comparisons up to the match. */
export function positionIn(budget: Budget, list: readonly Value[], item: Value, at: Expression): number {
  for (let index = 0; index < list.length; index++) {
    budget.spend(1)
    if (equalWithin(budget, defined(list[index]), item, at, 0)) return index
  }
  return -1
}
