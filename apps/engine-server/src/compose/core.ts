import type { Credentials } from '../access/credentials.ts'
import type { Started } from '../lifecycle/start-text.ts'
import type { Listening } from './transports.ts'
import { AnalysisThreads } from '../analysis/threads.ts'
import { startingStore } from '../store/start-failure.ts'
import type { CapabilityProvider } from '@engine/ruleset'
import { type Audit, openAudit } from '../audit/audit.ts'
import { EGRESS_MEANING, egressOf, egressPolicyOf } from './egress.ts'
import type { RulesetCatalog, ShownRulesets } from '../catalog/catalog.ts'
import type { Configuration } from '../config/config.ts'
import { createHealthService, type HealthParts, type HealthService } from '../services/health.ts'
import { type Log, ShutdownList, StartError, starting } from '@engine/process'
import { type DirectoryLock, lockDirectory } from '../store/directory-lock.ts'
import { nodeDisk } from '../store/disk.ts'
import { makeDirectoryDurably } from '../store/durable-files.ts'
import { openPlatformLink, type PlatformLink } from './platform.ts'
import type { Sync } from '../sync/sync.ts'
import { createMetrics, type MetricsRegistry } from '../telemetry/metrics.ts'
import type { TenantsSubscriber } from '../tenants/tenancy.ts'
import { VERSION } from '../version.ts'
import { openReceiptsHere, type ReceiptsHere } from './receipts.ts'
import { openStorage, type Storage } from './storage.ts'
import { openSync } from './sync.ts'
import { settingsOf, signaturePolicyOf } from './workspace.ts'

/** The starting point of every process's composition. */
export interface Process {
  readonly configuration: Configuration
  readonly instanceId: string
  readonly log: Log
  readonly ownCapabilities: readonly CapabilityProvider[]
  readonly shutdown: ShutdownList
}

/** The processes that hold replicas of what this one stores. */
export interface Replicas {
  /** Gives what all of them have. */
  subscribe(catalog: RulesetCatalog, tenant: string | undefined): ShownRulesets
  readonly tenantsSubscriber: TenantsSubscriber
}

/** The parts of a process that stores rulesets, besides its listeners. */
export interface Core {
  readonly metrics: MetricsRegistry
  readonly audit: Audit
  readonly sync: Sync
  readonly storage: Storage
  /** Undefined: there is no platform. */
  readonly link: PlatformLink | undefined
  /** Undefined: this engine keeps no receipts. */
  readonly receipts: ReceiptsHere | undefined
}

/**
 * Compose a process that stores rulesets; its rules directory is locked until the shutdown. Rejects with a `StartError`.
 *
 * @param compose runs once the directory is locked; when it fails the lock is released
 */
export async function withLock<T>(
  process: Omit<Process, 'shutdown'>,
  compose: (process: Process) => Promise<T>,
): Promise<T> {
  const shutdown = new ShutdownList()
  const lock = await lockOf(process)
  shutdown.add('lock of the rules directory', 1, async () => lock?.release())
  try {
    return await compose({ ...process, shutdown })
  } catch (error) {
    lock?.release()
    throw error
  }
}

/** Before anything is read from the directory. */
async function lockOf({
  configuration: { rulesDir },
  instanceId,
  log,
}: Omit<Process, 'shutdown'>): Promise<DirectoryLock | undefined> {
  if (rulesDir === undefined) return undefined
  return startingStore('--rules-dir', rulesDir, async () => {
    await makeDirectoryDurably(nodeDisk, rulesDir)
    return lockDirectory(rulesDir, instanceId, log)
  })
}

/** Open what keeps and changes rulesets: audit, store, sync. Rejects with a `StartError`. */
export async function openCore(
  process: Process,
  replicas: Replicas | undefined,
  { receiptsKey }: Pick<Credentials, 'receiptsKey'>,
): Promise<Core> {
  const { configuration, instanceId, log, ownCapabilities, shutdown } = process
  const { auditDir } = configuration
  const metrics = createMetrics({ version: VERSION })
  const audit = await starting('--audit-dir', auditDir ?? '', () =>
    openAudit({
      directory: auditDir,
      sampleRate: configuration.auditSampleRate,
      includePayload: configuration.auditIncludePayload,
      instanceId,
      log,
      lost: (count) => metrics.auditLost(count),
    }),
  )
  shutdown.add('audit', 0.8, async () => {
    audit.serverStopped()
    await audit.close()
  })
  const receipts = await openReceiptsHere(process, receiptsKey, metrics, replicas !== undefined)
  const link = await openPlatformLink({ configuration, instanceId, log, metrics })
  // What sync compares with is opened after it, because every change from the first one on is published.
  const sync = await openSync({ configuration, instanceId, log, metrics, local: () => storage.local })
  const analysis = new AnalysisThreads()
  shutdown.add('analysis', 1, () => analysis.close())
  const storage = await openStorage(
    {
      ...settingsOf(configuration),
      signatures: await signaturePolicyOf(configuration, log),
      log,
      metrics,
      audit,
      analysis,
      outbound: { egress: egressOf(configuration), metrics, own: ownCapabilities },
      statistics: link?.statistics,
      recorder: link?.recording?.recorder,
      receipts: receipts?.own,
      subscribe(catalog, tenant) {
        // First, so that a change it refuses does not reach other subscribers.
        if (link !== undefined) catalog.subscribe(link.subscriber(tenant))
        const shown = replicas?.subscribe(catalog, tenant)
        const publisher = sync.subscriber(tenant)
        if (publisher !== undefined) catalog.subscribe(publisher)
        return shown
      },
    },
    {
      isMultiTenant: configuration.multiTenancyEnabled,
      subscribers: [replicas?.tenantsSubscriber, sync.tenantsSubscriber].filter((one) => one !== undefined),
    },
  )
  await warnOfDisks(storage, audit, log)
  metrics.observeStorage(() => ({
    rulesets: storage.overview.size,
    rejectedFiles: storage.overview.rejected.length,
  }))
  shutdown.add('store and outbound connections', 0.5, () => storage.close())
  shutdown.add('sync', 0.5, (milliseconds) => sync.close(milliseconds))
  // A change applied from a file is still published.
  shutdown.add('watching of rule files', 0.5, () => storage.stopWatching())
  if (link !== undefined) shutdown.add('link to the platform', 0.5, (milliseconds) => link.close(milliseconds))
  return { metrics, audit, sync, storage, link, receipts }
}

/** Milliseconds that the start waits for a disk that hangs. */
const DISK_PATIENCE_MS = 2000

/** A full or read-only disk does not end the start: the server serves the stored rulesets. */
async function warnOfDisks({ overview }: Storage, audit: Audit, log: Log): Promise<void> {
  const probe = await overview.probe(DISK_PATIENCE_MS)
  if (!probe.ok)
    log.error(
      { reason: probe.reason },
      'the rules directory cannot be written: changes are refused, decisions continue',
    )
  const fault = await audit.fault()
  if (fault !== undefined)
    log.error({ reason: fault }, 'the audit cannot be written: changes are refused, decisions continue')
}

/** @param workers the processes that answer; undefined: it is this one */
export function healthOf(
  { configuration, instanceId }: Process,
  { audit, sync, storage, link }: Core,
  workers?: HealthParts['workers'],
): HealthService {
  const { role, debugMode, contracts, auditDir } = configuration
  if (storage.overview.size > 0) link?.hasRulesets()
  return createHealthService({
    store: storage.overview,
    version: VERSION,
    instanceId,
    role,
    debugMode,
    contracts,
    sync,
    audit: async () => ({
      enabled: auditDir !== undefined,
      sample_rate: audit.sampleRate.get(),
      dropped: audit.dropped,
      fault: (await audit.fault()) ?? null,
    }),
    workers,
    platform: link,
  })
}

/** Connect to the other instances. Rejects with a `StartError` when this one must not run as it is. */
export async function beginSync(sync: Sync): Promise<void> {
  const unfit = await sync.begin()
  if (unfit !== undefined) throw new StartError(`--instance-id: ${unfit}`)
}

/** The server accepts: what its log and its user have to know. */
export function started(
  { configuration, log }: Process,
  { audit, storage }: Core,
  { tokens }: Credentials,
  listening: Listening,
): Started {
  logExposure(configuration, log, tokens !== undefined)
  audit.serverStarted()
  return {
    version: VERSION,
    ...listening,
    rulesets: storage.names(),
    rulesDirectory: configuration.rulesDir,
    tokens: tokens !== undefined,
  }
}

/** What strangers could reach. */
function logExposure(configuration: Configuration, log: Log, hasTokens: boolean): void {
  if (!hasTokens)
    log.warn({}, 'authentication is disabled: every client that can connect may change rulesets (--api-tokens-file)')
  const policy = egressPolicyOf(configuration)
  log.info({ policy, allowed: configuration.networkHttpAllow.length }, EGRESS_MEANING[policy])
  if (configuration.contracts !== 'ruleset')
    log.warn(
      { contracts: configuration.contracts },
      'contracts of rulesets are not enforced: every input is decided (--contracts)',
    )
  if (configuration.debugMode) log.warn({}, 'debug mode is on: its endpoints show values of inputs (--debug-mode)')
}
