import { convertDraft, type DraftRuleset, type Problem } from '@engine/authoring'
import type { LossText } from './losses.ts'

/** Rows of a draft that are checked here. */
const MAX_ROWS = 20_000

/** Reported for a draft with more rows: it is checked in the editor. */
export const unchecked: LossText = {
  code: 'unchecked',
  message: `a ruleset with more than ${MAX_ROWS} rows is not checked here: engines accept no more rows in a table with a single match`,
}

/**
 * The errors of an imported draft, with pointers into the draft; undefined when it has too many rows to check. Linear
 * in the size of the draft; checking takes longer than reading.
 */
export function errorsOf(draft: DraftRuleset): readonly Problem[] | undefined {
  const rows = draft.steps.reduce((sum, step) => sum + (step.type === 'table' ? step.rows.length : 0), 0)
  if (rows > MAX_ROWS) return undefined
  return convertDraft(draft).problems.filter(({ severity }) => severity === 'error')
}
