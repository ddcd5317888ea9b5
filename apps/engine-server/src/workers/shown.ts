import type { Change } from '../store/announcing.ts'
import type { Store } from '../store/store.ts'
import { createTable } from '../store/table.ts'

/**
 * What requests are shown of a store that several processes hold: a change when all of them decide by it, so that no
 * process decides by something older than what another one has shown.
 */
export interface Shown extends Pick<Store, 'get' | 'list'> {
  /** All processes have this change. */
  show(change: Change): void
}

/** Shows what is stored now. */
export function createShown(store: Pick<Store, 'list'>): Shown {
  const table = createTable()
  for (const ruleset of store.list()) table.set(ruleset)
  return {
    get: table.get,
    list: table.all,
    show(change) {
      if (change.kind === 'put') table.set(change.ruleset)
      else table.remove(change.name)
    },
  }
}
