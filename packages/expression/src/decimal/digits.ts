import { Decimal, digitsOf, MAX_SCALED, type NumberValue, PRECISION, unitOf } from './decimal.ts'

/**
 * The maximum digits of a number, counted by value: 9.990 has two decimals. Corresponds to precision and scale in SQL.
 */
export interface DigitLimits {
  /** Maximum of `digits - decimals` digits before the point; without `decimals`, of digits in total. */
  readonly digits?: number | undefined
  /** Maximum number of digits after the point. */
  readonly decimals?: number | undefined
}

/** The maximum value of a limit. */
export const MAX_DIGITS = PRECISION

/** The limit that a finite number exceeds; undefined if none. */
export function exceededLimit(
  value: NumberValue,
  { digits, decimals }: DigitLimits,
): 'digits' | 'decimals' | undefined {
  if (decimals !== undefined && !hasPlaces(value, decimals)) return 'decimals'
  if (digits === undefined) return undefined
  // Comparisons of doubles are exact up to 10^15.
  const whole = digits - (decimals ?? 0)
  if (decimals !== undefined && typeof value === 'number' && whole <= 15)
    return Math.abs(value) < unitOf(whole) ? undefined : 'digits'
  const { coefficient, exponent } = Decimal.partsOf(value)
  const before = coefficient === 0n ? 0 : Math.max(0, digitsOf(coefficient) + exponent)
  return before + (decimals ?? Math.max(0, -exponent)) > digits ? 'digits' : undefined
}

/** Whether a number has at most this number of decimal places. */
function hasPlaces(value: NumberValue, places: number): boolean {
  if (typeof value === 'bigint' || Number.isInteger(value)) return true
  if (typeof value === 'number' && places <= 14) {
    const unit = unitOf(places)
    const scaled = Math.round(value * unit)
    if (scaled <= MAX_SCALED && scaled >= -MAX_SCALED) return scaled / unit === value
  }
  return -Decimal.partsOf(value).exponent <= places
}
