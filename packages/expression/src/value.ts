import type { Expression } from './ast.ts'
import { failures } from './failures.ts'
import { LIMITS, type Runtime } from './runtime.ts'

/**
 * A JSON value. Integers beyond ±(2^53 - 1) are `bigint` and only they are: whatever makes a number normalises it, so
 * that a `bigint` never holds what a safe integer can hold.
 */
export type Value = null | boolean | number | bigint | string | readonly Value[] | { readonly [key: string]: Value }

/** An object that is neither null nor a list. */
export type ObjectValue = { readonly [key: string]: Value }

/** The bound on the nesting of values that one operation may walk: deep equality, printing, flattening. */
export const VALUE_DEPTH = 1000

export function isObject(value: Value): value is ObjectValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Truth: everything but `null`, `false`, `0`, `""`, `[]` and `{}` is true (design section 3). */
export function isTrue(value: Value | undefined): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'object') return Boolean(value)
  if (value === null) return false
  if (Array.isArray(value)) return value.length > 0
  for (const key in value as ObjectValue) if (Object.hasOwn(value, key)) return true
  return false
}

/** The JSON type of a value, for messages and `type()`. */
export function typeName(value: Value): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'boolean':
      return 'boolean'
    case 'number':
    case 'bigint':
      return 'number'
    case 'string':
      return 'string'
    default:
      return Array.isArray(value) ? 'array' : 'object'
  }
}

/** The one form of an integer: `number` where that is exact, `bigint` beyond. */
export function normalizeInteger(value: bigint): number | bigint {
  return value >= MIN_SAFE && value <= MAX_SAFE ? Number(value) : value
}

/** The number with its sign changed. */
export function negated(value: number | bigint): number | bigint {
  return -value
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const MIN_SAFE = -MAX_SAFE

/**
 * Deep, typed equality; order of keys does not matter, numbers compare by value. `at` is the place of the error for
 * values nested beyond `VALUE_DEPTH`.
 */
export function equal(left: Value, right: Value, at: Expression): boolean {
  return equalWithin(left, right, at, 0)
}

function equalWithin(left: Value, right: Value, at: Expression, depth: number): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object') {
    // Only numbers of different representation are equal without being identical.
    return typeof left === 'bigint' || typeof right === 'bigint' ? equalNumbers(left, right) : false
  }
  if (left === null || right === null) return false
  if (depth >= VALUE_DEPTH) throw failures.nestedTooDeeply(at.span, VALUE_DEPTH)
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalWithin(item, right[index] as Value, at, depth + 1))
    )
  }
  return !Array.isArray(right) && equalObjects(left as ObjectValue, right as ObjectValue, at, depth + 1)
}

function equalNumbers(left: Value, right: Value): boolean {
  // oxlint-disable-next-line eqeqeq -- exact comparison between bigint and number
  return isNumber(left) && isNumber(right) && left == right
}

function equalObjects(left: ObjectValue, right: ObjectValue, at: Expression, depth: number): boolean {
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every(
    (key) => Object.hasOwn(right, key) && equalWithin(left[key] as Value, right[key] as Value, at, depth),
  )
}

export function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

/**
 * Account for `size` characters or items before they are created; throws beyond `LIMITS`, so that a doubling loop ends
 * in an error and not in the end of the process.
 */
export function charge(runtime: Runtime, at: Expression, size: number, kind: 'text' | 'list' = 'list'): void {
  if (size > LIMITS.value) throw failures.valueTooLarge(at.span, kind)
  runtime.allocated += size
  if (runtime.allocated > LIMITS.execution) throw failures.executionTooLarge(at.span)
}
