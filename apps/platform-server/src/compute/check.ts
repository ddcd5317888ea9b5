import { checkTerminals, convertDraft, type ConvertedDraft, declaredFields } from '@engine/authoring'
import { isObject, type Value } from '@engine/expression'
import type { Compute } from './compute.ts'
import type { Checked, Subject } from './tasks.ts'

/** Values and characters of a draft that is checked at once: a message to a thread would take longer. */
const FEW = 5000

/** Convert a draft with everything that it refers to, and name all its problems. */
export function convertSubject({ draft, subRules, contract }: Subject): ConvertedDraft {
  const fields = contract && declaredFields(contract.contract, contract.concepts)
  const converted = convertDraft(draft, { subRules, fields })
  const undeclared = contract === undefined ? [] : checkTerminals(draft, contract.contract)
  return { ...converted, problems: [...converted.problems, ...undeclared] }
}

/** The same on a thread where the draft is not small. One that takes more than the limits of a thread has a problem. */
export async function checkSubject(compute: Compute, subject: Subject): Promise<Checked> {
  if (isSmall(subject)) return convertSubject(subject)
  const outcome = await compute.run({ kind: 'check', subject })
  if (outcome.kind === 'done') return outcome.result
  const message = `is too large to be checked: ${outcome.message}`
  return { problems: [{ path: '', code: 'too-large', message, severity: 'error' }] }
}

/** Of sub-rules a few words make as many steps as an engine takes. */
function isSmall({ draft, subRules }: Subject): boolean {
  return subRules.size === 0 && draft.subRules === undefined && sizeWithin(draft, FEW) >= 0
}

/** What is left of a number when each value and each character takes one; negative as soon as it is too few. */
function sizeWithin(value: Value, most: number): number {
  let left = most - 1
  if (typeof value === 'string') return left - value.length
  const members = Array.isArray(value) ? (value as readonly Value[]) : isObject(value) ? Object.values(value) : []
  for (const member of members) {
    if (left < 0) break
    left = sizeWithin(member, left)
  }
  return left
}
