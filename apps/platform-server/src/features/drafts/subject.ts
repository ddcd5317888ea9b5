import type { DraftRuleset } from '@engine/authoring'
import type { ContractInUse, SentSubject, Subject } from '../../compute/tasks.ts'
import type { Scope } from '../../database/scope.ts'
import { graphsFor, namesUsed, type SubRuleContent } from '../sub-rules/repository.ts'
import { referencesOf } from './draft-check.ts'
import { type SentDraft, sentSubject } from './sent-draft.ts'

/** A draft with everything that it refers to, for a worker thread without database access. */
export async function subjectOf(
  scope: Scope,
  project: string,
  draft: DraftRuleset,
  contract: ContractInUse | undefined,
): Promise<Subject> {
  return subjectWith(draft, await graphsFor(scope, project, namesUsed(draft)), contract)
}

/** The same with sub-rules that are loaded already. */
export function subjectWith(
  draft: DraftRuleset,
  used: ReadonlyMap<string, SubRuleContent>,
  contract: ContractInUse | undefined,
): Subject {
  return { ...referencesOf(used, contract), draft }
}

/** The same for the draft of a request body. */
export async function subjectOfSent(
  scope: Scope,
  project: string,
  draft: SentDraft,
  contract: ContractInUse | undefined,
): Promise<SentSubject> {
  return sentSubject(draft, referencesOf(await graphsFor(scope, project, draft.uses), contract))
}
