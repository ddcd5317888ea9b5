import type { Applied } from '../services/replication.ts'
import type { StoredRuleset } from '../store/store.ts'
import type { SyncEvent } from './event.ts'

/** What this instance stores, of all its tenants. */
export interface LocalState {
  /** Nothing was stored here before this start. */
  readonly isNew: boolean
  rulesets(): Iterable<readonly [tenant: string, ruleset: StoredRuleset]>
  /** All tenants in the form of `tenants.json`; undefined: this instance has no tenants. */
  tenantsText(): string | undefined
  /**
   * Whether there is a file of this ruleset, but none that can be served: it is not there, and was not deleted either.
   */
  isWithheld(tenant: string, name: string): boolean
  /**
   * Apply a change made elsewhere. It is not published to other instances.
   *
   * @param meetsPrecondition called synchronously right before the store is changed; false cancels the change
   */
  apply(event: SyncEvent, meetsPrecondition?: () => boolean): Promise<Applied>
  /**
   * Apply a change requested by a publisher outside the fleet. Changes of rulesets are published to other instances.
   */
  adopt(event: SyncEvent): Promise<Applied>
}

/** Rulesets of all tenants. */
export function rulesetCount(local: LocalState): number {
  let total = 0
  for (const _ of local.rulesets()) total++
  return total
}
