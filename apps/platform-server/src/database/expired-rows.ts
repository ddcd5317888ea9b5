import { sql } from 'kysely'
import { SYSTEM } from './audit.ts'
import type { Database } from './database.ts'
import type { OrgId } from './org-id.ts'
import { sqlState } from './sql-state.ts'

/**
 * Maximum number of rows deleted per statement, so that other requests wait for it no longer than for a typical
 * request.
 */
export const EXPIRY_BATCH_ROWS = 5000

/** SQLSTATE of a row that another one refers to. */
const REFERENCED = '23503'

/**
 * Deletes audit entries before a time; the audit records their number. Each function here returns the number of deleted
 * rows.
 */
export function deleteAudit({ unscoped }: Database, before: Date): Promise<number> {
  return unscoped.transaction(async ({ tables, audit }) => {
    const { rows } = await sql<{ org_id: OrgId }>`
      delete from audit_entries where (org_id, id) in
        (select org_id, id from audit_entries where at < ${before} limit ${EXPIRY_BATCH_ROWS})
      returning org_id`.execute(tables)
    for (const [org, { length: entries }] of Map.groupBy(rows, (row) => row.org_id))
      await audit(org, SYSTEM, {
        action: 'audit.expired',
        object: { id: org, name: 'audit' },
        after: { entries, before: before.toISOString() },
      })
    return rows.length
  })
}

/** Deletes the data of release executions that ended before a time. */
export async function deleteOfExecutions(
  { unscoped }: Database,
  table: 'canary_counts' | 'canary_error_keys' | 'release_servers',
  before: Date,
): Promise<number> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where ctid in
      (select t.ctid from ${sql.table(table)} t
       join release_executions e on e.org_id = t.org_id and e.id = t.execution_id
       where e.ended_at < ${before} limit ${EXPIRY_BATCH_ROWS})
    returning 1`.execute(unscoped.tables)
  return rows.length
}

/**
 * Keeps the last deployment of a ruleset in an environment, and the record of the save behind each content that a
 * rollback can restore.
 */
export async function deleteDeployments({ unscoped }: Database, before: Date): Promise<number> {
  const { rows } = await sql`
    delete from deployments where (org_id, id) in
      (select d.org_id, d.id from deployments d
       where d.deployed_at < ${before} and d.status <> 'queued'
         and exists (select from deployments n where n.org_id = d.org_id and n.environment_id = d.environment_id
                     and n.ruleset_name = d.ruleset_name and n.deployed_at > d.deployed_at)
         and not exists (select from desired_rulesets r where r.digest = d.digest)
         and not exists (select from live_history r where r.digest = d.digest)
         and not exists (select from release_targets r where r.digest = d.digest)
         and not exists (select from release_targets r where r.base_digest = d.digest)
       limit ${EXPIRY_BATCH_ROWS})
    returning 1`.execute(unscoped.tables)
  return rows.length
}

/**
 * Deletes unreferenced contents: content that is desired, live, in a release, or in a history that a rollback can
 * restore is kept.
 */
export async function deleteContents({ unscoped }: Database, before: Date): Promise<number> {
  try {
    const { rows } = await sql`
      delete from ruleset_contents where digest in
        (select c.digest from ruleset_contents c
         where c.created_at < ${before}
           and not exists (select from desired_rulesets r where r.digest = c.digest)
           and not exists (select from server_rulesets r where r.digest = c.digest)
           and not exists (select from deployments r where r.digest = c.digest)
           and not exists (select from release_contents r where r.digest = c.digest)
           and not exists (select from release_targets r where r.digest = c.digest)
           and not exists (select from release_targets r where r.base_digest = c.digest)
           and not exists (select from live_history r where r.digest = c.digest)
           and not exists (select from shadows r where r.digest = c.digest)
           and not exists (select from replays r where r.digest = c.digest)
           and not exists (select from replays r where r.base_digest = c.digest)
         limit ${EXPIRY_BATCH_ROWS})
      returning 1`.execute(unscoped.tables)
    return rows.length
  } catch (error) {
    // A new reference to one of them was added meanwhile: the next run continues.
    if (sqlState(error) === REFERENCED) return 0
    throw error
  }
}
