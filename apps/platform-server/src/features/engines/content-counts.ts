import type { Scope } from '../../database/scope.ts'
import { inBatches } from '../../database/batches.ts'
import { upsertColumns } from '../../database/upsert-columns.ts'
import { columnsOf, type Counts, countsOf, NOTHING, sum } from './decision-counts.ts'
import { addBranchCounts, type BranchCounts } from './branch-counts.ts'
import { desiredRulesets } from './desired-state.ts'

/** Increase of an engine's counts for one content since its last heartbeat. */
export interface Grown {
  readonly tenant: string
  readonly name: string
  readonly digest: string
  readonly counts: Counts
  readonly branches: BranchCounts
}

/**
 * Add an engine's counts to the current minute, and to the day, of the environments that want these rulesets from it. Other rulesets count
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
  const placed = counted.flatMap((one) => {
    const environment = environments.get(`${one.tenant}/${one.name}`)
    return environment === undefined ? [] : [{ ...one, environment }]
  })
  const rows = placed.map(({ environment, name, digest, counts }) => {
    const known = before.get(`${environment}/${name}/${digest}`) ?? NOTHING
    const key = { environment_id: environment, ruleset: name, digest, server_id: server.id, at }
    return { ...key, ...columnsOf(sum(known, counts)) }
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
  const branched = placed.filter(({ branches }) => Object.keys(branches).length > 0)
  if (branched.length === 0) return
  const growth = branched.map(({ counts, ...rest }) => ({ ...rest, executions: counts.ok + counts.errors }))
  await addBranchCounts(scope, server.id, growth, at)
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
