import type { Tenant, TenantSettings, TenantSummary } from '@engine/api'
import { performance } from 'node:perf_hooks'
import { EngineError, failures, quoted } from '../errors.ts'
import type { Services } from '../services/services.ts'
import { causeText } from '../store/problems.ts'
import type { Log } from '../telemetry/log.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'
import { DEFAULT_TENANT, refuseTenantId, TenantsFileError, tenantOf, parseTenants, tenantsText } from './tenant.ts'
import type { TenantsFile } from './tenants-file.ts'
import type { Workspace } from './workspace.ts'

/** The tenants of a server (design section 5): who they are, and where each one works. */
export interface Tenancy {
  /**
   * What a request may work with. Throws `EngineError`: `forbidden` for a tenant that is unknown or disabled,
   * `too-many-requests` for one that asks too often.
   *
   * @param id as the request names it; undefined: it names none
   */
  services(id: string | undefined): Services
  readonly tenants: TenantService
  /** All that somebody described, in the form of `tenants.json`. */
  text(): string
  /** Do what was done elsewhere. Rejects with `TenantsFileError`, or `EngineError` when it cannot be stored. */
  replicate(text: string): Promise<'applied' | 'unchanged'>
  /** The workspace of a tenant, whatever its limits. */
  workspace(id: string): Workspace | undefined
  /** From now on the tenants are these, as another process of this server has decided. */
  follow(tenants: readonly Tenant[]): Promise<void>
  /** The workspaces that are open. */
  workspaces(): Iterable<Workspace>
  close(): Promise<void>
}

/** `GET/POST /tenants`, `GET/PUT/DELETE /tenants/:id`. Throws or rejects with `EngineError`. */
export interface TenantService {
  list(): readonly TenantSummary[]
  get(id: string): TenantSummary
  create(id: string, settings: TenantSettings): Promise<TenantSummary>
  replace(id: string, settings: TenantSettings): Promise<TenantSummary>
  delete(id: string): Promise<void>
}

export interface TenancyParts {
  /** Undefined: tenants are kept in memory only. */
  readonly file: TenantsFile | undefined
  readonly open: (tenant: Tenant) => Promise<Workspace>
  /** A tenant was turned away because it asks too often. */
  readonly limited: (tenant: string) => void
  /** Who the tenants are has changed. Called in order; a change is not acknowledged before the promise resolves. */
  readonly changed?: ((tenants: readonly Tenant[]) => Promise<void>) | undefined
  /** As `changed`, for what was decided here and not elsewhere, with the text of `tenants.json`. */
  readonly changedHere?: ((text: string) => Promise<void>) | undefined
  /** The part of what a tenant may ask that is for this process, above 0 up to 1; default 1. */
  readonly share?: number
  readonly log: Log
}

interface Place {
  readonly tenant: Tenant
  readonly workspace: Workspace
  readonly rate: RateLimit
}

/** Rejects with `TenantsFileError`, or what opening a workspace rejects with. */
export async function createTenancy(parts: TenancyParts): Promise<Tenancy> {
  const tenancy = new OpenTenancy(parts)
  await tenancy.reload()
  parts.file?.watch(() => tenancy.reloadLater())
  return tenancy
}

class OpenTenancy implements Tenancy {
  readonly #parts: TenancyParts
  readonly #places = new Map<string, Place>()
  /** Tenants that somebody described: what the file holds. The default one is there without. */
  #described: ReadonlyMap<string, Tenant> = new Map()
  /** Changes follow each other, those of the API and those of the file. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(parts: TenancyParts) {
    this.#parts = parts
  }

  services(id: string = DEFAULT_TENANT): Services {
    const place = this.#places.get(id)
    if (place === undefined) throw new EngineError('forbidden', `the tenant ${quoted(id)} is not known here`)
    if (!place.tenant.enabled) throw new EngineError('forbidden', `the tenant ${quoted(id)} is disabled`)
    const wait = place.rate.take()
    if (wait === 0) return place.workspace.services
    this.#parts.limited(id)
    throw new EngineError(
      'too-many-requests',
      `the tenant ${quoted(id)} may ask ${place.tenant.qps_limit} times a second`,
      {
        retryAfterSeconds: Math.ceil(wait),
      },
    )
  }

  follow(tenants: readonly Tenant[]): Promise<void> {
    return this.#serially(() => this.#apply(new Map(tenants.map((tenant) => [tenant.id, tenant])), false))
  }

  workspaces(): Iterable<Workspace> {
    return Array.from(this.#places.values(), ({ workspace }) => workspace)
  }

  workspace(id: string): Workspace | undefined {
    return this.#places.get(id)?.workspace
  }

  text(): string {
    return tenantsText(this.#described.values())
  }

  replicate(text: string): Promise<'applied' | 'unchanged'> {
    return this.#serially(async () => {
      if (text === this.text()) return 'unchanged'
      await this.#apply(parseTenants(text), true)
      return 'applied'
    })
  }

  readonly tenants: TenantService = {
    list: () => Array.from(this.#places.values(), summaryOf).sort((left, right) => (left.id < right.id ? -1 : 1)),
    get: (id) => summaryOf(this.#placeOf(id)),
    create: (id, settings) =>
      this.#serially(async () => {
        const fault = refuseTenantId(id)
        if (fault !== undefined) throw failures.invalidPart('/id', fault)
        const other = [...this.#places.keys()].find((known) => known.toLowerCase() === id.toLowerCase())
        // The default one is there before anybody describes it.
        const isFirstWord = id === DEFAULT_TENANT && !this.#described.has(id)
        if (other !== undefined && !isFirstWord)
          throw new EngineError('conflict', `there is a tenant ${quoted(other)} already`)
        return this.#describe(tenantOf(id, settings))
      }),
    replace: (id, settings) =>
      this.#serially(async () => {
        this.#placeOf(id)
        return this.#describe(tenantOf(id, settings))
      }),
    delete: (id) =>
      this.#serially(async () => {
        const { workspace } = this.#placeOf(id)
        const { size } = workspace.store
        if (id === DEFAULT_TENANT) throw new EngineError('conflict', `the tenant ${quoted(id)} cannot be deleted`)
        if (size > 0)
          throw new EngineError('conflict', `the tenant ${quoted(id)} still has ${size} rulesets: delete them first`)
        await this.#apply(new Map([...this.#described].filter(([known]) => known !== id)), true)
        await this.#parts.changedHere?.(this.text())
      }),
  }

  /** What the file says now. At start its mistakes end the start; later the tenants stay as they are. */
  async reload(): Promise<void> {
    const { file } = this.#parts
    await this.#apply((await file?.read()) ?? new Map(), false)
  }

  reloadLater(): void {
    const { log } = this.#parts
    void this.#serially(async () => {
      const before = this.text()
      await this.reload()
      if (this.text() !== before) await this.#parts.changedHere?.(this.text())
    }).catch((error: unknown) =>
      log.error(
        { reason: error instanceof TenantsFileError ? error.message : causeText(error) },
        'tenants.json cannot be used; the tenants stay as they are',
      ),
    )
  }

  async close(): Promise<void> {
    this.#parts.file?.close()
    await this.#queue
    await Promise.all(Array.from(this.#places.values(), ({ workspace }) => workspace.close()))
  }

  #placeOf(id: string): Place {
    const place = this.#places.get(id)
    if (place === undefined) throw new EngineError('not-found', `tenant ${quoted(id)} not found`)
    return place
  }

  async #describe(tenant: Tenant): Promise<TenantSummary> {
    await this.#apply(new Map([...this.#described, [tenant.id, tenant]]), true)
    await this.#parts.changedHere?.(this.text())
    return summaryOf(this.#placeOf(tenant.id))
  }

  /** First what is new is opened, then the file is written, and only then anybody sees a change. */
  async #apply(described: ReadonlyMap<string, Tenant>, isWritten: boolean): Promise<void> {
    const all = new Map([[DEFAULT_TENANT, tenantOf(DEFAULT_TENANT, {})], ...described])
    const opened = new Map<string, Workspace>()
    try {
      for (const [id, tenant] of all) if (!this.#places.has(id)) opened.set(id, await this.#parts.open(tenant))
      if (isWritten) await this.#parts.file?.write(described.values())
    } catch (cause) {
      for (const workspace of opened.values()) await workspace.close()
      if (!isWritten) throw cause
      throw new EngineError('storage-failed', `the tenants were not stored: ${causeText(cause)}`, { cause })
    }
    this.#described = described
    for (const [id, { workspace }] of this.#places)
      if (!all.has(id)) {
        this.#places.delete(id)
        await workspace.close()
      }
    for (const [id, tenant] of all) this.#settle(tenant, opened.get(id) ?? this.#placeOf(id).workspace)
    await this.#parts.changed?.([...all.values()])
  }

  #settle(tenant: Tenant, workspace: Workspace): void {
    const before = this.#places.get(tenant.id)
    const limit = tenant.qps_limit === null ? undefined : tenant.qps_limit * (this.#parts.share ?? 1)
    const rate =
      before !== undefined && before.tenant.qps_limit === tenant.qps_limit
        ? before.rate
        : createRateLimit(limit, () => performance.now())
    workspace.configure(tenant)
    this.#places.set(tenant.id, { tenant, workspace, rate })
  }

  #serially<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(change)
    this.#queue = result.catch(() => undefined)
    return result
  }
}

function summaryOf({ tenant, workspace }: Place): TenantSummary {
  return { ...tenant, rules_count: workspace.store.size }
}
