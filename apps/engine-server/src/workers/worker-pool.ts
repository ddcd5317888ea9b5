import cluster from 'node:cluster'
import { type Log, StartError, within } from '@engine/process'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { WorkerHandle } from './worker-handle.ts'
import type { Begin, FromWorker, Question, RulesetsOf } from './messages.ts'
import { WORKER_VARIABLE } from '../config/worker-number.ts'

/** The processes that answer. */
export interface WorkerPool {
  /**
   * Starts all of them; resolves when they are ready. Rejects with a `StartError` when one cannot start.
   *
   * @param owner the process that the workers communicate with
   */
  start(owner: PoolOwner): Promise<void>
  readonly dispatch: Dispatcher['dispatch']
  /** Connections that workers have, or will have. */
  readonly connections: number
  /** Sends a change to all; resolves when all have it. */
  tell(question: Question): Promise<void>
  /** Sends a request to the ready ones; resolves when all have answered, or on timeout. */
  ask(question: Question, milliseconds: number, heard: (number: number, answer: string) => void): Promise<void>
  readonly ready: number
  /** Lets all end within a time, and ends those that do not. */
  stop(milliseconds: number): Promise<void>
}

/** The owner's services for its workers. */
export interface PoolOwner {
  /** The initial state of a worker: a snapshot of this moment. */
  readonly begin: () => { readonly message: Begin; readonly stored: readonly RulesetsOf[] }
  /** Messages that the pool does not handle itself. */
  readonly said: (message: Extract<FromWorker, { kind: 'audit' | 'audit-lost' }>) => void
  /** A worker ended, by itself or by a signal. */
  readonly ended: (number: number) => void
}

export interface WorkerPoolParts {
  readonly count: number
  /** Milliseconds of silence after which a worker is ended and replaced though no request waits for it; 0: never. */
  readonly silenceMs: number
  readonly log: Log
  /** No worker can be started. */
  readonly giveUp: (reason: string) => void
}

/** Starts that fail one after the other before it is certain that none will succeed. */
const MAX_FAILURES = 5
/** Milliseconds between two questions to each worker whether its event loop turns. */
const PING_MS = 1000
/** Milliseconds of silence that are allowed at least, and while a process begins. */
const MIN_SILENCE_MS = { running: 2000, starting: 60_000 } as const
/** Milliseconds before the second attempt to start a worker; doubled for each one after it. */
const FIRST_DELAY = 100

export function createWorkerPool(parts: WorkerPoolParts): WorkerPool {
  return new RunningWorkerPool(parts)
}

class RunningWorkerPool implements WorkerPool {
  readonly #parts: WorkerPoolParts
  /** No worker runs before `start`. */
  #owner: PoolOwner | undefined
  readonly #workers = new Set<WorkerHandle>()
  readonly #dispatcher = createDispatcher(() => this.#inState('ready'))
  /** Starts that failed one after the other. */
  #failures = 0
  #hasStarted = false
  /** Changes that not all workers have yet. */
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
    this.#heartbeat = setInterval(() => this.#ping(), PING_MS).unref()
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

  /** Counts silence by its own turns: where the owner stood still as well, no worker was silent. */
  #ping(): void {
    const { silenceMs } = this.#parts
    for (const handle of this.#workers) {
      const isStarting = handle.state === 'starting'
      const least = Math.max(silenceMs, isStarting ? MIN_SILENCE_MS.starting : MIN_SILENCE_MS.running)
      const limit = silenceMs > 0 ? least : Number.POSITIVE_INFINITY
      handle.passed(PING_MS)
      if (handle.isStuck) this.#replace(handle, 'a worker does not respond: killing and replacing it')
      else if (handle.silentMs >= limit)
        this.#replace(handle, 'the event loop of a worker is blocked: killing and replacing it (--watchdog-secs)')
      else if (!isStarting) handle.ping()
    }
  }

  /** Its end makes another one begin. */
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
      // It never began, so it will not end either.
      if (worker.process.pid === undefined) this.#gone(handle, reason)
    })
    // After the exit of the process and all its messages. `disconnect` does not come while a connection is on its way.
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
        // It began with changes that others may not have yet, and must not show them before.
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
    if (this.#failures >= MAX_FAILURES && !this.#hasStarted)
      return this.#started.reject(new StartError(`--workers: worker ${number} cannot start: ${reason}`))
    if (this.#failures >= MAX_FAILURES && this.ready === 0) return giveUp(`worker ${number} cannot start: ${reason}`)
    const wait = Math.min(FIRST_DELAY * 2 ** (this.#failures - 1), 10_000)
    setTimeout(() => {
      if (!this.#isStopping) this.#fork(number)
    }, wait)
  }
}
