import type { TenantService } from '../services/tenants.ts'
import type { Tenant, TenantSummary } from '@engine/api'
import { EngineError, failures, quoted } from '../errors.ts'
import type { Requester } from '../requester.ts'
import type { Services } from '../services/services.ts'
import { causeText, errorCode } from '../store/errors.ts'
import { StoreError } from '../store/store.ts'
import type { Awaitable, Log } from '@engine/process'
import type { BringBack } from './deleted-tenants.ts'
import { DEFAULT_TENANT, refuseTenantId } from '../store/tenant-id.ts'
import { TenantsFileError, tenantOf, parseTenants, tenantsText } from './tenant.ts'
import { createSeenFile, MAX_TENANTS_FILE, type SeenFile, type TenantsFile } from './tenants-file.ts'
import type { Workspace } from './workspace.ts'
import { Workspaces, type WorkspacesParts } from './workspaces.ts'

/** The tenants of a server (docs/tenants.md): their settings and workspaces. */
export interface Tenancy {
  /**
   * The workspace of a request. Throws `EngineError`: `forbidden` for an unknown or disabled tenant,
   * `too-many-requests` for one that exceeds its rate limit.
   *
   * @param id the id in the request; undefined if it has none
   */
  services(id: string | undefined): Services
  readonly tenants: TenantService
  /** All configured tenants, in the form of `tenants.json`. */
  text(): string
  /** Applies a change made elsewhere. Rejects with `TenantsFileError`, or `EngineError` when it cannot be stored. */
  replicate(text: string): Promise<'applied' | 'unchanged'>
  /** The workspace of a tenant, regardless of its limits. */
  workspace(id: string): Workspace | undefined
  /** Applies the tenants that another process of this server has set. */
  follow(tenants: readonly Tenant[]): Promise<void>
  /** All open workspaces. */
  workspaces(): Iterable<Workspace>
  close(): Promise<void>
}

export interface TenancyParts extends WorkspacesParts {
  /** Undefined if tenants are kept in memory only. */
  readonly file: TenantsFile | undefined
  readonly open: (tenant: Tenant) => Promise<Workspace>
  /** Moves the files of a deleted tenant away; undefined if nothing is stored on disk. */
  readonly moveToDeleted?: ((id: string) => Promise<BringBack | undefined>) | undefined
  /** Notified of every change, in this order. */
  readonly subscribers?: readonly TenantsSubscriber[]
  /** Undefined if another process audits the changes, where they are made. */
  readonly audit?: TenantAudit | undefined
  readonly log: Log
}

/** The cause of a change of tenants: a request, an edited `tenants.json`, or another instance. */
export type TenantChangeOrigin = Requester | 'file' | 'sync'

/** Events of tenants. Promises as in `Events`. */
export interface TenantAudit {
  auditable(): Promise<void>
  created(tenant: Tenant, by: TenantChangeOrigin): Promise<void>
  /** Only changed settings are written. */
  updated(before: Tenant, after: Tenant, by: TenantChangeOrigin): Promise<void>
  deleted(id: string, by: TenantChangeOrigin): Promise<void>
}

/** All tenants, as objects and as the text of `tenants.json`. */
export interface AllTenants {
  readonly list: readonly Tenant[]
  readonly text: string
}

/** The source of a change of the tenants. */
export type TenantsOrigin = 'start' | 'api' | 'file' | 'sync'

/** Subscribes to changes of the tenants, as `ChangeSubscriber` does to changes of rulesets. */
export interface TenantsSubscriber {
  /** Called before a change. Throws `StoreError` to refuse a change that could not be passed on. */
  accept?(text: string, origin: TenantsOrigin): void
  /** Called after a change is stored; the change is acknowledged when the promise resolves. */
  changed(tenants: AllTenants, origin: TenantsOrigin): Promise<void>
}

/**
 * Opens the tenants described by the file; if there is no file, no tenants are configured. Rejects with
 * `TenantsFileError`, or with the error of opening a workspace.
 */
export async function createTenancy(parts: TenancyParts): Promise<Tenancy> {
  const { file, log } = parts
  const text = await file?.read()
  const tenancy = new OpenTenancy(parts, createSeenFile(file, text, log))
  await tenancy.begin(text === undefined ? new Map() : parseTenants(text))
  file?.watch(() => tenancy.reloadLater())
  return tenancy
}

class OpenTenancy implements Tenancy {
  readonly #parts: TenancyParts
  readonly #workspaces: Workspaces
  /** The tenants in the file. The default tenant exists without an entry. */
  #described: ReadonlyMap<string, Tenant> = new Map()
  readonly #file: SeenFile
  /** Serializes changes, both of the API and of the file. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(parts: TenancyParts, file: SeenFile) {
    this.#parts = parts
    this.#file = file
    this.#workspaces = new Workspaces(parts)
  }

  services(id: string | undefined): Services {
    return this.#workspaces.services(id)
  }

  follow(tenants: readonly Tenant[]): Promise<void> {
    return this.#serially(() => this.#apply(new Map(tenants.map((tenant) => [tenant.id, tenant]))))
  }

  workspaces(): Iterable<Workspace> {
    return this.#workspaces.workspaces()
  }

  workspace(id: string): Workspace | undefined {
    return this.#workspaces.has(id) ? this.#workspaces.workspace(id) : undefined
  }

  text(): string {
    return tenantsText(this.#described.values())
  }

  replicate(text: string): Promise<'applied' | 'unchanged'> {
    return this.#serially(async () => {
      if (text === this.text()) return 'unchanged'
      const described = parseTenants(text, 'pass-over')
      const gone = [...this.#described.keys()].filter((id) => !described.has(id) && id !== DEFAULT_TENANT)
      // The files of a tenant without rulesets are moved away. A tenant that still has some may return with them.
      const emptied = gone.filter((id) => this.#workspaces.workspace(id).catalog.size === 0)
      await this.#whilePaused(emptied, () => this.#change(described, 'sync', emptied))
      return 'applied'
    })
  }

  readonly tenants: TenantService = {
    list: () => this.#workspaces.summaries(),
    get: (id) => this.#workspaces.summary(id),
    create: (id, settings, by) =>
      this.#byRequest(() => {
        const fault = refuseTenantId(id)
        if (fault !== undefined) throw failures.invalidPart('/id', fault)
        const other = this.#workspaces.like(id)
        // The default tenant exists before it is configured.
        const isFirstWord = id === DEFAULT_TENANT && !this.#described.has(id)
        if (other !== undefined && !isFirstWord)
          throw new EngineError('conflict', `the tenant ${quoted(other)} already exists`)
        return this.#describe(tenantOf(id, settings), by, isFirstWord ? [] : [id])
      }),
    replace: (id, settings, by) =>
      this.#byRequest(() => {
        this.#workspaces.workspace(id)
        return this.#describe(tenantOf(id, settings), by)
      }),
    delete: (id, by) =>
      this.#byRequest(async () => {
        const workspace = this.#workspaces.workspace(id)
        if (id === DEFAULT_TENANT) throw new EngineError('conflict', `the tenant ${quoted(id)} cannot be deleted`)
        refuseWithRulesets(workspace, id)
        await this.#whilePaused([id], () => {
          // Checked again: writes that were in progress count.
          refuseWithRulesets(workspace, id)
          return this.#change(new Map([...this.#described].filter(([known]) => known !== id)), by, [id])
        })
      }),
  }

  async begin(described: ReadonlyMap<string, Tenant>): Promise<void> {
    await this.#apply(described)
    await this.#told('start')
  }

  /** Applies the current content of the file. Mistakes are logged, and the tenants stay unchanged. */
  reloadLater(): void {
    const { log } = this.#parts
    void this.#serially(() => this.#reload()).catch((error: unknown) =>
      log.error({ reason: reasonOf(error) }, 'tenants.json is invalid: the tenants are unchanged'),
    )
  }

  async close(): Promise<void> {
    this.#parts.file?.close()
    await this.#queue
    await Promise.all(this.#workspaces.workspaces().map((workspace) => workspace.close()))
  }

  #reload(): Promise<void> {
    return this.#file.news(async (text) => {
      const described = parseTenants(text)
      const normalized = tenantsText(described.values())
      if (normalized === this.text()) return
      this.#accept(normalized, 'file')
      const before = this.#described
      await this.#apply(described)
      await this.#told('file')
      this.#report(before, 'file').catch(retried)
    })
  }

  /** A requested change starts from the file's content, so that manual edits are not overwritten. */
  #byRequest<T>(change: () => Awaitable<T>): Promise<T> {
    return this.#serially(async () => {
      await this.#parts.audit?.auditable()
      try {
        await this.#reload()
      } catch (error) {
        throw new EngineError(
          'conflict',
          `tenants.json was changed and is invalid, so no change is possible before it is corrected: ${reasonOf(error)}`,
          { cause: error },
        )
      }
      return change()
    })
  }

  async #describe(tenant: Tenant, by: Requester, emptied: readonly string[] = []): Promise<TenantSummary> {
    await this.#change(new Map([...this.#described, [tenant.id, tenant]]), by, emptied)
    return this.#workspaces.summary(tenant.id)
  }

  /** Pauses changes in these tenants during a step; if the step fails, they resume. */
  async #whilePaused(ids: readonly string[], step: () => Promise<void>): Promise<void> {
    const workspaces = ids.map((id) => this.#workspaces.workspace(id))
    try {
      await Promise.all(workspaces.map((workspace) => workspace.pause()))
      await step()
    } catch (error) {
      for (const workspace of workspaces) workspace.resume()
      throw error
    }
  }

  /**
   * Writes and applies a change made by a request or another instance.
   *
   * @param emptied tenants whose files are moved away
   */
  async #change(
    described: ReadonlyMap<string, Tenant>,
    by: Requester | 'sync',
    emptied: readonly string[],
  ): Promise<void> {
    const text = tenantsText(described.values())
    const size = Buffer.byteLength(text)
    if (size > MAX_TENANTS_FILE)
      throw new EngineError(
        'payload-too-large',
        `tenants.json would have ${size} bytes with it, and ${MAX_TENANTS_FILE} is the limit for all tenants together`,
      )
    const origin = by === 'sync' ? 'sync' : 'api'
    accepted(() => this.#accept(text, origin))
    const before = this.#described
    await this.#apply(described, { text, emptied })
    await this.#told(origin)
    const reported = this.#report(before, by)
    if (by === 'sync') reported.catch(retried)
    else await reported
  }

  /** Opens new workspaces first, then writes the file; only then does the change become visible. */
  async #apply(described: ReadonlyMap<string, Tenant>, written?: Written): Promise<void> {
    const all = new Map([[DEFAULT_TENANT, tenantOf(DEFAULT_TENANT, {})], ...described])
    const opened = new Map<string, Workspace>()
    const aside = new Map<string, BringBack>()
    try {
      for (const id of written?.emptied ?? []) {
        const back = await this.#parts.moveToDeleted?.(id)
        if (back !== undefined) aside.set(id, back)
      }
      for (const [id, tenant] of all) if (!this.#workspaces.has(id)) opened.set(id, await this.#parts.open(tenant))
      if (written !== undefined) await this.#file.write(written.text)
    } catch (cause) {
      for (const workspace of opened.values()) await workspace.close()
      await this.#bringBack(aside)
      if (written === undefined || errorCode(cause) === 'unknown error') throw cause
      throw failures.storageFailed(`tenants.json was not written: ${causeText(cause)}`, cause)
    }
    for (const id of aside.keys())
      this.#parts.log.info({ tenant: id }, 'the files of a deleted tenant were moved to `.deleted-tenants`')
    this.#described = described
    for (const workspace of this.#workspaces.keep(all)) await workspace.close()
    for (const [id, tenant] of all) this.#workspaces.settle(tenant, opened.get(id) ?? this.#workspaces.workspace(id))
  }

  #accept(text: string, origin: TenantsOrigin): void {
    for (const subscriber of this.#parts.subscribers ?? []) subscriber.accept?.(text, origin)
  }

  async #told(origin: TenantsOrigin): Promise<void> {
    const tenants = { list: this.#workspaces.tenants(), text: this.text() }
    for (const subscriber of this.#parts.subscribers ?? []) await subscriber.changed(tenants, origin)
  }

  async #bringBack(aside: ReadonlyMap<string, BringBack>): Promise<void> {
    for (const [tenant, back] of aside)
      try {
        await back()
      } catch (err) {
        this.#parts.log.error(
          { tenant, err },
          'the files of a tenant stay in `.deleted-tenants`: move them back by hand',
        )
      }
  }

  /** Records the changes since `before` in the audit. */
  async #report(before: ReadonlyMap<string, Tenant>, by: TenantChangeOrigin): Promise<void> {
    const { audit } = this.#parts
    if (audit === undefined) return
    const events: Promise<void>[] = []
    for (const [id, tenant] of this.#described) {
      const known = before.get(id) ?? (id === DEFAULT_TENANT ? tenantOf(id, {}) : undefined)
      if (known === undefined) events.push(audit.created(tenant, by))
      else if (tenantsText([known]) !== tenantsText([tenant])) events.push(audit.updated(known, tenant, by))
    }
    for (const id of before.keys()) if (!this.#described.has(id)) events.push(audit.deleted(id, by))
    await Promise.all(events)
  }

  #serially<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(change)
    this.#queue = result.catch(() => undefined)
    return result
  }
}

/** No caller waits for the audit, which retries by itself. */
const retried = () => {}

/** The stored part of a change. */
interface Written {
  readonly text: string
  readonly emptied: readonly string[]
}

function refuseWithRulesets({ catalog: { size } }: Workspace, id: string): void {
  if (size > 0)
    throw new EngineError('conflict', `the tenant ${quoted(id)} still has ${size} rulesets: delete them first`)
}

/** Converts a subscriber's refusal to a request error. */
function accepted(accept: () => void): void {
  try {
    accept()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw new EngineError(error.code === 'too-large' ? 'payload-too-large' : 'conflict', error.message, {
      cause: error,
    })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof TenantsFileError || error instanceof StoreError ? error.message : causeText(error)
}
