import { parseJson } from '@engine/expression'
import type { components } from '../api/schema.ts'

/** A sub-rule as its author writes it, without its name. */
type SubRuleParts = Omit<components['schemas']['SubRuleRequest'], 'name'>

/** The platform checks the parts themselves, and names their faults. */
const hasParts = (value: unknown): value is SubRuleParts =>
  typeof value === 'object' && value !== null && 'graph' in value && 'bindings' in value && 'outputs' in value

/**
 * Reads a sub-rule that was written as JSON.
 *
 * @param missing the message where a part is missing
 */
export function parseSubRule(text: string, missing: string): SubRuleParts {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  if (parsed.kind === 'failed') throw new Error(parsed.problem.message)
  if (!hasParts(parsed.value)) throw new Error(missing)
  return parsed.value
}
