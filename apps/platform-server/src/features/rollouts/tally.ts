import { latencyClass } from '@engine/canary'
import type { Log } from '@engine/process'
import { hash } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import type { OrgId } from '../../database/org-id.ts'
import { ALL_CODES } from './counts.ts'
import { type Batch, type Count, storeBatch } from './flush.ts'
import type { Split } from './split.ts'

/** A request of a split that was answered, or was not. */
export interface Answered {
  readonly org: OrgId
  readonly split: Split
  readonly side: 'canary' | 'stable'
  /** Undefined: the request is a unit of its own. */
  readonly key: string | undefined
  readonly isError: boolean
  /** Of the result; undefined: there is none. */
  readonly code: string | undefined
  readonly milliseconds: number
}

/** Counts what both sides of splits answer, and brings it to the database from time to time. */
export interface Tally {
  count(answered: Answered): void
  /** Resolves when what was counted is stored. */
  stop(): Promise<void>
}

/** Milliseconds between two flushes: what is lost with a replica that is killed. */
const FLUSH_MS = 500
/** Hexadecimal digits of a key's hash: 128 bits. */
const KEY_DIGITS = 32
/** Keys that are remembered as counted, and result codes, of one execution: the database knows them all. */
const [MOST_KEYS, MOST_CODES] = [50_000, 100] as const

/**
 * A lost flush makes the comparison later, never wrong: both sides lose alike. One whose outcome is unknown is not repeated, since
 * what is counted twice would be evidence that nothing has given.
 */
export function startTally(database: Database, log: Log): Tally {
  const batches = new Map<string, Batch>()
  const known = new Known()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    timer = undefined
    const due = [...batches.values()]
    batches.clear()
    for (const batch of due)
      await storeBatch(database, batch).catch((err: unknown) => {
        log.warn({ err, execution: batch.split.executionId }, 'counts of a canary are lost')
      })
  }

  return {
    count(answered) {
      const { split } = answered
      const at = `${split.executionId} ${split.environmentId} ${split.stage}`
      const batch = batches.get(at) ?? newBatch(answered)
      batches.set(at, batch)
      add(batch, answered, known.of(`${split.executionId} ${split.environmentId}`))
      timer ??= setTimeout(() => (flushing = flushing.then(flush)), FLUSH_MS)
    },
    async stop() {
      clearTimeout(timer)
      await flushing
      await flush()
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

function add(batch: Batch, { split, side, key, isError, code, milliseconds }: Answered, known: KnownOne): void {
  countAt(batch, side, ALL_CODES).requests++
  const happened = (member: Count['member'], of: string) => {
    if (key === undefined) countAt(batch, side, of)[member]++
    else {
      // Of each key the first event counts alone: keys that always fail would else be evidence by their number of requests.
      const id = hash('sha256', `${member}\0${of}\0${key}`).slice(0, KEY_DIGITS)
      if (known.hasNot(id)) batch.firsts.set(id, { side, member, code: of })
    }
  }
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

/** What this replica has counted of an execution in an environment already. */
class KnownOne {
  readonly #keys = new Set<string>()
  readonly #codes = new Set<string>()

  hasNot(id: string): boolean {
    if (this.#keys.has(id)) return false
    if (this.#keys.size >= MOST_KEYS) this.#keys.clear()
    this.#keys.add(id)
    return true
  }

  takesCode(code: string): boolean {
    if (this.#codes.size < MOST_CODES) this.#codes.add(code)
    return this.#codes.has(code)
  }
}

/** The same of the executions that were counted for last. */
class Known {
  readonly #byExecution = new Map<string, KnownOne>()

  of(execution: string): KnownOne {
    const found = this.#byExecution.get(execution) ?? new KnownOne()
    this.#byExecution.delete(execution)
    this.#byExecution.set(execution, found)
    const [oldest] = this.#byExecution.keys()
    if (this.#byExecution.size > MOST_EXECUTIONS && oldest !== undefined) this.#byExecution.delete(oldest)
    return found
  }
}

const MOST_EXECUTIONS = 20
