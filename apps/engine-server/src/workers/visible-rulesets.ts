import type { Change } from '../catalog/change-feed.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import { createTable } from '../store/table.ts'

/**
 * The view of a catalog, replicated by several processes, that requests may see: a change becomes visible when all
 * processes have applied it, so that no process decides by older content than another one has shown.
 */
export interface VisibleRulesets extends ShownRulesets {
  /** Called when all processes have applied this change. */
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
