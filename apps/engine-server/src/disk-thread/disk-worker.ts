import { startThread } from '@engine/process'
import type { Worker } from 'node:worker_threads'
import { pooledFileSystem } from '../store/disk.ts'
import type { Replacement, ReplacementOutcome } from '../store/replacement.ts'
import { createDiskJobs, type DiskJobs } from './jobs.ts'
import {
  fromPlainError,
  fromPlainOutcome,
  type Job,
  type JobMessage,
  type JobResult,
  type ResultMessage,
  STARTED,
} from './messages.ts'

export interface DiskWorkerLimits {
  /** Number of jobs within a second that start the thread. A change has up to three. */
  readonly jobsPerSecond: number
  /** How long an idle thread is kept. */
  readonly idleMs: number
}

const LIMITS: DiskWorkerLimits = { jobsPerSecond: 10, idleMs: 10_000 }

/**
 * Runs the disk jobs of a process. Single changes use the pool of libuv, where each of some 25 steps of a change wakes two
 * threads. While many changes follow each other, a thread that may wait for the disk runs whole jobs. It starts in the
 * background, and ends when it is idle. If it fails, its jobs run again in the pool.
 */
export class DiskWorker implements DiskJobs {
  readonly #limits: DiskWorkerLimits
  readonly #pool = createDiskJobs(pooledFileSystem)
  #thread: Worker | undefined
  #hasStarted = false
  #idle: NodeJS.Timeout | undefined
  #lastId = 0
  /** By id; called with undefined if the thread has failed. */
  readonly #running = new Map<number, (result: JobResult | undefined) => void>()
  #isClosed = false
  /** Number of jobs in the current second of the process. */
  #jobs = 0
  #second = 0

  readonly #startThread: () => Worker

  /** @param start starts the thread; tests replace it */
  constructor(limits: DiskWorkerLimits = LIMITS, start = startDiskThread) {
    this.#limits = limits
    this.#startThread = start
  }

  /** True if the thread runs the next job. */
  get isThreaded(): boolean {
    return this.#hasStarted
  }

  async replace(replacement: Replacement): Promise<ReplacementOutcome> {
    const result = await this.#run({ kind: 'replace', replacement })
    return result?.kind === 'replaced' ? fromPlainOutcome(result.outcome) : this.#pool.replace(replacement)
  }

  async append(path: string, text: string, isDurable: boolean): Promise<void> {
    const result = await this.#run({ kind: 'append', path, text, isDurable })
    if (result?.kind !== 'ended') return this.#pool.append(path, text, isDurable)
    if (result.error !== undefined) throw fromPlainError(result.error)
  }

  async findDirectoryFault(directory: string): Promise<unknown> {
    const result = await this.#run({ kind: 'find-directory-fault', directory })
    if (result?.kind !== 'ended') return this.#pool.findDirectoryFault(directory)
    return result.error === undefined ? undefined : fromPlainError(result.error)
  }

  /** Ends the thread; later jobs use the pool. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#end()
  }

  /** Resolves with undefined if the thread does not run or has failed. */
  #run(job: Job): Promise<JobResult | undefined> | undefined {
    const thread = this.#started()
    if (thread === undefined) return undefined
    const { promise, resolve } = Promise.withResolvers<JobResult | undefined>()
    const message: JobMessage = { id: ++this.#lastId, job }
    this.#running.set(message.id, resolve)
    thread.ref()
    clearTimeout(this.#idle)
    thread.postMessage(message)
    return promise
  }

  /** The thread, if it accepts jobs. Starts it when there are many of them. */
  #started(): Worker | undefined {
    if (this.#hasStarted) return this.#thread
    const second = Math.floor(performance.now() / 1000)
    if (second > this.#second) {
      this.#second = second
      this.#jobs = 0
    }
    this.#jobs++
    if (this.#jobs >= this.#limits.jobsPerSecond && !this.#isClosed) this.#thread ??= this.#start()
    return undefined
  }

  #start(): Worker {
    const thread = this.#startThread()
    thread.unref()
    thread.on('message', (message: typeof STARTED | ResultMessage) => {
      if (message === STARTED) this.#hasStarted = true
      else this.#settle(message)
      if (this.#running.size > 0) return
      thread.unref()
      this.#idle = setTimeout(() => void this.#end(), this.#limits.idleMs).unref()
    })
    // `exit` follows.
    thread.on('error', () => {})
    thread.on('exit', () => {
      if (this.#thread === thread) void this.#end()
    })
    return thread
  }

  #settle({ id, result }: ResultMessage): void {
    this.#running.get(id)?.(result)
    this.#running.delete(id)
  }

  async #end(): Promise<void> {
    const thread = this.#thread
    clearTimeout(this.#idle)
    this.#thread = undefined
    this.#hasStarted = false
    for (const resolve of this.#running.values()) resolve(undefined)
    this.#running.clear()
    await thread?.terminate()
  }
}

function startDiskThread(): Worker {
  return startThread(new URL('disk-thread.ts', import.meta.url))
}
