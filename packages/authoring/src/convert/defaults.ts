import type { Value } from '@engine/expression'
import type { DraftConfig, DraftRuleset } from '../draft/model.ts'
import type { Contract } from '../contract/contract.ts'
import { declaredFields } from '../contract/declared-fields.ts'
import { fieldPath } from '../place.ts'

type Defaults = ReadonlyMap<string, Value>

/**
 * The defaults of a ruleset with those of its contract, by canonical path: its own win. Undefined: the ruleset fails where a
 * field is missing, whatever the contract says.
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

/** A draft whose own defaults are those of its contract, too: for formats that have no contracts. */
export function withContractDefaults(draft: DraftRuleset, contract: Contract): DraftRuleset {
  const { defaults: declared } = declaredFields(contract)
  const defaults = declared.size === 0 ? undefined : joinedDefaults(draft.config, declared)
  return defaults === undefined ? draft : { ...draft, config: { ...draft.config, fieldMissing: 'default', defaults } }
}
