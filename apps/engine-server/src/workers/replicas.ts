import type { Tenant } from '@engine/api'
import type { Followers } from '../compose-workspace.ts'
import { announcing } from '../store/announcing.ts'
import type { Store } from '../store/store.ts'
import type { Question, RulesetsOf } from './messages.ts'

/** Everything that workers hold copies of. */
export interface Replicas extends Followers {
  /** The content of the store at this moment; every later change is sent. */
  snapshot(): { readonly tenants: readonly Tenant[] | undefined; readonly stored: readonly RulesetsOf[] }
}

/**
 * @param tell sends a change to all workers; resolves when all have it
 * @param deleted called when a ruleset is gone
 */
export function createReplicas(
  tell: (question: Question) => Promise<void>,
  deleted: (name: string, tenant: string | undefined) => void,
): Replicas {
  const stores = new Map<string | undefined, Store>()
  let tenants: readonly Tenant[] | undefined
  const storedOf = (tenant: string | undefined): RulesetsOf => ({
    tenant,
    rulesets: [...(stores.get(tenant)?.list() ?? [])],
  })
  return {
    follow(store, tenant) {
      stores.set(tenant, store)
      return announcing(store, {
        accept: () => {},
        changed: (change) => {
          if (change.kind === 'deleted') deleted(change.name, tenant)
          return tell({ kind: 'change', tenant, change })
        },
      })
    },
    tenantsChanged(now) {
      const before = new Set(tenants?.map(({ id }) => id))
      const present = new Set<string | undefined>(now.map(({ id }) => id))
      tenants = now
      for (const tenant of stores.keys()) if (!present.has(tenant)) stores.delete(tenant)
      const opened = now.filter(({ id }) => !before.has(id)).map(({ id }) => storedOf(id))
      return tell({ kind: 'tenants', tenants: now, opened })
    },
    snapshot: () => ({
      tenants,
      stored: tenants === undefined ? [storedOf(undefined)] : tenants.map(({ id }) => storedOf(id)),
    }),
  }
}
