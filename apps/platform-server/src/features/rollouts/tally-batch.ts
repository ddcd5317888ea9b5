import { latencyClass } from '@engine/canary'
import { hash } from 'node:crypto'
import type { OrgId } from '../../database/org-id.ts'
import type { Split } from './canary-split.ts'
import { ALL_CODES } from './stage-counts.ts'
import type { Batch, Count } from './tally-store.ts'

/** Hexadecimal digits of a key's hash: 128 bits. */
const KEY_DIGITS = 32
/** Memory of a stage, expressed as a number of key events. */
const STAGE_EVENTS = 500
/** Maximum number of cached counted keys, and of result codes, per execution: the database has all of them. */
const [MAX_KEYS, MAX_CODES] = [50_000, 100] as const
/** Maximum number of executions whose counted keys are cached. */
const MAX_EXECUTIONS = 20

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

/** A batch of the stage of an answer, without counts. */
export const newBatch = ({ org, split }: Answered): Batch => ({
  org,
  split,
  counts: new Map(),
  firsts: new Map(),
  latencies: new Map(),
})

/** Memory of a batch in key events. */
export const sizeOf = ({ firsts }: Batch) => STAGE_EVENTS + firsts.size

/** Number of counted requests of both sides. */
export const requestsOf = ({ counts }: Batch) =>
  [...counts.values()].reduce((sum, { code, requests }) => sum + (code === ALL_CODES ? requests : 0), 0)

/** Adds a newer batch of the same stage. */
export function mergeBatch(batch: Batch, newer: Batch): void {
  for (const { side, code, requests, errors, slow } of newer.counts.values()) {
    const count = countAt(batch, side, code)
    count.requests += requests
    count.errors += errors
    count.slow += slow
  }
  for (const [id, first] of newer.firsts) batch.firsts.set(id, batch.firsts.get(id) ?? first)
  for (const [index, count] of newer.latencies) batch.latencies.set(index, (batch.latencies.get(index) ?? 0) + count)
}

/** Counts an answer. */
export function addAnswer(
  batch: Batch,
  { split, side, key, isError, code, milliseconds }: Answered,
  known: KnownOne,
): void {
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
export class CountedEvents {
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
