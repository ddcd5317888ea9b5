import type { DraftSummary } from '../../compute/large-draft.ts'
import type { ContractInUse } from '../../compute/tasks.ts'
import type { Scope } from '../../database/scope.ts'
import { conceptsOf, contractIn, contractOf } from './repository.ts'

/** The contract of a draft: the one that it names, otherwise the one with the draft's own name; undefined if neither exists. */
export async function contractFor(
  scope: Scope,
  project: string,
  { config }: Pick<DraftSummary, 'config'>,
): Promise<ContractInUse | undefined> {
  const row = await contractIn(scope, project, config.contract ?? config.name)
  if (row === undefined) return undefined
  const { contract_mode: mode } = await scope
    .read('projects')
    .selectFrom('projects')
    .select('contract_mode')
    .where('id', '=', project)
    .executeTakeFirstOrThrow()
  return { contract: contractOf(row), concepts: await conceptsOf(scope, project), mode }
}
