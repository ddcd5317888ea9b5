import type { Tenant } from '@engine/api'
import { openWorkspace, type WorkspaceParts } from './workspace.ts'
import type { Services } from '../services/services.ts'
import type { Change } from '../catalog/change-feed.ts'
import { createTenancy, type Tenancy } from '../tenants/tenancy.ts'
import type { TenantService } from '../services/tenants.ts'
import type { Workspace } from '../tenants/workspace.ts'
import type { Question, RulesetsOf } from '../workers/messages.ts'
import { createVisibleRulesets, type VisibleRulesets } from '../workers/visible-rulesets.ts'

/** A worker's in-memory copy of the owner's state. */
export interface Replica {
  /** See `Reception`. */
  servicesFor(tenant: string | undefined): Services
  /** Undefined: the server has no tenants. */
  readonly tenants: TenantService | undefined
  /** Applies a change made by the owner. Rejects when that fails: the replica must not be used afterwards. */
  take(change: Extract<Question, { kind: 'change' | 'shown' | 'tenants' }>): Promise<void>
  close(): Promise<void>
}

/**
 * @param tenants undefined: the server has no tenants
 * @param share this process's share of a tenant's rate limit
 */
export async function openReplica(
  parts: Omit<WorkspaceParts, 'subscribe'>,
  tenants: readonly Tenant[] | undefined,
  stored: readonly RulesetsOf[],
  share: number,
): Promise<Replica> {
  /** Rulesets of workspaces that are not open yet. */
  const arrived = new Map<string | undefined, RulesetsOf['rulesets'][number][]>()
  const arrive = (more: readonly RulesetsOf[]) => {
    for (const { tenant, rulesets } of more) arrived.set(tenant, [...(arrived.get(tenant) ?? []), ...rulesets])
  }
  arrive(stored)
  const shownOf = new Map<string | undefined, VisibleRulesets>()
  const open = async (tenant: string | undefined): Promise<Workspace> => {
    const workspace = await openWorkspace(
      {
        ...parts,
        subscribe(catalog) {
          const shown = createVisibleRulesets(catalog)
          shownOf.set(tenant, shown)
          return shown
        },
      },
      tenant,
    )
    // The owner has validated everything; small rulesets are decoded on first use.
    for (const ruleset of arrived.get(tenant) ?? []) {
      await workspace.catalog.adopt(ruleset)
      shownOf.get(tenant)?.show({ kind: 'put', ruleset })
    }
    arrived.delete(tenant)
    return workspace
  }
  /** Changes by which this process decides, and that not all processes have yet. */
  const unshown = new Map<number, () => void>()
  const decideBy = async (workspace: Workspace, { id, change: told }: Extract<Question, { kind: 'change' }>) => {
    await apply(workspace, told)
    unshown.set(id, () => shownOf.get(workspace.tenant)?.show(told))
  }
  const show = (id: number) => {
    unshown.get(id)?.()
    unshown.delete(id)
  }
  if (tenants === undefined) {
    const workspace = await open(undefined)
    return {
      servicesFor: () => workspace.services,
      tenants: undefined,
      take: async (question) => {
        if (question.kind === 'change') await decideBy(workspace, question)
        else if (question.kind === 'shown') show(question.id)
      },
      close: () => workspace.close(),
    }
  }
  const tenancy = await openTenants(parts, tenants, open, share)
  return {
    servicesFor: (tenant) => tenancy.services(tenant),
    tenants: tenancy.tenants,
    async take(question) {
      if (question.kind === 'shown') return show(question.id)
      if (question.kind === 'tenants') {
        arrive(question.opened)
        return tenancy.follow(question.tenants)
      }
      for (const workspace of tenancy.workspaces())
        if (workspace.tenant === question.tenant) await decideBy(workspace, question)
    },
    close: () => tenancy.close(),
  }
}

async function openTenants(
  { metrics, log }: Pick<WorkspaceParts, 'metrics' | 'log'>,
  tenants: readonly Tenant[],
  open: (tenant: string) => Promise<Workspace>,
  share: number,
): Promise<Tenancy> {
  const tenancy = await createTenancy({
    file: undefined,
    open: ({ id }) => open(id),
    limited: metrics.tenantLimited,
    share,
    log,
  })
  await tenancy.follow(tenants)
  return tenancy
}

async function apply({ replication }: Workspace, change: Change): Promise<void> {
  const done = change.kind === 'put' ? await replication.put(change.ruleset) : await replication.delete(change.name)
  if (done.kind === 'refused' || done.kind === 'failed') throw new Error(`a change was not applied: ${done.reason}`)
}
