/** A JSON value; an integer beyond ±(2^53 − 1) that was written without an exponent is a bigint. */
export type Value = null | boolean | number | bigint | string | readonly Value[] | { readonly [key: string]: Value }

/** Why an expression has no value, by the codes of docs/semantics.md; `ANY` where they name none. */
export class Failure extends Error {
  readonly code: string
  constructor(code: string, message = code) {
    super(message)
    this.code = code
  }
}

export const ANY = '*'

/** What the documents leave open, or this implementation leaves out: nothing can be compared. */
export class Unsupported extends Error {}

export type Type = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'

export function typeOf(value: Value): Type {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'number'
  return typeof value as Type
}

export const isNumber = (value: Value): value is number | bigint => typeOf(value) === 'number'
export const isList = (value: Value): value is readonly Value[] => Array.isArray(value)
export const isObject = (value: Value): value is { readonly [key: string]: Value } => typeOf(value) === 'object'

/** A list or the members of an object, in their order; undefined: the value has no parts. */
export function partsOf(value: Value): readonly Value[] | undefined {
  if (isList(value)) return value
  return isObject(value) ? Object.values(value) : undefined
}

/** An object of its members, whatever they are called. */
export function objectOf(members: Iterable<readonly [string, Value]>): { readonly [key: string]: Value } {
  return Object.fromEntries(members)
}

/** "False are null, false, 0, "", [] and {}; everything else is true." */
export function truth(value: Value): boolean {
  switch (typeOf(value)) {
    case 'null':
      return false
    case 'boolean':
      return value === true
    case 'number':
      return Number(value) !== 0
    case 'string':
      return value !== ''
    default:
      return (partsOf(value) ?? []).length > 0
  }
}

/** "Deep and typed: no value is converted; numbers compare by value; the order of keys does not matter." */
export function equal(left: Value, right: Value, depth = 0): boolean {
  if (depth > 1000) throw new Failure('nested-too-deeply')
  if (typeOf(left) !== typeOf(right)) return false
  if (isNumber(left) && isNumber(right)) return !(left < right) && !(left > right)
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((item, index) => equal(item, right[index] as Value, depth + 1))
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && equal(left[key] as Value, right[key] as Value, depth + 1))
    )
  }
  return left === right
}

/** "`<`, `<=`, `>`, `>=` compare two numbers, or two strings by UTF-16 code units. With null on either side they are false." */
export function ordered(left: Value, right: Value, holds: (sign: number) => boolean): boolean {
  if (left === null || right === null) return false
  if (isNumber(left) && isNumber(right)) return holds(left < right ? -1 : left > right ? 1 : 0)
  if (typeof left === 'string' && typeof right === 'string') return holds(left < right ? -1 : left > right ? 1 : 0)
  throw new Failure('wrong-type')
}

const MOST_SAFE = 2n ** 53n - 1n
const GREATEST = BigInt(Number.MAX_VALUE)

/** An exact integer as a value: one that a double has exactly is a number. */
export function integer(exact: bigint): number | bigint {
  if (exact > GREATEST || exact < -GREATEST) throw new Failure('not-finite')
  return exact <= MOST_SAFE && exact >= -MOST_SAFE ? Number(exact) : exact
}

const isWhole = (value: number | bigint) => typeof value === 'bigint' || Number.isInteger(value)

/** "Integers are exact at any size. A double that is a whole number counts as one beside an integer beyond ±(2^53 − 1)." */
function areExact(left: number | bigint, right: number | bigint): boolean {
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return true
  return (typeof left === 'bigint' || typeof right === 'bigint') && isWhole(left) && isWhole(right)
}

/** `+ - * / %` of two numbers. */
export function arithmetic(operator: string, left: number | bigint, right: number | bigint): number | bigint {
  if ((operator === '/' || operator === '%') && Number(right) === 0) throw new Failure('division-by-zero')
  if (areExact(left, right)) {
    const [one, other] = [BigInt(left), BigInt(right)]
    if (operator === '+') return integer(one + other)
    if (operator === '-') return integer(one - other)
    if (operator === '*') return integer(one * other)
    if (operator === '%') return integer(one % other)
    if (one % other === 0n) return integer(one / other)
  }
  return finite(onDoubles(operator, Number(left), Number(right)))
}

function onDoubles(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    default:
      return left % right
  }
}

export function finite(number: number): number {
  if (!Number.isFinite(number)) throw new Failure('not-finite')
  return number
}

/** Compact JSON; integers have all their digits. */
export function json(value: Value, depth = 0): string {
  if (depth > 1000) throw new Failure('nested-too-deeply')
  if (typeof value === 'bigint') return String(value)
  // With an exponent it is read as a double again.
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) return value.toExponential()
  if (isList(value)) return `[${value.map((item) => json(item, depth + 1)).join(',')}]`
  if (isObject(value))
    return `{${Object.entries(value)
      .map(([key, inner]) => `${JSON.stringify(key)}:${json(inner, depth + 1)}`)
      .join(',')}}`
  return JSON.stringify(value)
}

/** "Whether a list has an element equal to `x`, or a string contains the string `x`. Null on the right is false." */
export function within(item: Value, container: Value): boolean {
  if (container === null) return false
  if (isList(container)) return container.some((one) => equal(item, one))
  if (typeof container !== 'string') throw new Failure('wrong-type')
  if (item === null) return false
  if (typeof item !== 'string') throw new Failure('wrong-type')
  return container.includes(item)
}
