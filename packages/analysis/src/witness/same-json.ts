import { defined, isDecimal, isNumber, isObject, stringifyJson, type Value } from '@engine/expression'

/** Whether two values are equal as JSON: numbers by value, objects without the order of their members. Linear. */
export function isSameJson(left: Value, right: Value): boolean {
  if (Array.isArray(left) || Array.isArray(right))
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item: Value, index) => isSameJson(item, defined(right[index])))
    )
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && isSameJson(defined(left[key]), defined(right[key])))
    )
  }
  if (isDecimal(left) || isDecimal(right)) return stringifyJson(left) === stringifyJson(right)
  if (isNumber(left) && isNumber(right)) return !(left < right) && !(right < left)
  return left === right
}
