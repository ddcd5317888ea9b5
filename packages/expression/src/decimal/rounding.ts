import {
  Decimal,
  DecimalError,
  integerOf,
  exactOf,
  isWhole,
  MAX_SCALED,
  numberOf,
  type NumberValue,
  powerOfTen,
  unitOf,
} from './decimal.ts'

/** Rounding mode of `round`; `half_up` rounds away from zero, as PostgreSQL and Excel do. */
export type RoundingMode = 'half_up' | 'half_even' | 'half_down' | 'up' | 'down' | 'ceiling' | 'floor'

/** Every mode and its meaning, in the order of the documentation. */
export const ROUNDING_MODES: Readonly<Record<RoundingMode, string>> = {
  half_up: 'to the nearest, halves away from zero',
  half_even: 'to the nearest, halves to the even digit',
  half_down: 'to the nearest, halves towards zero',
  up: 'away from zero',
  down: 'towards zero',
  ceiling: 'upwards',
  floor: 'downwards',
}

export function isRoundingMode(text: string): text is RoundingMode {
  return Object.hasOwn(ROUNDING_MODES, text)
}

/** Minimum and maximum number of decimal places to round to. */
export const MIN_PLACES = -15
export const MAX_PLACES = 33

/** Rounds to decimal places from `MIN_PLACES` to `MAX_PLACES`; exact. Throws `DecimalError`. */
export function round(x: NumberValue, places: number, mode: RoundingMode): NumberValue {
  if (typeof x === 'number') {
    const decided = roundByDoubles(x, places, mode)
    if (decided === decided) return decided
  }
  const { coefficient, exponent } = Decimal.partsOf(x)
  if (-exponent <= places) return x
  const cut = -exponent - places
  if (exponent >= 0 || isWhole(x)) {
    const whole = coefficient * powerOfTen(Math.max(0, exponent))
    const unit = powerOfTen(-places)
    return integerOf(roundedQuotient(whole, unit, mode) * unit)
  }
  return numberOf(roundedQuotient(coefficient, powerOfTen(cut), mode), -places)
}

/**
 * As `round`, by doubles; NaN if they cannot decide.
 *
 * @internal
 */
export function roundByDoubles(x: number, places: number, mode: RoundingMode): number {
  if (places < 0 || places > 6) return NaN
  const own = unitOf(places)
  const whole = Math.round(x * own)
  if (whole / own === x && whole <= MAX_SCALED && whole >= -MAX_SCALED) return x
  if (!(x < 9e6 && x > -9e6)) return NaN
  const scaled = Math.round(x * 1e8)
  return scaled / 1e8 === x ? roundedScaled(scaled, unitOf(8 - places), mode) / own : NaN
}

/** The quotient of an integer within 10^15 and a power of ten, rounded to an integer. */
function roundedScaled(scaled: number, unit: number, mode: RoundingMode): number {
  // The error is below 0.12 / unit, too small to reach the next integer.
  const quotient = Math.trunc(scaled / unit)
  const rest = Math.abs(scaled - quotient * unit)
  if (rest === 0) return quotient
  const order = 2 * rest - unit
  return isAway(mode, order, quotient % 2 !== 0, scaled < 0) ? quotient + (scaled < 0 ? -1 : 1) : quotient
}

/** Whether a value between two neighbours rounds away from zero; `order` is its sign relative to the midpoint. */
function isAway(mode: RoundingMode, order: number, isOdd: boolean, isNegative: boolean): boolean {
  switch (mode) {
    case 'half_up':
      return order >= 0
    case 'half_even':
      return order > 0 || (order === 0 && isOdd)
    case 'half_down':
      return order > 0
    case 'up':
      return true
    case 'down':
      return false
    case 'ceiling':
      return !isNegative
    case 'floor':
      return isNegative
  }
}

/** The quotient by a positive integer, rounded to an integer. */
function roundedQuotient(dividend: bigint, divisor: bigint, mode: RoundingMode): bigint {
  const quotient = dividend / divisor
  const rest = dividend - quotient * divisor
  if (rest === 0n) return quotient
  const isNegative = dividend < 0n
  const twice = 2n * (rest < 0n ? -rest : rest)
  const order = twice > divisor ? 1 : twice < divisor ? -1 : 0
  return isAway(mode, order, quotient % 2n !== 0n, isNegative) ? quotient + (isNegative ? -1n : 1n) : quotient
}

/** round(x / y, places), from the exact quotient. Throws `DecimalError`. */
export function roundQuotient(x: NumberValue, y: NumberValue, places: number, mode: RoundingMode): NumberValue {
  if (typeof x === 'number' && typeof y === 'number' && y !== 0) {
    const decided = roundQuotientByDoubles(x, y, places, mode)
    if (decided === decided) return decided
  }
  const [left, right] = [Decimal.partsOf(x), Decimal.partsOf(y)]
  if (right.coefficient === 0n) throw new DecimalError('division-by-zero')
  const sign = right.coefficient < 0n ? -1n : 1n
  const shift = left.exponent - right.exponent + places
  const dividend = sign * left.coefficient * powerOfTen(Math.max(0, shift))
  const divisor = sign * right.coefficient * powerOfTen(Math.max(0, -shift))
  const rounded = roundedQuotient(dividend, divisor, mode)
  return isWhole(x) && isWhole(y) ? exactOf(rounded, -places) : numberOf(rounded, -places)
}

/**
 * As `roundQuotient`, by doubles. NaN if the quotient is close to a midpoint: the relative error of the quotient and of
 * the product is up to 2^-52 each.
 *
 * @internal
 */
export function roundQuotientByDoubles(x: number, y: number, places: number, mode: RoundingMode): number {
  if (mode !== 'half_up' || places < 0 || places > 6) return NaN
  // The smallest doubles have few digits, so their quotients prove little.
  if (y < 1e-290 && y > -1e-290) return NaN
  const unit = unitOf(places)
  const value = (x / y) * unit
  if (!(value < 1e9 && value > -1e9)) return NaN
  const whole = Math.floor(value)
  const distance = value - whole - 0.5
  if (distance <= 1e-6 && distance >= -1e-6) return NaN
  return (distance > 0 ? whole + 1 : whole) / unit
}
