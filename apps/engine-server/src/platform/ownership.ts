import { quote } from '@engine/expression'
import type { Cause, ChangeSubscriber } from '../catalog/change-feed.ts'
import { StoreError } from '../store/store.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'

/** A ruleset that the platform delivers, as the state file keeps it. */
export interface OwnedRuleset {
  readonly tenant: string
  readonly name: string
  /** Digest of the last desired content. */
  readonly digest: string
}

/** Which rulesets are the platform's: nothing else changes them. */
export interface Ownership {
  list(): readonly OwnedRuleset[]
  has(tenant: string, name: string): boolean
  own(ruleset: OwnedRuleset): void
  release(tenant: string, name: string): void
  /** Refuses changes of owned rulesets that come from elsewhere. */
  subscriber(tenant: string | undefined): ChangeSubscriber
  /** Called when a file of an owned ruleset was removed, which nothing can refuse. */
  onLost(listener: () => void): void
}

/** Changes that were decided by the platform, or by the writer that it delivers to. */
const DECIDED: ReadonlySet<Cause['origin']> = new Set(['platform', 'sync'])

// No id of a tenant has a slash.
const keyOf = (tenant: string, name: string) => `${tenant}/${name}`

/** @param known the owned rulesets when the process ended */
export function createOwnership(known: readonly OwnedRuleset[]): Ownership {
  const owned = new Map(known.map((ruleset) => [keyOf(ruleset.tenant, ruleset.name), ruleset]))
  const listeners: (() => void)[] = []
  return {
    list: () => [...owned.values()],
    has: (tenant, name) => owned.has(keyOf(tenant, name)),
    own: (ruleset) => void owned.set(keyOf(ruleset.tenant, ruleset.name), ruleset),
    release: (tenant, name) => void owned.delete(keyOf(tenant, name)),
    subscriber: (tenant = DEFAULT_TENANT) => ({
      accept(change, { origin }) {
        const name = change.kind === 'put' ? change.ruleset.name : change.name
        if (DECIDED.has(origin) || !owned.has(keyOf(tenant, name))) return
        throw new StoreError(
          'conflict',
          `${quote(name)} is delivered by the platform, and is changed there (--platform-url)`,
        )
      },
      changed(change, { origin }) {
        if (change.kind !== 'deleted' || DECIDED.has(origin) || !owned.has(keyOf(tenant, change.name))) return
        for (const lost of listeners) lost()
      },
    }),
    onLost: (listener) => void listeners.push(listener),
  }
}
