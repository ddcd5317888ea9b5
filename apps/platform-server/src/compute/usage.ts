import { fieldReads, type Problem } from '@engine/authoring'
import { checked } from './check.ts'
import type { ContractInUse, UsageTask, UsedIn } from './tasks.ts'
import { draftOfText } from './draft-of-text.ts'

/** Maximum number of problems reported for one draft. */
const MAX_PROBLEMS = 100

/** Where a draft reads a field, and the problems that a change of the field would cause. */
export function usedIn({ field, text, change, subRules, used }: UsageTask): UsedIn {
  // Written by `appendSave` from a decoded draft.
  const draft = draftOfText(text)
  const reads = fieldReads(draft, field)
  if (change === undefined) return { ...reads, problems: [] }
  const problemsWith = (contract: ContractInUse) =>
    checked({ kind: 'check', subject: { draft, subRules, contract }, used, form: 'none' }).problems
  return { ...reads, problems: addedTo(problemsWith(change.before), problemsWith(change.after)) }
}

function addedTo(before: readonly Problem[], after: readonly Problem[]): readonly Problem[] {
  const known = new Set(before.map(identityOf))
  return after.filter((problem) => !known.has(identityOf(problem))).slice(0, MAX_PROBLEMS)
}

const identityOf = ({ path, code, message, line, column }: Problem) => [path, code, message, line, column].join('\n')
