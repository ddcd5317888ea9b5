import type { Budget } from './budget.ts'
import { defined } from './defined.ts'
import { isDecimal } from './decimal/decimal.ts'
import { keysOf, setMember } from './members.ts'
import { isList, isObject, type ObjectValue, type Value } from './value.ts'

/**
 * A value in which decimals that no double represents are replaced by the nearest doubles, for a ruleset that computes
 * with doubles. Returns the value itself if it has none. Charges its size.
 */
export function asDoubles(budget: Budget, value: Value): Value {
  budget.spend(2)
  if (isDecimal(value)) return Number(value)
  if (isList(value)) return listOf(budget, value)
  return isObject(value) ? objectOf(budget, value) : value
}

function listOf(budget: Budget, items: readonly Value[]): readonly Value[] {
  const converted = items.map((item) => asDoubles(budget, item))
  return converted.some((item, index) => item !== items[index]) ? converted : items
}

function objectOf(budget: Budget, object: ObjectValue): ObjectValue {
  let copy: { [key: string]: Value } | undefined
  for (const key of keysOf(object, budget)) {
    const member = defined(object[key])
    const converted = asDoubles(budget, member)
    if (converted === member) continue
    copy ??= { ...object }
    setMember(copy, key, converted)
  }
  return copy ?? object
}
