import type { Tenant } from '@engine/api'
import { isObject, type Value } from '@engine/expression'
import { decodeRuleset } from '@engine/ruleset'
import type { TrustedKeys } from '@engine/signing'
import { lt, valid } from 'semver'
import type { Audit, RuleAudit } from './audit.ts'
import { tenantCapabilities, type OutboundParts } from './capabilities/built-in.ts'
import type { Configuration } from './config.ts'
import { EngineError } from './errors.ts'
import { createHost } from './host.ts'
import type { MinimumVersions } from './minimum-versions.ts'
import { tenantDirectory } from './places.ts'
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
import { createSignatureGate, isUnsigned, type SignatureGate } from './signatures.ts'
import { starting } from './start-error.ts'
import { announcing } from './store/announcing.ts'
import { openDirectoryStore } from './store/directory.ts'
import { nodeDisk } from './store/disk.ts'
import { makeOwnDirectory } from './store/files.ts'
import type { Decode } from './store/load.ts'
import { createMemoryStore } from './store/memory.ts'
import { createSeedRecord } from './store/seed-record.ts'
import type { Store } from './store/store.ts'
import type { Sync } from './sync/sync.ts'
import type { Log } from './telemetry/log.ts'
import type { MetricsRegistry, TenantMetrics } from './telemetry/metrics.ts'
import { createChangeGate } from './tenants/change-gate.ts'
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
  readonly sync?: Pick<Sync, 'listener' | 'acceptTenants' | 'tenantsChanged'> | undefined
  /** Other processes that hold what is stored; undefined: there are none. */
  readonly followers?: Followers | undefined
}

/** Who has to know of every change before it is acknowledged. */
export interface Followers {
  /** The same store, whose changes they get, and what may be shown of it to requests. */
  follow(
    store: Store,
    tenant: string | undefined,
  ): { readonly store: Store; readonly shown: Pick<Store, 'get' | 'list'> }
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
  const events = eventsOf(shared, series, lines)
  const changes = createChangeGate()
  const signatures = signaturesOf(shared, events, tenant)
  const unsigned = new Set<string>()
  const faultsAtStart = fileFaults(signatures, 'start', tenant, (document) => unsigned.add(nameIn(document)))
  const before = await filesBefore(shared, tenant)
  const opened = await openStore(shared, tenant, faultsAtStart, fileFaults(signatures, 'watch', tenant))
  const { seedDir, debugMode } = configuration
  if (seedDir !== undefined && (tenant ?? DEFAULT_TENANT) === DEFAULT_TENANT) {
    const record = opened.mode === 'memory' ? undefined : createSeedRecord(nodeDisk, opened.rulesDirectory)
    await seed(opened, seedDir, faultsAtStart, record)
  }
  if (configuration.signatureRequire) warnOfUnsigned(log, tenant, [...unsigned])
  const { store: own, shown } = shared.followers?.follow(opened, tenant) ?? { store: opened, shown: opened }
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
    capabilities,
    host: (rulesets) => createHost({ ...host, rulesets }),
  })
  const { reload } = createReloadService({ store, events, counted: metrics.reloaded, log })
  const watch = (known: Snapshot) => watchDirectory({ directory: store.rulesDirectory, known, changed: reload, log })
  const replicating = { programs, events, admit: (document: Value) => signatures.admit(document, 'sync') }
  let watching = before === undefined ? undefined : watch(before)
  return {
    tenant,
    store,
    services: {
      rulesets: createRulesetService({
        store,
        shown,
        programs,
        signatures,
        events,
        changes,
        most: () => limits.maxRulesets,
      }),
      execution: createExecutionService(programs, events),
      evaluation: createEvaluationService(events, { now: Date.now, requestMs }),
      filters: createFilterService(programs, { now: Date.now, requestMs }),
      debug: debugMode
        ? createDebugService(
            programs,
            () => createHost({ ...host, rulesets: programs.resolver }),
            (document) => signatures.admit(document, 'debug'),
          )
        : undefined,
    },
    // Past other instances: what comes from them is known there.
    replication: createReplicationService({ ...replicating, store: own }),
    adoption: createReplicationService({ ...replicating, store }),
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
      // Everything counts as changed: what came meanwhile was not seen.
      if (watching !== undefined) watching = watch(new Map())
    },
    async close() {
      await watching?.close()
      await store.close()
      await capabilities.close()
    },
  }
}

function eventsOf({ metrics, audit }: SharedParts, series: TenantMetrics, lines: RuleAudit): Events {
  return {
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
    executed: (execution) => {
      series.executed(execution.name, execution.seconds, execution.code)
      lines.executed(execution)
    },
    evaluated: (seconds, outcome) => metrics.evaluated(seconds, outcome),
  }
}

function signaturesOf(
  { configuration, trusted, minimumVersions }: SharedParts,
  events: Events,
  tenant: string | undefined,
): SignatureGate {
  const { signatureAllowUnsignedLocal: allowUnsignedLocal, rulesDir } = configuration
  return createSignatureGate({
    enabled: configuration.signatureEnabled,
    // What is stored becomes a file, and must not be refused as one at the next start.
    required: configuration.signatureRequire || (rulesDir !== undefined && !allowUnsignedLocal),
    allowUnsignedLocal,
    boundTenant: configuration.signatureBindTenant ? tenant : undefined,
    trusted,
    minimumVersions,
    rejected: (rejection, by) => events.signatureRejected(rejection, by),
  })
}

/**
 * Why a file cannot be served, signatures first: what is not signed as it must be is not looked at further.
 *
 * @param unsigned called with each document without a signature that is served all the same
 */
function fileFaults(
  signatures: SignatureGate,
  origin: 'start' | 'watch',
  tenant: string | undefined,
  unsigned?: (document: Value) => void,
): Decode {
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
    if (problems.length === 0 && isUnsigned(document)) unsigned?.(document)
    return problems.map(({ path, message }) => (path === '' ? message : `\`${path}\` ${message}`))
  }
}

function nameIn(document: Value): string {
  const { config = null } = isObject(document) ? document : {}
  return isObject(config) && typeof config['name'] === 'string' ? config['name'] : ''
}

/** Names of unsigned rulesets that a warning lists. */
const MOST_NAMED = 20

/** What the watcher or an upload would refuse is served because it was there at start: that must not go unseen. */
function warnOfUnsigned(log: Log, tenant: string | undefined, names: readonly string[]): void {
  if (names.length === 0) return
  const fields = { count: names.length, rulesets: names.slice(0, MOST_NAMED) }
  log.warn(
    tenant === undefined ? fields : { ...fields, tenant },
    'unsigned rule files are served though signatures are required: nothing proves who wrote them (--signature-allow-unsigned-local=false refuses them)',
  )
}

/** The files that are there before any is read: what changes while the store is opened is noticed too. */
async function filesBefore({ configuration }: SharedParts, tenant: string | undefined): Promise<Snapshot | undefined> {
  const { rulesDir, watchRules } = configuration
  if (rulesDir === undefined || !watchRules) return undefined
  return starting('--rules-dir', rulesDir, () => snapshotIfThere(tenantDirectory(rulesDir, tenant)))
}

async function openStore(
  { configuration, log }: SharedParts,
  tenant: string | undefined,
  decode: Decode,
  decodeLater: Decode,
): Promise<Store> {
  const { rulesDir, maxVersions } = configuration
  if (rulesDir === undefined) return createMemoryStore()
  return starting('--rules-dir', rulesDir, async () => {
    const rulesDirectory = tenantDirectory(rulesDir, tenant)
    if (tenant !== undefined) await makeOwnDirectory(nodeDisk, rulesDirectory, `\`${rulesDirectory}\``)
    return openDirectoryStore({
      rulesDirectory,
      // Specification 4.4 names the directory that was given.
      probeDirectory: rulesDir,
      maxVersions,
      disk: nodeDisk,
      decode,
      decodeLater,
      log,
      now: Date.now,
    })
  })
}
