import type { NumberValue } from '@engine/expression'

/**
 * Decimal digits up to which every database reads a number without exponent, as a decimal or a double, as the same
 * double.
 */
const EXACT_DIGITS = 15

/**
 * A number in the form that every database reads exactly. Integers up to 2^53, and exact ones beyond, are digits. A
 * double beyond 2^53, or with 16 or 17 digits, has an exponent: otherwise a database may read it as a decimal or
 * integer with more digits than the double has.
 */
export function numberLiteral(value: number | bigint): string {
  if (typeof value === 'bigint') return String(value)
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const text = String(value)
  if (text.includes('e') || Math.abs(value) > Number.MAX_SAFE_INTEGER) return value.toExponential()
  const digits = text.replace(/^-?0*\.?0*/, '').replace('.', '').length
  return digits <= EXACT_DIGITS ? text : value.toExponential()
}

/** A number with all its digits and without an exponent: a decimal literal. */
export function decimalLiteral(value: NumberValue): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(String(value)) ?? []
  const shift = Number(exponent)
  const digits = (whole + fraction).padStart(1 - shift + fraction.length, '0').padEnd(whole.length + shift, '0')
  const point = digits.length - Math.max(0, fraction.length - shift)
  const after = digits.slice(point).replace(/0+$/, '')
  const text = digits.slice(0, point).replace(/^0+(?=\d)/, '')
  return after === '' ? (text === '0' ? '0' : sign + text) : `${sign}${text}.${after}`
}

/**
 * The type needed for a number: an `integer` up to 2^53, a 64-bit `long`, a `huge` integer beyond, a double with a
 * `fraction`, or a `double` beyond 2^53.
 */
export type NumberKind = 'integer' | 'long' | 'huge' | 'fraction' | 'double'

/** The largest and smallest integers that a 64-bit column holds. */
export const MAX_LONG = 2n ** 63n - 1n
export const MIN_LONG = -(2n ** 63n)

export function numberKind(value: number | bigint): NumberKind {
  if (typeof value === 'bigint') return value <= MAX_LONG && value >= MIN_LONG ? 'long' : 'huge'
  if (!Number.isInteger(value)) return 'fraction'
  return Number.isSafeInteger(value) ? 'integer' : 'double'
}
