import { type Contract, type DraftRuleset, type Problem } from '@engine/authoring'
import { quote } from '@engine/expression'
import { checkSubject } from '../../compute/check.ts'
import type { Compute } from '../../compute/compute.ts'
import type { Checked, ContractInUse, EngineForm, Subject } from '../../compute/tasks.ts'
import type { Scope } from '../../database/scope.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { graphsFor, interfacesOf, type SubRuleContent } from '../sub-rules/repository.ts'
import { type SentDraft, sentSubject, smallDraft } from './sent-draft.ts'

/** The result of checking a draft against the language, its sub-rules and its contract. */
export interface CheckedDraft extends Checked {
  readonly contract: Contract | undefined
}

/** Convert a draft with everything that it refers to, and collect its problems. */
export function checkDraft(
  compute: Compute,
  scope: Scope,
  project: string,
  draft: DraftRuleset,
): Promise<CheckedDraft> {
  return checkSent(compute, scope, project, smallDraft(draft), 'values')
}

/** The same for the draft of a request body. @param form format of the converted draft */
export async function checkSent(
  compute: Compute,
  scope: Scope,
  project: string,
  draft: SentDraft,
  form: EngineForm,
): Promise<CheckedDraft> {
  const used = await graphsFor(scope, project, draft.uses)
  return checkedWith(compute, draft, used, await contractFor(scope, project, draft), form)
}

/** The same with references that are loaded already. */
export function checkWith(
  compute: Compute,
  draft: DraftRuleset,
  used: ReadonlyMap<string, SubRuleContent>,
  contract: ContractInUse | undefined,
): Promise<CheckedDraft> {
  return checkedWith(compute, smallDraft(draft), used, contract, 'values')
}

async function checkedWith(
  compute: Compute,
  draft: SentDraft,
  used: ReadonlyMap<string, SubRuleContent>,
  contract: ContractInUse | undefined,
  form: EngineForm,
): Promise<CheckedDraft> {
  const subject = sentSubject(draft, referencesOf(used, contract))
  const checked = await checkSubject(compute, { subject, used: interfacesOf(used), form })
  const further = contract === undefined ? unknownContract(draft) : []
  return { ...checked, problems: [...checked.problems, ...further], contract: contract?.contract }
}

/** The references of a draft, for a worker thread without database access. */
export function referencesOf(
  used: ReadonlyMap<string, SubRuleContent>,
  contract: ContractInUse | undefined,
): Omit<Subject, 'draft'> {
  return { subRules: new Map(Array.from(used, ([name, { graph }]) => [name, graph])), contract }
}

/** A contract that the draft names must exist; one with the draft's own name is optional. */
function unknownContract({ config: { contract } }: SentDraft): readonly Problem[] {
  if (contract === undefined) return []
  const message = `there is no contract ${quote(contract)}`
  return [{ path: '/config/contract', code: 'unknown-contract', message, severity: 'error' }]
}

export const hasErrors = (problems: readonly Problem[]) => problems.some(({ severity }) => severity === 'error')
