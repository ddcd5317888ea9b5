import { convertDraft, type DraftRuleset, type Problem } from '@engine/authoring'
import type { LossText } from './losses.ts'

/** Rows of a draft that are checked here. */
const MAX_ROWS = 20_000

/** What is said of a draft with more rows: it is checked where it is edited. */
export const unchecked: LossText = {
  code: 'unchecked',
  message: `a ruleset with more than ${MAX_ROWS} rows is not checked here: an engine takes no more of a table that decides by one row`,
}

/**
 * The errors of a draft that was made of a document, each with its pointer into the draft; undefined: it has more rows than
 * are checked. Costs the size of the draft, which takes longer to check than to read.
 */
export function errorsOf(draft: DraftRuleset): readonly Problem[] | undefined {
  const rows = draft.steps.reduce((sum, step) => sum + (step.type === 'table' ? step.rows.length : 0), 0)
  if (rows > MAX_ROWS) return undefined
  return convertDraft(draft).problems.filter(({ severity }) => severity === 'error')
}
