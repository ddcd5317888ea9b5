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
   * Do here what was done elsewhere. It is not passed on to other instances.
   *
   * @param meetsPrecondition asked right before the store is changed, with nothing in between; false leaves it as it is
   */
  apply(event: SyncEvent, meetsPrecondition?: () => boolean): Promise<Applied>
  /** Do here what another one asks for that is no instance of this fleet. Of rulesets it is passed on to other instances. */
  adopt(event: SyncEvent): Promise<Applied>
}

/** Of all tenants. */
export function rulesetCount(local: LocalState): number {
  let total = 0
  for (const _ of local.rulesets()) total++
  return total
}
