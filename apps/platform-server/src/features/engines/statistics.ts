import type { ContentStatistics } from '@engine/api'
import { stringifyJson } from '@engine/expression'
import { createPauses } from '@engine/process'
import type { Insertable, Kysely } from 'kysely'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { boundedBranches, branchIncrease, NO_BRANCHES } from './branch-counts.ts'
import { addCounts, type Grown } from './content-counts.ts'
import { columnsOf, countsOf, difference, NOTHING } from './decision-counts.ts'
import { inBatches } from '../../database/batches.ts'
import { upsertColumns } from '../../database/upsert-columns.ts'
import type { Job } from '../../jobs/periodic.ts'

/** Milliseconds per point of the history. */
const STEP_MS = 60_000
const HOUR_MS = 3600 * 1000
/** Retention of branch counts in days. */
export const BRANCH_COUNT_DAYS = 30

/** The columns of an engine that its counters need. */
interface CountingServer {
  readonly id: string
  readonly tenants: boolean
}

/**
 * Store an engine's counters. They grow from the start of its session, so that a row replaces the previous one; the history
 * receives the difference.
 *
 * @param scope of the engine's organization; undefined if it has none, and therefore serves no environment
 */
export async function recordStatistics(
  tables: Kysely<Tables>,
  scope: Scope | undefined,
  server: CountingServer,
  session: string,
  stats: readonly ContentStatistics[],
): Promise<void> {
  const before = await tables
    .selectFrom('ruleset_statistics')
    .select(['tenant', 'ruleset', 'digest', 'ok', 'errors', 'codes', 'durations', 'branches'])
    .where('server_id', '=', server.id)
    .where('session', '=', session)
    // Other contents have not changed, and their counts can be large.
    .where(
      'digest',
      'in',
      stats.map(({ digest }) => digest),
    )
    .execute()
  const known = new Map(before.map((row) => [`${row.tenant}/${row.ruleset}/${row.digest}`, row]))
  const executions = new Map<string, number>()
  const errors = new Map<string, number>()
  const grown: Grown[] = []
  const rows: Insertable<Tables['ruleset_statistics']>[] = []
  const paused = createPauses()
  // If a content occurs twice, the last row counts.
  const told = new Map(stats.map((row) => [`${row.tenant ?? ''}/${row.name}/${row.digest}`, row]))
  for (const [key, row] of told) {
    const { name, digest } = row
    const tenant = row.tenant ?? ''
    const counts = countsOf({ ok: row.ok, errors: row.error, codes: row.codes, durations: row.duration })
    const last = known.get(key)
    const more = difference(counts, last === undefined ? NOTHING : countsOf(last))
    const branches = boundedBranches(row.branches ?? NO_BRANCHES)
    add(executions, name, more.ok + more.errors)
    add(errors, name, more.errors)
    grown.push({
      tenant,
      name,
      digest,
      counts: more,
      branches: last === undefined ? branches : branchIncrease(branches, last.branches),
    })
    rows.push({
      server_id: server.id,
      session,
      tenant,
      ruleset: name,
      digest,
      ...columnsOf(counts),
      branches: stringifyJson(branches),
    })
    await paused()
  }
  for (const some of inBatches(rows)) await keepRows(tables, some)
  const at = new Date(Math.floor(Date.now() / STEP_MS) * STEP_MS)
  await addPoints(tables, server.id, 'executions', executions, at)
  await addPoints(tables, server.id, 'errors', errors, at)
  if (scope !== undefined) await addCounts(scope, server, grown, at)
}

async function keepRows(
  tables: Kysely<Tables>,
  rows: readonly Insertable<Tables['ruleset_statistics']>[],
): Promise<void> {
  await tables
    .insertInto('ruleset_statistics')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['server_id', 'session', 'tenant', 'ruleset', 'digest'])
        .doUpdateSet({ ...upsertColumns('ok', 'errors', 'codes', 'durations', 'branches'), updated_at: new Date() }),
    )
    .execute()
}

/** A negative increase comes from a counter that the engine has restarted. */
function add(sums: Map<string, number>, ruleset: string, more: number): void {
  if (more > 0) sums.set(ruleset, (sums.get(ruleset) ?? 0) + more)
}

async function addPoints(
  tables: Kysely<Tables>,
  server_id: string,
  name: string,
  sums: ReadonlyMap<string, number>,
  at: Date,
): Promise<void> {
  const rows = Array.from(sums, ([ruleset, value]) => ({
    server_id,
    name,
    labels: stringifyJson({ ruleset }),
    at,
    value,
  }))
  for (const some of inBatches(rows))
    await tables
      .insertInto('metric_points')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['server_id', 'name', 'labels', 'at'])
          .doUpdateSet((eb) => ({ value: eb('metric_points.value', '+', eb.ref('excluded.value')) })),
      )
      .execute()
}

/** Delete expired history, and counters of sessions that ended long ago. */
export function historyCleanUp(tables: Kysely<Tables>, retentionHours: number): Job {
  return {
    name: 'engine-history',
    intervalMs: HOUR_MS,
    leaseMs: 5 * 60_000,
    async run() {
      const before = new Date(Date.now() - retentionHours * HOUR_MS)
      await tables.deleteFrom('metric_points').where('at', '<', before).execute()
      await tables.deleteFrom('ruleset_counts').where('at', '<', before).execute()
      const day = new Date(Date.now() - BRANCH_COUNT_DAYS * 24 * HOUR_MS)
      await tables.deleteFrom('branch_counts').where('day', '<', day).execute()
      await tables.deleteFrom('ruleset_statistics').where('updated_at', '<', before).execute()
    },
  }
}
