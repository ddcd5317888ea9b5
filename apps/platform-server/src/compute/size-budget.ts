import { isObject, type Value } from '@engine/expression'

/**
 * The remaining budget after subtracting one for each nested value, and the cost of each text; negative as soon as the
 * budget is exceeded. Takes at most as many steps as the budget.
 */
export function remainingBudget(most: number, value: Value | undefined, costOf: (text: string) => number): number {
  let left = most - 1
  if (typeof value === 'string') return left - costOf(value)
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = remainingBudget(left, value[index], costOf)
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
