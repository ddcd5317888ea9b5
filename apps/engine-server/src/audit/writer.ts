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

export function createAuditWriter({ log, lost, append = appendLines }: AuditWriterOptions): AuditWriter {
  /** Lines by the path they go to, in their order. */
  let waiting = new Map<string, Waiting[]>()
  let size = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  /** Why the last lines could not be written; undefined: they could. */
  let lastFailure: Error | undefined
  /** Why the last attempt left changes behind; undefined: it did not. */
  let failure: Error | undefined

  function lose(count: number, reason: string): void {
    dropped += count
    lost(count)
    fail(new Error(reason))
  }

  /** Logged once until it works again; every line that is lost is counted. */
  function fail(reason: Error): void {
    if (lastFailure === undefined)
      log.error({ reason: reason.message }, 'audit events cannot be written; decisions continue')
    lastFailure = reason
  }

  function enqueue(path: string, one: Waiting): boolean {
    if (size + one.line.length > BACKLOG) return false
    const lines = waiting.get(path)
    if (lines === undefined) waiting.set(path, [one])
    else lines.push(one)
    size += one.line.length
    return true
  }

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
    const batches = waiting
    waiting = new Map()
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
      keep(path, changes, reason)
      const samples = lines.length - changes.length
      size -= text.length - changes.reduce((sum, { line }) => sum + line.length, 0)
      if (samples > 0) lose(samples, reason.message)
      fail(reason)
      return changes.length > 0 ? reason : undefined
    }
    size -= text.length
    if (lastFailure !== undefined) log.info({}, 'audit events are written again')
    lastFailure = undefined
    for (const { change } of changes) change?.written()
    return undefined
  }

  /** Before events that arrived meanwhile: lines keep the order of their events. */
  function keep(path: string, changes: readonly Waiting[], reason: Error): void {
    if (changes.length === 0) return
    waiting.set(path, [...changes, ...(waiting.get(path) ?? [])])
    for (const { change } of changes) change?.failed(reason)
  }

  return {
    sample(path, line) {
      if (!enqueue(path, { line, change: undefined })) return lose(1, 'too much is waiting to be written')
      flushLater(DELAY)
    },
    change(path, line) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      // Not every change is acknowledged to a caller that waits.
      promise.catch(() => {})
      if (enqueue(path, { line, change: { written: resolve, failed: reject } })) void flush()
      else {
        lose(1, 'too much is waiting to be written')
        reject(new Error('too much is waiting to be written'))
      }
      return promise
    },
    async settled() {
      if (failure !== undefined) await flush()
      if (failure !== undefined) throw failure
    },
    lose,
    get failure() {
      return lastFailure
    },
    get dropped() {
      return dropped
    },
    async close() {
      await flush()
      clearTimeout(timer)
      timer = undefined
      const left = [...waiting.values()].reduce((sum, lines) => sum + lines.length, 0)
      waiting = new Map()
      size = 0
      failure = undefined
      if (left > 0) lose(left, 'the server stops')
    },
  }
}
