import type { Log } from '@engine/process'
import { isUncommitted } from '../../database/availability.ts'
import type { Database } from '../../database/database.ts'
import type { ActiveShadow } from './active-shadows.ts'
import { Counts, storeCounts } from './shadow-counts.ts'

/** Interval of flushes, which bounds the counts lost when a replica is killed. */
const FLUSH_INTERVAL_MS = 1000
/** Maximum number of shadows whose counts wait for the database; counts of further shadows are dropped. */
const MAX_WAITING_SHADOWS = 200

/** Counts of shadows that are flushed to the database from time to time. */
export interface CountWriter {
  /** The counts of a shadow, which the caller may increase; the next flush stores them. */
  countsOf(shadow: ActiveShadow): Counts
  /** Resolves when all counts are stored, or are lost because the database is unavailable. */
  stop(): Promise<void>
}

/** @param lost called with the number of requests whose counts are lost */
export function createCountWriter(database: Database, log: Log, lost: (requests: number) => void): CountWriter {
  const counts = new Map<string, Counts>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()
  let isStopped = false

  function schedule(): void {
    if (!isStopped) timer ??= setTimeout(() => (flushing = flushing.then(flush)), FLUSH_INTERVAL_MS)
  }

  async function flush(): Promise<void> {
    timer = undefined
    const due = [...counts.values()]
    counts.clear()
    let isAway = false
    for (const one of due) {
      // Further counts would wait for the same database.
      if (!isAway)
        isAway = await storeCounts(database, one).then(
          () => false,
          (err: unknown) => failed(one, err),
        )
      if (isAway) putBack(one)
    }
    if (counts.size > 0) schedule()
  }

  /** True if the counts can be stored later: if the outcome is unknown, they must not be counted twice. */
  function failed(one: Counts, err: unknown): boolean {
    if (isUncommitted(err)) return true
    lose(one, err)
    return false
  }

  function lose(one: Counts, err?: unknown): void {
    lost(one.requests + one.dropped)
    log.warn({ err, shadow: one.shadow }, 'counts of a shadow are lost')
  }

  function putBack(one: Counts): void {
    const { org, shadow } = one
    if (!counts.has(shadow) && counts.size >= MAX_WAITING_SHADOWS) return lose(one)
    const all = counts.get(shadow) ?? new Counts(org, shadow)
    all.addUnstored(one)
    counts.set(shadow, all)
  }

  return {
    countsOf({ org, id }) {
      const known = counts.get(id) ?? new Counts(org, id)
      counts.set(id, known)
      schedule()
      return known
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await flushing
      await flush()
      for (const one of counts.values()) lose(one)
      counts.clear()
    },
  }
}
