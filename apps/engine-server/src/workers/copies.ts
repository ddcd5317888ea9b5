import type { Tenant } from '@engine/api'
import { openWorkspace, type SharedParts } from '../compose-workspace.ts'
import type { Services } from '../services/services.ts'
import type { Change } from '../store/announcing.ts'
import { createTenancy, type Tenancy, type TenantService } from '../tenants/tenancy.ts'
import type { Workspace } from '../tenants/workspace.ts'
import type { Question, RulesetsOf } from './messages.ts'

/** The replica: a worker's copy of the owner's store, in memory. */
export interface Copies {
  /** See `Reception`. */
  servicesFor(tenant: string | undefined): Services
  /** Undefined: the server has no tenants. */
  readonly tenants: TenantService | undefined
  /** Does what the owner has done. Rejects with an error when it cannot: then the copies are not to be used any more. */
  take(change: Extract<Question, { kind: 'change' | 'tenants' }>): Promise<void>
  close(): Promise<void>
}

/** @param tenants undefined: the server has no tenants */
export async function openCopies(
  shared: SharedParts,
  tenants: readonly Tenant[] | undefined,
  stored: readonly RulesetsOf[],
): Promise<Copies> {
  /** Of workspaces that are still to be opened. */
  const arrived = new Map<string | undefined, RulesetsOf['rulesets'][number][]>()
  const arrive = (more: readonly RulesetsOf[]) => {
    for (const { tenant, rulesets } of more) arrived.set(tenant, [...(arrived.get(tenant) ?? []), ...rulesets])
  }
  arrive(stored)
  const open = async (tenant: string | undefined): Promise<Workspace> => {
    const workspace = await openWorkspace(shared, tenant)
    // Everything was checked by the owner, and is made ready when it is first asked for.
    for (const ruleset of arrived.get(tenant) ?? []) await workspace.store.put(ruleset)
    arrived.delete(tenant)
    return workspace
  }
  if (tenants === undefined) {
    const workspace = await open(undefined)
    return {
      servicesFor: () => workspace.services,
      tenants: undefined,
      take: async (change) => {
        if (change.kind === 'change') await apply(workspace, change.change)
      },
      close: () => workspace.close(),
    }
  }
  const tenancy = await openTenants(shared, tenants, open)
  return {
    servicesFor: (tenant) => tenancy.services(tenant),
    tenants: tenancy.tenants,
    async take(change) {
      if (change.kind === 'tenants') {
        arrive(change.opened)
        return tenancy.follow(change.tenants)
      }
      for (const workspace of tenancy.workspaces())
        if (workspace.tenant === change.tenant) await apply(workspace, change.change)
    },
    close: () => tenancy.close(),
  }
}

async function openTenants(
  { configuration, metrics, log }: SharedParts,
  tenants: readonly Tenant[],
  open: (tenant: string) => Promise<Workspace>,
): Promise<Tenancy> {
  const tenancy = await createTenancy({
    file: undefined,
    open: ({ id }) => open(id),
    limited: metrics.tenantLimited,
    share: 1 / configuration.workers,
    log,
  })
  await tenancy.follow(tenants)
  return tenancy
}

async function apply({ replication }: Workspace, change: Change): Promise<void> {
  const done =
    change.kind === 'put'
      ? await replication.put(change.ruleset.name, change.ruleset.text)
      : await replication.delete(change.name)
  if (done.kind === 'refused' || done.kind === 'failed') throw new Error(`a change was not applied: ${done.reason}`)
}
