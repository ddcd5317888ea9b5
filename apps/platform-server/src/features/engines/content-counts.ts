import type { Scope } from '../../database/scope.ts'
import { inBatches } from '../../database/batches.ts'
import { upsertColumns } from '../../database/upsert-columns.ts'
import { columnsOf, type Counts, countsOf, NOTHING, sum } from './decision-counts.ts'
import { desiredRulesets } from './desired-state.ts'

/** Increase of an engine's counts for one content since its last heartbeat. */
export interface Grown {
  readonly tenant: string
  readonly name: string
  readonly digest: string
  readonly counts: Counts
}

/**
 * Add an engine's counts to the current minute of the environments that want these rulesets from it. Other rulesets count
 * only for the engine. Heartbeats of an engine are serialized by the lock on its record.
 */
export async function addCounts(
  scope: Scope,
  server: { readonly id: string; readonly tenants: boolean },
  grown: readonly Grown[],
  at: Date,
): Promise<void> {
  const counted = grown.filter(({ counts }) => counts.ok + counts.errors > 0)
  if (counted.length === 0) return
  const wanted = await desiredRulesets(scope, server.id, server.tenants)
  const environments = new Map(wanted.map((one) => [`${one.tenant}/${one.name}`, one.environment]))
  const before = await countsAt(scope, server.id, at)
  const rows = counted.flatMap(({ tenant, name, digest, counts }) => {
    const environment = environments.get(`${tenant}/${name}`)
    if (environment === undefined) return []
    const known = before.get(`${environment}/${name}/${digest}`) ?? NOTHING
    const key = { environment_id: environment, ruleset: name, digest, server_id: server.id, at }
    return [{ ...key, ...columnsOf(sum(known, counts)) }]
  })
  for (const some of inBatches(rows))
    await scope
      .insert('ruleset_counts', some)
      .onConflict((conflict) =>
        conflict
          .columns(['org_id', 'environment_id', 'ruleset', 'digest', 'server_id', 'at'])
          .doUpdateSet(upsertColumns('ok', 'errors', 'codes', 'durations')),
      )
      .execute()
}

async function countsAt(scope: Scope, server: string, at: Date): Promise<ReadonlyMap<string, Counts>> {
  const rows = await scope
    .read('ruleset_counts')
    .selectFrom('ruleset_counts')
    .selectAll()
    .where('server_id', '=', server)
    .where('at', '=', at)
    .execute()
  return new Map(rows.map((row) => [`${row.environment_id}/${row.ruleset}/${row.digest}`, countsOf(row)]))
}
