import type { ContentStatistics } from '@engine/api'
import { stringifyJson } from '@engine/expression'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Job } from '../../jobs/periodic.ts'

/** Milliseconds of one point of the history. */
const STEP_MS = 60_000
const HOUR_MS = 3600 * 1000

/**
 * Keep what an engine has counted. Its counts grow from the start of its session on, so that a row replaces the one before; the
 * history gets the difference.
 */
export async function recordStatistics(
  tables: Kysely<Tables>,
  server: string,
  session: string,
  stats: readonly ContentStatistics[],
): Promise<void> {
  const before = await tables
    .selectFrom('ruleset_statistics')
    .select(['tenant', 'ruleset', 'digest', 'ok', 'errors'])
    .where('server_id', '=', server)
    .where('session', '=', session)
    .execute()
  const known = new Map(before.map((row) => [`${row.tenant}/${row.ruleset}/${row.digest}`, row]))
  const executions = new Map<string, number>()
  const errors = new Map<string, number>()
  for (const row of stats) {
    const { tenant, name, digest, ok, error } = row
    const last = known.get(`${tenant ?? ''}/${name}/${digest}`)
    add(executions, name, ok + error - (last === undefined ? 0 : last.ok + last.errors))
    add(errors, name, error - (last?.errors ?? 0))
    const counts = {
      ok,
      errors: error,
      codes: stringifyJson(row.codes),
      durations: stringifyJson(row.duration),
    }
    await tables
      .insertInto('ruleset_statistics')
      .values({ server_id: server, session, tenant: tenant ?? '', ruleset: name, digest, ...counts })
      .onConflict((conflict) =>
        conflict
          .columns(['server_id', 'session', 'tenant', 'ruleset', 'digest'])
          .doUpdateSet({ ...counts, updated_at: new Date() }),
      )
      .execute()
  }
  const at = new Date(Math.floor(Date.now() / STEP_MS) * STEP_MS)
  await addPoints(tables, server, 'executions', executions, at)
  await addPoints(tables, server, 'errors', errors, at)
}

/** A count that went back is that of a row that an engine has dropped and begun anew. */
function add(sums: Map<string, number>, ruleset: string, difference: number): void {
  if (difference > 0) sums.set(ruleset, (sums.get(ruleset) ?? 0) + difference)
}

async function addPoints(
  tables: Kysely<Tables>,
  server_id: string,
  name: string,
  sums: ReadonlyMap<string, number>,
  at: Date,
): Promise<void> {
  if (sums.size === 0) return
  const rows = Array.from(sums, ([ruleset, value]) => ({
    server_id,
    name,
    labels: stringifyJson({ ruleset }),
    at,
    value,
  }))
  await tables
    .insertInto('metric_points')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['server_id', 'name', 'labels', 'at'])
        .doUpdateSet((eb) => ({ value: eb('metric_points.value', '+', eb.ref('excluded.value')) })),
    )
    .execute()
}

/** Delete the history that is too old, and counts of sessions that have ended long ago. */
export function historyCleanUp(tables: Kysely<Tables>, retentionHours: number): Job {
  return {
    name: 'engine-history',
    intervalMs: HOUR_MS,
    leaseMs: 5 * 60_000,
    async run() {
      const before = new Date(Date.now() - retentionHours * HOUR_MS)
      await tables.deleteFrom('metric_points').where('at', '<', before).execute()
      await tables.deleteFrom('ruleset_statistics').where('updated_at', '<', before).execute()
    },
  }
}
