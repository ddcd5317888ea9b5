import type { Log } from '@engine/process'
import type { Database } from '../../database/database.ts'
import { isUncommitted } from '../../database/availability.ts'
import { addAnswer, type Answered, CountedEvents, mergeBatch, newBatch, requestsOf, sizeOf } from './tally-batch.ts'
import { type Batch, storeBatch } from './tally-store.ts'

/** Counts the answers of both sides of splits, and flushes them to the database periodically. */
export interface Tally {
  count(answered: Answered): void
  /** Resolves when the counts are stored, or are lost because the database is unavailable. */
  stop(): Promise<void>
}

/** Interval of flushes, which bounds the counts lost when a replica is killed. */
const FLUSH_INTERVAL_MS = 500
/** Maximum number of events waiting for the database, in about 30 MiB; further ones are dropped. */
const MAX_WAITING = 100_000

/**
 * A lost flush delays the comparison but never distorts it, because both sides lose counts equally. Counts wait while
 * the database is unavailable. A flush with an unknown outcome is not repeated, since counting a request twice would be
 * false evidence.
 *
 * @param dropped called with the number of requests whose counts are lost
 */
export function startTally(database: Database, log: Log, dropped: (requests: number) => void = () => {}): Tally {
  const batches = new Map<string, Batch>()
  /** Events and stages that are not stored yet, including those of the current flush. */
  let waiting = 0
  const known = new CountedEvents()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    timer = undefined
    const due = [...batches]
    batches.clear()
    let isAway = false
    for (const [at, batch] of due) {
      // Further batches would wait for the same database.
      if (!isAway)
        isAway = await storeBatch(database, batch).then(
          () => false,
          (err: unknown) => failed(batch, err),
        )
      if (isAway) putBack(at, batch)
      else waiting -= sizeOf(batch)
    }
    if (batches.size > 0) schedule()
  }

  /** True if the batch can be stored later. */
  function failed(batch: Batch, err: unknown): boolean {
    if (isUncommitted(err)) return true
    lose(batch, err)
    return false
  }

  function lose(batch: Batch, err?: unknown): void {
    const requests = requestsOf(batch)
    dropped(requests)
    log.warn({ err, execution: batch.split.executionId, requests }, 'counts of a canary are lost')
  }

  function putBack(at: string, batch: Batch): void {
    const newer = batches.get(at)
    if (newer !== undefined) {
      waiting -= sizeOf(batch) + sizeOf(newer)
      mergeBatch(batch, newer)
      waiting += sizeOf(batch)
    }
    batches.set(at, batch)
  }

  function schedule(): void {
    timer ??= setTimeout(() => (flushing = flushing.then(flush)), FLUSH_INTERVAL_MS)
  }

  return {
    count(answered) {
      const { split } = answered
      const at = `${split.executionId} ${split.environmentId} ${split.stage}`
      // Drops affect both sides alike.
      if (waiting >= MAX_WAITING) return dropped(1)
      const found = batches.get(at)
      const batch = found ?? newBatch(answered)
      batches.set(at, batch)
      const before = found === undefined ? 0 : sizeOf(found)
      addAnswer(batch, answered, known.of(`${split.executionId} ${split.environmentId}`))
      waiting += sizeOf(batch) - before
      schedule()
    },
    async stop() {
      clearTimeout(timer)
      await flushing
      await flush()
      clearTimeout(timer)
      for (const batch of batches.values()) lose(batch)
      batches.clear()
    },
  }
}
