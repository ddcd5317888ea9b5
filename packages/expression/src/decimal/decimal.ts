import { defined } from '../defined.ts'
/**
 * A number of a decimal ruleset. A JavaScript number x stands for D(x), the decimal of its shortest text, as in JSON.
 * Every decimal has exactly one representation:
 *
 * - a `number`, where it is an integer within ±(2^53 - 1), or a fraction that is D of its nearest double. Up to 15
 *   digits that is always so;
 * - a `bigint`, where it is a larger integer;
 * - a `Decimal`, where it is any other fraction, of at most `PRECISION` digits.
 *
 * D is injective and increasing, so `===`, `<` and `Map` keys are correct for numbers. An integer from 2^53 on that a
 * caller passes as a double is valid too.
 */
export type NumberValue = number | bigint | Decimal

/** Maximum number of significant digits of a fraction, as in decimal128 (IEEE 754). */
export const PRECISION = 34

/** The minimum exponent: a number below half of 10^-6176 is 0. */
const LEAST_EXPONENT = -6176

/**
 * A decimal fraction that is not the shortest text of any double. Created only by `numberOf`, which keeps
 * representations unique.
 */
export class Decimal {
  // Private, so that paths, `Object.keys` and `Object.hasOwn` find no members.
  readonly #coefficient: bigint
  readonly #exponent: number

  /** `coefficient` * 10^`exponent`: the coefficient does not end in zeros, and the exponent is negative. */
  constructor(coefficient: bigint, exponent: number) {
    this.#coefficient = coefficient
    this.#exponent = exponent
  }

  /** The parts of a number. Throws `DecimalError` for one that is not finite. */
  static partsOf(value: NumberValue): Parts {
    if (typeof value === 'number') return partsOfDouble(value)
    if (typeof value === 'bigint') return { coefficient: value, exponent: 0 }
    return { coefficient: value.#coefficient, exponent: value.#exponent }
  }

  /** All digits, in the format in which ECMAScript writes a number. */
  toString(): string {
    const isNegative = this.#coefficient < 0n
    const digits = String(isNegative ? -this.#coefficient : this.#coefficient)
    const point = digits.length + this.#exponent
    return `${isNegative ? '-' : ''}${textOf(digits, point)}`
  }

  /** The nearest double. */
  valueOf(): number {
    return Number(this.toString())
  }

  /** Throws, as `JSON.stringify` does for a bigint: `stringifyJson` writes both. */
  toJSON(): never {
    throw new TypeError('a decimal of more digits than a double holds is written by stringifyJson')
  }
}

function textOf(digits: string, point: number): string {
  if (point > 0) return `${digits.slice(0, point)}.${digits.slice(point)}`
  if (point > -6) return `0.${'0'.repeat(-point)}${digits}`
  return `${digits.slice(0, 1)}${digits.length > 1 ? '.' : ''}${digits.slice(1)}e${point - 1}`
}

export function negate(value: NumberValue): NumberValue {
  if (typeof value !== 'object') return -value
  const { coefficient, exponent } = Decimal.partsOf(value)
  return new Decimal(-coefficient, exponent)
}

/** `coefficient` * 10^`exponent`. */
export interface Parts {
  readonly coefficient: bigint
  readonly exponent: number
}

/** A computation without a number as its result. */
export class DecimalError extends Error {
  override readonly name = 'DecimalError'
  readonly reason: 'division-by-zero' | 'not-finite'
  constructor(reason: 'division-by-zero' | 'not-finite') {
    super(reason)
    this.reason = reason
  }
}

export function isDecimal(value: unknown): value is Decimal {
  return value instanceof Decimal
}

/** Powers of ten that a double represents exactly. */
const UNITS: readonly number[] = Array.from({ length: 23 }, (_, places) => Number(`1e${places}`))

/** 10^`places` as a double; NaN from 10^23 on, which no double represents exactly. */
export function unitOf(places: number): number {
  return UNITS[places] ?? NaN
}

/** Integers up to this bound, divided by a power of ten, yield the double whose shortest text is the quotient. */
export const MAX_SCALED = 1e15

/** Maximum exponent of the cached powers of ten; larger ones are rarely needed. */
const MAX_CACHED_POWER = 700
const POWERS: bigint[] = [1n]

/** 10^`exponent`. */
export function powerOfTen(exponent: number): bigint {
  if (exponent > MAX_CACHED_POWER) return 10n ** BigInt(exponent)
  for (let next = POWERS.length; next <= exponent; next++) POWERS.push(defined(POWERS[next - 1]) * 10n)
  return defined(POWERS[exponent])
}

/** Number of decimal digits of an integer; 1 for 0. */
export function digitsOf(value: bigint): number {
  const size = value < 0n ? -value : value
  if (size <= SAFE) return size === 0n ? 1 : decimalLength(Number(size))
  const hexadecimal = size.toString(16).length
  if (hexadecimal < 512) return String(size).length
  // Conversion to base 10 takes quadratic time, conversion to base 16 does not.
  let digits = Math.floor((hexadecimal - 1) * LOG_16) + 1
  while (size >= powerOfTen(digits)) digits++
  return digits
}

function decimalLength(size: number): number {
  let digits = 1
  while (digits < 16 && size >= unitOf(digits)) digits++
  return digits
}

const LOG_16 = Math.log10(16)
const SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const FULL = powerOfTen(PRECISION)
const MAX_DOUBLE = BigInt(Number.MAX_VALUE)

function partsOfDouble(value: number): Parts {
  if (Number.isSafeInteger(value)) return { coefficient: BigInt(value), exponent: 0 }
  if (!Number.isFinite(value)) throw new DecimalError('not-finite')
  for (let places = 1; places <= 20; places++) {
    const unit = unitOf(places)
    const scaled = Math.round(value * unit)
    if (scaled > MAX_SCALED || scaled < -MAX_SCALED) break
    if (scaled / unit === value) return { coefficient: BigInt(scaled), exponent: -places }
  }
  return partsOfText(String(value))
}

/** The coefficient and exponent of a number as ECMAScript writes it. */
function partsOfText(text: string): Parts {
  const end = text.indexOf('e')
  const mantissa = end < 0 ? text : text.slice(0, end)
  const point = mantissa.indexOf('.')
  const exponent = end < 0 ? 0 : Number(text.slice(end + 1))
  if (point < 0) return { coefficient: BigInt(mantissa), exponent }
  const digits = mantissa.slice(0, point) + mantissa.slice(point + 1)
  return { coefficient: BigInt(digits), exponent: exponent - (mantissa.length - point - 1) }
}

/** Maximum number of significant digits of a text: those of the largest integer, and more than twice `PRECISION`. */
const MOST_DIGITS = 400

/** The digits in the text of a number, without leading and trailing zeros. */
interface Digits {
  readonly from: number
  readonly to: number
  readonly count: number
  /** Number of digits before the decimal point; negative for leading zeros after it. */
  readonly before: number
  readonly exponent: number
}

/** Does not copy the text, which may have millions of digits. Linear. */
function digitsIn(text: string): Digits {
  const mark = Math.max(text.indexOf('e'), text.indexOf('E'))
  const end = mark < 0 ? text.length : mark
  const dot = text.indexOf('.')
  const point = dot < 0 ? end : dot
  let from = text.startsWith('-') ? 1 : 0
  while (from < end && (from === point || text.charCodeAt(from) === ZERO)) from++
  let to = end
  while (to > from && (to - 1 === point || text.charCodeAt(to - 1) === ZERO)) to--
  return {
    from,
    to,
    count: to - from - (from < point && point < to ? 1 : 0),
    before: from < point ? point - from : point + 1 - from,
    exponent: mark < 0 ? 0 : Number(text.slice(mark + 1)),
  }
}

/**
 * Parses a number in JSON's grammar (a leading `+` and blanks are allowed). Fractions are rounded half to even to
 * `PRECISION` digits; undefined beyond the largest double. Linear in the length of the text.
 */
export function numberOfText(text: string): NumberValue | undefined {
  const { from, to, count, before, exponent } = digitsIn(text)
  if (count === 0) return 0
  const point = before + exponent
  if (point > 309) return undefined
  if (point < LEAST_EXPONENT - 1) return 0
  const digits = text.slice(from, Math.min(to, from + MOST_DIGITS)).replace('.', '')
  const coefficient = BigInt(text.startsWith('-') ? `-${digits}` : digits)
  try {
    return digits.length < count
      ? numberOf(coefficient, point - digits.length, true)
      : exactOf(coefficient, point - digits.length)
  } catch (error) {
    if (error instanceof DecimalError) return undefined
    throw error
  }
}

const ZERO = 48

/** The unique representation of the decimal that a finite double stands for. */
export function decimalOf(value: number): NumberValue {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? (numberOfText(String(value)) ?? value) : value
}

/** The number of fraction digits of a text, without leading and trailing zeros of the number; 0 for an integer. */
export function fractionDigits(text: string): number {
  const { count, before, exponent } = digitsIn(text)
  return count <= before + exponent ? 0 : count
}

export function isWhole(value: NumberValue): boolean {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))
}

/** The unique representation of an integer. Throws `DecimalError` beyond the largest double. */
export function integerOf(value: bigint): number | bigint {
  if (value <= SAFE && value >= -SAFE) return Number(value)
  if (value > MAX_DOUBLE || value < -MAX_DOUBLE) throw new DecimalError('not-finite')
  return value
}

/**
 * The unique representation of `coefficient` * 10^`exponent`, rounded half to even to `PRECISION` digits. `isCut`: the
 * exact value has further non-zero digits. Throws `DecimalError` beyond the largest double.
 */
export function numberOf(coefficient: bigint, exponent: number, isCut = false): NumberValue {
  const excess = isCut || coefficient >= FULL || coefficient <= -FULL ? digitsOf(coefficient) - PRECISION : 0
  const lost = Math.max(0, excess, LEAST_EXPONENT - exponent)
  if (lost === 0) return formOf(coefficient, exponent)
  // All digits would be dropped: the result is 0, without computing a power of ten with a hostile exponent.
  if (lost > digitsOf(coefficient) + 1) return 0
  return formOf(halfEven(coefficient, powerOfTen(lost), isCut), exponent + lost)
}

/** As `numberOf`, but exact for integers. */
export function exactOf(coefficient: bigint, exponent: number): NumberValue {
  if (exponent >= 0) return integerOf(coefficient * powerOfTen(exponent))
  if (-exponent < digitsOf(coefficient)) {
    const unit = powerOfTen(-exponent)
    if (coefficient % unit === 0n) return integerOf(coefficient / unit)
  }
  return numberOf(coefficient, exponent)
}

function formOf(coefficient: bigint, exponent: number): NumberValue {
  if (coefficient === 0n) return 0
  if (exponent >= 0) return integerOf(coefficient * powerOfTen(exponent))
  return coefficient <= SAFE && coefficient >= -SAFE
    ? formOfSafe(Number(coefficient), exponent)
    : formOfLarge(coefficient, exponent)
}

/** For a non-zero safe integer as coefficient, and a negative exponent. */
function formOfSafe(given: number, givenExponent: number): NumberValue {
  let [coefficient, exponent] = [given, givenExponent]
  while (exponent < 0 && coefficient % 10 === 0) {
    coefficient /= 10
    exponent++
  }
  if (exponent === 0) return coefficient
  // Doubles far from 1 have fewer digits.
  if (coefficient <= MAX_SCALED && coefficient >= -MAX_SCALED && exponent > -290)
    return exponent >= -22 ? coefficient / unitOf(-exponent) : Number(`${coefficient}e${exponent}`)
  return doubleOr(BigInt(coefficient), exponent)
}

function formOfLarge(given: bigint, givenExponent: number): NumberValue {
  let [coefficient, exponent] = [given, givenExponent]
  while (exponent < 0 && coefficient % 10n === 0n) {
    coefficient /= 10n
    exponent++
  }
  if (exponent === 0) return integerOf(coefficient)
  if (coefficient <= SAFE && coefficient >= -SAFE) return formOfSafe(Number(coefficient), exponent)
  return doubleOr(coefficient, exponent)
}

/**
 * A double if this decimal, of at most 17 digits, is its shortest text; otherwise a `Decimal`. The coefficient does not
 * end in zeros, and the exponent is negative.
 */
function doubleOr(coefficient: bigint, exponent: number): NumberValue {
  if (coefficient < 100_000_000_000_000_000n && coefficient > -100_000_000_000_000_000n) {
    const nearest = Number(`${coefficient}e${exponent}`)
    const shown = partsOfText(String(nearest))
    if (shown.exponent === exponent && shown.coefficient === coefficient) return nearest
  }
  return new Decimal(coefficient, exponent)
}

/**
 * The quotient by a positive integer, rounded half to even. `isCut`: the exact dividend has further non-zero digits.
 */
function halfEven(dividend: bigint, divisor: bigint, isCut: boolean): bigint {
  const quotient = dividend / divisor
  const rest = dividend - quotient * divisor
  const twice = 2n * (rest < 0n ? -rest : rest)
  const isUp = twice > divisor || (twice === divisor && (isCut || quotient % 2n !== 0n))
  return isUp ? quotient + (dividend < 0n ? -1n : 1n) : quotient
}
