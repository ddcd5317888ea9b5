import type { Change } from '../catalog/change-feed.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import { createTable } from '../store/table.ts'

/**
 * What requests are shown of a catalog that several processes hold: a change when all of them decide by it, so that no
 * process decides by something older than what another one has shown.
 */
export interface VisibleRulesets extends ShownRulesets {
  /** All processes have this change. */
  show(change: Change): void
}

/** Makes the current state visible. */
export function createVisibleRulesets(catalog: Pick<RulesetCatalog, 'list'>): VisibleRulesets {
  const table = createTable()
  for (const ruleset of catalog.list()) table.set(ruleset)
  return {
    get: table.get,
    list: table.all,
    show(change) {
      if (change.kind === 'put') table.set(change.ruleset)
      else table.remove(change.name)
    },
  }
}
