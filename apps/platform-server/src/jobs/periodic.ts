import type { Log } from '@engine/process'
import type { Kysely } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Tables } from '../database/tables.ts'
import { startLeasedWork } from './leased-work.ts'

/** Periodic work that one replica at a time performs. It may run twice after a replica was killed. */
export interface Job {
  readonly name: string
  readonly intervalMs: number
  /** Time after which another replica may start the work again. */
  readonly leaseMs: number
  readonly run: () => Promise<void>
}

/** The periodic work of this replica. */
export interface Jobs {
  /** True if the database was polled recently. */
  readonly run: boolean
  /** Resolves when running jobs have ended. */
  stop(): Promise<void>
}

/** Interval of polls for due jobs. */
const POLL_INTERVAL_MS = 5000
/** Number of consecutive failed polls after which the jobs count as failed. */
const MAX_FAILED_POLLS = 6

/** Starts running due jobs. The first poll is immediate. */
export function startJobs(
  { unscoped: { tables }, wakes }: Pick<Database, 'unscoped' | 'wakes'>,
  jobs: readonly Job[],
  log: Log,
): Jobs {
  let failures = 0
  const worker = startLeasedWork<Claimed>(
    {
      claim: () => claimDue(tables, jobs),
      perform: (claimed) => run(tables, claimed, log),
      pauseMs: () => POLL_INTERVAL_MS,
      retryDelayMs: POLL_INTERVAL_MS,
      ended(err) {
        failures = err === undefined ? 0 : failures + 1
        if (err !== undefined) log.warn({ err }, 'periodic work cannot be looked for in the database')
      },
    },
    wakes,
  )
  return {
    get run() {
      return failures < MAX_FAILED_POLLS
    },
    stop: () => worker.stop(),
  }
}

/** A job that this replica runs, under the fence of its lease. */
interface Claimed {
  readonly job: Job
  readonly fence: number
}

/** The first job that is due: one at a time, so that no job occupies the connection of another. */
async function claimDue(tables: Kysely<Tables>, jobs: readonly Job[]): Promise<readonly Claimed[]> {
  for (const job of jobs) {
    const fence = await claim(tables, job)
    if (fence !== undefined) return [{ job, fence }]
  }
  return []
}

/** An error of the work itself is logged; the work is due again after its interval. */
async function run(tables: Kysely<Tables>, { job, fence }: Claimed, log: Log): Promise<void> {
  try {
    await job.run()
  } catch (err) {
    log.error({ err, job: job.name }, 'periodic work failed')
  }
  await tables
    .updateTable('periodic')
    .set({ next_run_at: new Date(Date.now() + job.intervalMs), lease_until: null })
    .where('name', '=', job.name)
    .where('fence', '=', fence)
    .execute()
}

/** The fence of the lease; undefined if the work is not due or another replica performs it. */
async function claim(tables: Kysely<Tables>, { name, leaseMs }: Job): Promise<number | undefined> {
  const now = new Date()
  await tables
    .insertInto('periodic')
    .values({ name, next_run_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const claimed = await tables
    .updateTable('periodic')
    .set((eb) => ({ fence: eb('fence', '+', 1), lease_until: new Date(now.getTime() + leaseMs) }))
    .where('name', '=', name)
    .where('next_run_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .returning('fence')
    .executeTakeFirst()
  return claimed?.fence
}
