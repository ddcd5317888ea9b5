import type { Database } from '../database/database.ts'
import {
  deleteAudit,
  deleteContents,
  deleteDeployments,
  deleteOfExecutions,
  EXPIRY_BATCH_ROWS,
} from '../database/expired-rows.ts'
import type { Job } from './periodic.ts'

const DAY_MS = 24 * 3600 * 1000
const NOTIFICATION_RETENTION_DAYS = 90
const DEPLOYMENT_RETENTION_DAYS = 90
/** Retention of ended engines and of execution counts. */
const EXECUTION_RETENTION_DAYS = 365
/** Far longer than the time between the storage of a content and the change that refers to it. */
const CONTENT_RETENTION_DAYS = 30
/** Maximum number of batches per run; the next run continues. */
const MAX_BATCHES = 100

/**
 * Deletes old records according to the table in docs/platform/database.md.
 *
 * @param auditDays retention of audit entries in days; 0: unlimited
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
      await tables.deleteFrom('notifications').where('created_at', '<', before(NOTIFICATION_RETENTION_DAYS)).execute()
      for (const table of ['canary_counts', 'canary_error_keys', 'release_servers'] as const)
        await inBatches(() => deleteOfExecutions(database, table, before(EXECUTION_RETENTION_DAYS)))
      await inBatches(() => deleteDeployments(database, before(DEPLOYMENT_RETENTION_DAYS)))
      await inBatches(() => deleteContents(database, before(CONTENT_RETENTION_DAYS)))
    },
  }
}

/** @param deleteSome deletes a batch and returns the number of deleted rows */
async function inBatches(deleteSome: () => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await deleteSome()) < EXPIRY_BATCH_ROWS) return
}
