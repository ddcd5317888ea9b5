import { startThread } from '@engine/process'
import type { Worker } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import type { AnalysisAnswer, AnalysisTask } from './tasks.ts'

/** What analyses of one process may take. */
export interface AnalysisLimits {
  readonly threads: number
  readonly milliseconds: number
  readonly megabytes: number
  /** Tasks that wait for a thread: of one tenant, and altogether. */
  readonly waiting: { readonly tenant: number; readonly all: number }
}

const ANALYSIS_LIMITS: AnalysisLimits = {
  threads: 2,
  milliseconds: 20_000,
  megabytes: 256,
  waiting: { tenant: 8, all: 32 },
}

/** Milliseconds that a thread waits for the next task: starting one takes longer than most analyses. */
const IDLE_MS = 5000
/** Seconds after which a refused task may be sent again. */
const RETRY_SECONDS = 5

/** The part of an `AbortSignal` that a task follows. */
export interface TaskSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Whose task it is, and who waits for it. */
export interface TaskOwner {
  /** Undefined: the server has no tenants. */
  readonly tenant: string | undefined
  readonly signal?: TaskSignal | undefined
}

/** The thread begins a task. */
export const BEGUN = 'begun'

export type FromAnalysisThread = AnalysisAnswer | typeof BEGUN | { readonly kind: 'failed'; readonly message: string }

interface Waiting {
  readonly task: AnalysisTask
  readonly owner: TaskOwner
  /** Its client has disconnected. */
  readonly leave: () => void
  readonly resolve: (answer: Extract<AnalysisAnswer, { kind: 'done' }>) => void
  readonly reject: (error: unknown) => void
}

/**
 * Analyses rulesets on separate threads, to keep the event loop free. Threads start on demand and end when they are
 * idle, when a task exceeds its limits, or when its client disconnects. Tenants with the fewest running tasks come first.
 */
export class AnalysisThreads {
  readonly #limits: AnalysisLimits
  readonly #waiting: Waiting[] = []
  readonly #idle = new Map<Worker, NodeJS.Timeout>()
  readonly #running = new Map<Worker, Waiting>()

  constructor(limits: AnalysisLimits = ANALYSIS_LIMITS) {
    this.#limits = limits
  }

  /** The answer of a task. Rejects with an `EngineError` for what its sender can know. */
  run(task: AnalysisTask, owner: TaskOwner): Promise<Extract<AnalysisAnswer, { kind: 'done' }>> {
    const { tenant, all } = this.#limits.waiting
    const own = this.#waiting.filter((one) => one.owner.tenant === owner.tenant).length
    if (owner.tenant !== undefined && own >= tenant) {
      const message = `${own} analyses of the tenant are waiting: try again`
      return Promise.reject(new EngineError('too-many-requests', message, { retryAfterSeconds: RETRY_SECONDS }))
    }
    if (this.#waiting.length >= all) {
      const message = `${this.#waiting.length} analyses are waiting: try again`
      return Promise.reject(new EngineError('overloaded', message, { retryAfterSeconds: RETRY_SECONDS }))
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        const place = this.#waiting.indexOf(waiting)
        if (place < 0) return
        this.#waiting.splice(place, 1)
        reject(abandoned())
      }
      const waiting = { task, owner, leave, resolve, reject }
      this.#waiting.push(waiting)
      owner.signal?.addEventListener('abort', leave)
      this.#begin()
    })
  }

  /** Ends all threads; their tasks fail. */
  async close(): Promise<void> {
    const error = new EngineError('shutting-down', 'the server is shutting down')
    for (const { reject } of [...this.#waiting.splice(0), ...this.#running.values()]) reject(error)
    const threads = [...this.#idle.keys(), ...this.#running.keys()]
    this.#idle.clear()
    this.#running.clear()
    await Promise.all(threads.map((thread) => thread.terminate()))
  }

  #begin(): void {
    while (this.#running.size < this.#limits.threads) {
      const next = this.#takeNext()
      if (next === undefined) return
      next.owner.signal?.removeEventListener('abort', next.leave)
      if (next.owner.signal?.aborted === true) next.reject(abandoned())
      else this.#runOn(this.#thread(), next)
    }
  }

  /** The first task of the tenant of which the fewest run. */
  #takeNext(): Waiting | undefined {
    const runs = ({ owner }: Waiting) =>
      [...this.#running.values()].filter((one) => one.owner.tenant === owner.tenant).length
    const fewest = Math.min(...this.#waiting.map(runs))
    const place = this.#waiting.findIndex((one) => runs(one) === fewest)
    return place < 0 ? undefined : this.#waiting.splice(place, 1)[0]
  }

  #runOn(thread: Worker, waiting: Waiting): void {
    const { milliseconds, megabytes } = this.#limits
    const { task, owner, resolve, reject } = waiting
    let timer: NodeJS.Timeout | undefined
    const leave = () => {
      clearTimeout(timer)
      thread.off('message', answered).off('error', failed)
      owner.signal?.removeEventListener('abort', abandon)
      this.#running.delete(thread)
    }
    const end = (error: EngineError | Error) => {
      leave()
      void thread.terminate()
      reject(error)
      this.#begin()
    }
    const abandon = () => end(abandoned())
    const late = () => end(new EngineError('timeout', `the analysis took more than ${milliseconds / 1000} s`))
    const failed = (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return end(error)
      end(new EngineError('analysis-failed', `the analysis needs more than ${megabytes} MB of memory`))
    }
    const answered = (answer: FromAnalysisThread) => {
      if (answer === BEGUN) {
        // The time of a start is not that of the task.
        timer = setTimeout(late, milliseconds)
        return
      }
      leave()
      this.#rest(thread)
      if (answer.kind === 'done') resolve(answer)
      else if (answer.kind === 'failed') reject(new Error(`an analysis failed: ${answer.message}`))
      else reject(new EngineError(answer.code, answer.message, answer.details && { details: answer.details }))
      this.#begin()
    }
    this.#running.set(thread, waiting)
    owner.signal?.addEventListener('abort', abandon)
    thread.ref()
    thread.on('message', answered).on('error', failed)
    thread.postMessage(task)
  }

  #rest(thread: Worker): void {
    thread.unref()
    const end = () => {
      this.#idle.delete(thread)
      void thread.terminate()
    }
    this.#idle.set(thread, setTimeout(end, IDLE_MS).unref())
  }

  #thread(): Worker {
    const [idle] = this.#idle
    if (idle === undefined) {
      const resourceLimits = { maxOldGenerationSizeMb: this.#limits.megabytes }
      // Errors of a terminating thread are ignored.
      return startThread(new URL('analysis-thread.ts', import.meta.url), { resourceLimits }).on('error', () => {})
    }
    const [thread, timer] = idle
    clearTimeout(timer)
    this.#idle.delete(thread)
    return thread
  }
}

const abandoned = () => new EngineError('timeout', 'the client has disconnected')
