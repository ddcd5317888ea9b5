import { startingStore } from '../store/start-failure.ts'
import { deliveryPlaceOf } from './delivery-place.ts'
import { localStateOf } from './local-state.ts'
import { openWorkspace, type WorkspaceParts } from './workspace.ts'
import type { StorageOverview } from '../services/health.ts'
import type { Services } from '../services/services.ts'
import { StartError } from '@engine/process'
import { nodeDisk } from '../store/disk.ts'
import { makeDirectoryDurably, removeLeftovers } from '../store/durable-files.ts'
import type { RulesetCatalog } from '../catalog/catalog.ts'
import { digestOfAll, type TenantContents } from '../catalog/content-digest.ts'
import type { DeliveryPlace } from '../platform/delivery.ts'
import type { Workspace } from '../tenants/workspace.ts'
import type { LocalState } from '../sync/local-state.ts'
import { moveToDeleted } from '../tenants/deleted-tenants.ts'
import { createTenancy, type Tenancy, type TenantsSubscriber } from '../tenants/tenancy.ts'
import type { TenantService } from '../services/tenants.ts'
import { DEFAULT_TENANT, refuseTenantId } from '../store/tenant-id.ts'
import { TenantsFileError } from '../tenants/tenant.ts'
import { openTenantsFile } from '../tenants/tenants-file.ts'

/** All stored rulesets, of one tenant or of many. */
export interface Storage {
  readonly overview: StorageOverview
  /** The same for sync. */
  readonly local: LocalState
  /** The same for deliveries of the platform. */
  readonly place: DeliveryPlace
  /** Names of the capabilities of rules. */
  readonly capabilities: readonly string[]
  /** See `Reception`. */
  servicesFor(tenant: string | undefined): Services
  /** Undefined: the server has no tenants. */
  readonly tenants: TenantService | undefined
  /** Names of the rulesets; with tenants those of the default one. */
  names(): readonly string[]
  /** Stops applying file changes. Resolves when no change is being applied. */
  stopWatching(): Promise<void>
  /** Waits for pending writes; later ones are refused. */
  close(): Promise<void>
}

/** The list of tenants. */
export interface TenantsParts {
  readonly isMultiTenant: boolean
  /** Notified of every change of the tenants. */
  readonly subscribers: readonly TenantsSubscriber[]
}

/** Open the store, or with tenants the stores of all of them. Rejects with a `StartError`. */
export async function openStorage(parts: WorkspaceParts, tenants: TenantsParts): Promise<Storage> {
  if (tenants.isMultiTenant) return openTenants(parts, tenants.subscribers)
  const workspace = await openWorkspace(parts, undefined)
  const { catalog, services, stopWatching, close } = workspace
  return {
    overview: overviewOf(catalog, [workspace]),
    local: localStateOf(() => [workspace], undefined),
    place: deliveryPlaceOf(workspace, undefined),
    capabilities: workspace.capabilities,
    servicesFor: () => services,
    tenants: undefined,
    names: () => namesIn(catalog),
    stopWatching,
    close,
  }
}

/** The health of the only workspace of a server without tenants. */
function overviewOf(catalog: RulesetCatalog, workspaces: readonly Workspace[]): StorageOverview {
  const { mode, rulesDirectory } = catalog
  return {
    mode,
    rulesDirectory,
    get size() {
      return catalog.size
    },
    get rejected() {
      return catalog.rejected
    },
    probe: (timeoutMs) => catalog.probe(timeoutMs),
    digest: digestOfAll(() => contentsOf(workspaces)),
  }
}

/** The rulesets of all tenants. */
const contentsOf = (workspaces: Iterable<Workspace>): readonly TenantContents[] =>
  Array.from(workspaces, ({ tenant = DEFAULT_TENANT, catalog }) => ({ tenant, catalog }))

async function openTenants(parts: WorkspaceParts, subscribers: readonly TenantsSubscriber[]): Promise<Storage> {
  const rulesDir = parts.files?.rulesDir
  const tenancy = await openTenancy(parts, rulesDir, subscribers)
  if (rulesDir !== undefined) await warnOfStrays(parts, rulesDir, tenancy)
  return {
    overview: {
      mode: rulesDir === undefined ? 'memory' : 'persistent',
      rulesDirectory: rulesDir ?? '',
      get size() {
        return rulesetsOf(tenancy)
      },
      get rejected() {
        return [...tenancy.workspaces()].flatMap(({ tenant, catalog }) =>
          catalog.rejected.map(({ file, reason }) => ({ file: `${tenant}/${file}`, reason })),
        )
      },
      probe: (timeoutMs) => defaultWorkspace(tenancy).catalog.probe(timeoutMs),
      digest: digestOfAll(() => contentsOf(tenancy.workspaces())),
    },
    local: localStateOf(() => tenancy.workspaces(), tenancy),
    place: deliveryPlaceOf(defaultWorkspace(tenancy), tenancy),
    capabilities: defaultWorkspace(tenancy).capabilities,
    servicesFor: (tenant) => tenancy.services(tenant),
    tenants: tenancy.tenants,
    names: () => namesIn(defaultWorkspace(tenancy).catalog),
    stopWatching: async () => {
      await Promise.all([...tenancy.workspaces()].map((workspace) => workspace.stopWatching()))
    },
    close: () => tenancy.close(),
  }
}

async function openTenancy(
  parts: WorkspaceParts,
  rulesDirectory: string | undefined,
  subscribers: readonly TenantsSubscriber[],
): Promise<Tenancy> {
  const { log, metrics, audit } = parts
  try {
    return await startingStore('--rules-dir', rulesDirectory ?? '', async () => {
      if (rulesDirectory !== undefined) {
        await makeDirectoryDurably(nodeDisk, rulesDirectory)
        // Leftovers of `tenants.json` and the probe; each tenant's store removes its own.
        await removeLeftovers(nodeDisk, rulesDirectory, await nodeDisk.list(rulesDirectory))
      }
      return createTenancy({
        file: rulesDirectory === undefined ? undefined : await openTenantsFile(nodeDisk, rulesDirectory),
        open: ({ id }) => openWorkspace(parts, id),
        moveToDeleted:
          rulesDirectory === undefined ? undefined : (id) => moveToDeleted(nodeDisk, rulesDirectory, id, Date.now()),
        limited: metrics.tenantLimited,
        subscribers,
        audit: audit.tenants,
        log,
      })
    })
  } catch (error) {
    if (error instanceof TenantsFileError) throw new StartError(`tenants.json: ${error.message}`, { cause: error })
    throw error
  }
}

const namesIn = (catalog: RulesetCatalog) => Array.from(catalog.list(), ({ name }) => name).sort()

function rulesetsOf(tenancy: Tenancy): number {
  let total = 0
  for (const { catalog } of tenancy.workspaces()) total += catalog.size
  return total
}

/** The default tenant always exists, and is opened first. */
function defaultWorkspace(tenancy: Tenancy): Workspace {
  const [first] = tenancy.workspaces()
  if (first === undefined) throw new TypeError('there is no default tenant')
  return first
}

/** Files in the rules directory that belong to no tenant are not served, which may be a mistake. */
async function warnOfStrays({ log }: WorkspaceParts, rulesDirectory: string, tenancy: Tenancy): Promise<void> {
  const entries = (await nodeDisk.list(rulesDirectory)).filter(({ name }) => !name.startsWith('.'))
  // Rule files from before there were tenants.
  const files = entries.filter(({ name, kind }) => kind === 'file' && name !== 'tenants.json')
  if (files.length > 0)
    log.warn({ files: shown(files) }, "files outside the tenants' folders are not served: move them into `default/`")
  const folders = entries.filter(
    ({ name, kind }) =>
      kind === 'directory' && refuseTenantId(name) === undefined && tenancy.workspace(name) === undefined,
  )
  if (folders.length > 0)
    log.warn({ folders: shown(folders) }, 'folders of tenants that tenants.json does not name are not served')
}

const shown = (entries: readonly { readonly name: string }[]) => entries.slice(0, 10).map(({ name }) => name)
