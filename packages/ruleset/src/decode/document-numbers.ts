import { decimalOf, isDecimal, isList, type Numbers, type Value } from '@engine/expression/core'

/**
 * Whether a number of a document has another form than its ruleset computes with: a decimal among doubles, or an integer
 * beyond 2^53 that a double holds among decimals. A program that hands over values may have either.
 */
export function isForeign(value: Value, numbers: Numbers): boolean {
  return numbers === 'double' ? isDecimal(value) : Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** A document with all numbers in the form that its ruleset computes with. Linear; nesting is limited by the reader of JSON. */
export function withNumbers(value: Value, numbers: Numbers): Value {
  if (isForeign(value, numbers))
    return numbers === 'double' || typeof value !== 'number' ? Number(value) : decimalOf(value)
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value
  if (isList(value)) return value.map((item) => withNumbers(item, numbers))
  // `Object.fromEntries` defines members, also one that is named `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withNumbers(member, numbers)] as const))
}
