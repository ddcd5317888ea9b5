import type { Tenant } from '@engine/api'
import { decodeRuleset } from '@engine/ruleset'
import type { TrustedKeys } from '@engine/signing'
import { join } from 'node:path'
import { lt, valid } from 'semver'
import type { Audit, RuleAudit } from './audit.ts'
import { tenantCapabilities, type OutboundParts } from './capabilities/built-in.ts'
import type { Configuration } from './config.ts'
import { EngineError } from './errors.ts'
import { createHost } from './host.ts'
import type { MinimumVersions } from './minimum-versions.ts'
import { seed } from './seed.ts'
import { createDebugService } from './services/debug.ts'
import { createEvaluationService } from './services/evaluation.ts'
import type { Events } from './services/events.ts'
import { createExecutionService } from './services/execution.ts'
import { createFilterService } from './services/filters.ts'
import { createPrograms } from './services/programs.ts'
import { createReloadService } from './services/reload.ts'
import { createReplicationService } from './services/replication.ts'
import { createRulesetService } from './services/rulesets.ts'
import { createSignatureGate, type SignatureGate } from './signatures.ts'
import { starting } from './start-error.ts'
import { announcing } from './store/announcing.ts'
import { openDirectoryStore } from './store/directory.ts'
import { nodeDisk } from './store/disk.ts'
import type { Decode } from './store/load.ts'
import { createMemoryStore } from './store/memory.ts'
import type { Store } from './store/store.ts'
import type { Sync } from './sync/sync.ts'
import type { Log } from './telemetry/log.ts'
import type { MetricsRegistry, TenantMetrics } from './telemetry/metrics.ts'
import { DEFAULT_TENANT } from './tenants/tenant.ts'
import type { Workspace } from './tenants/workspace.ts'
import { watchDirectory } from './watch/directory-watch.ts'
import { type Snapshot, snapshotIfThere } from './watch/snapshot.ts'

/** What all workspaces of a server share. */
export interface SharedParts {
  readonly configuration: Configuration
  readonly log: Log
  readonly metrics: MetricsRegistry
  readonly audit: Audit
  readonly trusted: TrustedKeys
  readonly minimumVersions: MinimumVersions
  readonly outbound: OutboundParts
  /** Other instances that hear of what is changed here; undefined: this process tells nobody. */
  readonly sync?: Pick<Sync, 'listener' | 'tenantsChanged'> | undefined
  /** Other processes that hold what is stored; undefined: there are none. */
  readonly followers?: Followers | undefined
}

/** Who has to know of every change before it is acknowledged. */
export interface Followers {
  /** The same store, whose changes they get. */
  follow(store: Store, tenant: string | undefined): Store
  tenantsChanged(tenants: readonly Tenant[]): Promise<void>
}

/**
 * Construct and connect what one tenant works with. Rejects with a `StartError`.
 *
 * @param tenant undefined: the server has no tenants, and all rulesets are in one workspace
 */
export async function openWorkspace(shared: SharedParts, tenant: string | undefined): Promise<Workspace> {
  const { configuration, log, metrics } = shared
  const lines = shared.audit.forTenant(tenant)
  const series = metrics.forTenant(tenant)
  const events = eventsOf(metrics, series, lines)
  const signatures = signaturesOf(shared, events)
  const faultsAtStart = fileFaults(signatures, 'start', tenant)
  const before = await filesBefore(shared, tenant)
  const opened = await openStore(shared, tenant, faultsAtStart, fileFaults(signatures, 'watch', tenant))
  const { seedDir, debugMode } = configuration
  if (seedDir !== undefined && (tenant ?? DEFAULT_TENANT) === DEFAULT_TENANT) await seed(opened, seedDir, faultsAtStart)
  const own = shared.followers?.follow(opened, tenant) ?? opened
  const listener = shared.sync?.listener(tenant)
  const store = listener === undefined ? own : announcing(own, listener)
  const limits: { maxRulesets: number | undefined; longestMs: number | undefined } = {
    maxRulesets: undefined,
    longestMs: undefined,
  }
  const capabilities = tenantCapabilities(shared.outbound, { series, audit: lines })
  const requestMs = configuration.requestTimeoutSecs * 1000
  const host = { capabilities, log, metrics: series, requestMs, tenant }
  const programs = createPrograms(store, {
    executionTimeoutMs: configuration.executionTimeoutMs,
    longestMs: () => limits.longestMs,
    tenant,
    host: (rulesets) => createHost({ ...host, rulesets }),
  })
  const watching =
    before === undefined
      ? undefined
      : watchDirectory({
          directory: store.rulesDirectory,
          known: before,
          changed: createReloadService({ store, programs, events, counted: metrics.reloaded, log }).reload,
          log,
        })
  return {
    tenant,
    store,
    services: {
      rulesets: createRulesetService({ store, programs, signatures, events, most: () => limits.maxRulesets }),
      execution: createExecutionService(programs, events),
      evaluation: createEvaluationService(events, { now: Date.now, requestMs }),
      filters: createFilterService(programs, Date.now),
      debug: debugMode
        ? createDebugService(programs, () => createHost({ ...host, rulesets: programs.resolver }))
        : undefined,
    },
    // Past other instances: what comes from them is known there.
    replication: createReplicationService({
      store: own,
      programs,
      events,
      admit: (document) => signatures.admit(document, 'sync'),
    }),
    configure({ max_rulesets: most, execution_timeout_ms: longest }) {
      limits.maxRulesets = most ?? undefined
      if (limits.longestMs === (longest ?? undefined)) return
      limits.longestMs = longest ?? undefined
      programs.limitsChanged()
    },
    stopWatching: async () => watching?.close(),
    async close() {
      await watching?.close()
      await store.close()
      await capabilities.close()
    },
  }
}

function eventsOf(metrics: MetricsRegistry, series: TenantMetrics, lines: RuleAudit): Events {
  return {
    created: lines.created,
    updated: (rule) => {
      lines.updated(rule)
      if (valid(rule.from) !== null && valid(rule.to) !== null && lt(rule.to, rule.from)) metrics.versionWentBack()
    },
    deleted: (rule) => {
      lines.deleted(rule)
      series.forget(rule.name)
    },
    rolledBack: lines.rolledBack,
    signatureRejected: (rejection) => {
      lines.signatureRejected(rejection)
      metrics.signatureRejected(rejection.reason)
    },
    executed: (execution) => {
      series.executed(execution.name, execution.seconds, execution.code)
      lines.executed(execution)
    },
    evaluated: (seconds, outcome) => metrics.evaluated(seconds, outcome),
  }
}

function signaturesOf({ configuration, trusted, minimumVersions }: SharedParts, events: Events): SignatureGate {
  return createSignatureGate({
    enabled: configuration.signatureEnabled,
    required: configuration.signatureRequire,
    allowUnsignedLocal: configuration.signatureAllowUnsignedLocal,
    trusted,
    minimumVersions,
    rejected: (rejection) => events.signatureRejected(rejection),
  })
}

/** Why a file cannot be served, signatures first: what nobody vouches for is not looked at further. */
function fileFaults(signatures: SignatureGate, origin: 'start' | 'watch', tenant: string | undefined): Decode {
  return (document, text) => {
    try {
      signatures.admit(document, origin)
    } catch (error) {
      if (error instanceof EngineError) return [error.message]
      throw error
    }
    const { ruleset, problems } = decodeRuleset(document, { text })
    const owner = ruleset?.config.tenantId ?? tenant
    if (tenant !== undefined && owner !== tenant) return [`it belongs to tenant \`${owner}\` (config.tenant_id)`]
    return problems.map(({ path, message }) => (path === '' ? message : `\`${path}\` ${message}`))
  }
}

/** The files that are there before any is read: what changes while the store is opened is noticed too. */
async function filesBefore({ configuration }: SharedParts, tenant: string | undefined): Promise<Snapshot | undefined> {
  const { rulesDir, watchRules } = configuration
  if (rulesDir === undefined || !watchRules) return undefined
  return starting('--rules-dir', rulesDir, () => snapshotIfThere(directoryOf(rulesDir, tenant)))
}

function directoryOf(rulesDirectory: string, tenant: string | undefined): string {
  return tenant === undefined ? rulesDirectory : join(rulesDirectory, tenant)
}

async function openStore(
  { configuration, log }: SharedParts,
  tenant: string | undefined,
  decode: Decode,
  decodeLater: Decode,
): Promise<Store> {
  const { rulesDir, maxVersions } = configuration
  if (rulesDir === undefined) return createMemoryStore()
  return starting('--rules-dir', rulesDir, () =>
    openDirectoryStore({
      rulesDirectory: directoryOf(rulesDir, tenant),
      // Specification 4.4 names the directory that was given.
      probeDirectory: rulesDir,
      maxVersions,
      disk: nodeDisk,
      decode,
      decodeLater,
      log,
      now: Date.now,
    }),
  )
}
