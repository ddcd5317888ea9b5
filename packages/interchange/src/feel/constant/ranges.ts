import type { Comparison } from '../ast.ts'
import { and, compared } from './logic.ts'
import { compareValues, equalValues, type FeelRange, type FeelValue, isKind, isList, NotConstant } from './value.ts'

/** A range; null for ends of different types. */
export function rangeOf(
  low: FeelValue,
  high: FeelValue,
  { isLowIncluded, isHighIncluded }: { readonly isLowIncluded: boolean; readonly isHighIncluded: boolean },
): FeelValue {
  if (low !== null && high !== null && compareValues(low, high) === undefined) return null
  return { kind: 'range', low, high, isLowIncluded, isHighIncluded }
}

/** The range of a comparison without a left side. Membership in a range that compares with null is null. */
export function halfRange(operator: Comparison, value: FeelValue): FeelValue {
  const test = value === null ? {} : ({ isTest: true } as const)
  switch (operator) {
    case '=':
      return { kind: 'range', low: value, high: value, isLowIncluded: true, isHighIncluded: true, isTest: true }
    case '<':
    case '<=':
      return { kind: 'range', low: null, high: value, isLowIncluded: false, isHighIncluded: operator === '<=', ...test }
    case '>':
    case '>=':
      return { kind: 'range', low: value, high: null, isLowIncluded: operator === '>=', isHighIncluded: false, ...test }
    case '!=':
      throw new NotConstant('`!=` as a test')
  }
}

/** Whether a value is in a range. */
export function inRange(value: FeelValue, range: FeelRange): FeelValue {
  const { low, high, isLowIncluded, isHighIncluded } = range
  if (range.isTest !== true && (low === null || high === null)) return null
  // Only the test `=` includes both ends.
  if (range.isTest === true && isLowIncluded && isHighIncluded) return equalValues(value, low)
  const above = low === null ? true : compared(isLowIncluded ? '>=' : '>', value, low)
  const below = high === null ? true : compared(isHighIncluded ? '<=' : '<', value, high)
  return and(above, below)
}

/** Whether a value equals a test, or is in its range or list. */
export function isIn(value: FeelValue, test: FeelValue): FeelValue {
  if (isKind(test, 'range') && !isKind(value, 'range')) return inRange(value, test)
  if (isList(test)) {
    if (isList(value)) {
      if (equalValues(value, test) === true) return true
      return test.some((one) => isList(one) && equalValues(value, one) === true)
    }
    return test.some(
      (one) =>
        (isKind(one, 'range') && !isKind(value, 'range') ? inRange(value, one) : equalValues(value, one)) === true,
    )
  }
  return equalValues(value, test)
}
