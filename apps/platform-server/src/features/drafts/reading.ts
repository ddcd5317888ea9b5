import { type Contract, decodeDraft, type DraftRuleset, type Problem } from '@engine/authoring'
import { quote, type Value } from '@engine/expression'
import { refusedDocument } from '../../http/refused-document.ts'
import type { Scope } from '../../database/scope.ts'
import { checkSubject } from '../../compute/check.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Checked, ContractInUse } from '../../compute/tasks.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { graphsFor, namesUsed, type SubRuleContent } from '../sub-rules/repository.ts'
import { uncovered } from '../sub-rules/interface.ts'
import { subjectWith } from './subject.ts'

/** A draft that was held to the language, the sub-rules that it uses, and its contract. */
export interface CheckedDraft extends Checked {
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
  compute: Compute,
  scope: Scope,
  project: string,
  draft: DraftRuleset,
): Promise<CheckedDraft> {
  const used = await graphsFor(scope, project, namesUsed(draft))
  return checkWith(compute, draft, used, await contractFor(scope, project, draft))
}

/** The same where what it refers to is known. */
export async function checkWith(
  compute: Compute,
  draft: DraftRuleset,
  used: ReadonlyMap<string, SubRuleContent>,
  contract: ContractInUse | undefined,
): Promise<CheckedDraft> {
  const checked = await checkSubject(compute, subjectWith(draft, used, contract))
  const further = [...uncovered(draft, used), ...(contract === undefined ? unknownContract(draft) : [])]
  return { ...checked, problems: [...checked.problems, ...further], contract: contract?.contract }
}

/** A contract that is named must be there; that of the ruleset's own name may be. */
function unknownContract({ config: { contract } }: DraftRuleset): readonly Problem[] {
  if (contract === undefined) return []
  const message = `there is no contract ${quote(contract)}`
  return [{ path: '/config/contract', code: 'unknown-contract', message, severity: 'error' }]
}

export const hasErrors = (problems: readonly Problem[]) => problems.some(({ severity }) => severity === 'error')
