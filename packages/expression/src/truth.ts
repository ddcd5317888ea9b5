import type { Budget } from './budget.ts'
import { isDecimal } from './decimal/decimal.ts'
import { keysOf } from './members.ts'
import { isList, type Value } from './value.ts'

/**
 * Truth: everything but `null`, `false`, `0`, `""`, `[]` and `{}` is true. Testing whether an object has members lists
 * all its keys in V8: that is charged, except for constants, which are small.
 */
export function isTrue(value: Value | undefined, budget?: Budget): boolean {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'object') return Boolean(value)
  if (value === null) return false
  if (isList(value)) return value.length > 0
  if (isDecimal(value)) return true
  return keysOf(value, budget).length > 0
}
