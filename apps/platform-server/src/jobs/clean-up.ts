import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'
import type { Job } from './periodic.ts'

const HOUR_MS = 3600 * 1000
const YEAR_MS = 365 * 24 * HOUR_MS
/** How long webhook messages are listed after their last attempt. */
const DELIVERY_RETENTION_MS = 30 * 24 * HOUR_MS
/** How long replays are kept after they end. */
const REPLAY_RETENTION_MS = 30 * 24 * HOUR_MS
/** The longest window of attempts. */
const MAX_ATTEMPT_WINDOW_MS = HOUR_MS

/** Deletes expired records. Invitations stay until they are withdrawn: they are listed. */
export function cleanUp(tables: Kysely<Tables>): Job {
  return {
    name: 'clean-up',
    intervalMs: HOUR_MS,
    leaseMs: 5 * 60_000,
    async run() {
      const now = Date.now()
      const before = new Date(now)
      await tables.deleteFrom('sessions').where('expires_at', '<', before).execute()
      await tables.deleteFrom('one_time_tokens').where('expires_at', '<', before).execute()
      await tables.deleteFrom('sign_in_flows').where('expires_at', '<', before).execute()
      await tables.deleteFrom('idempotency_keys').where('expires_at', '<', before).execute()
      await tables
        .deleteFrom('webhook_deliveries')
        .where('status', '<>', 'pending')
        .where('updated_at', '<', new Date(now - DELIVERY_RETENTION_MS))
        .execute()
      await tables
        .deleteFrom('replays')
        .where('next_at', 'is', null)
        .where('updated_at', '<', new Date(now - REPLAY_RETENTION_MS))
        .execute()
      await tables
        .deleteFrom('known_devices')
        .where('last_used_at', '<', new Date(now - YEAR_MS))
        .execute()
      await tables
        .deleteFrom('presence')
        .where('seen_at', '<', new Date(now - HOUR_MS))
        .execute()
      await tables
        .deleteFrom('sign_in_attempts')
        .where('window_begun', '<', new Date(now - MAX_ATTEMPT_WINDOW_MS))
        .execute()
    },
  }
}
