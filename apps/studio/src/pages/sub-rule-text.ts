import { parseJson } from '@engine/expression'
import type { components } from '../api/schema.ts'

/** The editable parts of a sub-rule, without its name. */
type SubRuleParts = Omit<components['schemas']['SubRuleRequest'], 'name'>

/** The platform validates the parts themselves, and reports their errors. */
const hasParts = (value: unknown): value is SubRuleParts =>
  typeof value === 'object' && value !== null && 'graph' in value && 'bindings' in value && 'outputs' in value

/**
 * Parses a sub-rule from JSON.
 *
 * @param missing the error message for a missing part
 */
export function parseSubRule(text: string, missing: string): SubRuleParts {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  if (!hasParts(parsed.value)) throw new Error(missing)
  return parsed.value
}
