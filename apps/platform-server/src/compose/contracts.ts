import { conceptsOf, contractIn, contractOf } from '../features/catalog/repository.ts'
import type { ContractFinder } from '../features/drafts/routes.ts'

/** The contract that a draft names, else the one of its own name. */
export const contractFor: ContractFinder = async (scope, project, { config }) => {
  const row = await contractIn(scope, project, config.contract ?? config.name)
  return row && { contract: contractOf(row), concepts: await conceptsOf(scope, project) }
}
