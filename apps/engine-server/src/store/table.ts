import { caseConflict } from './errors.ts'
import type { StoredRuleset } from './store.ts'

/** The rulesets in memory, and their names without case, so that `Tax` and `tax` never coexist. */
export interface Table {
  readonly size: number
  /** Sorted by name. The names are sorted once after each change, in O(n log n). */
  all(): IterableIterator<StoredRuleset>
  get(name: string): StoredRuleset | undefined
  /** Throws `StoreError` `conflict` when another stored name differs from this one only by case. */
  assertFree(name: string): void
  /** The stored name that equals this one except for case. */
  holder(name: string): string | undefined
  set(ruleset: StoredRuleset): void
  remove(name: string): void
  /** Called synchronously with the name of a changed or removed ruleset. */
  onShown(listener: (name: string) => void): void
}

/** An empty table. */
export function createTable(): Table {
  const rulesets = new Map<string, StoredRuleset>()
  const holders = new Map<string, string>()
  /** Undefined after a change of the names: computed lazily, because changes arrive in bursts. */
  let names: readonly string[] | undefined
  function* all() {
    names ??= Array.from(rulesets.keys()).sort()
    for (const name of names) {
      const ruleset = rulesets.get(name)
      if (ruleset !== undefined) yield ruleset
    }
  }
  const listeners: ((name: string) => void)[] = []
  const shown = (name: string) => {
    for (const listener of listeners) listener(name)
  }
  const holder = (name: string) => holders.get(nameKey(name))
  return {
    get size() {
      return rulesets.size
    },
    all,
    get: (name) => rulesets.get(name),
    holder,
    assertFree(name) {
      const other = holder(name)
      if (other !== undefined && other !== name) throw caseConflict(name, other)
    },
    set(ruleset) {
      if (!rulesets.has(ruleset.name)) names = undefined
      rulesets.set(ruleset.name, ruleset)
      holders.set(nameKey(ruleset.name), ruleset.name)
      shown(ruleset.name)
    },
    remove(name) {
      if (!rulesets.delete(name)) return
      holders.delete(nameKey(name))
      names = undefined
      shown(name)
    },
    onShown: (listener) => void listeners.push(listener),
  }
}

/** The common key of names that collide on a case-insensitive disk; writes are serialized by it. */
export function nameKey(name: string): string {
  return name.toLowerCase()
}
