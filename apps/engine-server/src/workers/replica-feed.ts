import type { Tenant } from '@engine/api'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import type { TenantsSubscriber } from '../tenants/tenancy.ts'
import type { Question, RulesetsOf } from './messages.ts'
import { createVisibleRulesets } from './visible-rulesets.ts'

/** The feed of changes, on the owner, for everything that workers replicate. */
export interface ReplicaFeed {
  /** Sends the changes of a tenant's rulesets to the workers; returns the rulesets that all workers have applied. */
  subscribe(catalog: Pick<RulesetCatalog, 'list' | 'subscribe'>, tenant: string | undefined): ShownRulesets
  /** Sends the changes of the tenants to the workers. */
  readonly tenantsSubscriber: TenantsSubscriber
  /** A snapshot of the stored state; every later change is forwarded. */
  snapshot(): { readonly tenants: readonly Tenant[] | undefined; readonly stored: readonly RulesetsOf[] }
}

/**
 * @param tell sends a change to all workers; resolves when all have applied it
 * @param deleted called when a ruleset was deleted
 */
export function createReplicaFeed(
  tell: (question: Question) => Promise<void>,
  deleted: (name: string, tenant: string | undefined) => void,
): ReplicaFeed {
  const catalogs = new Map<string | undefined, Pick<RulesetCatalog, 'list'>>()
  let changes = 0
  let tenants: readonly Tenant[] | undefined
  const storedOf = (tenant: string | undefined): RulesetsOf => ({
    tenant,
    rulesets: [...(catalogs.get(tenant)?.list() ?? [])],
  })
  return {
    subscribe(catalog, tenant) {
      catalogs.set(tenant, catalog)
      const shown = createVisibleRulesets(catalog)
      catalog.subscribe({
        async changed(change) {
          if (change.kind === 'deleted') deleted(change.name, tenant)
          const id = ++changes
          await tell({ kind: 'change', id, tenant, change })
          shown.show(change)
          await tell({ kind: 'shown', id })
        },
      })
      return shown
    },
    tenantsSubscriber: {
      changed({ list }) {
        const before = new Set(tenants?.map(({ id }) => id))
        const present = new Set<string | undefined>(list.map(({ id }) => id))
        tenants = list
        for (const tenant of catalogs.keys()) if (!present.has(tenant)) catalogs.delete(tenant)
        const opened = list.filter(({ id }) => !before.has(id)).map(({ id }) => storedOf(id))
        return tell({ kind: 'tenants', tenants: list, opened })
      },
    },
    snapshot: () => ({
      tenants,
      stored: tenants === undefined ? [storedOf(undefined)] : tenants.map(({ id }) => storedOf(id)),
    }),
  }
}
