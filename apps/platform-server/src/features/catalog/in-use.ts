import type { ContractFinder } from '../drafts/reading.ts'
import { conceptsOf, contractIn, contractOf } from './repository.ts'

/** The contract that a draft names, else that of its own name. */
export const contractInUse: ContractFinder = async (scope, project, { config }) => {
  const row = await contractIn(scope, project, config.contract ?? config.name)
  return row && { contract: contractOf(row), concepts: await conceptsOf(scope, project) }
}
