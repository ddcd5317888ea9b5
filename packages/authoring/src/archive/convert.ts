import type { Contract } from '../contract/contract.ts'
import { convertHeld } from '../convert/contract-conversion.ts'
import type { Concepts } from '@engine/ruleset'
import type { ConvertedDraft } from '../convert/convert.ts'
import type { DraftRuleset } from '../draft/model.ts'
import type { ProjectArchive } from './archive.ts'

/** An archived ruleset in engine format, with its contract. */
export interface ArchivedConversion {
  /** Includes the problems found by its contract. */
  readonly converted: ConvertedDraft
  readonly contract: Contract | undefined
  readonly concepts: Concepts
}

/**
 * Converts an archived ruleset with the archive's sub-rules and contract: the contract that it names, else the one with
 * its own name. Linear in the size of the ruleset, its sub-rules and its contract.
 */
export function convertArchived(archive: ProjectArchive, draft: DraftRuleset): ArchivedConversion {
  const wanted = draft.config.contract ?? draft.config.name
  const contract = archive.contracts.find(({ name }) => name === wanted)
  const concepts: Concepts = new Map(archive.concepts.map(({ name, fields }) => [name, fields]))
  const subRules = new Map(archive.subRules.map(({ name, graph }) => [name, graph]))
  const converted = convertHeld(draft, { subRules, contract: contract && { contract, concepts } })
  return { converted, contract, concepts }
}
