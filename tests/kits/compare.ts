import { isNumber, isObject, type Value } from '@engine/expression'

/** Numbers of both sides may differ by rounding: kits publish some results with fewer digits. */
const TOLERANCE = 1e-8

/** The same value; a member that is null is the same as an absent one. */
export function isSameValue(left: Value, right: Value): boolean {
  if (isNumber(left) && isNumber(right)) {
    const [one, other] = [Number(left), Number(right)]
    return one === other || Math.abs(one - other) <= TOLERANCE * Math.max(1, Math.abs(one))
  }
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item: Value, index) => isSameValue(item, right[index] as Value))
  if (isObject(left) && isObject(right))
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
      isSameValue(left[key] ?? null, right[key] ?? null),
    )
  return left === right
}

/**
 * The expected value with the found parts where they depend on the time of the execution: `found` and `later` are the
 * results of two times.
 */
export function withoutTime(expected: Value, found: Value, later: Value): Value {
  if (isObject(expected) && isObject(found) && isObject(later))
    return Object.fromEntries(
      Object.entries(expected).map(([key, value]) => [key, withoutTime(value, found[key] ?? null, later[key] ?? null)]),
    )
  if (Array.isArray(expected) && Array.isArray(found) && Array.isArray(later) && expected.length === found.length)
    return expected.map((value: Value, index) =>
      withoutTime(value, found[index] as Value, (later[index] ?? null) as Value),
    )
  return isSameValue(found, later) ? expected : found
}
