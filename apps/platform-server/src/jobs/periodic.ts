import type { Log } from '@engine/process'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** Work that is done again and again, by one replica at a time. It may be done twice, after a replica was killed. */
export interface Job {
  readonly name: string
  readonly intervalMs: number
  /** Beyond it another replica begins the work anew. */
  readonly leaseMs: number
  readonly run: () => Promise<void>
}

/** The periodic work of this replica. */
export interface Jobs {
  /** Whether the database has been asked for work lately. */
  readonly run: boolean
  /** Resolves when what is being done is done. */
  stop(): Promise<void>
}

/** Milliseconds between two looks for work that is due. */
const POLL_INTERVAL_MS = 5000
/** Looks that may fail one after another before the jobs count as failed. */
const PATIENCE = 6

/** Begin to look for work. The first look is at once. */
export function startJobs(tables: Kysely<Tables>, jobs: readonly Job[], log: Log): Jobs {
  let failed = 0
  let isStopped = false
  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    try {
      for (const job of jobs) if (!isStopped) await runIfDue(tables, job, log)
      failed = 0
    } catch (err) {
      failed++
      log.warn({ err }, 'periodic work cannot be looked for in the database')
    }
    if (!isStopped) timer = setTimeout(() => (looking = look()), POLL_INTERVAL_MS)
  }
  looking = look()
  return {
    get run() {
      return failed < PATIENCE
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

/** An error of the work itself is logged; the work is due again after its interval. */
async function runIfDue(tables: Kysely<Tables>, job: Job, log: Log): Promise<void> {
  const fence = await claim(tables, job)
  if (fence === undefined) return
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

/** The fence of the lease; undefined: the work is not due, or another replica does it. */
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
