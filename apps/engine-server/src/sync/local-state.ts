import type { Applied } from '../services/replication.ts'
import type { StoredRuleset } from '../store/store.ts'
import type { SyncEvent } from './event.ts'

/** The stored rulesets and tenants of this instance. */
export interface LocalState {
  /** Whether the store was empty and new at the start. */
  readonly isNew: boolean
  rulesets(): Iterable<readonly [tenant: string, ruleset: StoredRuleset]>
  /** All tenants in the form of `tenants.json`; undefined: this instance has no tenants. */
  tenantsText(): string | undefined
  /**
   * Whether the ruleset has a file that cannot be served: the ruleset is missing, but was not deleted.
   */
  isWithheld(tenant: string, name: string): boolean
  /**
   * Applies a change of the fleet's writer, which is not published again.
   *
   * @param meetsPrecondition called synchronously right before the store is changed; false cancels the change
   */
  apply(event: SyncEvent, meetsPrecondition?: () => boolean): Promise<Applied>
  /**
   * Applies a change of a publisher outside the fleet. Changes of rulesets are published to other instances.
   */
  adopt(event: SyncEvent): Promise<Applied>
}

/** Rulesets of all tenants. */
export function rulesetCount(local: LocalState): number {
  let total = 0
  for (const _ of local.rulesets()) total++
  return total
}
