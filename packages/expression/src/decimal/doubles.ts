import { MAX_SCALED, unitOf } from './decimal.ts'

/*
 * Decimal arithmetic by doubles: returns the exact result if a few double operations prove it, otherwise NaN, and
 * `arithmetic.ts` decides. If A = Math.round(x * 10^k) and A / 10^k === x with |A| <= 10^15, then A / 10^k is the
 * shortest text of x; the test needs no error bound. Sums and products of such A below 2^53 are exact, and one division
 * by a power of ten up to 10^22 is rounded correctly.
 */

const SAFE = Number.MAX_SAFE_INTEGER

export function add(x: number, y: number): number {
  const sum = x + y
  if (Math.floor(x) === x && Math.floor(y) === y && sum <= SAFE && sum >= -SAFE) return sum
  // The finest unit for which multiples of it stay below 10^15.
  const size = Math.abs(x) + Math.abs(y)
  if (size < 9e6) {
    const decided = sumIn(1e8, x, y)
    return decided === decided || size >= 9e4 ? decided : sumIn(1e10, x, y)
  }
  if (size < 9e10) return sumIn(1e4, x, y)
  return size < 9e12 ? sumIn(1e2, x, y) : NaN
}

/** The sum of two integer multiples of 1 / `unit`; NaN for other numbers. */
function sumIn(unit: number, x: number, y: number): number {
  const a = Math.round(x * unit)
  const b = Math.round(y * unit)
  return a / unit === x && b / unit === y ? (a + b) / unit : NaN
}

export function subtract(x: number, y: number): number {
  return add(x, -y)
}

export function multiply(x: number, y: number): number {
  const product = x * y
  if (Math.floor(x) === x && Math.floor(y) === y && product <= SAFE && product >= -SAFE) return product
  const a = Math.round(x * 1e2)
  const b = Math.round(y * 1e4)
  if (a / 1e2 === x && b / 1e4 === y) {
    // A non-zero factor is at most as large as the product.
    const scaled = a * b
    if (scaled <= MAX_SCALED && scaled >= -MAX_SCALED && scaled !== 0) return scaled / 1e6
  }
  // The common case of an unrounded amount and a rate: up to 8 and up to 2 decimal places.
  const isShort = a / 1e2 === x
  const short = isShort ? a : Math.round(y * 1e2)
  if (isShort || short / 1e2 === y) {
    const other = isShort ? y : x
    const long = Math.round(other * 1e8)
    const scaled = long * short
    if (long / 1e8 === other && scaled <= MAX_SCALED && scaled >= -MAX_SCALED && scaled !== 0) return scaled / 1e10
  }
  const i = placesOf(x)
  const j = i < 0 ? -1 : placesOf(y)
  if (j < 0) return NaN
  const scaled = Math.round(x * unitOf(i)) * Math.round(y * unitOf(j))
  return scaled <= MAX_SCALED && scaled >= -MAX_SCALED ? scaled / unitOf(i + j) : NaN
}

/** Number of decimal places, rounded up to an even number; -1 for more than 14 places, or too many digits. */
function placesOf(x: number): number {
  for (let places = 0; places <= 14; places += 2) {
    const unit = unitOf(places)
    const scaled = Math.round(x * unit)
    if (scaled > MAX_SCALED || scaled < -MAX_SCALED) return -1
    if (scaled / unit === x) return places
  }
  return -1
}

/** `y` must not be 0. */
export function divide(x: number, y: number): number {
  const a = Math.round(x * 1e4)
  const b = Math.round(y * 1e4)
  if (a / 1e4 === x && b / 1e4 === y && a <= 9e9 && a >= -9e9 && b <= MAX_SCALED && b >= -MAX_SCALED) {
    const quotient = Math.round((a / b) * 1e6)
    // Below 2^53, so both sides are exact.
    if (quotient <= MAX_SCALED && quotient >= -MAX_SCALED && quotient * b === a * 1e6) return quotient / 1e6
  }
  return NaN
}

/** `y` must not be 0. */
export function remainder(x: number, y: number): number {
  if (Number.isSafeInteger(x) && Number.isSafeInteger(y)) return x % y
  const a = Math.round(x * 1e4)
  const b = Math.round(y * 1e4)
  const isExact = a / 1e4 === x && b / 1e4 === y
  const isShort = a <= MAX_SCALED && a >= -MAX_SCALED && b <= MAX_SCALED && b >= -MAX_SCALED
  return isExact && isShort ? (a % b) / 1e4 : NaN
}

/**
 * Compares x / y with z / w; y and w must not be 0. Doubles decide unless the quotients are within 1e-15 of each other.
 */
export function compareQuotients(x: number, y: number, z: number, w: number): number {
  if (isTiny(x) || isTiny(y) || isTiny(z) || isTiny(w)) return NaN
  const [left, right] = [x / y, z / w]
  const doubt = (Math.abs(left) + Math.abs(right)) * 2e-15
  // Beyond the normal range of doubles the errors of the quotients are larger.
  if (!(doubt > 1e-290 && doubt < 1e290)) return NaN
  const difference = left - right
  return difference > doubt ? 1 : difference < -doubt ? -1 : NaN
}

/** The smallest doubles have few digits, so their quotients prove little. */
function isTiny(x: number): boolean {
  return x < 1e-290 && x > -1e-290 && x !== 0
}
