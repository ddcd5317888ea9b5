import type { Tenant, TenantSummary } from '@engine/api'
import { performance } from 'node:perf_hooks'
import { EngineError, quoted } from '../errors.ts'
import type { Services } from '../services/services.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { Workspace } from './workspace.ts'

interface Resident {
  readonly tenant: Tenant
  readonly workspace: Workspace
  readonly rate: RateLimit
}

export interface WorkspacesParts {
  /** Called when a tenant exceeds its rate limit. */
  readonly limited: (tenant: string) => void
  /** This process's share of a tenant's rate limit, greater than 0 and at most 1; default 1. */
  readonly share?: number
}

/** The served tenants with their workspaces and rate limits. */
export class Workspaces {
  readonly #residents = new Map<string, Resident>()
  readonly #parts: WorkspacesParts

  constructor(parts: WorkspacesParts) {
    this.#parts = parts
  }

  /** See `Tenancy`. */
  services(id: string = DEFAULT_TENANT): Services {
    const resident = this.#residents.get(id)
    if (resident === undefined) throw new EngineError('forbidden', `the tenant ${quoted(id)} is unknown`)
    if (!resident.tenant.enabled) throw new EngineError('forbidden', `the tenant ${quoted(id)} is disabled`)
    const wait = resident.rate.take()
    if (wait === 0) return resident.workspace.services
    this.#parts.limited(id)
    throw new EngineError(
      'too-many-requests',
      `the tenant ${quoted(id)} is limited to ${resident.tenant.qps_limit} requests per second`,
      { retryAfterSeconds: Math.ceil(wait) },
    )
  }

  has(id: string): boolean {
    return this.#residents.has(id)
  }

  /** A served tenant whose id differs only by case. */
  like(id: string): string | undefined {
    return [...this.#residents.keys()].find((known) => known.toLowerCase() === id.toLowerCase())
  }

  /** All served tenants, including the default one. */
  tenants(): readonly Tenant[] {
    return Array.from(this.#residents.values(), ({ tenant }) => tenant)
  }

  /** Throws `EngineError` `not-found`. */
  workspace(id: string): Workspace {
    return this.#residentOf(id).workspace
  }

  workspaces(): readonly Workspace[] {
    return Array.from(this.#residents.values(), ({ workspace }) => workspace)
  }

  /** Throws `EngineError` `not-found`. */
  summary(id: string): TenantSummary {
    return summaryOf(this.#residentOf(id))
  }

  /** Sorted by id. */
  summaries(): readonly TenantSummary[] {
    return Array.from(this.#residents.values(), summaryOf).sort((left, right) => (left.id < right.id ? -1 : 1))
  }

  /** Stops serving all other tenants; returns their workspaces, which stay open. */
  keep(ids: { has(id: string): boolean }): readonly Workspace[] {
    const gone = [...this.#residents].filter(([id]) => !ids.has(id))
    for (const [id] of gone) this.#residents.delete(id)
    return gone.map(([, { workspace }]) => workspace)
  }

  /** Replaces the settings of a tenant. Its current usage is kept if its limit is unchanged. */
  settle(tenant: Tenant, workspace: Workspace): void {
    const before = this.#residents.get(tenant.id)
    const limit = tenant.qps_limit === null ? undefined : tenant.qps_limit * (this.#parts.share ?? 1)
    const rate =
      before !== undefined && before.tenant.qps_limit === tenant.qps_limit
        ? before.rate
        : createRateLimit(limit, () => performance.now())
    workspace.configure(tenant)
    this.#residents.set(tenant.id, { tenant, workspace, rate })
  }

  #residentOf(id: string): Resident {
    const resident = this.#residents.get(id)
    if (resident === undefined) throw new EngineError('not-found', `tenant ${quoted(id)} not found`)
    return resident
  }
}

function summaryOf({ tenant, workspace }: Resident): TenantSummary {
  return { ...tenant, rules_count: workspace.catalog.size }
}
