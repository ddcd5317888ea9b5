import { convertDraft, type ConvertedDraft } from './convert.ts'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import type { Contract } from '../contract/contract.ts'
import { declaredFields } from '../contract/declared-fields.ts'
import { checkOutputs } from '../contract/outputs.ts'
import type { Concepts } from '@engine/ruleset'
import { checkTerminals } from '../contract/contract-use.ts'

/** The dependencies of a draft. */
export interface HeldTo {
  /** Sub-rules of project and organization, for names that the draft itself does not have. */
  readonly subRules: ReadonlyMap<string, DraftGraph>
  /** Undefined: it has none. */
  readonly contract: { readonly contract: Contract; readonly concepts: Concepts } | undefined
}

/**
 * The ruleset in engine format, with the problems of the draft and those found by its contract: fields, codes and
 * outputs. Costs as much as `convertDraft` and `checkOutputs`.
 */
export function convertHeld(draft: DraftRuleset, { subRules, contract }: HeldTo): ConvertedDraft {
  if (contract === undefined) return convertDraft(draft, { subRules })
  const fields = declaredFields(contract.contract, contract.concepts)
  const converted = convertDraft(draft, { subRules, fields })
  const found = [...checkTerminals(draft, contract.contract), ...checkOutputs(draft, contract.contract, fields)]
  return { ...converted, problems: [...converted.problems, ...found] }
}
