import { type Decimal, isDecimal, negate, type NumberValue } from './decimal/decimal.ts'

/**
 * A JSON value. Exactly the integers beyond ±(2^53 - 1) are `bigint`: every operation normalises its result, so a
 * `bigint` never holds a safe integer.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | Decimal
  | string
  | readonly Value[]
  | { readonly [key: string]: Value }

/** An object that is neither null nor a list. */
export type ObjectValue = { readonly [key: string]: Value }

/**
 * A shape that JSON text can represent without loss: its members are JSON values or other such shapes. Undefined
 * members are omitted. `never` if a member is a function, a symbol, a class with methods or of an unknown type.
 */
export type Serializable<Shape> = Shape extends Value | undefined
  ? Shape
  : Shape extends ((...args: never[]) => unknown) | symbol
    ? never
    : Shape extends object
      ? { readonly [Key in keyof Shape]: Serializable<Shape[Key]> }
      : never

/** Maximum nesting of values that one operation walks: deep equality, printing, flattening. */
export const VALUE_DEPTH = 1000

/** Whether a value is a list: `Array.isArray`, which on its own would make the items `any`. */
export const isList: (value: unknown) => value is readonly Value[] = Array.isArray

/** Whether a value is an object: neither null, nor a list, nor a decimal. */
export function isObject(value: unknown): value is ObjectValue {
  return typeof value === 'object' && value !== null && !isList(value) && !isDecimal(value)
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
      return isList(value) ? 'array' : isDecimal(value) ? 'number' : 'object'
  }
}

/** The canonical form of an integer: `number` where that is exact, `bigint` beyond. */
export function normalizeInteger(value: bigint): number | bigint {
  return value >= MIN_SAFE && value <= MAX_SAFE ? Number(value) : value
}

/** The negated number. */
export function negated(value: NumberValue): NumberValue {
  return typeof value === 'number' ? -value : negate(value)
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const MIN_SAFE = -MAX_SAFE

/** Whether a value is a number in one of its three representations. */
export function isNumber(value: Value): value is NumberValue {
  return typeof value === 'number' || typeof value === 'bigint' || isDecimal(value)
}
