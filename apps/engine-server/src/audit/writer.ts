import { appendLines } from './file.ts'
import type { Log } from '@engine/process'

/**
 * Writes lines to files, many lines per write. Samples may be lost when a disk is full, and are counted then; changes
 * are kept until they are on disk.
 */
export interface AuditWriter {
  /** A line that may be lost. */
  sample(path: string, line: string): void
  /**
   * A line that is kept. Resolves when it is on disk; lines that wait at the same time share one sync. Rejects with the
   * reason if the write fails, which is retried.
   */
  change(path: string, line: string): Promise<void>
  /** Resolves when no failed change is waiting to be written. Rejects with the reason if one is. */
  settled(): Promise<void>
  /** Counts lost lines. */
  lose(count: number, reason: string): void
  /** Why the last write failed; undefined if it succeeded. */
  readonly failure: Error | undefined
  /** Number of lost lines. */
  readonly dropped: number
  /** Writes pending events; those that cannot be written are lost. */
  close(): Promise<void>
}

export interface AuditWriterOptions {
  readonly log: Log
  /** Called with the number of lost lines. */
  readonly lost: (count: number) => void
  /** Appends lines to a file; tests replace it. */
  readonly append?: Append | undefined
}

/** Rejects with the reason; the file then contains none of the lines. */
export type Append = (path: string, text: string, isDurable: boolean) => Promise<void>

/** Longest delay before a sample is written. */
const MAX_DELAY_MS = 200
/** Delay before changes whose write failed are retried. */
const RETRY_DELAY_MS = 1000
/** Maximum number of buffered characters; further lines are lost, so that memory stays bounded. */
const MAX_BACKLOG_CHARACTERS = 32 * 1024 * 1024
/** Maximum number of files written concurrently. */
const MAX_CONCURRENT_WRITES = 8

interface Waiting {
  readonly line: string
  /** Undefined for a sample. */
  readonly change: { readonly written: () => void; readonly failed: (reason: Error) => void } | undefined
}

/** Lines that wait to be written, up to a maximum size. */
class Backlog {
  /** By file path, in order of arrival. */
  #waiting = new Map<string, Waiting[]>()
  /** Number of characters that wait or are being written. */
  #size = 0

  /** False if the backlog is full. */
  add(path: string, one: Waiting): boolean {
    if (this.#size + one.line.length > MAX_BACKLOG_CHARACTERS) return false
    const lines = this.#waiting.get(path)
    if (lines === undefined) this.#waiting.set(path, [one])
    else lines.push(one)
    this.#size += one.line.length
    return true
  }

  /** Takes all waiting lines. They count towards the size until they are released. */
  take(): ReadonlyMap<string, readonly Waiting[]> {
    const taken = this.#waiting
    this.#waiting = new Map()
    return taken
  }

  /** Puts lines back before those that arrived meanwhile, so that lines keep the order of their events. */
  putBack(path: string, lines: readonly Waiting[]): void {
    if (lines.length > 0) this.#waiting.set(path, [...lines, ...(this.#waiting.get(path) ?? [])])
  }

  release(lines: readonly Waiting[]): void {
    for (const { line } of lines) this.#size -= line.length
  }

  /** Drops all waiting lines. Returns the number of lines. */
  clear(): number {
    const left = [...this.#waiting.values()].reduce((sum, lines) => sum + lines.length, 0)
    this.#waiting = new Map()
    this.#size = 0
    return left
  }
}

/** A failure is logged once until writing works again; every lost line is counted. */
class Losses {
  readonly #log: Log
  readonly #lost: (count: number) => void
  dropped = 0
  /** Why the last write failed; undefined if it succeeded. */
  failure: Error | undefined

  constructor(log: Log, lost: (count: number) => void) {
    this.#log = log
    this.#lost = lost
  }

  lose(count: number, reason: string): void {
    this.dropped += count
    this.#lost(count)
    this.fail(new Error(reason))
  }

  fail(reason: Error): void {
    if (this.failure === undefined)
      this.#log.error({ reason: reason.message }, 'audit events cannot be written; decisions continue')
    this.failure = reason
  }

  /** Writing works again. */
  end(): void {
    if (this.failure !== undefined) this.#log.info({}, 'audit events are written again')
    this.failure = undefined
  }
}

export function createAuditWriter({ log, lost, append = appendLines }: AuditWriterOptions): AuditWriter {
  const backlog = new Backlog()
  const losses = new Losses(log, lost)
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  /** Why the last attempt left changes unwritten; undefined if it left none. */
  let failure: Error | undefined

  function flushLater(milliseconds: number): void {
    timer ??= setTimeout(() => void flush(), milliseconds).unref()
  }

  /** Resolves after an attempt to write all lines that wait now. */
  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeAll)
    return writing
  }

  async function writeAll(): Promise<void> {
    const batches = backlog.take()
    if (batches.size === 0) return
    const failures: Error[] = []
    const rest = batches.entries()
    const work = async () => {
      for (const [path, lines] of rest) {
        const failed = await writeBatch(path, lines)
        if (failed !== undefined) failures.push(failed)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_WRITES }, work))
    // Set only now: until then the changes that are retried count as kept.
    ;[failure] = failures
    if (failure !== undefined) flushLater(RETRY_DELAY_MS)
  }

  /** Resolves to the reason why changes are kept for a retry; undefined if none are. */
  async function writeBatch(path: string, lines: readonly Waiting[]): Promise<Error | undefined> {
    const text = lines.map(({ line }) => line).join('')
    const changes = lines.filter(({ change }) => change !== undefined)
    try {
      await append(path, text, changes.length > 0)
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown : new Error(String(thrown))
      const samples = lines.filter(({ change }) => change === undefined)
      backlog.putBack(path, changes)
      for (const { change } of changes) change?.failed(reason)
      backlog.release(samples)
      if (samples.length > 0) losses.lose(samples.length, reason.message)
      losses.fail(reason)
      return changes.length > 0 ? reason : undefined
    }
    backlog.release(lines)
    losses.end()
    for (const { change } of changes) change?.written()
    return undefined
  }

  return {
    sample(path, line) {
      if (!backlog.add(path, { line, change: undefined })) return losses.lose(1, 'too much is waiting to be written')
      flushLater(MAX_DELAY_MS)
    },
    change(path, line) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Some changes have no caller that awaits the promise.
      promise.catch(() => {})
      if (backlog.add(path, { line, change: { written: resolve, failed: reject } })) void flush()
      else {
        losses.lose(1, 'too much is waiting to be written')
        reject(new Error('too much is waiting to be written'))
      }
      return promise
    },
    async settled() {
      if (failure !== undefined) await flush()
      if (failure !== undefined) throw failure
    },
    lose: (count, reason) => losses.lose(count, reason),
    get failure() {
      return losses.failure
    },
    get dropped() {
      return losses.dropped
    },
    async close() {
      await flush()
      clearTimeout(timer)
      timer = undefined
      const left = backlog.clear()
      failure = undefined
      if (left > 0) losses.lose(left, 'the server stops')
    },
  }
}
