import type { Value } from '@engine/expression'
import type { DecodedRuleset, Ruleset } from '@engine/ruleset'
import {
  type BeforeWrite,
  documentInTurns,
  type PutResult,
  type Refreshed,
  type Store,
  type StoredRuleset,
} from '../store/store.ts'
import type { Admitted, RulesetAdmission, Sent } from './admission.ts'
import { type Cause, type Change, ChangeFeed, type ChangeSubscriber } from './change-feed.ts'

/** The read operations of a store. */
type Readable = Pick<
  Store,
  | 'mode'
  | 'rulesDirectory'
  | 'isNew'
  | 'size'
  | 'rejected'
  | 'isWithheld'
  | 'list'
  | 'get'
  | 'versions'
  | 'version'
  | 'probe'
  | 'close'
>

/** The rulesets that responses may show. */
export type ShownRulesets = Pick<RulesetCatalog, 'get' | 'list'>

/**
 * The rulesets of one tenant, and the only way to change them. Order of a change: its subscribers accept it, it is
 * stored, it becomes visible, its subscribers are notified, it is acknowledged.
 */
export interface RulesetCatalog extends Readable {
  /** Called for every later change, after existing subscribers. */
  subscribe(subscriber: ChangeSubscriber): void
  /**
   * The listener is called with the name of each changed ruleset, in the same synchronous step in which `get` first
   * returns the change: nothing can read one without the other.
   */
  onShown(listener: (name: string) => void): void
  /** Converts a document to an entry that may be stored. Rejects with an `EngineError` that contains the reason. */
  admit(document: Value, origin: 'api' | 'sync' | 'platform', sent?: Sent): Promise<Admitted>
  /** The result of validating a document, without checking its signature. */
  inspect(document: Value, text: string | undefined): Promise<DecodedRuleset>
  /** Checks whether a stored version may be stored again. Rejects like `admit`. */
  admitAgain(version: StoredRuleset, sent?: Sent): Promise<void>
  /** The ruleset of an admitted entry, as it was decoded on admission. */
  rulesetOf(entry: StoredRuleset): Ruleset
  /** Consults the subscribers before `put` stores. Throws `StoreError` when one of them refuses the change. */
  acceptPut(entry: StoredRuleset, cause: Cause): void
  /** See `Store`; the entry was admitted. */
  put(entry: StoredRuleset, cause: Cause, before?: BeforeWrite): Promise<PutResult>
  replace(entry: StoredRuleset, cause: Cause, before?: BeforeWrite): Promise<StoredRuleset | undefined>
  delete(name: string, cause: Cause, before?: BeforeWrite): Promise<StoredRuleset | undefined>
  /** Applies external changes of a name's files. */
  refresh(name: string): Promise<Refreshed>
  /** Stores a ruleset admitted by the owner process, without notifying subscribers. */
  adopt(entry: StoredRuleset): Promise<void>
}

/** Creates the catalog of an open store. From then on, only the catalog changes the store. */
export function createCatalog(store: Store, admission: RulesetAdmission): RulesetCatalog {
  const feed = new ChangeFeed()

  async function put(entry: StoredRuleset, cause: Cause, before?: BeforeWrite): Promise<PutResult> {
    const change: Change = { kind: 'put', ruleset: entry }
    feed.accept(change, cause)
    // The store completes writes of one ruleset in order, so the code after `await` runs in that order too.
    const result = await store.put(entry, before)
    if (result.status !== 'unchanged') await feed.changed(change, cause, result.previous)
    return result
  }

  async function replace(entry: StoredRuleset, cause: Cause, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    const change: Change = { kind: 'put', ruleset: entry }
    feed.accept(change, cause)
    const previous = await store.replace(entry, before)
    if (previous !== undefined) await feed.changed(change, cause, previous)
    return previous
  }

  async function remove(name: string, cause: Cause, before?: BeforeWrite): Promise<StoredRuleset | undefined> {
    const change: Change = { kind: 'deleted', name }
    feed.accept(change, cause)
    const previous = await store.delete(name, before)
    if (previous !== undefined) await feed.changed(change, cause, previous)
    return previous
  }

  async function refresh(name: string): Promise<Refreshed> {
    const refreshed = await store.refresh(name, (ruleset) => feed.accept({ kind: 'put', ruleset }, WATCH))
    if (refreshed.kind === 'taken-over')
      await feed.changed({ kind: 'put', ruleset: refreshed.ruleset }, WATCH, refreshed.previous)
    if (refreshed.kind === 'removed')
      await feed.changed({ kind: 'deleted', name: refreshed.previous.name }, WATCH, refreshed.previous)
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
    versions: (name) => store.versions(name),
    version: (name, seq) => store.version(name, seq),
    probe: (timeoutMs) => store.probe(timeoutMs),
    close: () => store.close(),
    subscribe: (subscriber) => feed.subscribe(subscriber),
    onShown: (listener) => store.onShown(listener),
    admit: (document, origin, sent) => admission.admit(document, origin, sent),
    inspect: (document, text) => admission.inspect(document, text),
    async admitAgain(version, sent) {
      const { ruleset } = await admission.check(await documentInTurns(version), 'rollback', sent)
      admission.keep(version, ruleset)
    },
    rulesetOf: (entry) => admission.rulesetOf(entry),
    acceptPut: (ruleset, cause) => feed.accept({ kind: 'put', ruleset }, cause),
    put,
    replace,
    delete: remove,
    refresh,
    async adopt(entry) {
      await admission.prepare(entry)
      await store.put(entry)
    },
  }
}

const WATCH = { origin: 'watch' } as const
