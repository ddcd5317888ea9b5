import { appendLines } from './file.ts'
import type { Log } from '@engine/process'

/**
 * Brings lines into files, many in one write. Samples may be lost when a disk is full, and are counted then; changes are
 * kept until they are on disk.
 */
export interface AuditWriter {
  /** A line that may be lost. */
  sample(path: string, line: string): void
  /**
   * A line that is kept. Resolves when it is on disk; those that wait at the same time share one sync. Rejects with the
   * reason when it could not be written; it is tried again.
   */
  change(path: string, line: string): Promise<void>
  /** Resolves when no change waits that could not be written before. Rejects with the reason when one does. */
  settled(): Promise<void>
  /** Counts lines that are lost. */
  lose(count: number, reason: string): void
  /** Why the last lines could not be written; undefined: they could. */
  readonly failure: Error | undefined
  /** Lines that were lost. */
  readonly dropped: number
  /** Writes pending events; those that cannot be written are lost. */
  close(): Promise<void>
}

export interface AuditWriterOptions {
  readonly log: Log
  /** Called with the number of lines that were lost. */
  readonly lost: (count: number) => void
  /** How lines get into a file; default: by writing them to it. */
  readonly append?: Append | undefined
}

/** Rejects with the reason; then none of the lines is in the file. */
export type Append = (path: string, text: string, isDurable: boolean) => Promise<void>

/** Milliseconds that a sample waits at most. */
const DELAY = 200
/** Milliseconds after which changes that could not be written are tried again. */
const RETRY = 1000
/** Characters that wait at most; beyond that lines are lost rather than memory. */
const BACKLOG = 32 * 1024 * 1024
/** Files that are written at the same time. */
const CONCURRENCY = 8

interface Waiting {
  readonly line: string
  /** Undefined: a sample. */
  readonly change: { readonly written: () => void; readonly failed: (reason: Error) => void } | undefined
}

/** Lines that wait to be written, up to a size. */
class Backlog {
  /** By the path they go to, in their order. */
  #waiting = new Map<string, Waiting[]>()
  /** Characters that wait or are being written. */
  #size = 0

  /** False: too much is waiting. */
  add(path: string, one: Waiting): boolean {
    if (this.#size + one.line.length > BACKLOG) return false
    const lines = this.#waiting.get(path)
    if (lines === undefined) this.#waiting.set(path, [one])
    else lines.push(one)
    this.#size += one.line.length
    return true
  }

  /** Everything that waits. It takes room until it is released. */
  take(): ReadonlyMap<string, readonly Waiting[]> {
    const taken = this.#waiting
    this.#waiting = new Map()
    return taken
  }

  /** Before events that arrived meanwhile: lines keep the order of their events. */
  putBack(path: string, lines: readonly Waiting[]): void {
    if (lines.length > 0) this.#waiting.set(path, [...lines, ...(this.#waiting.get(path) ?? [])])
  }

  release(lines: readonly Waiting[]): void {
    for (const { line } of lines) this.#size -= line.length
  }

  /** Drops everything. Returns the number of lines. */
  clear(): number {
    const left = [...this.#waiting.values()].reduce((sum, lines) => sum + lines.length, 0)
    this.#waiting = new Map()
    this.#size = 0
    return left
  }
}

/** Logged once until writing works again; every line that is lost is counted. */
class Losses {
  readonly #log: Log
  readonly #lost: (count: number) => void
  dropped = 0
  /** Why the last lines could not be written; undefined: they could. */
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

  /** Lines are written again. */
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
  /** Why the last attempt left changes behind; undefined: it did not. */
  let failure: Error | undefined

  function flushLater(milliseconds: number): void {
    timer ??= setTimeout(() => void flush(), milliseconds).unref()
  }

  /** Resolves when everything that waits now was tried. */
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
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    // Only now: until then the changes that are tried again count as kept.
    ;[failure] = failures
    if (failure !== undefined) flushLater(RETRY)
  }

  /** Resolves to why changes are kept; undefined: none is. */
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
      flushLater(DELAY)
    },
    change(path, line) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Not every change is acknowledged to a caller that waits.
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
