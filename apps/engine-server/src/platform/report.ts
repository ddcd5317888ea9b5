import type { ContentStatistics, EngineHeartbeat, HealthRecord, HeldRuleset } from '@engine/api'
import { createPauses } from '@engine/process'
import { bareDigest } from '../catalog/content-digest.ts'
import type { StoredRuleset } from '../store/store.ts'
import type { Delivery } from './delivery.ts'
import type { Ownership } from './ownership.ts'
import { contentKey } from './statistics.ts'

/** Rulesets that are reported beside those of the platform. */
const MOST_LOCAL = 1000
/** Rows of statistics in one heartbeat; the rest follows with the next. */
const MOST_ROWS = 2000
/** Problems in one heartbeat. */
const MOST_PROBLEMS = 1000

export interface ReportParts {
  /** Of the process. */
  readonly session: string
  readonly version: string
  readonly capabilities: readonly string[]
  readonly hasTenants: boolean
  readonly health: () => Promise<{ readonly isReady: boolean; readonly record: HealthRecord }>
  /** All that is stored. */
  readonly rulesets: () => Iterable<readonly [tenant: string, ruleset: StoredRuleset]>
  readonly ownership: Pick<Ownership, 'has'>
  readonly statistics: () => Promise<readonly ContentStatistics[]>
  readonly delivery: Pick<Delivery, 'revision' | 'problems'>
}

/** Makes heartbeats: what has not changed since the platform heard it last is left out. */
export interface Report {
  next(waitMs: number): Promise<EngineHeartbeat>
  /** The platform has heard it. */
  heard(heartbeat: EngineHeartbeat): void
  /** The platform knows nothing any more: another record. */
  forget(): void
}

export function createReport(parts: ReportParts): Report {
  const { session, version, capabilities, hasTenants, delivery, ownership } = parts
  /** Of the list of rulesets that the platform has. */
  let heardDigest: string | undefined
  /** Executions by content, as the platform knows them. */
  const heardCounts = new Map<string, number>()
  const shown = (tenant: string) => (hasTenants ? tenant : null)

  async function held(): Promise<readonly HeldRuleset[]> {
    const pauses = createPauses()
    const list: HeldRuleset[] = []
    let local = 0
    for (const [tenant, ruleset] of Array.from(parts.rulesets())) {
      if (!ownership.has(tenant, ruleset.name) && ++local > MOST_LOCAL) continue
      const { name, version: of } = ruleset
      list.push({ tenant: shown(tenant), name, version: of.slice(0, 256), digest: await bareDigest(ruleset) })
      const pause = pauses()
      if (pause !== undefined) await pause
    }
    return list
  }

  return {
    async next(waitMs) {
      const { isReady, record } = await parts.health()
      const { digest } = record.storage
      const rows = await parts.statistics()
      return {
        session,
        health: {
          status: isReady ? 'healthy' : 'unhealthy',
          checks: record.checks,
          uptime_seconds: record.uptime_seconds,
        },
        version,
        capabilities,
        applied_revision: delivery.revision,
        digest,
        ...(digest !== null && digest === heardDigest ? {} : { rulesets: await held() }),
        problems: delivery.problems
          .slice(0, MOST_PROBLEMS)
          .map((problem) => ({ ...problem, tenant: shown(problem.tenant ?? '') })),
        stats: rows.filter((row) => heardCounts.get(contentKey(row)) !== row.ok + row.error).slice(0, MOST_ROWS),
        wait_ms: waitMs,
      }
    },
    heard({ digest, stats }) {
      heardDigest = digest ?? undefined
      for (const row of stats) heardCounts.set(contentKey(row), row.ok + row.error)
    },
    forget() {
      heardDigest = undefined
      heardCounts.clear()
    },
  }
}
