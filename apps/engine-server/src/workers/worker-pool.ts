import cluster from 'node:cluster'
import { type Log, StartError, within } from '@engine/process'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { WorkerHandle } from './worker-handle.ts'
import type { Begin, FromWorker, Question, RulesetsOf } from './messages.ts'
import { WORKER_VARIABLE } from '../config/worker-number.ts'

/** The processes that answer requests. */
export interface WorkerPool {
  /**
   * Starts all workers; resolves when they are ready. Rejects with a `StartError` if one cannot start.
   *
   * @param owner the process that the workers communicate with
   */
  start(owner: PoolOwner): Promise<void>
  readonly dispatch: Dispatcher['dispatch']
  /** Number of connections that are assigned to workers or queued for them. */
  readonly connections: number
  /** Sends a change to all workers; resolves when all have applied it. */
  tell(question: Question): Promise<void>
  /** Sends a request to all ready workers; resolves when all have answered, or on timeout. */
  ask(question: Question, milliseconds: number, heard: (number: number, answer: string) => void): Promise<void>
  readonly ready: number
  /** Stops all workers within a time limit, and then kills the remaining ones. */
  stop(milliseconds: number): Promise<void>
}

/** The owner's services for its workers. */
export interface PoolOwner {
  /** The initial state of a worker: a current snapshot. */
  readonly begin: () => { readonly message: Begin; readonly stored: readonly RulesetsOf[] }
  /** Messages that the pool does not handle itself. */
  readonly said: (message: Extract<FromWorker, { kind: 'audit' | 'audit-lost' }>) => void
  /** Called when a worker has ended, by itself or by a signal. */
  readonly ended: (number: number) => void
}

export interface WorkerPoolParts {
  readonly count: number
  /** Silence after which a worker is replaced although no request waits for it, in milliseconds; 0: never. */
  readonly silenceMs: number
  readonly log: Log
  /** Called when no worker can be started. */
  readonly giveUp: (reason: string) => void
}

/** Number of consecutive failed starts after which the pool gives up. */
const MAX_CONSECUTIVE_FAILURES = 5
/** Interval of pings that check each worker's event loop. */
const PING_INTERVAL_MS = 1000
/** Minimum silence that is tolerated, while a process runs and while it starts. */
const MIN_SILENCE_MS = { running: 2000, starting: 60_000 } as const
/** Delay before the second attempt to start a worker; doubled for each further attempt. */
const INITIAL_RESTART_DELAY_MS = 100

export function createWorkerPool(parts: WorkerPoolParts): WorkerPool {
  return new RunningWorkerPool(parts)
}

class RunningWorkerPool implements WorkerPool {
  readonly #parts: WorkerPoolParts
  /** Undefined before `start`: no worker runs. */
  #owner: PoolOwner | undefined
  readonly #workers = new Set<WorkerHandle>()
  readonly #dispatcher = createDispatcher(() => this.#inState('ready'))
  /** Number of consecutive failed starts. */
  #failures = 0
  #hasStarted = false
  /** Changes that some workers have not applied yet. */
  readonly #telling = new Set<Promise<unknown>>()
  #isStopping = false
  readonly #started = Promise.withResolvers<void>()
  readonly #stopped = Promise.withResolvers<void>()
  #heartbeat: NodeJS.Timeout | undefined

  readonly dispatch: Dispatcher['dispatch'] = (connection, place) => this.#dispatcher.dispatch(connection, place)

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts
  }

  get ready(): number {
    return this.#inState('ready').length
  }

  get connections(): number {
    return [...this.#workers].reduce((sum, handle) => sum + handle.connections, this.#dispatcher.kept)
  }

  start(owner: PoolOwner): Promise<void> {
    this.#owner = owner
    // Structured clones transfer sets and buffers unchanged.
    cluster.setupPrimary({ serialization: 'advanced' })
    for (let number = 1; number <= this.#parts.count; number++) this.#fork(number)
    this.#heartbeat = setInterval(() => this.#ping(), PING_INTERVAL_MS).unref()
    return this.#started.promise
  }

  async tell(question: Question): Promise<void> {
    const told = Promise.all(Array.from(this.#workers, (handle) => handle.inform(question)))
    this.#telling.add(told)
    await told.finally(() => this.#telling.delete(told))
  }

  async ask(question: Question, milliseconds: number, heard: (number: number, answer: string) => void): Promise<void> {
    const asked = this.#inState('ready').map(async (handle) => {
      const answer = await handle.ask(question)
      if (answer !== undefined) heard(handle.number, answer)
    })
    await within(milliseconds, Promise.all(asked))
  }

  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#heartbeat)
    this.#dispatcher.close()
    for (const handle of this.#workers) {
      const knows = handle.state === 'ready'
      handle.state = 'stopping'
      if (knows) handle.tell({ kind: 'stop', milliseconds: milliseconds * 0.9 })
      else handle.kill()
    }
    if (this.#workers.size === 0) return
    const timer = setTimeout(() => {
      for (const handle of this.#workers) handle.kill()
    }, milliseconds)
    await this.#stopped.promise
    clearTimeout(timer)
  }

  #inState(state: WorkerHandle['state']): WorkerHandle[] {
    return [...this.#workers].filter((handle) => handle.state === state)
  }

  /** Measures silence in the owner's own ticks: while the owner itself stood still, no worker counts as silent. */
  #ping(): void {
    const { silenceMs } = this.#parts
    for (const handle of this.#workers) {
      const isStarting = handle.state === 'starting'
      const least = Math.max(silenceMs, isStarting ? MIN_SILENCE_MS.starting : MIN_SILENCE_MS.running)
      const limit = silenceMs > 0 ? least : Number.POSITIVE_INFINITY
      handle.passed(PING_INTERVAL_MS)
      if (handle.isStuck) this.#replace(handle, 'a worker does not respond: killing and replacing it')
      else if (handle.silentMs >= limit)
        this.#replace(handle, 'the event loop of a worker is blocked: killing and replacing it (--watchdog-secs)')
      else if (!isStarting) handle.ping()
    }
  }

  /** Ends a worker; its exit starts a new one. */
  #replace(handle: WorkerHandle, reason: string): void {
    const { number: worker, pid, silentMs } = handle
    this.#parts.log.error({ worker, pid, silent_ms: silentMs }, reason)
    handle.kill()
  }

  #fork(number: number): void {
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(number) })
    const handle = new WorkerHandle(number, worker)
    this.#workers.add(handle)
    let reason: string | undefined
    worker.on('message', (message: FromWorker) => {
      handle.heard()
      if (message.kind === 'failed') ({ reason } = message)
      else this.#hear(handle, message)
    })
    worker.on('error', (error: Error) => {
      reason = error.message
      // A process that never started does not exit either.
      if (worker.process.pid === undefined) this.#gone(handle, reason)
    })
    // `close` follows the exit of the process and all its messages. `disconnect` is not emitted while a connection is
    // in flight.
    worker.process.once('close', (code: number | null, signal: string | null) =>
      this.#gone(handle, reason ?? signal ?? `exit code ${code}`),
    )
  }

  #hear(handle: WorkerHandle, message: Exclude<FromWorker, { kind: 'failed' }>): void {
    switch (message.kind) {
      case 'hello': {
        const start = this.#owner?.begin()
        if (start !== undefined) void handle.load(start.message, start.stored)
        return
      }
      case 'ready':
        // Its initial state includes changes that other workers may lack, and it must not show them earlier.
        return void Promise.all(this.#telling).then(() => this.#takeOn(handle))
      case 'answer':
        return handle.answered(message)
      case 'alive':
        return
      case 'closed':
        handle.connections -= message.count
        return
      case 'audit':
      case 'audit-lost':
        return this.#owner?.said(message)
    }
  }

  #takeOn(handle: WorkerHandle): void {
    this.#failures = 0
    if (handle.state !== 'loading') return
    handle.state = 'ready'
    this.#parts.log.info({ worker: handle.number, pid: handle.pid }, 'a worker is ready')
    this.#dispatcher.dispatchKept()
    if (this.ready < this.#parts.count) return
    this.#hasStarted = true
    this.#started.resolve()
  }

  #gone(handle: WorkerHandle, reason: string): void {
    const { log, giveUp } = this.#parts
    const { number, state } = handle
    this.#workers.delete(handle)
    handle.gone()
    this.#owner?.ended(number)
    if (this.#isStopping) {
      if (this.#workers.size === 0) this.#stopped.resolve()
      return
    }
    log.warn({ worker: number, reason }, 'a worker exited: replacing it')
    if (state === 'ready') return this.#fork(number)
    this.#failures++
    if (this.#failures >= MAX_CONSECUTIVE_FAILURES && !this.#hasStarted)
      return this.#started.reject(new StartError(`--workers: worker ${number} cannot start: ${reason}`))
    if (this.#failures >= MAX_CONSECUTIVE_FAILURES && this.ready === 0)
      return giveUp(`worker ${number} cannot start: ${reason}`)
    const wait = Math.min(INITIAL_RESTART_DELAY_MS * 2 ** (this.#failures - 1), 10_000)
    setTimeout(() => {
      if (!this.#isStopping) this.#fork(number)
    }, wait)
  }
}
