import { decimalOf, isDecimal, type Numbers, type Value } from '@engine/expression'
import type { Fields } from './field.ts'

/**
 * Whether a number of a document has another form than its ruleset computes with: a decimal among doubles, or an integer
 * beyond 2^53 that a double holds among decimals. A program that hands over values may have either.
 */
export function isForeign(value: Value, numbers: Numbers): boolean {
  return numbers === 'double' ? isDecimal(value) : Number.isInteger(value) && !Number.isSafeInteger(value)
}

/** A document with all numbers in the form that its ruleset computes with. Linear; nesting is limited by the reader of JSON. */
export function withNumbers(value: Value, numbers: Numbers): Value {
  if (isForeign(value, numbers)) return numbers === 'double' ? Number(value) : decimalOf(value as number)
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value
  if (Array.isArray(value)) return value.map((item: Value) => withNumbers(item, numbers))
  // `Object.fromEntries` defines members, also one that is named `__proto__`.
  return Object.fromEntries(
    Object.entries(value as Fields).map(([key, member]) => [key, withNumbers(member, numbers)] as const),
  )
}
