import { isNumber, isObject, type Value } from '@engine/expression'

/**
 * Whether values of both engines are equivalent: null members count as absent, and numbers may differ by rounding.
 *
 * @param isSame compares values when one of them is not a number, list or object
 */
export function isAlike(
  left: Value,
  right: Value,
  isSame: (left: Value, right: Value) => boolean = (one, other) => one === other,
): boolean {
  const inner = (one: Value, other: Value) => isAlike(one, other, isSame)
  if (isNumber(left) && isNumber(right))
    return Math.abs(Number(left) - Number(right)) <= 1e-9 * Math.max(1, Math.abs(Number(left)))
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item: Value, index) => inner(item, right[index] as Value))
  if (isObject(left) && isObject(right))
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
      inner(left[key] ?? null, right[key] ?? null),
    )
  return isSame(left, right)
}
