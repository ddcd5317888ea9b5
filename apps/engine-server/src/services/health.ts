import type { HealthRecord } from '@engine/api'
import { performance } from 'node:perf_hooks'
import type { Store } from '../store/store.ts'

/** Longest wait of a readiness check for the store (specification 4.4, 8). */
const STORE_TIMEOUT_MS = 2000

/** Maximum number of rejected files that are named. */
const MAX_NAMED_FILES = 100

export interface HealthService {
  /** The health record of specification 2.5; ready if all checks passed. */
  check(): Promise<{ readonly isReady: boolean; readonly record: HealthRecord }>
  /** Reports not ready: the server is shutting down. */
  drain(): void
}

/** The state of the store in the health record. */
export interface StorageOverview extends Pick<Store, 'mode' | 'rulesDirectory' | 'size' | 'rejected' | 'probe'> {
  /** Digest of all rulesets' contents; null while it is computed. */
  digest(): Promise<string | null>
}

export interface HealthParts {
  readonly store: StorageOverview
  readonly version: string
  readonly instanceId: string
  readonly role: HealthRecord['role']
  readonly debugMode: boolean
  /** See `--contracts`. */
  readonly contracts: 'ruleset' | 'warn' | 'off'
  readonly sync: {
    status(): HealthRecord['sync']
    /** Why this instance should receive no requests; undefined if it should. */
    refusal(): string | undefined
  }
  readonly audit: () => Promise<HealthRecord['audit']>
  /** The processes that answer requests; undefined if only this one does. */
  readonly workers?: (() => NonNullable<HealthRecord['workers']>) | undefined
  /** Undefined if there is no platform. */
  readonly platform?:
    | {
        status(): NonNullable<HealthRecord['platform']>
        /** Why this instance should receive no requests yet; undefined if it should. */
        refusal(): string | undefined
      }
    | undefined
}

export function createHealthService({
  store,
  version,
  instanceId,
  role,
  debugMode,
  contracts,
  sync,
  audit,
  platform,
  workers,
}: HealthParts): HealthService {
  const start = performance.now()
  let draining = false
  return {
    drain: () => {
      draining = true
    },
    async check() {
      const probe = await store.probe(STORE_TIMEOUT_MS)
      const digest = await store.digest()
      const counted = workers?.()
      const isIdle = counted?.ready === 0
      const refusal = sync.refusal()
      const waiting = platform?.refusal()
      const isReady = probe.ok && !draining && !isIdle && refusal === undefined && waiting === undefined
      const checks = {
        store_lock: !probe.ok && probe.check === 'store_lock' ? probe.reason : 'ok',
        disk_writable: !probe.ok && probe.check === 'disk_writable' ? probe.reason : 'ok',
        accepting_requests: draining ? 'the server is shutting down' : isIdle ? 'no worker is ready' : 'ok',
        sync: refusal ?? 'ok',
        ...(platform === undefined ? {} : { platform: waiting ?? 'ok' }),
      }
      const record: HealthRecord = {
        status: isReady ? 'healthy' : 'unhealthy',
        version,
        uptime_seconds: Math.floor((performance.now() - start) / 1000),
        instance_id: instanceId,
        role,
        checks,
        storage: {
          mode: store.mode,
          rules_dir: store.rulesDirectory,
          rules_count: store.size,
          digest,
          rejected_count: store.rejected.length,
          rejected: store.rejected.slice(0, MAX_NAMED_FILES),
        },
        audit: await audit(),
        sync: sync.status(),
        debug_mode: debugMode,
        ...(contracts === 'ruleset' ? {} : { contracts }),
        ...(counted === undefined ? {} : { workers: counted }),
        ...(platform === undefined ? {} : { platform: platform.status() }),
      }
      return { isReady, record }
    },
  }
}
