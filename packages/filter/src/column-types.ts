import {
  type Budget,
  type Decimal,
  isDecimal,
  isNumber,
  MAX_DIGITS,
  type NumberValue,
  orderOf,
  quote,
  roundNumber,
  type Value,
} from '@engine/expression'
import { BadFilterRequest, columnOf, requireFew } from './columns.ts'
import { MAX_LONG, MIN_LONG } from './number-literal.ts'
import type { Comparison } from './operations.ts'
import { type ComparisonTest, isComparison, type Test } from './predicate.ts'

/** Column types: `number` is a double, `integer` a 64-bit integer, `decimal` a `decimal(p, s)`. */
export type ColumnType = 'text' | 'number' | 'integer' | 'boolean' | 'decimal'

/** The maximum number of digits of a decimal before and after the decimal point. */
export interface DecimalSize {
  readonly whole: number
  readonly scale: number
}

const LONG_SIZE: DecimalSize = { whole: 19, scale: 0 }

interface StatedType {
  readonly type: ColumnType
  readonly size?: DecimalSize
}

/** Types by column, as stated by a request. */
export type StatedTypes = { readonly [column: string]: string }

/** Types that the rules distinguish: all numbers are one type, and lists and objects are columns of JSON. */
export type Kind = 'text' | 'number' | 'boolean' | 'json'

/** Field types: those stated by the request, and those implied by the rules' comparisons. */
export class FieldTypes {
  readonly #stated: ReadonlyMap<string, StatedType>
  readonly #mapping: ReadonlyMap<string, string>
  readonly #uses = new Map<string, Set<Kind>>()

  /** Throws `BadFilterRequest` for an unknown type. */
  constructor(stated: StatedTypes, mapping: ReadonlyMap<string, string>, budget: Budget) {
    const columns = Object.keys(stated)
    requireFew(columns, 'columns')
    budget.spend(20 * columns.length)
    this.#stated = new Map(Object.entries(stated).map(([column, type]) => [column, requireType(column, type)]))
    this.#mapping = mapping
  }

  /** The stated type of a field's column. */
  of(path: string): ColumnType | undefined {
    return this.#statedOf(path)?.type
  }

  /** The maximum number of digits in the column of a field; undefined if its type does not limit them. */
  sizeOf(path: string): DecimalSize | undefined {
    return this.#statedOf(path)?.size
  }

  #statedOf(path: string): StatedType | undefined {
    return this.#stated.size === 0 ? undefined : this.#stated.get(columnOf(this.#mapping, path))
  }

  /** Record that the rules treat a field as a value of this type. */
  use(path: string, kind: Kind | undefined): void {
    if (kind === undefined) return
    const known = this.#uses.get(path)
    if (known === undefined) this.#uses.set(path, new Set([kind]))
    else known.add(kind)
  }

  /** The types that a field is used as, when there are several and none is stated. */
  conflict(path: string): readonly Kind[] {
    const uses = this.#uses.get(path)
    return uses === undefined || uses.size < 2 || this.of(path) !== undefined ? [] : [...uses].toSorted()
  }
}

const TYPES: ReadonlyMap<string, StatedType> = new Map<string, StatedType>([
  ['text', { type: 'text' }],
  ['number', { type: 'number' }],
  ['integer', { type: 'integer', size: LONG_SIZE }],
  ['boolean', { type: 'boolean' }],
])

function requireType(column: string, type: string): StatedType {
  const found = TYPES.get(type)
  if (found !== undefined) return found
  const [, digits, scale] = /^decimal\((\d{1,2}), ?(\d{1,2})\)$/.exec(type) ?? []
  const [precision, places] = [Number(digits), Number(scale)]
  if (precision >= 1 && precision <= MAX_DIGITS && places <= precision)
    return { type: 'decimal', size: { whole: precision - places, scale: places } }
  const types = [...TYPES.keys()].map((known) => quote(known)).join(', ')
  throw new BadFilterRequest(
    `the column ${quote(column)} can be ${types}, or ${quote('decimal(p, s)')} with at most ${MAX_DIGITS} digits, not ${quote(type)}`,
    '/columns',
  )
}

/** The type of a value that a column can hold; undefined for null, lists and objects. */
export function kindOf(value: Value): Exclude<Kind, 'json'> | undefined {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'boolean') return 'boolean'
  return isNumber(value) ? 'number' : undefined
}

/** The rules' type of a column's values. */
export function kindOfColumn(type: ColumnType): Exclude<Kind, 'json'> {
  return type === 'integer' || type === 'decimal' ? 'number' : type
}

/** A number as stored in a column of doubles; undefined when it has no double. */
export function asDouble(value: Value): Value | undefined {
  if (isDecimal(value)) return undefined
  if (typeof value !== 'bigint') return value
  return BigInt(Number(value)) === value ? Number(value) : undefined
}

/** A number as stored in a column of integers, with all its digits; undefined when it is not an integer. */
export function asInteger(value: Value): Value | undefined {
  if (!isNumber(value)) return value
  if (isDecimal(value)) return undefined
  if (typeof value === 'number' && !Number.isInteger(value)) return undefined
  if (Number.isSafeInteger(value)) return value
  const whole = BigInt(value)
  return whole <= MAX_LONG && whole >= MIN_LONG ? whole : undefined
}

/** The equivalent of a test for doubles, also when its value is an integer without a double. */
export function ofDoubles(test: Test): Test | boolean {
  if (!isComparison(test) || (typeof test.value !== 'bigint' && !isDecimal(test.value))) return test
  return comparedWithDoubles(test.op, test.value)
}

/** The equivalent of a comparison for doubles, also with a number that has no double. */
export function comparedWithDoubles(op: Comparison, value: bigint | Decimal): ComparisonTest | boolean {
  const nearest = Number(value)
  if (!isDecimal(value) && BigInt(nearest) === value) return { op, value: nearest }
  if (op === 'eq') return false
  if (op === 'ne') return true
  const isAbove = isDecimal(value) ? orderOf(nearest, value) > 0 : BigInt(nearest) > value
  if (op === 'lt' || op === 'le') return { op: isAbove ? 'lt' : 'le', value: nearest }
  return { op: isAbove ? 'ge' : 'gt', value: nearest }
}

/** The equivalent of a test for 64-bit integers, also when its value is not one. */
export function ofIntegers(test: Test): Test | boolean {
  if (!isComparison(test) || !isNumber(test.value)) return test
  return comparedWithIntegers(test.op, test.value)
}

/** The equivalent of a comparison with a number for 64-bit integers. */
export function comparedWithIntegers(op: Comparison, value: NumberValue): ComparisonTest | boolean {
  const held = asInteger(value)
  if (held !== undefined) return { op, value: held }
  if (op === 'eq') return false
  if (op === 'ne') return true
  const isUpper = op === 'lt' || op === 'le'
  if (orderOf(value, MAX_LONG) > 0) return isUpper
  if (orderOf(value, MIN_LONG) < 0) return !isUpper
  return isUpper
    ? { op: 'le', value: roundNumber(value, 0, 'floor') }
    : { op: 'ge', value: roundNumber(value, 0, 'ceiling') }
}

/** A number as stored in a column of decimals; undefined when it has more digits than the column holds. */
export function asDecimal(value: Value, size: DecimalSize): Value | undefined {
  if (!isNumber(value)) return value
  return !isBeyond(value, size) && orderOf(roundNumber(value, size.scale, 'floor'), value) === 0 ? value : undefined
}

/** The equivalent of a comparison with a number for decimals of a size. */
export function comparedWithDecimals(op: Comparison, value: NumberValue, size: DecimalSize): ComparisonTest | boolean {
  if (asDecimal(value, size) !== undefined) return { op, value }
  if (op === 'eq') return false
  if (op === 'ne') return true
  const isUpper = op === 'lt' || op === 'le'
  if (isBeyond(value, size)) return isUpper === orderOf(value, 0) > 0
  return isUpper
    ? { op: 'le', value: roundNumber(value, size.scale, 'floor') }
    : { op: 'ge', value: roundNumber(value, size.scale, 'ceiling') }
}

function isBeyond(value: NumberValue, { whole }: DecimalSize): boolean {
  const limit = 10n ** BigInt(whole)
  return orderOf(value, limit) >= 0 || orderOf(value, -limit) <= 0
}

/** The equivalent of a test for decimals of a size. */
export function ofDecimals(test: Test, size: DecimalSize): Test | boolean {
  if (!isComparison(test) || !isNumber(test.value)) return test
  return comparedWithDecimals(test.op, test.value, size)
}
