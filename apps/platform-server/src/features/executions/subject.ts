import type { DraftRuleset } from '@engine/authoring'
import type { Scope } from '../../database/scope.ts'
import type { Subject } from '../../compute/tasks.ts'
import { contractFor } from '../catalog/contract-in-use.ts'
import { graphsFor, namesUsed } from '../sub-rules/repository.ts'

/** A draft with everything that it refers to, for a thread that has no database. */
export async function subjectOf(scope: Scope, project: string, draft: DraftRuleset): Promise<Subject> {
  const used = await graphsFor(scope, project, namesUsed(draft))
  return {
    draft,
    subRules: new Map(Array.from(used, ([name, { graph }]) => [name, graph])),
    contract: await contractFor(scope, project, draft),
  }
}
