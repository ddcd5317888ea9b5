import { type EvaluationPolicy, LENIENT } from '@engine/expression'
import type { Ruleset } from './model.ts'

/** How the expressions of a ruleset are evaluated: its `config.field_missing` and `config.defaults`. */
export function evaluationPolicy({ config }: Ruleset): EvaluationPolicy {
  const { fieldMissing, defaults } = config
  return fieldMissing === 'lenient' ? LENIENT : { mode: fieldMissing, defaults }
}
