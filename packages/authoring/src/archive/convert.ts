import type { Contract } from '../contract/contract.ts'
import { convertHeld } from '../convert/contract-conversion.ts'
import type { Concepts } from '../contract/type.ts'
import type { ConvertedDraft } from '../convert/convert.ts'
import type { DraftRuleset } from '../draft/model.ts'
import type { ProjectArchive } from './archive.ts'

/** A ruleset of an archive as an engine executes it, with what it is held to. */
export interface ArchivedConversion {
  /** With the problems that it has with its contract. */
  readonly converted: ConvertedDraft
  readonly contract: Contract | undefined
  readonly concepts: Concepts
}

/**
 * Converts a ruleset of an archive with the sub-rules and the contract of the archive: the one that it names, else the one of
 * its own name. Costs the size of the ruleset, of its sub-rules and of its contract.
 */
export function convertArchived(archive: ProjectArchive, draft: DraftRuleset): ArchivedConversion {
  const wanted = draft.config.contract ?? draft.config.name
  const contract = archive.contracts.find(({ name }) => name === wanted)
  const concepts: Concepts = new Map(archive.concepts.map(({ name, fields }) => [name, fields]))
  const subRules = new Map(archive.subRules.map(({ name, graph }) => [name, graph]))
  const converted = convertHeld(draft, { subRules, contract: contract && { contract, concepts } })
  return { converted, contract, concepts }
}
