import {
  Decimal,
  DecimalError,
  digitsOf,
  exactOf,
  integerOf,
  isWhole,
  numberOf,
  type NumberValue,
  type Parts,
  powerOfTen,
  PRECISION,
} from './decimal.ts'

/*
 * Exact arithmetic. Integer results of integer operands are exact at any size; everything else is rounded once, half to
 * even, to `PRECISION` digits. All functions throw `DecimalError`. `doubles.ts` decides most operations in a fraction
 * of the time.
 */

/** The coefficients of two numbers with a common exponent. */
interface Aligned {
  readonly left: bigint
  readonly right: bigint
  readonly exponent: number
}

function aligned(left: Parts, right: Parts): Aligned {
  const exponent = Math.min(left.exponent, right.exponent)
  return {
    left: left.coefficient * powerOfTen(left.exponent - exponent),
    right: right.coefficient * powerOfTen(right.exponent - exponent),
    exponent,
  }
}

function resultOf(coefficient: bigint, exponent: number, isExact: boolean): NumberValue {
  return isExact ? exactOf(coefficient, exponent) : numberOf(coefficient, exponent)
}

export function add(x: NumberValue, y: NumberValue): NumberValue {
  const { left, right, exponent } = aligned(Decimal.partsOf(x), Decimal.partsOf(y))
  return resultOf(left + right, exponent, isWhole(x) && isWhole(y))
}

export function subtract(x: NumberValue, y: NumberValue): NumberValue {
  const { left, right, exponent } = aligned(Decimal.partsOf(x), Decimal.partsOf(y))
  return resultOf(left - right, exponent, isWhole(x) && isWhole(y))
}

export function multiply(x: NumberValue, y: NumberValue): NumberValue {
  const [left, right] = [Decimal.partsOf(x), Decimal.partsOf(y)]
  const product = productOf(left, right)
  return resultOf(product.coefficient, product.exponent, isWhole(x) && isWhole(y))
}

export function divide(x: NumberValue, y: NumberValue): NumberValue {
  const [left, right] = [Decimal.partsOf(x), Decimal.partsOf(y)]
  if (right.coefficient === 0n) throw new DecimalError('division-by-zero')
  if (isWhole(x) && isWhole(y)) {
    const both = aligned(left, right)
    const quotient = both.left / both.right
    if (quotient * both.right === both.left) return integerOf(quotient)
  }
  return quotientOf(left, right)
}

function quotientOf(left: Parts, right: Parts): NumberValue {
  const shift = PRECISION + 2 + digitsOf(right.coefficient) - digitsOf(left.coefficient)
  const dividend = shift > 0 ? left.coefficient * powerOfTen(shift) : left.coefficient
  const divisor = shift < 0 ? right.coefficient * powerOfTen(-shift) : right.coefficient
  const quotient = dividend / divisor
  return numberOf(quotient, left.exponent - right.exponent - shift, quotient * divisor !== dividend)
}

/** Has the sign of `x`. */
export function remainder(x: NumberValue, y: NumberValue): NumberValue {
  const { left, right, exponent } = aligned(Decimal.partsOf(x), Decimal.partsOf(y))
  if (right === 0n) throw new DecimalError('division-by-zero')
  return resultOf(left % right, exponent, isWhole(x) && isWhole(y))
}

/** Negative, 0 or positive. */
export function compare(x: NumberValue, y: NumberValue): number {
  if (typeof x === 'number' && typeof y === 'number') return x < y ? -1 : x > y ? 1 : 0
  const { left, right } = aligned(Decimal.partsOf(x), Decimal.partsOf(y))
  return left < right ? -1 : left > right ? 1 : 0
}

/** The order of x / y and z / w, from the exact quotients. */
export function compareQuotients(x: NumberValue, y: NumberValue, z: NumberValue, w: NumberValue): number {
  const [a, b] = [Decimal.partsOf(x), Decimal.partsOf(y)]
  const [c, d] = [Decimal.partsOf(z), Decimal.partsOf(w)]
  if (b.coefficient === 0n || d.coefficient === 0n) throw new DecimalError('division-by-zero')
  const { left, right } = aligned(productOf(a, d), productOf(c, b))
  const order = left < right ? -1 : left > right ? 1 : 0
  return b.coefficient < 0n === d.coefficient < 0n || order === 0 ? order : -order
}

function productOf(left: Parts, right: Parts): Parts {
  return { coefficient: left.coefficient * right.coefficient, exponent: left.exponent + right.exponent }
}

/** Maximum integer exponent for exact powers. */
export const MAX_EXPONENT = 999

/** Number of digits of the exact power, which determines its cost. */
export function digitsOfPower(base: NumberValue, exponent: number): number {
  return digitsOf(Decimal.partsOf(base).coefficient) * Math.abs(exponent)
}

/** `base` to an integer power of at most `MAX_EXPONENT`, rounded once. */
export function power(base: NumberValue, exponent: number): NumberValue {
  const { coefficient, exponent: scale } = Decimal.partsOf(base)
  if (exponent === 0) return 1
  if (coefficient === 0n) {
    if (exponent < 0) throw new DecimalError('not-finite')
    return 0
  }
  const magnitude = (digitsOf(coefficient) + scale) * exponent
  // The number of digits determines the magnitude to within one power of ten per factor.
  if (magnitude - Math.abs(exponent) > 310) throw new DecimalError('not-finite')
  if (magnitude + Math.abs(exponent) < -6200) return 0
  const raised = { coefficient: coefficient ** BigInt(Math.abs(exponent)), exponent: scale * Math.abs(exponent) }
  if (exponent > 0) return resultOf(raised.coefficient, raised.exponent, isWhole(base))
  return quotientOf({ coefficient: 1n, exponent: 0 }, raised)
}

/** The square root of a non-negative number: exact if it is finite, otherwise correct to `PRECISION` digits. */
export function squareRoot(x: NumberValue): NumberValue {
  const { coefficient, exponent } = Decimal.partsOf(x)
  if (coefficient === 0n) return 0
  const missing = Math.max(0, 2 * PRECISION + 4 - digitsOf(coefficient))
  const shift = (missing + exponent) % 2 === 0 ? missing : missing + 1
  const square = coefficient * powerOfTen(shift)
  const root = wholeRoot(square)
  const half = (exponent - shift) / 2
  return root * root === square ? resultOf(root, half, isWhole(x)) : numberOf(root, half, true)
}

/** The integer square root, rounded down, by Newton's method. */
function wholeRoot(square: bigint): bigint {
  let root = 1n << BigInt(Math.ceil((square.toString(16).length * 4) / 2))
  for (;;) {
    const next = (root + square / root) >> 1n
    if (next >= root) return root
    root = next
  }
}
