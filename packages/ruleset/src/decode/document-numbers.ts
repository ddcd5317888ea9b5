import { decimalOf, isDecimal, isList, type Numbers, type Value } from '@engine/expression/core'

/**
 * Whether a document contains a number in a representation that its ruleset does not compute with: a decimal in a
 * ruleset with doubles, or an integer beyond 2^53 as a double in a ruleset with decimals. Values from an embedding
 * program may contain either.
 */
export function isForeign(value: Value, numbers: Numbers): boolean {
  return numbers === 'double' ? isDecimal(value) : Number.isInteger(value) && !Number.isSafeInteger(value)
}

/**
 * A document with all numbers in the representation that its ruleset computes with. Linear; the JSON parser limits its
 * nesting.
 */
export function withNumbers(value: Value, numbers: Numbers): Value {
  if (isForeign(value, numbers))
    return numbers === 'double' || typeof value !== 'number' ? Number(value) : decimalOf(value)
  if (typeof value !== 'object' || value === null || isDecimal(value)) return value
  if (isList(value)) return value.map((item) => withNumbers(item, numbers))
  // `Object.fromEntries` defines every member, including one named `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withNumbers(member, numbers)] as const))
}
