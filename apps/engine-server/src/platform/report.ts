import type {
  ContentStatistics,
  DecisionSample,
  EngineHeartbeat,
  HealthRecord,
  HeldRuleset,
  ReceiptsReport,
  RecordingRule,
  RecordingRules,
} from '@engine/api'
import { createPauses } from '@engine/process'
import { bareDigest } from '../catalog/content-digest.ts'
import type { StoredRuleset } from '../store/store.ts'
import type { Delivery } from './delivery.ts'
import type { Ownership } from './ownership.ts'
import { contentKey } from './statistics.ts'

/** Maximum number of reported rulesets besides those of the platform. */
const MAX_LOCAL_RULESETS = 1000
/** Maximum number of statistics rows per heartbeat; the rest follows in the next one. */
const MAX_STATISTICS_ROWS = 2000
/** Number of branch counters in one heartbeat after which no further row is added. */
const MAX_BRANCH_COUNTERS = 100_000
/** Maximum number of problems per heartbeat. */
const MAX_PROBLEMS = 1000

export interface ReportParts {
  /** Session id of the process. */
  readonly session: string
  readonly version: string
  readonly capabilities: readonly string[]
  readonly hasTenants: boolean
  readonly health: () => Promise<{ readonly record: HealthRecord }>
  /** All stored rulesets. */
  readonly rulesets: () => Iterable<readonly [tenant: string, ruleset: StoredRuleset]>
  readonly ownership: Pick<Ownership, 'has'>
  readonly statistics: () => Promise<readonly ContentStatistics[]>
  /** The chains of receipts; undefined if none are kept. */
  readonly receipts?: (() => Promise<ReceiptsReport | undefined>) | undefined
  /** Undefined if no decisions are sampled. */
  readonly recording?: ReportedRecording | undefined
  readonly delivery: Pick<Delivery, 'revision' | 'problems'>
}

/** Decisions that are recorded for the platform. */
export interface ReportedRecording {
  /** Decisions that the platform has not received yet, oldest first. */
  pending(): Promise<readonly DecisionSample[]>
  /** The platform has received the decisions up to this number. */
  heard(seq: number): void
  follow(rules: readonly RecordingRule[]): Promise<void>
}

/** Builds heartbeats: omits everything unchanged since the platform last received it. */
export interface Report {
  next(waitMs: number): Promise<EngineHeartbeat>
  /** The platform has received this heartbeat. */
  heard(heartbeat: EngineHeartbeat): void
  /** Applies recording rules; undefined: unchanged. */
  follow(rules: RecordingRules | undefined): Promise<void>
  /** Discards the assumptions about the platform's knowledge: its record is new. */
  forget(): void
}

/** The rows that fit into one heartbeat, at least one. */
function limited(rows: readonly ContentStatistics[]): readonly ContentStatistics[] {
  let counters = 0
  return rows.slice(0, MAX_STATISTICS_ROWS).filter(({ branches = {} }) => {
    const isIn = counters < MAX_BRANCH_COUNTERS
    for (const { length } of Object.values(branches)) counters += length
    return isIn
  })
}

export function createReport(parts: ReportParts): Report {
  const { session, version, capabilities, hasTenants, delivery, ownership, recording } = parts
  /** Digest of the ruleset list known to the platform. */
  let heardDigest: string | undefined
  /** Executions by content, as last received by the platform. */
  const heardCounts = new Map<string, number>()
  const shown = (tenant: string) => (hasTenants ? tenant : null)
  /** Tag of the recording rules in effect. */
  let tag: string | null = null

  async function held(): Promise<readonly HeldRuleset[]> {
    const pauses = createPauses()
    const list: HeldRuleset[] = []
    let local = 0
    for (const [tenant, ruleset] of Array.from(parts.rulesets())) {
      const isDelivered = ownership.has(tenant, ruleset.name)
      if (!isDelivered && ++local > MAX_LOCAL_RULESETS) continue
      const { name, version: of } = ruleset
      list.push({
        tenant: shown(tenant),
        name,
        version: of.slice(0, 256),
        digest: await bareDigest(ruleset),
        ...(isDelivered ? { delivered: true } : {}),
      })
      const pause = pauses()
      if (pause !== undefined) await pause
    }
    return list
  }

  return {
    async next(waitMs) {
      const { record } = await parts.health()
      // An engine that waits for its first rulesets counts as healthy: releases are delivered to it.
      const { platform: _, ...checks } = record.checks
      const { digest } = record.storage
      const rows = await parts.statistics()
      const receipts = await parts.receipts?.()
      return {
        session,
        health: {
          status: Object.values(checks).every((check) => check === 'ok') ? 'healthy' : 'unhealthy',
          checks,
          uptime_seconds: record.uptime_seconds,
        },
        version,
        capabilities,
        applied_revision: delivery.revision,
        digest,
        ...(digest !== null && digest === heardDigest ? {} : { rulesets: await held() }),
        problems: delivery.problems
          .slice(0, MAX_PROBLEMS)
          .map((problem) => ({ ...problem, tenant: shown(problem.tenant ?? '') })),
        stats: limited(rows.filter((row) => heardCounts.get(contentKey(row)) !== row.ok + row.error)),
        ...(recording === undefined ? {} : { recording: { tag, decisions: await recording.pending() } }),
        ...(receipts === undefined ? {} : { receipts }),
        wait_ms: waitMs,
      }
    },
    heard({ digest, stats, recording: told }) {
      heardDigest = digest ?? undefined
      for (const row of stats) heardCounts.set(contentKey(row), row.ok + row.error)
      const last = told?.decisions.at(-1)
      if (last !== undefined) recording?.heard(last.seq)
    },
    async follow(rules) {
      if (rules === undefined || rules.tag === tag) return
      await recording?.follow(rules.rules)
      ;({ tag } = rules)
    },
    forget() {
      heardDigest = undefined
      heardCounts.clear()
      tag = null
    },
  }
}
