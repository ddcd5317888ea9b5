import { type EvaluationPolicy, LENIENT } from '@engine/expression/core'
import type { Ruleset } from './model.ts'

/** How the expressions of a ruleset are evaluated: its `config.field_missing`, `config.defaults` and `config.numbers`. */
export function evaluationPolicy({ config }: Ruleset): EvaluationPolicy {
  const { fieldMissing, defaults, numbers } = config
  return fieldMissing === 'lenient' && numbers === 'double' ? LENIENT : { mode: fieldMissing, defaults, numbers }
}
