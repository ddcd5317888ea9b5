import type { DesiredChange, HeldRuleset } from '@engine/api'
import { stringifyJson } from '@engine/expression'
import type { Kysely } from 'kysely'
import { SYSTEM } from '../../database/audit.ts'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import type { Scope } from '../../database/scope.ts'
import type { Tables } from '../../database/tables.ts'
import { type Desired, differencesOf, type Drift, DRIFT_GRACE_MS, listOf } from './drift-differences.ts'
import type { Told } from './heartbeat.ts'

/**
 * Drift: an engine has applied the latest revision, but its contents differ from the desired state. This happens, for
 * example, after a point-in-time recovery of the database, which loses state that engines have already applied. Digests
 * reveal drift; revisions cannot.
 */

/** The result of comparing an engine's contents after a heartbeat. */
export interface Comparison {
  readonly drift: Drift | undefined
  /** The stored list of rulesets is out of date: the engine must send it again. */
  readonly isReportStale: boolean
}

/** The engine is still applying changes, or its report cannot be compared. */
export const NOTHING_COMPARED: Comparison = { drift: undefined, isReportStale: false }

/**
 * Compare an engine's contents after storing its report, if it has applied the latest revision. Equal contents are not
 * compared again until the report or the revision changes; otherwise the cost is the number of its rulesets.
 */
export async function compareContents(scope: Scope, server: string, told: Told): Promise<Comparison> {
  const row = await scope
    .read('servers')
    .selectFrom('servers')
    .select([
      'desired_revision',
      'reported_digest',
      'compared_digest',
      'compared_revision',
      'drift',
      'drift_repaired_at',
    ])
    .where('id', '=', server)
    .executeTakeFirst()
  if (row === undefined || row.desired_revision === 0 || told.applied_revision !== row.desired_revision)
    return NOTHING_COMPARED
  const digest = told.digest ?? null
  if (told.rulesets === undefined && (digest === null || digest !== row.reported_digest))
    return { drift: undefined, isReportStale: digest !== null && row.reported_digest !== null }
  const isKnownEqual = digest === row.compared_digest && row.desired_revision === row.compared_revision
  if (digest !== null && isKnownEqual && row.drift === null) return NOTHING_COMPARED
  const problems = told.problems ?? []
  const held = told.rulesets ?? (await storedReport(scope, server))
  const differences = differencesOf(await desiredOf(scope, server), held, problems, listOf(row.drift), Date.now())
  const repairedAt = differences.length === 0 ? null : row.drift_repaired_at
  const since = Math.min(...differences.map((one) => one.since))
  await scope
    .update('servers')
    .set({
      drift: differences.length === 0 ? null : stringifyJson(differences),
      drift_since: differences.length === 0 ? null : new Date(since),
      drift_repaired_at: repairedAt,
      // A problem hides differences, which reappear once it is solved.
      compared_digest: differences.length === 0 && problems.length === 0 ? digest : null,
      compared_revision: row.desired_revision,
    })
    .where('id', '=', server)
    .execute()
  if (differences.length === 0) return NOTHING_COMPARED
  return { drift: { differences, repairedAt: repairedAt?.getTime() }, isReportStale: false }
}

async function desiredOf(scope: Scope, server: string): Promise<readonly Desired[]> {
  const rows = await scope
    .read('server_rulesets')
    .selectFrom('server_rulesets')
    .select(['tenant', 'name', 'digest'])
    .where('server_id', '=', server)
    .where('digest', 'is not', null)
    .execute()
  return rows as readonly Desired[]
}

async function storedReport(scope: Scope, server: string): Promise<readonly HeldRuleset[]> {
  const row = await scope
    .read('servers')
    .selectFrom('servers')
    .select('current_rulesets')
    .where('id', '=', server)
    .executeTakeFirstOrThrow()
  // Validated against its schema when the engine reported it.
  return row.current_rulesets
}

/** Record that a repair was sent. Only the first repair of a drift is audited. */
export async function noteRepair(
  { unscoped }: Database,
  server: { readonly id: string; readonly name: string; readonly org_id: OrgId },
  changes: readonly DesiredChange[],
  now: number,
): Promise<void> {
  await unscoped.transaction(async ({ tables, audit }) => {
    const before = await tables
      .selectFrom('servers')
      .select('drift_repaired_at')
      .where('id', '=', server.id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (before === undefined) return
    await tables
      .updateTable('servers')
      .set({ drift_repaired_at: new Date(now) })
      .where('id', '=', server.id)
      .execute()
    if (before.drift_repaired_at === null)
      await audit(server.org_id, SYSTEM, {
        action: 'server.drift_repaired',
        object: { id: server.id, name: server.name },
        after: { rulesets: changes.map(({ tenant = null, name, digest = null }) => ({ tenant, name, digest })) },
      })
  })
}

/** Number of engines with differences for more than a minute. */
export async function driftedServers(tables: Kysely<Tables>): Promise<number> {
  const { count } = await tables
    .selectFrom('servers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('drift_since', '<', new Date(Date.now() - DRIFT_GRACE_MS))
    .executeTakeFirstOrThrow()
  return count
}
