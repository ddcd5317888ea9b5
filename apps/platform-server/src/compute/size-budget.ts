import { isObject, type Value } from '@engine/expression'

/**
 * What is left of a number when each value within a value takes one, and each text as much more as it costs; negative as soon
 * as it is too few. Costs the number.
 */
export function remainingBudget(most: number, value: Value, costOf: (text: string) => number): number {
  let left = most - 1
  if (typeof value === 'string') return left - costOf(value)
  const members = Array.isArray(value) ? (value as readonly Value[]) : isObject(value) ? Object.values(value) : []
  for (const member of members) {
    if (left < 0) break
    left = remainingBudget(left, member, costOf)
  }
  return left
}
