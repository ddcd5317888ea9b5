import { orderOf } from '@engine/expression'
import type { NumberPoint } from '../terms/order.ts'

/** Numbers that enclose the possible values of a number, or infinities. */
export interface Interval<Point = NumberPoint> {
  readonly low: Point
  readonly high: Point
}

export const EVERYTHING: Interval<number> = { low: -Infinity, high: Infinity }

/** Whether a number is less than another; both may be infinite. */
export function isLess(left: NumberPoint, right: NumberPoint): boolean {
  return isInfinite(left) || isInfinite(right) ? Number(left) < Number(right) : orderOf(left, right) < 0
}

export function isInfinite(value: NumberPoint): boolean {
  return value === Infinity || value === -Infinity
}
