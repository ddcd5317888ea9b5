import { fromCloneable } from '@engine/expression'
import { parsedJson, pause, startThread } from '@engine/process'
import type { Worker } from 'node:worker_threads'
import { type RequestMemory, requestMemory } from '../memory/memory-budget.ts'
import { CheckCache } from './check-cache.ts'
import { transferables, isCompressed, pack, type Transfer, type Returned, sizeOf } from './transfer.ts'
import { type Slot, type Slots, TaskQueue, type TaskSize } from './task-queue.ts'
import type { Results, Task } from './tasks.ts'

/** The limits of tasks. */
export interface ComputeLimits {
  /** Number of threads for small and for large tasks. */
  readonly threads: Slots
  readonly milliseconds: number
  /** Heap of a thread in megabytes, by the size of its tasks. */
  readonly megabytes: Readonly<Record<TaskSize, number>>
  /** Maximum number of tasks that wait for a thread. */
  readonly waiting: number
}

/**
 * The limits of a platform. The total heap of the threads is the one that its memory limit reserves for them
 * (docs/platform/operation.md).
 *
 * @internal
 */
export const COMPUTE_LIMITS: ComputeLimits = {
  threads: { small: 3, large: 1 },
  milliseconds: 10_000,
  megabytes: { small: 64, large: 256 },
  waiting: 64,
}

/** The limits of the thread on which shadows decide: one at a time, so that they use at most one core. */
export const SHADOW_LIMITS: ComputeLimits = {
  threads: { small: 1, large: 0 },
  milliseconds: 2000,
  megabytes: { small: 128, large: 0 },
  waiting: 1,
}

/** The limits of the thread that analyses: one analysis at a time, whose budget ends long before its time limit. */
export const ANALYSIS_LIMITS: ComputeLimits = {
  threads: { small: 1, large: 0 },
  milliseconds: 10_000,
  megabytes: { small: 256, large: 0 },
  waiting: 32,
}

/** Minimum size of a large task, whose thread ends with it and frees its memory. */
const LARGE_TASK_BYTES = 256 * 1024
/** Memory per byte of a task: its copy, its values, the results derived from them, and the answer. */
const MEMORY_PER_TASK_BYTE = 8
/** Memory per value of a result, and per character of its text, in bytes. */
const [MEMORY_PER_VALUE, MEMORY_PER_CHARACTER] = [64, 4] as const
/** Size of the young generation, after which new objects are collected. */
const YOUNG_GENERATION_MEGABYTES = 16

const ABANDONED = 'its caller has left'

/** A result, or the reason why it is missing. */
export type Outcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'over'; readonly message: string }

/** The task was preempted by that of another organization. */
interface Preempted {
  readonly kind: 'preempted'
}

/** The part of an `AbortSignal` with which a caller cancels a task. */
export interface TaskSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

type FromThread =
  | { readonly kind: 'begun' }
  | ({ readonly kind: 'done' } & Returned)
  | { readonly kind: 'exhausted' | 'failed'; readonly message: string }

/**
 * Executes drafts on separate threads, so that no rule blocks the event loop. Threads are started on demand; those of
 * small tasks are kept. A thread whose task exceeds its limits is replaced. Threads have no access to the network,
 * files or the database: each task is sent with all its data.
 */
export class Compute {
  /** Results of checks on its threads. */
  readonly known = new CheckCache()
  readonly #limits: ComputeLimits
  readonly #queue: TaskQueue
  /** Idle threads for small tasks. */
  readonly #idle: Worker[] = []
  readonly #busy = new Set<Worker>()
  #isClosed = false

  constructor(limits: ComputeLimits = COMPUTE_LIMITS) {
    this.#limits = limits
    this.#queue = new TaskQueue(limits.threads, limits.waiting)
  }

  /**
   * The result of a task, which counts for the organization of the current request. Throws `too-many-requests` if too
   * many tasks are waiting, and `overloaded` if the memory for large ones is in use.
   *
   * @param signal cancels the task
   */
  async run<One extends Task>(task: One, signal?: TaskSignal): Promise<Outcome<Results[One['kind']]>> {
    const bytes = sizeOf(task)
    const request = requestMemory()
    request?.hold(bytes * MEMORY_PER_TASK_BYTE)
    const organization = request?.organization ?? ''
    // Measuring a large task takes a separate turn.
    if (bytes >= LARGE_TASK_BYTES) await pause()
    const parcel = await pack(task)
    const isSmall = bytes < LARGE_TASK_BYTES && !isCompressed(task)
    const entered = this.#queue.enter(organization, isSmall ? 'small' : 'large')
    this.#prepareThreads()
    const outcome = await this.#in(await entered, parcel, signal)
    return outcome.kind === 'over' ? outcome : await valueOf(outcome.result, request)
  }

  /** Runs a task in its slot, and again in the next one if it was preempted. */
  async #in(slot: Slot, parcel: Transfer, signal: TaskSignal | undefined): Promise<Outcome<Returned>> {
    if (this.#isClosed || signal?.aborted === true) {
      slot.leave()
      return { kind: 'over', message: this.#isClosed ? 'the platform is shutting down' : ABANDONED }
    }
    const outcome = await this.#on(this.#thread(slot.size), slot, parcel, signal).catch((error: unknown) => {
      slot.leave()
      throw error
    })
    if (outcome.kind === 'preempted') {
      const next = slot.requeue()
      this.#prepareThreads()
      return this.#in(await next, parcel, signal)
    }
    slot.leave()
    return outcome
  }

  /** Ends all threads; running and waiting tasks fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((thread) => thread.terminate()))
  }

  /** Starts threads for waiting small tasks: preempted tasks end with their threads. */
  #prepareThreads(): void {
    const { small, large } = this.#limits.threads
    const wanted = large === 0 || this.#isClosed ? 0 : Math.min(this.#queue.waitingSmall, small)
    while (this.#idle.length < wanted) this.#idle.push(this.#started('small'))
  }

  #thread(size: TaskSize): Worker {
    // Takes the thread that was started first: others may still be starting.
    return (size === 'small' ? this.#idle.shift() : undefined) ?? this.#started(size)
  }

  #on(
    thread: Worker,
    { size, begun, preempted }: Slot,
    parcel: Transfer,
    signal: TaskSignal | undefined,
  ): Promise<Outcome<Returned> | Preempted> {
    const { milliseconds } = this.#limits
    const megabytes = this.#limits.megabytes[size]
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<Returned> | Preempted>()
    let timer: NodeJS.Timeout | undefined
    let isEnded = false
    const ended = () => {
      isEnded = true
      clearTimeout(timer)
      this.#busy.delete(thread)
      signal?.removeEventListener('abort', abandon)
      thread.off('message', answered).off('error', failed).off('exit', exited)
    }
    const end = (outcome: Outcome<Returned> | Preempted) => {
      // By now the thread may have another task.
      if (isEnded) return
      ended()
      void thread.terminate()
      resolve(outcome)
    }
    const replace = (message: string) => end({ kind: 'over', message })
    const answered = (message: FromThread) => {
      if (message.kind === 'begun') {
        // The startup of the thread does not count towards the time limit of the task.
        timer = setTimeout(() => replace(`it took more than ${milliseconds / 1000} s`), milliseconds)
        begun()
        return
      }
      ended()
      if (this.#isClosed || size === 'large' || this.#idle.length >= this.#limits.threads.small) void thread.terminate()
      else this.#idle.push(thread)
      if (message.kind === 'done') resolve({ kind: 'done', result: message })
      else if (message.kind === 'exhausted')
        resolve({ kind: 'over', message: `it needs more than a thread has (${message.message})` })
      else reject(new Error(`a draft could not be executed: ${message.message}`))
    }
    const failed = (error: NodeJS.ErrnoException) =>
      replace(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it needs more than ${megabytes} MB` : error.message)
    const exited = () => replace('its thread ended')
    const abandon = () => replace(ABANDONED)
    signal?.addEventListener('abort', abandon)
    this.#busy.add(thread)
    thread.on('message', answered).on('error', failed).on('exit', exited)
    void preempted.then(() => end({ kind: 'preempted' }))
    thread.postMessage(parcel, transferables(parcel.task))
    return promise
  }

  #started(size: TaskSize): Worker {
    const resourceLimits = {
      maxOldGenerationSizeMb: this.#limits.megabytes[size],
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MEGABYTES,
    }
    const thread = startThread(new URL('compute-thread.ts', import.meta.url), { resourceLimits })
    thread.unref()
    // Errors of a terminating thread are ignored.
    return thread.on('error', () => {})
  }
}

/** Converts the answer of a thread to the result of its task. */
async function valueOf<Result>(returned: Returned, request: RequestMemory | undefined): Promise<Outcome<Result>> {
  if ('result' in returned) return { kind: 'done', result: fromCloneable(returned.result) as Result }
  request?.hold(returned.values * MEMORY_PER_VALUE + returned.text.length * MEMORY_PER_CHARACTER)
  // Values computed by a rule may exceed the limits of JSON text: by deep nesting or too many members.
  const parsed = await parsedJson(returned.text, { duplicateKeys: 'last', numbers: 'exact' })
  if (parsed.kind === 'failed') return { kind: 'over', message: `of its result ${parsed.problem.message}` }
  return { kind: 'done', result: parsed.value as Result }
}
