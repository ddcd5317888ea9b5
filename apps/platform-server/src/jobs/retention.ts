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
const NOTIFICATION_DAYS = 90
const DEPLOYMENT_DAYS = 90
/** For engines and counts of executions that have ended. */
const EXECUTION_DAYS = 365
/** Far longer than the time between the storage of a content and the change that refers to it. */
const CONTENT_DAYS = 30
/** Batches of one run; the next run continues. */
const MAX_BATCHES = 100

/**
 * Delete old records, by the table in docs/platform/database.md.
 *
 * @param auditDays days that audit entries are kept; 0: without limit
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
  for (let batch = 0; batch < MAX_BATCHES; batch++) if ((await deleteSome()) < EXPIRY_BATCH_ROWS) return
}
