import type { Call } from '../ast.ts'
import { bounded } from '../operators.ts'

/**
 * An integer rounded half away from zero to 10^-digits. Throws `EvaluationError` when the result is beyond the largest
 * number.
 */
export function roundInteger(node: Call, value: number | bigint, digits: number): number | bigint {
  if (digits >= 0) return value
  if (typeof value === 'number') {
    const unit = 10 ** -digits
    const rest = value % unit
    const result = value - rest + (2 * Math.abs(rest) >= unit ? Math.sign(value) * unit : 0)
    if (Number.isSafeInteger(result)) return result
  }
  const [whole, unit] = [BigInt(value), 10n ** BigInt(-digits)]
  const rest = whole % unit
  const isHalf = 2n * (rest < 0n ? -rest : rest) >= unit
  return bounded(node, whole - rest + (isHalf ? (whole < 0n ? -unit : unit) : 0n))
}

/** Decimal places that are tried before the text of a double is read: most amounts have no more. */
const PLACES = [8, 2] as const

/**
 * A double rounded half away from zero to a number of decimal digits from -15 to 15. What is rounded is the decimal of its
 * shortest text, so that 1.005 is 1.01 with two digits. The result is the nearest double.
 */
export function roundDouble(value: number, digits: number): number {
  for (const places of PLACES) {
    const unit = 10 ** places
    const scaled = Math.round(value * unit)
    // Two decimals of at most 15 digits are never the same double: this one is the decimal of the shortest text.
    if (Math.abs(scaled) > 1e15 || scaled / unit !== value) continue
    if (digits >= places) return value
    const step = 10 ** (places - digits)
    const rest = scaled % step
    // Integers below 2^53, so that only the last division rounds, or the last product, which is an integer.
    const whole = (scaled - rest) / step + (2 * Math.abs(rest) >= step ? Math.sign(value) : 0)
    return digits < 0 ? whole * 10 ** -digits : whole / 10 ** digits
  }
  return roundText(value, digits)
}

function roundText(value: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = String(Math.abs(value)).split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const written = whole + fraction
  // The digits that stay; those behind them are half a unit or more when the first of them is 5 or more.
  const kept = whole.length + Number(exponent) + digits
  if (kept >= written.length) return value
  if (kept < 0) return 0
  const rounded = BigInt(written.slice(0, kept)) + ((written[kept] ?? '0') >= '5' ? 1n : 0n)
  return Math.sign(value) * Number(`${rounded}e${-digits}`)
}
