import type { DraftRuleset } from '@engine/authoring'
import type { ContractInUse, Subject } from '../../compute/tasks.ts'
import type { Scope } from '../../database/scope.ts'
import { graphsFor, namesUsed, type SubRuleContent } from '../sub-rules/repository.ts'

/** A draft with everything that it refers to, for a thread that has no database. */
export async function subjectOf(
  scope: Scope,
  project: string,
  draft: DraftRuleset,
  contract: ContractInUse | undefined,
): Promise<Subject> {
  return subjectWith(draft, await graphsFor(scope, project, namesUsed(draft)), contract)
}

/** The same where its sub-rules are known. */
export function subjectWith(
  draft: DraftRuleset,
  used: ReadonlyMap<string, SubRuleContent>,
  contract: ContractInUse | undefined,
): Subject {
  return { draft, subRules: new Map(Array.from(used, ([name, { graph }]) => [name, graph])), contract }
}
