import type { Accept, PutResult, Refreshed, Store, StoredRuleset } from './store.ts'

/** A change of one ruleset: new content, or its deletion. */
export type Change =
  | { readonly kind: 'put'; readonly ruleset: StoredRuleset }
  | { readonly kind: 'deleted'; readonly name: string }

/** Who has to know of the changes of a store before they are acknowledged. */
export interface ChangeListener {
  /**
   * Before a change is made, by a write or by a file that is taken over. Throws `StoreError` when it could not be passed on:
   * then it is not made. Not called for a removed file.
   */
  accept(change: Change): void
  /**
   * A change is stored. Called for the changes of one ruleset in the order in which they were made; the write is not
   * acknowledged before the promise resolves. Does not reject: what is stored stays stored.
   */
  changed(change: Change): Promise<void>
}

/** The same store, whose changes, by writes and by files, are acknowledged when the listener has passed them on. */
export function announcing(store: Store, { accept, changed }: ChangeListener): Store {
  // A store settles the writes of one ruleset in their order, so what follows `await` runs in that order too.
  const put = async (ruleset: StoredRuleset): Promise<PutResult> => {
    const change: Change = { kind: 'put', ruleset }
    accept(change)
    const result = await store.put(ruleset)
    await changed(change)
    return result
  }
  const replace = async (ruleset: StoredRuleset): Promise<StoredRuleset | undefined> => {
    const change: Change = { kind: 'put', ruleset }
    accept(change)
    const previous = await store.replace(ruleset)
    if (previous !== undefined) await changed(change)
    return previous
  }
  const remove = async (name: string): Promise<StoredRuleset | undefined> => {
    const change: Change = { kind: 'deleted', name }
    accept(change)
    const previous = await store.delete(name)
    if (previous !== undefined) await changed(change)
    return previous
  }
  const refresh = async (name: string, asked?: Accept): Promise<Refreshed> => {
    const refreshed = await store.refresh(name, (ruleset) => {
      asked?.(ruleset)
      accept({ kind: 'put', ruleset })
    })
    if (refreshed.kind === 'taken-over') await changed({ kind: 'put', ruleset: refreshed.ruleset })
    if (refreshed.kind === 'removed') await changed({ kind: 'deleted', name: refreshed.previous.name })
    return refreshed
  }
  return {
    mode: store.mode,
    rulesDirectory: store.rulesDirectory,
    isNew: store.isNew,
    get size() {
      return store.size
    },
    get rejected() {
      return store.rejected
    },
    isWithheld: (name) => store.isWithheld(name),
    list: () => store.list(),
    get: (name) => store.get(name),
    put,
    replace,
    delete: remove,
    refresh,
    versions: (name) => store.versions(name),
    version: (name, seq) => store.version(name, seq),
    probe: (timeoutMs) => store.probe(timeoutMs),
    close: () => store.close(),
  }
}
