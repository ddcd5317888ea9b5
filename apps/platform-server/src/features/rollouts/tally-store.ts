import { stringifyJson } from '@engine/expression'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import { controlLatencies } from './stage-counts.ts'
import type { Split } from './canary-split.ts'

/** The counts of a side, of all its requests or of those with one result code. */
export interface Count {
  readonly side: 'canary' | 'stable'
  readonly code: string
  readonly member: 'requests' | 'errors' | 'slow'
}

interface Counted {
  readonly side: Count['side']
  readonly code: string
  requests: number
  errors: number
  slow: number
}

/** Counts of a replica in one stage since its last flush. */
export interface Batch {
  readonly org: OrgId
  readonly split: Split
  readonly counts: Map<string, Counted>
  /** Events of keys by their identifiers: each counts unless a replica has stored it before. */
  readonly firsts: Map<string, Count>
  /** Latencies of the control, by class, until the limit of a slow answer is known. */
  readonly latencies: Map<number, number>
}

/** Maximum number of rows per statement. */
const MAX_ROWS = 1000

/** Adds a batch to the stored counts, in one transaction. */
export async function storeBatch(database: Database, batch: Batch): Promise<void> {
  await database.note(batch.org, async ({ scope }) => {
    await lockStage(scope, batch)
    await addCounts(scope, batch.split, added(batch, await newFirsts(scope, batch)))
    if (batch.latencies.size > 0) await addLatencies(scope, batch)
  })
}

/** Serializes the replicas: otherwise two could wait for rows of each other. */
async function lockStage(scope: Scope, { split }: Batch): Promise<void> {
  const { executionId, environmentId, stage } = split
  await scope
    .update('release_canaries')
    .set({ stage })
    .where('execution_id', '=', executionId)
    .where('environment_id', '=', environmentId)
    .where('stage', '=', stage)
    .execute()
}

/** The events of keys that no replica has stored before; this call stores them. */
async function newFirsts(scope: Scope, { split, firsts }: Batch): Promise<ReadonlySet<string>> {
  const ids = [...firsts.keys()]
  const fresh = new Set<string>()
  for (let begin = 0; begin < ids.length; begin += MAX_ROWS) {
    const rows = ids.slice(begin, begin + MAX_ROWS).map((id) => ({
      execution_id: split.executionId,
      environment_id: split.environmentId,
      key_hash: Buffer.from(id, 'hex'),
    }))
    const stored = await scope
      .insert('canary_error_keys', rows)
      .onConflict((conflict) => conflict.doNothing())
      .returning('key_hash')
      .execute()
    for (const { key_hash } of stored) fresh.add(key_hash.toString('hex'))
  }
  return fresh
}

function added({ counts, firsts }: Batch, fresh: ReadonlySet<string>): readonly Counted[] {
  const sums = new Map(Array.from(counts, ([at, count]) => [at, { ...count }]))
  for (const [id, { side, code, member }] of firsts) {
    if (!fresh.has(id)) continue
    const at = `${side} ${code}`
    const sum = sums.get(at) ?? { side, code, requests: 0, errors: 0, slow: 0 }
    sum[member]++
    sums.set(at, sum)
  }
  return [...sums.values()]
}

async function addCounts(
  scope: Scope,
  { executionId: execution_id, environmentId: environment_id, stage }: Split,
  counts: readonly Counted[],
): Promise<void> {
  if (counts.length === 0) return
  await scope
    .insert(
      'canary_counts',
      counts.map(({ side: arm, ...count }) => ({ execution_id, environment_id, stage, arm, ...count })),
    )
    .onConflict((conflict) =>
      conflict.columns(['org_id', 'execution_id', 'environment_id', 'stage', 'arm', 'code']).doUpdateSet((eb) => ({
        requests: eb('canary_counts.requests', '+', eb.ref('excluded.requests')),
        errors: eb('canary_counts.errors', '+', eb.ref('excluded.errors')),
        slow: eb('canary_counts.slow', '+', eb.ref('excluded.slow')),
      })),
    )
    .execute()
}

async function addLatencies(scope: Scope, { split, latencies }: Batch): Promise<void> {
  const { executionId, environmentId, stage } = split
  const row = await scope
    .read('release_canaries')
    .selectFrom('release_canaries')
    .select('evidence')
    .where('execution_id', '=', executionId)
    .where('environment_id', '=', environmentId)
    .where('stage', '=', stage)
    .executeTakeFirst()
  if (row === undefined) return
  const sums = new Map(controlLatencies(row))
  for (const [index, count] of latencies) sums.set(index, (sums.get(index) ?? 0) + count)
  await scope
    .update('release_canaries')
    .set({ evidence: stringifyJson(Object.fromEntries(sums)) })
    .where('execution_id', '=', executionId)
    .where('environment_id', '=', environmentId)
    .where('stage', '=', stage)
    .execute()
}
