import { sql } from 'kysely'
import { SYSTEM } from '../database/audit.ts'
import type { Database } from '../database/database.ts'
import type { OrgId } from '../database/org-id.ts'
import { sqlState } from '../database/sql-state.ts'
import type { Job } from './periodic.ts'

const DAY_MS = 24 * 3600 * 1000
const NOTIFICATION_DAYS = 90
const DEPLOYMENT_DAYS = 90
/** For engines and counts of executions that have ended. */
const EXECUTION_DAYS = 365
/** Far longer than the time between a content being kept and the change that refers to it. */
const CONTENT_DAYS = 30
/** Rows that one statement deletes: others wait for it no longer than for a request. */
const BATCH_ROWS = 5000
/** Batches of one run; the next run goes on. */
const MAX_BATCHES = 100

/** SQLSTATE of a row that another one refers to. */
const REFERENCED = '23503'

/**
 * Delete what has grown old, as the table in docs/platform/database.md says.
 *
 * @param auditDays for which audit entries are kept; 0: for ever
 */
export function retention(database: Database, auditDays: number): Job {
  const { tables } = database.unscoped
  return {
    name: 'retention',
    intervalMs: DAY_MS / 24,
    leaseMs: 5 * 60_000,
    async run() {
      const before = (days: number) => new Date(Date.now() - days * DAY_MS)
      if (auditDays > 0) await inBatches(() => deleteAudit(database, before(auditDays)))
      await tables.deleteFrom('notifications').where('created_at', '<', before(NOTIFICATION_DAYS)).execute()
      for (const table of ['canary_counts', 'canary_error_keys', 'release_servers'] as const)
        await inBatches(() => deleteOfExecutions(database, table, before(EXECUTION_DAYS)))
      await inBatches(() => deleteDeployments(database, before(DEPLOYMENT_DAYS)))
      await inBatches(() => deleteContents(database, before(CONTENT_DAYS)))
    },
  }
}

/** @param deleteSome gives the number of rows that it has deleted */
async function inBatches(deleteSome: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await deleteSome()) < BATCH_ROWS) return
}

/** The audit says itself how many of its entries are gone. */
function deleteAudit({ unscoped }: Database, before: Date): Promise<number> {
  return unscoped.transaction(async ({ tables, audit }) => {
    const { rows } = await sql<{ org_id: OrgId }>`
      delete from audit_entries where (org_id, id) in
        (select org_id, id from audit_entries where at < ${before} limit ${BATCH_ROWS})
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

async function deleteOfExecutions(
  { unscoped }: Database,
  table: 'canary_counts' | 'canary_error_keys' | 'release_servers',
  before: Date,
): Promise<number> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where ctid in
      (select t.ctid from ${sql.table(table)} t
       join release_executions e on e.org_id = t.org_id and e.id = t.execution_id
       where e.ended_at < ${before} limit ${BATCH_ROWS})
    returning 1`.execute(unscoped.tables)
  return rows.length
}

/** The last one of a ruleset in an environment stays, and so does what says of which save a content is that can come back. */
async function deleteDeployments({ unscoped }: Database, before: Date): Promise<number> {
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
       limit ${BATCH_ROWS})
    returning 1`.execute(unscoped.tables)
  return rows.length
}

/** Contents that nothing refers to: what is desired, live, in a release or in a history that can come back stays. */
async function deleteContents({ unscoped }: Database, before: Date): Promise<number> {
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
         limit ${BATCH_ROWS})
      returning 1`.execute(unscoped.tables)
    return rows.length
  } catch (error) {
    // Something has begun to refer to one of them: the next run goes on.
    if (sqlState(error) === REFERENCED) return 0
    throw error
  }
}
