import { latencyClass } from '@engine/canary'
import type { Log } from '@engine/process'
import { hash } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { isUncommitted } from '../../database/availability.ts'
import { ALL_CODES } from './stage-counts.ts'
import { type Batch, type Count, storeBatch } from './tally-store.ts'
import type { Split } from './canary-split.ts'

/** A request of a split, with or without an answer. */
export interface Answered {
  readonly org: OrgId
  readonly split: Split
  readonly side: 'canary' | 'stable'
  /** Undefined if the request is a separate unit. */
  readonly key: string | undefined
  readonly isError: boolean
  /** Code of the result; undefined if there is none. */
  readonly code: string | undefined
  readonly milliseconds: number
}

/** Counts the answers of both sides of splits, and flushes them to the database periodically. */
export interface Tally {
  count(answered: Answered): void
  /** Resolves when the counts are stored, or are lost because the database is unavailable. */
  stop(): Promise<void>
}

/** Interval of flushes, which bounds the counts lost when a replica is killed. */
const FLUSH_INTERVAL_MS = 500
/** Hexadecimal digits of a key's hash: 128 bits. */
const KEY_DIGITS = 32
/** Maximum number of events waiting for the database, in about 30 MiB; further ones are dropped. */
const MAX_WAITING = 100_000
/** Memory of a stage, expressed as a number of key events. */
const STAGE_EVENTS = 500
/** Maximum number of cached counted keys, and of result codes, per execution: the database has all of them. */
const [MAX_KEYS, MAX_CODES] = [50_000, 100] as const

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
  const known = new Known()
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
      merge(batch, newer)
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
      add(batch, answered, known.of(`${split.executionId} ${split.environmentId}`))
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

const newBatch = ({ org, split }: Answered): Batch => ({
  org,
  split,
  counts: new Map(),
  firsts: new Map(),
  latencies: new Map(),
})

const sizeOf = ({ firsts }: Batch) => STAGE_EVENTS + firsts.size

const requestsOf = ({ counts }: Batch) =>
  [...counts.values()].reduce((sum, { code, requests }) => sum + (code === ALL_CODES ? requests : 0), 0)

/** Adds a newer batch of the same stage. */
function merge(batch: Batch, newer: Batch): void {
  for (const { side, code, requests, errors, slow } of newer.counts.values()) {
    const count = countAt(batch, side, code)
    count.requests += requests
    count.errors += errors
    count.slow += slow
  }
  for (const [id, first] of newer.firsts) batch.firsts.set(id, batch.firsts.get(id) ?? first)
  for (const [index, count] of newer.latencies) batch.latencies.set(index, (batch.latencies.get(index) ?? 0) + count)
}

function add(batch: Batch, { split, side, key, isError, code, milliseconds }: Answered, known: KnownOne): void {
  countAt(batch, side, ALL_CODES).requests++
  const happened = (member: Count['member'], of: string) => {
    if (key === undefined) countAt(batch, side, of)[member]++
    else {
      // Only the first event of each key counts: keys that always fail would otherwise weigh by their number of
      // requests.
      const id = hash('sha256', `${member}\0${of}\0${key}`).slice(0, KEY_DIGITS)
      if (known.hasNot(id)) batch.firsts.set(id, { side, member, code: of })
    }
  }
  const linked = isError ? ALL_CODES : code
  const group = linked === undefined ? undefined : split.groups.get(linked)
  if (group !== undefined) happened('requests', group)
  if (isError) happened('errors', ALL_CODES)
  if (split.slowMs !== undefined && milliseconds > split.slowMs) happened('slow', ALL_CODES)
  if (split.slowMs === undefined && side === 'stable') {
    const index = latencyClass(milliseconds)
    batch.latencies.set(index, (batch.latencies.get(index) ?? 0) + 1)
  }
  if (code !== undefined && code !== ALL_CODES && known.takesCode(code)) happened('requests', code)
}

function countAt({ counts }: Batch, side: Answered['side'], code: string): Record<Count['member'], number> {
  const at = `${side} ${code}`
  const found = counts.get(at)
  if (found !== undefined) return found
  const made = { side, code, requests: 0, errors: 0, slow: 0 }
  counts.set(at, made)
  return made
}

/** Keys and codes that this replica has already counted for an execution in an environment. */
class KnownOne {
  readonly #keys = new Set<string>()
  readonly #codes = new Set<string>()

  hasNot(id: string): boolean {
    if (this.#keys.has(id)) return false
    if (this.#keys.size >= MAX_KEYS) this.#keys.clear()
    this.#keys.add(id)
    return true
  }

  takesCode(code: string): boolean {
    if (this.#codes.size < MAX_CODES) this.#codes.add(code)
    return this.#codes.has(code)
  }
}

/** The counted keys and codes of recent executions. */
class Known {
  readonly #byExecution = new Map<string, KnownOne>()

  of(execution: string): KnownOne {
    const found = this.#byExecution.get(execution) ?? new KnownOne()
    this.#byExecution.delete(execution)
    this.#byExecution.set(execution, found)
    const [oldest] = this.#byExecution.keys()
    if (this.#byExecution.size > MAX_EXECUTIONS && oldest !== undefined) this.#byExecution.delete(oldest)
    return found
  }
}

const MAX_EXECUTIONS = 20
