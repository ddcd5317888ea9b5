import {
  checkTerminals,
  type Concepts,
  type Contract,
  convertDraft,
  type ConvertedDraft,
  declaredFields,
  decodeDraft,
  type DraftRuleset,
  type Problem,
} from '@engine/authoring'
import { quote, type Value } from '@engine/expression'
import { refusedDocument } from '../../http/refused-document.ts'
import type { Scope } from '../../database/scope.ts'
import { graphsFor, namesUsed } from '../sub-rules/repository.ts'
import { uncovered } from '../sub-rules/interface.ts'

/** What a draft is held to beside the language. */
export interface ContractInUse {
  readonly contract: Contract
  readonly concepts: Concepts
}

/** The contract of a draft of a project; undefined: it has none. */
export type ContractFinder = (scope: Scope, project: string, draft: DraftRuleset) => Promise<ContractInUse | undefined>

/** A draft that was held to the language, the sub-rules that it uses, and its contract. */
export interface CheckedDraft extends ConvertedDraft {
  readonly contract: Contract | undefined
}

/** The draft of a body's member `ruleset`. Throws 400 with each place whose shape is wrong. */
export function draftIn(ruleset: unknown): DraftRuleset {
  const { draft, problems } = decodeDraft(ruleset as Value)
  if (draft === undefined) throw refusedDocument(problems, '/ruleset')
  return draft
}

/** Convert a draft with everything that it refers to, and name all its problems. */
export async function checkDraft(
  scope: Scope,
  project: string,
  draft: DraftRuleset,
  contractFor: ContractFinder,
): Promise<CheckedDraft> {
  const used = await graphsFor(scope, project, namesUsed(draft))
  const found = await contractFor(scope, project, draft)
  const converted = convertDraft(draft, {
    subRules: new Map(Array.from(used, ([name, { graph }]) => [name, graph])),
    fields: found && declaredFields(found.contract, found.concepts),
  })
  const held = found === undefined ? unknownContract(draft) : checkTerminals(draft, found.contract)
  const further = [...uncovered(draft, used), ...held]
  return { ...converted, problems: [...converted.problems, ...further], contract: found?.contract }
}

/** A contract that is named must be there; that of the ruleset's own name may be. */
function unknownContract({ config: { contract } }: DraftRuleset): readonly Problem[] {
  if (contract === undefined) return []
  const message = `there is no contract ${quote(contract)}`
  return [{ path: '/config/contract', code: 'unknown-contract', message, severity: 'error' }]
}

export const hasErrors = (problems: readonly Problem[]) => problems.some(({ severity }) => severity === 'error')
