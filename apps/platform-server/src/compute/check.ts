import {
  checkTerminals,
  type ConvertedDraft,
  convertHeld,
  declaredFields,
  type DraftRuleset,
  type Problem,
} from '@engine/authoring'
import { stringifyJson, type Value } from '@engine/expression'
import { digestOfCheck } from './check-digest.ts'
import { remainingBudget } from './size-budget.ts'
import { uncovered } from './sub-rule-coverage.ts'
import type { Compute } from './compute.ts'
import type { Checked, CheckTask, SentSubject, Subject } from './tasks.ts'
import { draftOfText } from './draft-of-text.ts'

/**
 * Maximum number of values and characters of a draft that is checked on this thread: a message to another one would
 * take longer.
 */
const MAX_SYNC_SIZE = 5000

/** Maximum number of problems reported for one draft: readers stop earlier, and each takes time to send. */
const MAX_PROBLEMS = 1000

/** Converts a draft with everything that it refers to, and reports all its problems. */
export const convertSubject = ({ draft, ...references }: Subject): ConvertedDraft => convertHeld(draft, references)

const undeclaredOf = (draft: DraftRuleset, contract: Subject['contract']) =>
  contract === undefined ? [] : checkTerminals(draft, contract.contract)

/** Parses the draft: used on a thread, which has nothing else to do. */
export function inMemory(subject: SentSubject): Subject {
  if ('draft' in subject) return subject
  const { draftText, ...references } = subject
  // Written by `readBody` from a decoded draft.
  return { ...references, draft: draftOfText(draftText) }
}

/** Checks a draft on the current thread. */
export function checked({ subject: sent, used, form }: CheckTask): Checked {
  const subject = inMemory(sent)
  const { ruleset, problems } = convertSubject(subject)
  const { contract } = subject
  const fields = contract && declaredFields(contract.contract, contract.concepts)
  const all = [...problems, ...uncovered(subject.draft, used, fields)]
  return {
    ...(ruleset !== undefined && form === 'values' && { ruleset }),
    ...(ruleset !== undefined && form === 'text' && { engineText: stringifyJson(ruleset) }),
    problems: foremost(all),
    undeclared: foremost(undeclaredOf(subject.draft, subject.contract)),
  }
}

/** The problems to report, errors first. */
export function foremost(problems: readonly Problem[]): readonly Problem[] {
  if (problems.length <= MAX_PROBLEMS) return problems
  const [errors, warnings] = [problems.filter(isError), problems.filter((problem) => !isError(problem))]
  return [...errors, ...warnings].slice(0, MAX_PROBLEMS)
}

const isError = ({ severity }: Problem) => severity === 'error'

/**
 * Checks a draft, on a thread if it is not small. A draft that exceeds the limits of a thread gets a problem. Only
 * problems are cached.
 */
export async function checkSubject(compute: Compute, task: Omit<CheckTask, 'kind'>): Promise<Checked> {
  const { subject, form } = task
  if ('draft' in subject && isSmall(subject)) return checked({ kind: 'check', ...task })
  const check = () => compute.run({ kind: 'check', ...task })
  const outcome = await (form === 'none' ? compute.known.get(await digestOfCheck(task), check) : check())
  if (outcome.kind === 'done') return outcome.result
  return { problems: [tooLarge(outcome.message)], undeclared: [] }
}

/** The problem of a draft that could not be checked within the limits of a thread. */
export function tooLarge(reason: string): Problem {
  return { path: '', code: 'too-large', message: `is too large to be checked: ${reason}`, severity: 'error' }
}

/** A few words of sub-rules can expand to as many steps as an engine allows. */
function isSmall({ draft, subRules }: Subject): boolean {
  return subRules.size === 0 && draft.subRules === undefined && isFew(draft)
}

/** True if a document is small enough to be checked on this thread. */
export const isFew = (document: Value): boolean => remainingBudget(MAX_SYNC_SIZE, document, (text) => text.length) >= 0
