import { quote } from '@engine/expression'
import { EngineError } from '../errors.ts'
import type { Applied, ReplicationService } from '../services/replication.ts'
import type { SyncEvent } from '../sync/event.ts'
import type { LocalState } from '../sync/local-state.ts'
import type { Tenancy } from '../tenants/tenancy.ts'
import { TenantsFileError } from '../tenants/tenant.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { Workspace } from '../tenants/workspace.ts'

/**
 * The stored content of all workspaces, as sync sees it.
 *
 * @param tenancy undefined: there are no tenants, and the one workspace is that of the default one
 */
export function localStateOf(workspaces: () => Iterable<Workspace>, tenancy: Tenancy | undefined): LocalState {
  const workspaceOf = (tenant: string): Workspace | undefined => {
    if (tenancy !== undefined) return tenancy.workspace(tenant)
    const [only] = workspaces()
    return tenant === DEFAULT_TENANT ? only : undefined
  }
  async function doneBy(
    event: SyncEvent,
    serviceOf: (workspace: Workspace) => ReplicationService,
    meetsPrecondition?: () => boolean,
  ): Promise<Applied> {
    if (event.type === 'TenantConfigChanged')
      return tenancy === undefined ? NO_TENANTS : replicated(tenancy, event.text)
    const workspace = workspaceOf(event.tenant)
    if (workspace === undefined)
      return tenancy === undefined
        ? NO_TENANTS
        : { kind: 'refused', reason: `the tenant ${quote(event.tenant)} is unknown` }
    const service = serviceOf(workspace)
    return event.type === 'RulePut' ? service.put(event, meetsPrecondition) : service.delete(event.name)
  }
  return {
    get isNew() {
      return Array.from(workspaces()).every(({ catalog }) => catalog.isNew)
    },
    *rulesets() {
      for (const { tenant, catalog } of workspaces())
        for (const ruleset of catalog.list()) yield [tenant ?? DEFAULT_TENANT, ruleset]
    },
    tenantsText: () => tenancy?.text(),
    isWithheld: (tenant, name) => workspaceOf(tenant)?.catalog.isWithheld(name) ?? false,
    apply: (event, meetsPrecondition) => doneBy(event, ({ replication }) => replication, meetsPrecondition),
    adopt: (event) => doneBy(event, ({ adoption }) => adoption),
  }
}

const NO_TENANTS: Applied = { kind: 'refused', reason: 'this instance has no tenants (--multi-tenancy-enabled)' }

async function replicated(tenancy: Tenancy, text: string): Promise<Applied> {
  try {
    return { kind: await tenancy.replicate(text) }
  } catch (error) {
    if (error instanceof TenantsFileError) return { kind: 'refused', reason: error.message }
    if (error instanceof EngineError) return { kind: 'failed', reason: error.message }
    throw error
  }
}
