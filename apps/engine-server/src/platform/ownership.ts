import { quote } from '@engine/expression'
import type { Cause, ChangeSubscriber } from '../catalog/change-feed.ts'
import { StoreError } from '../store/store.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'

/** A ruleset that the platform delivers, as stored in the state file. */
export interface OwnedRuleset {
  readonly tenant: string
  readonly name: string
  /** Digest of the last desired content. */
  readonly digest: string
}

/** The rulesets that the platform owns: nothing else may change them. */
export interface Ownership {
  list(): readonly OwnedRuleset[]
  has(tenant: string, name: string): boolean
  own(ruleset: OwnedRuleset): void
  release(tenant: string, name: string): void
  /** Refuses changes of owned rulesets by others. */
  subscriber(tenant: string | undefined): ChangeSubscriber
  /** Called when a file of an owned ruleset was removed, which cannot be refused. */
  onLost(listener: () => void): void
}

/** Changes made by the platform, or by the writer to which it delivers. */
const AUTHORIZED_ORIGINS: ReadonlySet<Cause['origin']> = new Set(['platform', 'sync'])

// A tenant id contains no slash.
const keyOf = (tenant: string, name: string) => `${tenant}/${name}`

/** @param known the rulesets that were owned when the previous process ended */
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
        if (AUTHORIZED_ORIGINS.has(origin) || !owned.has(keyOf(tenant, name))) return
        throw new StoreError(
          'conflict',
          `${quote(name)} is delivered by the platform, and is changed there (--platform-url)`,
        )
      },
      changed(change, { origin }) {
        if (change.kind !== 'deleted' || AUTHORIZED_ORIGINS.has(origin) || !owned.has(keyOf(tenant, change.name)))
          return
        for (const lost of listeners) lost()
      },
    }),
    onLost: (listener) => void listeners.push(listener),
  }
}
