import { parsedJson, startThread } from '@engine/process'
import type { Worker } from 'node:worker_threads'
import { failures } from '../errors.ts'
import { KnownChecks } from './known-checks.ts'
import { handedOver, packed, type Parcel, type Returned } from './parcel.ts'
import type { Results, Task } from './tasks.ts'

/** What one task may take. */
export interface ComputeLimits {
  readonly threads: number
  readonly milliseconds: number
  readonly megabytes: number
  /** Tasks that wait for a thread. */
  readonly waiting: number
}

/**
 * The limits of a platform.
 *
 * @internal
 */
export const COMPUTE_LIMITS: ComputeLimits = { threads: 2, milliseconds: 10_000, megabytes: 512, waiting: 64 }

/** The limits of the thread on which shadows decide: one at a time, so that they take no more than a core. */
export const SHADOW_LIMITS: ComputeLimits = { threads: 1, milliseconds: 2000, megabytes: 256, waiting: 1 }

/** A result, or why there is none. */
export type Outcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'over'; readonly message: string }

type FromThread =
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'done' } & Returned)
  | { readonly kind: 'exhausted' | 'failed'; readonly message: string }

/**
 * Executes drafts on threads of their own, so that no rule holds the event loop. Threads are started when they are needed and
 * kept; one whose task takes more than its limits is replaced. They have no way to the network, the files or the database:
 * all that a task needs is sent with it.
 */
export class Compute {
  /** What its threads have checked. */
  readonly known = new KnownChecks()
  readonly #limits: ComputeLimits
  readonly #idle: Worker[] = []
  readonly #queue: ((thread: Worker) => void)[] = []
  #threads = 0
  #isClosed = false

  constructor(limits: ComputeLimits = COMPUTE_LIMITS) {
    this.#limits = limits
  }

  /** Throws `too-many-requests` when too many tasks are waiting. */
  async run<One extends Task>(task: One): Promise<Outcome<Results[One['kind']]>> {
    const parcel = await packed(task)
    const outcome = await this.#on(await this.#thread(), parcel)
    if (outcome.kind === 'over') return outcome
    const { result } = outcome
    // The kind of the result is that of the task.
    if ('result' in result) return { kind: 'done', result: result.result as Results[One['kind']] }
    // What a rule computes may be more than JSON is allowed to be: nested more deeply, or with more members.
    const parsed = await parsedJson(result.text, { duplicateKeys: 'last' })
    if (parsed.kind === 'failed') return { kind: 'over', message: `of its result ${parsed.problem.message}` }
    return { kind: 'done', result: parsed.value as unknown as Results[One['kind']] }
  }

  /** Ends all threads; tasks that are running are over. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#idle.splice(0).map((thread) => thread.terminate()))
  }

  #thread(): Worker | Promise<Worker> {
    const idle = this.#idle.pop()
    if (idle !== undefined) return idle
    if (this.#threads < this.#limits.threads) return this.#started()
    if (this.#queue.length >= this.#limits.waiting)
      throw failures.tooMany('too many drafts are being executed: try again', 1)
    return new Promise((resolve) => void this.#queue.push(resolve))
  }

  #on(thread: Worker, parcel: Parcel): Promise<Outcome<Returned>> {
    const { milliseconds, megabytes } = this.#limits
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<Returned>>()
    let timer: NodeJS.Timeout | undefined
    const ended = () => {
      clearTimeout(timer)
      thread.off('message', answered).off('error', failed)
    }
    const replace = (message: string) => {
      ended()
      this.#threads--
      void thread.terminate()
      this.#serveNext()
      resolve({ kind: 'over', message })
    }
    const answered = (message: FromThread) => {
      if (message.kind === 'begun') {
        // The time of a start is not that of the task.
        timer = setTimeout(() => replace(`it took more than ${milliseconds / 1000} s`), milliseconds)
        return
      }
      ended()
      this.#release(thread)
      if (message.kind === 'done') resolve({ kind: 'done', result: message })
      else if (message.kind === 'exhausted')
        resolve({ kind: 'over', message: `it needs more than a thread has (${message.message})` })
      else reject(new Error(`a draft could not be executed: ${message.message}`))
    }
    const failed = (error: NodeJS.ErrnoException) =>
      replace(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it needs more than ${megabytes} MB` : error.message)
    thread.on('message', answered).on('error', failed)
    thread.postMessage(parcel, handedOver(parcel.task))
    return promise
  }

  #release(thread: Worker): void {
    if (this.#isClosed) {
      void thread.terminate()
      return
    }
    const next = this.#queue.shift()
    if (next === undefined) this.#idle.push(thread)
    else next(thread)
  }

  /** The place of a thread is free. */
  #serveNext(): void {
    if (this.#isClosed) return
    const next = this.#queue.shift()
    if (next !== undefined) next(this.#started())
  }

  #started(): Worker {
    this.#threads++
    const resourceLimits = { maxOldGenerationSizeMb: this.#limits.megabytes }
    const thread = startThread(new URL('compute-thread.ts', import.meta.url), { resourceLimits })
    thread.unref()
    // Of one that is being ended an error means nothing.
    return thread.on('error', () => {})
  }
}
