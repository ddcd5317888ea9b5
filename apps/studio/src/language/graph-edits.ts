import {
  deriveContract,
  extractSubRule,
  fieldReads,
  inlineSubRule,
  merge3,
  pasteSteps,
  renameField,
} from '@engine/authoring'
import type { Ruleset } from '@engine/ruleset'
import { withTheirs } from './conflict-resolution.ts'
import type { Tasks } from './tasks.ts'

/** The contract that a ruleset already satisfies. */
export const derive = (ruleset: Ruleset): Tasks['derive']['gives'] => deriveContract(ruleset, [])

/** Merge the changes of two authors. */
export function merge({ base, mine, theirs }: Tasks['merge']['takes']): Tasks['merge']['gives'] {
  return merge3(base, mine, theirs)
}

/** Resolve the conflicts of a merge. */
export function resolve({ draft, conflicts, theirs }: Tasks['resolve']['takes']): Tasks['resolve']['gives'] {
  return withTheirs(draft, conflicts, theirs)
}

/** Extract steps into a sub-rule. */
export function extract({ draft, steps, name, within }: Tasks['extract']['takes']): Tasks['extract']['gives'] {
  return extractSubRule(draft, steps, { name, ...(within !== undefined && { within }) })
}

/** Replace a sub-rule step with the steps of the sub-rule. */
export function inline({ draft, subRules, step, within }: Tasks['inline']['takes']): Tasks['inline']['gives'] {
  const shared = new Map(Object.entries(subRules))
  return inlineSubRule(draft, step, { subRules: shared, ...(within !== undefined && { within }) })
}

/** Rename an input field. Throws unless the new name is a path. */
export function renamed({ draft, from, to }: Tasks['renameField']['takes']): Tasks['renameField']['gives'] {
  const found = renameField(draft, from, to)
  if (found === undefined) throw new Error(`\`${to}\` is not a path such as order.total`)
  return { draft: found, places: fieldReads(draft, from).count }
}

/** Add the steps of a copied text. */
export function paste({ draft, text, within }: Tasks['paste']['takes']): Tasks['paste']['gives'] {
  const { draft: pasted, ids, problems } = pasteSteps(draft, text, within)
  return pasted === undefined
    ? { kind: 'refused', message: problems[0]?.message ?? '' }
    : { kind: 'edited', draft: pasted, ids: [...ids.values()] }
}
