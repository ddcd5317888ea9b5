import type { Value } from '@engine/expression'
import type { DraftConfig, DraftRuleset } from '../draft/model.ts'
import type { Contract } from '../contract/contract.ts'
import { declaredFields } from '../contract/declared-fields.ts'
import { fieldPath } from '../place.ts'

type Defaults = ReadonlyMap<string, Value>

/**
 * The defaults of a ruleset merged with those of its contract, by canonical path; its own take precedence. Undefined in
 * strict mode: the ruleset fails on missing fields regardless of the contract.
 */
export function joinedDefaults(
  { fieldMissing = 'lenient', defaults: own = {} }: Pick<DraftConfig, 'fieldMissing' | 'defaults'>,
  declared: Defaults,
): { readonly [path: string]: Value } | undefined {
  if (fieldMissing !== 'default' && fieldMissing !== 'lenient') return undefined
  const kept = fieldMissing === 'default' ? own : {}
  const paths = new Set(Object.keys(kept).map((path) => fieldPath(path)))
  const added = [...declared].filter(([path]) => !paths.has(path))
  return { ...Object.fromEntries(added), ...kept }
}

/** A draft with its contract's defaults as its own: for formats without contracts. */
export function withContractDefaults(draft: DraftRuleset, contract: Contract): DraftRuleset {
  const { defaults: declared } = declaredFields(contract)
  const defaults = declared.size === 0 ? undefined : joinedDefaults(draft.config, declared)
  return defaults === undefined ? draft : { ...draft, config: { ...draft.config, fieldMissing: 'default', defaults } }
}
