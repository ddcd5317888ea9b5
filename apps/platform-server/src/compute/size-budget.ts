import { isObject, type Value } from '@engine/expression'

/**
 * What is left of a number when each value within a value takes one, and each text as much more as it costs; negative as soon
 * as it is too few. Costs the number.
 */
export function remainingBudget(most: number, value: Value, costOf: (text: string) => number): number {
  let left = most - 1
  if (typeof value === 'string') return left - costOf(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++)
      left = remainingBudget(left, value[index] as Value, costOf)
    return left
  }
  if (!isObject(value)) return left
  // The names of very many members cost a third of their values.
  if (left < MANY_MEMBERS && Object.keys(value).length > left) return -1
  for (const member of Object.values(value)) {
    if (left < 0) break
    left = remainingBudget(left, member, costOf)
  }
  return left
}

const MANY_MEMBERS = 100_000
