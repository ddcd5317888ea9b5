import { startingStore } from '../store/start-failure.ts'
import type { TrustedKeys } from '@engine/signing'
import lt from 'semver/functions/lt.js'
import valid from 'semver/functions/valid.js'
import type { AnalysisThreads } from '../analysis/threads.ts'
import type { Audit, RuleAudit } from '../audit/audit.ts'
import { type OutboundParts, tenantCapabilities } from '../capabilities/built-in.ts'
import { RulesetAdmission } from '../catalog/admission.ts'
import { createCatalog, type RulesetCatalog, type ShownRulesets } from '../catalog/catalog.ts'
import { createSignatureGate, type SignatureGate } from '../signatures/gate.ts'
import type { Configuration } from '../config/config.ts'
import { createHost } from '../services/host.ts'
import type { MinimumVersions } from '../signatures/minimum-versions.ts'
import { tenantDirectory } from '../store/paths.ts'
import { seed } from '../store/seed.ts'
import { reportChanges } from '../services/change-events.ts'
import { createDebugService } from '../services/debug.ts'
import { createAnalysisService, createFindings } from '../services/analysis.ts'
import { createEvaluationService } from '../services/evaluation.ts'
import type { Events } from '../services/events.ts'
import { createExecutionService } from '../services/execution.ts'
import { createFilterService } from '../services/filters.ts'
import { createPrograms } from '../services/programs.ts'
import { createReloadService } from '../services/reload.ts'
import { createDeliveryService } from '../services/delivery.ts'
import { createReplicationService } from '../services/replication.ts'
import { createReceiptService } from '../services/receipts.ts'
import type { Program } from '@engine/ruleset'
import { createRulesetService } from '../services/rulesets.ts'
import { recordedCapabilities } from '../receipts/recording.ts'
import { createTenantReceipts } from '../receipts/tenant-receipts.ts'
import type { OpenReceipts } from './receipts.ts'
import { readMinimumVersions, readTrustedKeys } from '../access/start-files.ts'
import { type Log } from '@engine/process'
import { openDirectoryStore } from '../store/directory.ts'
import { nodeDisk } from '../store/disk.ts'
import { makeOwnDirectory } from '../store/durable-files.ts'
import { createMemoryStore } from '../store/memory.ts'
import { DeduplicatedLog } from '../sync/deduplicated-log.ts'
import { createSeedRecord } from '../store/seed-record.ts'
import type { Recorder, TenantRecorder } from '../platform/recorder.ts'
import type { Statistics, TenantStatistics } from '../platform/statistics.ts'
import type { Store } from '../store/store.ts'
import type { MetricsRegistry, TenantMetrics } from '../telemetry/metrics.ts'
import { createChangeGate } from '../services/change-gate.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import type { Workspace } from '../tenants/workspace.ts'
import { watchDirectory } from '../watch/directory-watch.ts'
import { type Snapshot, snapshotIfThere } from '../watch/snapshot.ts'

/** Where rulesets are kept. */
export interface RuleFiles {
  readonly rulesDir: string
  readonly maxVersions: number
  /** Whether changes of files are applied at run time. */
  readonly isWatched: boolean
}

/** Which signatures are good enough. */
export interface SignaturePolicy {
  /** False: nothing is verified. */
  readonly enabled: boolean
  /** Required for everything that is not exempt. */
  readonly required: boolean
  /** Files are exempt at start. */
  readonly allowUnsignedLocal: boolean
  /** A signature must name the tenant. */
  readonly bindTenant: boolean
  readonly trusted: TrustedKeys
  readonly minimumVersions: MinimumVersions
}

/** What all workspaces of a process share. */
export interface WorkspaceParts {
  /** Undefined: rulesets are kept in memory. */
  readonly files: RuleFiles | undefined
  /** Rulesets that a new store begins with. */
  readonly seedDir: string | undefined
  readonly signatures: SignaturePolicy
  /** Default timeout of an execution in milliseconds. */
  readonly executionTimeoutMs: number
  readonly contracts: Configuration['contracts']
  /** Milliseconds of one request. */
  readonly requestMs: number
  readonly debugMode: boolean
  readonly log: Log
  readonly metrics: MetricsRegistry
  readonly audit: Audit
  readonly outbound: OutboundParts
  readonly analysis: AnalysisThreads
  /** Counts executions by content; undefined: not needed. */
  readonly statistics?: Statistics | undefined
  /** Keeps a share of the decisions; undefined: none. */
  readonly recorder?: Recorder | undefined
  /** Undefined: this process keeps no receipts. */
  readonly receipts?: OpenReceipts | undefined
  /**
   * Subscribes other processes and instances to the changes of a tenant. Gives what answers may show of the rulesets where
   * that is not everything.
   */
  readonly subscribe: (catalog: RulesetCatalog, tenant: string | undefined) => ShownRulesets | undefined
}

/** The part of the configuration that is about rulesets. */
export function settingsOf(
  configuration: Configuration,
): Pick<WorkspaceParts, 'files' | 'seedDir' | 'executionTimeoutMs' | 'contracts' | 'requestMs' | 'debugMode'> {
  const { rulesDir, maxVersions, watchRules, seedDir, executionTimeoutMs, contracts, requestTimeoutSecs, debugMode } =
    configuration
  return {
    files: rulesDir === undefined ? undefined : { rulesDir, maxVersions, isWatched: watchRules },
    seedDir,
    executionTimeoutMs,
    contracts,
    requestMs: requestTimeoutSecs * 1000,
    debugMode,
  }
}

/** Rejects with a `StartError` where a file with keys or versions cannot be used. */
export async function signaturePolicyOf(configuration: Configuration, log: Log): Promise<SignaturePolicy> {
  const { signatureEnabled: enabled, signatureAllowUnsignedLocal: allowUnsignedLocal } = configuration
  const trusted = await readTrustedKeys(configuration)
  if (enabled && trusted.size === 0)
    log.warn({}, 'no key is trusted, so every signed ruleset is rejected (--signature-trusted-keys)')
  if (!enabled && !allowUnsignedLocal)
    log.warn({}, 'unsigned rule files are accepted: signatures are not verified (--signature-enabled)')
  if (!enabled && trusted.size > 0)
    log.warn({}, 'there are trusted keys, but signatures are not verified (--signature-enabled)')
  return {
    enabled,
    required: configuration.signatureRequire,
    allowUnsignedLocal,
    bindTenant: configuration.signatureBindTenant,
    trusted,
    minimumVersions: await readMinimumVersions(configuration),
  }
}

/**
 * Construct and connect what one tenant works with. Rejects with a `StartError`.
 *
 * @param tenant undefined: the server has no tenants, and all rulesets are in one workspace
 */
export async function openWorkspace(parts: WorkspaceParts, tenant: string | undefined): Promise<Workspace> {
  const { log, metrics, executionTimeoutMs, requestMs } = parts
  const lines = parts.audit.forTenant(tenant)
  const series = metrics.forTenant(tenant)
  const statistics = parts.statistics?.forTenant(tenant)
  const recorder = parts.recorder?.forTenant(tenant)
  const events = eventsOf(parts, tenant, { series, lines, statistics, recorder })
  const capabilities = tenantCapabilities(parts.outbound, { series, audit: lines })
  const admission = new RulesetAdmission(signaturesOf(parts, events, tenant), {
    executionTimeoutMs,
    tenant,
    capabilities,
    tolerated: (ruleset, reasons) => warnOfTolerated(log, tenant, ruleset, reasons),
  })
  const before = await filesBefore(parts, tenant)
  const catalog = createCatalog(await openStore(parts, tenant, admission), admission)
  const limits: { maxRulesets: number | undefined; longestMs: number | undefined } = {
    maxRulesets: undefined,
    longestMs: undefined,
  }
  const kept = parts.receipts
  const receipts = kept && createTenantReceipts(kept.keeper, kept.contents, tenant)
  const host = {
    capabilities:
      receipts === undefined && recorder?.keepsAnswers !== true ? capabilities : recordedCapabilities(capabilities),
    log,
    metrics: series,
    requestMs,
    tenant,
  }
  const programs = createPrograms(catalog, {
    longestMs: () => limits.longestMs,
    contracts: parts.contracts,
    branchCounts: statistics?.branchCounts,
    made: (program, stored) => {
      statistics?.made(program, stored)
      recorder?.made(program, stored)
      receipts?.made(program, stored)
    },
    host: (rulesets) => createHost({ ...host, rulesets }),
  })
  const shown = parts.subscribe(catalog, tenant) ?? catalog
  const analysis = { catalog, shown, threads: parts.analysis, tenant }
  catalog.subscribe(reportChanges(events))
  const { reload } = createReloadService({ catalog, counted: metrics.reloaded, log })
  const watch = (known: Snapshot) => watchDirectory({ directory: catalog.rulesDirectory, known, changed: reload, log })
  let watching = before === undefined ? undefined : watch(before)
  const changes = createChangeGate()
  return {
    tenant,
    catalog,
    services: {
      rulesets: createRulesetService({
        catalog,
        shown,
        events,
        changes,
        findingsOf: createFindings(analysis),
        most: () => limits.maxRulesets,
      }),
      analysis: createAnalysisService(analysis),
      execution: createExecutionService(programs, events, receipts, recorder),
      receipts: kept && createReceiptService(kept.archive, kept.keeper, tenant),
      evaluation: createEvaluationService(events, { now: Date.now, requestMs }),
      filters: createFilterService(programs, { now: Date.now, requestMs }),
      debug: parts.debugMode
        ? createDebugService(
            programs,
            () => createHost({ ...host, rulesets: programs.resolver }),
            async (document) => (await admission.check(document, 'debug')).ruleset,
          )
        : undefined,
    },
    replication: createReplicationService(catalog),
    adoption: createReplicationService(catalog, 'adopted'),
    delivery: createDeliveryService(catalog),
    capabilities: capabilities.names(),
    configure({ max_rulesets: most, execution_timeout_ms: longest }) {
      limits.maxRulesets = most ?? undefined
      if (limits.longestMs === (longest ?? undefined)) return
      limits.longestMs = longest ?? undefined
      programs.limitsChanged()
    },
    stopWatching: async () => watching?.close(),
    async pause() {
      await Promise.all([changes.close(), watching?.close()])
    },
    resume() {
      changes.open()
      // Everything counts as changed: changes since the scan were not observed.
      if (watching !== undefined) watching = watch(new Map())
    },
    async close() {
      await watching?.close()
      await catalog.close()
      await capabilities.close()
    },
  }
}

/** Paths of violations that one line of the log names. */
const MAX_PATHS = 20

/** Log a sample of the inputs that break contracts with the mode `warn`, by the paths of the contract. */
function warnOfBroken(log: Log, tenant: string | undefined): Events['contractBroken'] {
  const sample = new DeduplicatedLog(() => performance.now())
  return (ruleset, violations) => {
    const inputs = sample.due(ruleset)
    if (inputs === undefined) return
    const paths = violations.slice(0, MAX_PATHS).map(({ path, rule }) => `${path} ${rule}`)
    log.warn(
      { ...(tenant === undefined ? {} : { tenant }), ruleset, inputs, violations: violations.length, paths },
      'an input breaks the contract of its ruleset, whose mode is `warn`: it was decided',
    )
  }
}

function warnOfTolerated(log: Log, tenant: string | undefined, ruleset: string, reasons: readonly string[]): void {
  const named = { ruleset, reasons: reasons.slice(0, MAX_NAMED), count: reasons.length }
  log.warn(
    tenant === undefined ? named : { tenant, ...named },
    'a stored ruleset has expressions that would be refused in a new one: it decides as before, and should be corrected',
  )
}

/** The listeners to one tenant's events. */
interface Listeners {
  readonly series: TenantMetrics
  readonly lines: RuleAudit
  readonly statistics: TenantStatistics | undefined
  readonly recorder: TenantRecorder | undefined
}

function eventsOf(
  { metrics, audit, log }: WorkspaceParts,
  tenant: string | undefined,
  { series, lines, statistics, recorder }: Listeners,
): Events {
  return {
    contractBroken: warnOfBroken(log, tenant),
    auditable: audit.auditable,
    created: lines.created,
    updated: (rule, by) => {
      if (valid(rule.from) !== null && valid(rule.to) !== null && lt(rule.to, rule.from)) metrics.versionWentBack()
      return lines.updated(rule, by)
    },
    deleted: (rule, by) => {
      series.forget(rule.name)
      return lines.deleted(rule, by)
    },
    rolledBack: lines.rolledBack,
    signatureRejected: (rejection, by) => {
      lines.signatureRejected(rejection, by)
      metrics.signatureRejected(rejection.reason)
    },
    executed: (execution, program) => {
      statistics?.executed(program, execution.seconds, execution.code)
      series.executed(execution.name, execution.seconds, execution.code)
      const mode = program.ruleset.config.contract?.mode
      const { name, refused } = execution
      if (mode === 'warn' || mode === 'enforce')
        series.violated(name, mode, refused === undefined ? execution.violations : refused.length)
      lines.executed(execution)
      if (recorder !== undefined) recordExecution(recorder, execution, program)
    },
    evaluated: (seconds, outcome) => metrics.evaluated(seconds, outcome),
  }
}

/** Executions that failed are not recorded. */
function recordExecution(
  recorder: TenantRecorder,
  execution: Parameters<Events['executed']>[0],
  program: Program,
): void {
  const { code, input, output, refused, recorded } = execution
  if (code !== undefined) recorder.decided(program, input, code, output ?? null, recorded)
  else if (refused !== undefined) recorder.refused(program, input, refused, recorded)
}

function signaturesOf(
  { signatures, files }: WorkspaceParts,
  events: Pick<Events, 'signatureRejected'>,
  tenant: string | undefined,
): SignatureGate {
  const { enabled, required, allowUnsignedLocal, bindTenant, trusted, minimumVersions } = signatures
  return createSignatureGate({
    enabled,
    // Stored rulesets become files, and must not be rejected at the next start.
    required: required || (files !== undefined && !allowUnsignedLocal),
    allowUnsignedLocal,
    boundTenant: bindTenant ? tenant : undefined,
    trusted,
    minimumVersions,
    rejected: (rejection, by) => events.signatureRejected(rejection, by),
  })
}

/** The store with what its directory and its seeds hold. */
async function openStore(
  parts: WorkspaceParts,
  tenant: string | undefined,
  admission: RulesetAdmission,
): Promise<Store> {
  const unsigned = new Set<string>()
  const atStart = admission.file('start', (name) => unsigned.add(name))
  const store =
    parts.files === undefined
      ? createMemoryStore()
      : await openFiles(parts.files, parts.log, tenant, { decode: atStart, decodeLater: admission.file('watch') })
  if (parts.seedDir !== undefined && (tenant ?? DEFAULT_TENANT) === DEFAULT_TENANT) {
    const record = store.mode === 'memory' ? undefined : createSeedRecord(nodeDisk, store.rulesDirectory)
    await seed(store, parts.seedDir, atStart, record)
  }
  if (parts.signatures.required) warnOfUnsigned(parts.log, tenant, [...unsigned])
  return store
}

async function openFiles(
  { rulesDir, maxVersions }: RuleFiles,
  log: Log,
  tenant: string | undefined,
  decoding: Pick<Parameters<typeof openDirectoryStore>[0], 'decode' | 'decodeLater'>,
): Promise<Store> {
  return startingStore('--rules-dir', rulesDir, async () => {
    const rulesDirectory = tenantDirectory(rulesDir, tenant)
    if (tenant !== undefined) await makeOwnDirectory(nodeDisk, rulesDirectory, `\`${rulesDirectory}\``)
    return openDirectoryStore({
      rulesDirectory,
      // Specification 4.4 names the directory that was given.
      probeDirectory: rulesDir,
      maxVersions,
      disk: nodeDisk,
      ...decoding,
      log,
      now: Date.now,
    })
  })
}

/** Names of unsigned rulesets that a warning lists. */
const MAX_NAMED = 20

/**
 * Rulesets are served because they existed at start although the watcher or an upload would reject them: this must be
 * visible.
 */
function warnOfUnsigned(log: Log, tenant: string | undefined, names: readonly string[]): void {
  if (names.length === 0) return
  const fields = { count: names.length, rulesets: names.slice(0, MAX_NAMED) }
  log.warn(
    tenant === undefined ? fields : { ...fields, tenant },
    'unsigned rule files are served though signatures are required: nothing proves who wrote them (--signature-allow-unsigned-local=false refuses them)',
  )
}

/** The files present before any is read, so that changes while the store is opened are detected. */
async function filesBefore({ files }: WorkspaceParts, tenant: string | undefined): Promise<Snapshot | undefined> {
  if (files === undefined || !files.isWatched) return undefined
  const { rulesDir } = files
  return startingStore('--rules-dir', rulesDir, () => snapshotIfThere(tenantDirectory(rulesDir, tenant)))
}
