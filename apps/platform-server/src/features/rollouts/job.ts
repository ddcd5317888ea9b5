import type { Log } from '@engine/process'
import { databaseLater, databaseNow } from '../../database/clock.ts'
import type { Database } from '../../database/database.ts'
import { type LeasedWorker, startLeasedWork } from '../../jobs/leased-work.ts'
import { type Claimed, Fenced, takeStep } from './execution-step.ts'
import { ROLLOUTS_TOPIC } from './execution-start.ts'

/**
 * Lease of an execution by the replica that has claimed it: if that replica is killed, another one takes over after
 * this time.
 */
const LEASE_MS = 2000
/** Interval of polls for due executions. */
const POLL_INTERVAL_MS = 250
/** Interval of polls while no execution is running. */
const IDLE_POLL_INTERVAL_MS = 1000

export interface RolloutJobParts {
  readonly database: Database
  readonly heartbeatIntervalSecs: number
  readonly log: Log
}

/** Advances the executions of releases: one step of one execution at a time, by one replica. */
export function startRolloutJob({ database, heartbeatIntervalSecs, log }: RolloutJobParts): LeasedWorker {
  const { mode, unscoped, wakes } = database
  const heartbeatMs = heartbeatIntervalSecs * 1000
  return startLeasedWork<Claimed>(
    {
      claim: () => claim(database),
      async perform(claimed) {
        try {
          await takeStep({ database, heartbeatMs }, claimed)
        } catch (err) {
          // The execution is due again when the lease ends.
          if (!(err instanceof Fenced)) log.error({ err, execution: claimed.id }, 'a step of a release failed')
        }
      },
      // The embedded database has one connection, and one replica.
      ...(mode === 'postgres' && { renewal: { leaseMs: LEASE_MS, renew: (claimed) => renew(database, claimed, log) } }),
      topic: ROLLOUTS_TOPIC,
      pauseMs,
      retryDelayMs: IDLE_POLL_INTERVAL_MS,
      ended(err) {
        if (err !== undefined) log.warn({ err }, 'executions of releases cannot be looked for in the database')
      },
    },
    wakes,
  )

  async function pauseMs(): Promise<number> {
    const running = await unscoped.tables
      .selectFrom('release_executions')
      .select('id')
      .where('next_run_at', 'is not', null)
      .limit(1)
      .executeTakeFirst()
    return running === undefined ? IDLE_POLL_INTERVAL_MS : POLL_INTERVAL_MS
  }
}

/**
 * Claims the execution that has been due for the longest time, with a new fence: results of an earlier claim are
 * refused from then on.
 */
function claim({ unscoped: { tables } }: Database): Promise<readonly Claimed[]> {
  return tables
    .updateTable('release_executions')
    .set((eb) => ({ fence: eb('fence', '+', 1), lease_until: databaseLater(LEASE_MS) }))
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('org_id', 'id'),
        'in',
        selectFrom('release_executions')
          .select(['org_id', 'id'])
          .where('next_run_at', '<=', databaseNow)
          .where((due) => due.or([due('lease_until', 'is', null), due('lease_until', '<', databaseNow)]))
          .orderBy('next_run_at')
          .limit(1)
          .forUpdate()
          .skipLocked()
          .$asTuple('org_id', 'id'),
      ),
    )
    .returning(['org_id', 'id', 'fence'])
    .execute()
}

/** Renews the lease of a step on a slow database. */
async function renew({ unscoped: { tables } }: Database, claimed: Claimed, log: Log): Promise<void> {
  try {
    await tables
      .updateTable('release_executions')
      .set({ lease_until: databaseLater(LEASE_MS) })
      .where('org_id', '=', claimed.org_id)
      .where('id', '=', claimed.id)
      .where('fence', '=', claimed.fence)
      .where('lease_until', 'is not', null)
      .execute()
  } catch (err) {
    log.warn({ err }, 'the lease of an execution cannot be renewed')
  }
}
