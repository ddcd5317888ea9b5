import type { EvaluationPolicy } from '@engine/expression'
import { sortedText } from '../terms/term.ts'

const keys = new WeakMap<EvaluationPolicy, string>()

/** One text for all policies under which an expression has the same value. */
export function keyOf(policy: EvaluationPolicy): string {
  const { defaults, mode, ...rest } = policy
  const known = keys.get(policy)
  if (known !== undefined) return known
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
  const key = `${mode}${more}${mode === 'default' ? ` ${sortedText(Object.fromEntries(defaults))}` : ''}`
  keys.set(policy, key)
  return key
}
