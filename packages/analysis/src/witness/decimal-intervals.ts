import { decimalArithmetic, DecimalError, roundNumber } from '@engine/expression'
import type { Computation } from '../formula/computation.ts'
import type { NumberPoint } from '../terms/order.ts'
import { EVERYTHING, type Interval, isInfinite, isLess } from './interval.ts'

/**
 * Bounds of decimal computations. Sums, products and differences are rounded once, and rounding keeps the order: computed bounds are
 * exact. Whole numbers are never rounded, so from `MAX_ROUNDED` on both kinds need not keep it.
 */

/** Below it every whole number has at most 34 digits. */
const MAX_ROUNDED = 10n ** 33n
/** More than the error of a quotient of 34 digits, relative to it. */
const QUOTIENT_ERROR = 1e-32

export function decimalResult(node: Computation, intervals: readonly Interval[]): Interval {
  try {
    return rounded(resultOf(node, intervals))
  } catch (error) {
    // A bound beyond the largest number.
    if (error instanceof DecimalError) return EVERYTHING
    throw error
  }
}

function rounded({ low, high }: Interval): Interval {
  const limit = Number(MAX_ROUNDED)
  return {
    low: isLess(low, -limit) ? -Infinity : isLess(limit, low) ? limit / 2 : low,
    high: isLess(limit, high) ? Infinity : isLess(high, -limit) ? -limit / 2 : high,
  }
}

function resultOf(node: Computation, [first = EVERYTHING, second = EVERYTHING]: readonly Interval[]): Interval {
  if (node.kind === 'binary') return apply(node.operator, first, second)
  if (node.kind === 'unary') return { low: times(first.high, -1), high: times(first.low, -1) }
  switch (node.name) {
    case 'abs': {
      const negated = { low: times(first.high, -1), high: times(first.low, -1) }
      return { low: greatest([0, first.low, negated.low]), high: greatest([first.high, negated.high]) }
    }
    case 'floor':
      return { low: wholeOf(first.low, 'floor'), high: wholeOf(first.high, 'floor') }
    case 'ceil':
      return { low: wholeOf(first.low, 'ceiling'), high: wholeOf(first.high, 'ceiling') }
    case 'min':
      return { low: least([first.low, second.low]), high: least([first.high, second.high]) }
    case 'max':
      return { low: greatest([first.low, second.low]), high: greatest([first.high, second.high]) }
    case 'round': {
      // Every mode moves a number by less than one unit of the last place that is kept.
      const unit = node.args.length < 2 ? 1 : Number(`1e${-Number(second.low)}`)
      return Number.isFinite(unit) ? { low: plus(first.low, -unit), high: plus(first.high, unit) } : EVERYTHING
    }
    default:
      return EVERYTHING
  }
}

function apply(operator: string, left: Interval, right: Interval): Interval {
  switch (operator) {
    case '+':
      return { low: plus(left.low, right.low), high: plus(left.high, right.high) }
    case '-':
      return { low: plus(left.low, times(right.high, -1)), high: plus(left.high, times(right.low, -1)) }
    case '*':
      return hull(corners(left, right, times))
    case '/':
      if (!isLess(0, right.low) && !isLess(right.high, 0)) return EVERYTHING
      return widened(hull(corners(left, right, over)), left, right)
    case '%': {
      const most = greatest([distance(right.low), distance(right.high)])
      return { low: least([0, greatest([left.low, times(most, -1)])]), high: greatest([0, least([left.high, most])]) }
    }
    default:
      return EVERYTHING
  }
}

/** Bounds of exact quotients: wider than the rounded ones unless all of these end. */
function widened(bounds: Interval, left: Interval, right: Interval): Interval {
  const isExact = corners(left, right, (one, other) => {
    const quotient = over(one, other)
    if ([one, other, quotient].some(isInfinite)) return 0
    return decimalArithmetic.compareQuotients(one, other, quotient, 1)
  }).every((order) => order === 0)
  if (isExact) return bounds
  return {
    low: plus(bounds.low, times(distance(bounds.low), -QUOTIENT_ERROR)),
    high: plus(bounds.high, times(distance(bounds.high), QUOTIENT_ERROR)),
  }
}

function plus(left: NumberPoint, right: NumberPoint): NumberPoint {
  return isInfinite(left) || isInfinite(right) ? Number(left) + Number(right) : decimalArithmetic.add(left, right)
}

function times(left: NumberPoint, right: NumberPoint): NumberPoint {
  if (left === 0 || right === 0) return 0
  return isInfinite(left) || isInfinite(right) ? Number(left) * Number(right) : decimalArithmetic.multiply(left, right)
}

function over(left: NumberPoint, right: NumberPoint): NumberPoint {
  return isInfinite(left) || isInfinite(right) ? Number(left) / Number(right) : decimalArithmetic.divide(left, right)
}

function wholeOf(value: NumberPoint, mode: 'floor' | 'ceiling'): NumberPoint {
  return isInfinite(value) ? value : roundNumber(value, 0, mode)
}

const distance = (value: NumberPoint): NumberPoint => (isLess(value, 0) ? times(value, -1) : value)

const least = (values: readonly NumberPoint[]): NumberPoint =>
  values.reduce((found, value) => (isLess(value, found) ? value : found))

const greatest = (values: readonly NumberPoint[]): NumberPoint =>
  values.reduce((found, value) => (isLess(found, value) ? value : found))

function corners<Found>(
  left: Interval,
  right: Interval,
  operation: (one: NumberPoint, other: NumberPoint) => Found,
): readonly Found[] {
  return [left.low, left.high].flatMap((one) => [right.low, right.high].map((other) => operation(one, other)))
}

function hull(values: readonly NumberPoint[]): Interval {
  return values.some((value) => Number.isNaN(value)) ? EVERYTHING : { low: least(values), high: greatest(values) }
}
