import { LENIENT, type MissingPolicy } from '@engine/expression'
import type { Ruleset } from './model.ts'

/** What a missing field means in a ruleset: its `config.field_missing` and `config.defaults`. */
export function missingPolicy({ config }: Ruleset): MissingPolicy {
  const { fieldMissing, defaults } = config
  return fieldMissing === 'lenient' ? LENIENT : { mode: fieldMissing, defaults }
}
