import { isDecimal, isList, type Value } from '@engine/expression'

/** Deep equality of JSON values; key order does not matter. Linear in the size of the smaller one. */
export function sameValue(left: Value | undefined, right: Value | undefined): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  // Equal decimals have the same representation.
  if (isDecimal(left) || isDecimal(right)) return isDecimal(left) && isDecimal(right) && String(left) === String(right)
  if (isList(left) || isList(right)) return isList(left) && isList(right) && sameItems(left, right)
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && sameValue(left[key], right[key]))
}

function sameItems(left: readonly Value[], right: readonly Value[]): boolean {
  return left.length === right.length && left.every((item, index) => sameValue(item, right[index]))
}

/**
 * A key that two values share exactly when `sameValue` holds. Linear in the size of the value, plus sorting its keys.
 */
export function identityOf(value: Value): string {
  if (typeof value === 'bigint' || isDecimal(value)) return `${String(value)}n`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isList(value)) return `[${value.map((item) => identityOf(item)).join(',')}]`
  const members = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${identityOf(member)}`).join(',')}}`
}
