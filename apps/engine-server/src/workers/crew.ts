import cluster from 'node:cluster'
import { within } from '../deadline.ts'
import { StartError } from '../start-error.ts'
import type { Log } from '../telemetry/log.ts'
import { createHandOver, type HandOver } from './hand-over.ts'
import { Link } from './link.ts'
import type { Begin, FromWorker, Question, RulesetsOf } from './messages.ts'
import { WORKER_VARIABLE } from './worker-number.ts'

/** The processes that answer. */
export interface Crew {
  /** Starts all of them; resolves when they are ready. Rejects with a `StartError` when one cannot start. */
  start(): Promise<void>
  readonly hand: HandOver['hand']
  /** Connections that workers have, or will have. */
  readonly connections: number
  /** Tells all of a change; resolves when all have it. */
  tell(question: Question): Promise<void>
  /** Asks those that are ready; resolves when all have answered, or the time is over. */
  ask(question: Question, milliseconds: number, heard: (number: number, answer: string) => void): Promise<void>
  readonly ready: number
  /** Lets all end within a time, and ends those that do not. */
  stop(milliseconds: number): Promise<void>
}

export interface CrewParts {
  readonly count: number
  /** Milliseconds of silence after which a worker is ended and replaced; 0: never. */
  readonly silenceMs: number
  readonly log: Log
  /** The initial state of a worker, as of this moment. */
  readonly begin: () => { readonly message: Begin; readonly stored: readonly RulesetsOf[] }
  /** Messages that the pool does not handle itself. */
  readonly said: (message: Extract<FromWorker, { kind: 'audit' | 'audit-lost' }>) => void
  /** A worker ended, in whatever way. */
  readonly ended: (number: number) => void
  /** No worker can start any more. */
  readonly giveUp: (reason: string) => void
}

/** Starts that fail one after the other before it is certain that none will succeed. */
const MOST_FAILURES = 5
/** Milliseconds between two questions to each worker whether its event loop turns. */
const PING_MS = 1000
/** Milliseconds of silence that are allowed at least, and while a process begins. */
const LEAST_SILENCE_MS = { running: 2000, starting: 60_000 } as const
/** Milliseconds before the second attempt to start a worker; doubled for each one after it. */
const FIRST_DELAY = 100

export function createCrew(parts: CrewParts): Crew {
  return new RunningCrew(parts)
}

class RunningCrew implements Crew {
  readonly #parts: CrewParts
  readonly #links = new Set<Link>()
  readonly #handOver = createHandOver(() => this.#inState('ready'))
  /** Starts that failed one after the other. */
  #failures = 0
  #hasStarted = false
  #isStopping = false
  readonly #started = Promise.withResolvers<void>()
  readonly #stopped = Promise.withResolvers<void>()
  #heartbeat: NodeJS.Timeout | undefined

  readonly hand: HandOver['hand'] = (connection, place) => this.#handOver.hand(connection, place)

  constructor(parts: CrewParts) {
    this.#parts = parts
  }

  get ready(): number {
    return this.#inState('ready').length
  }

  get connections(): number {
    return [...this.#links].reduce((sum, link) => sum + link.connections, this.#handOver.kept)
  }

  start(): Promise<void> {
    // With structured clones sets and buffers go through as they are.
    cluster.setupPrimary({ serialization: 'advanced' })
    for (let number = 1; number <= this.#parts.count; number++) this.#fork(number)
    if (this.#parts.silenceMs > 0) this.#heartbeat = setInterval(() => this.#ping(), PING_MS).unref()
    return this.#started.promise
  }

  async tell(question: Question): Promise<void> {
    await Promise.all([...this.#links].map((link) => link.inform(question)))
  }

  async ask(question: Question, milliseconds: number, heard: (number: number, answer: string) => void): Promise<void> {
    const asked = this.#inState('ready').map(async (link) => {
      const answer = await link.ask(question)
      if (answer !== undefined) heard(link.number, answer)
    })
    await within(milliseconds, Promise.all(asked))
  }

  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#heartbeat)
    this.#handOver.close()
    for (const link of this.#links) {
      const knows = link.state === 'ready'
      link.state = 'stopping'
      if (knows) link.tell({ kind: 'stop', milliseconds: milliseconds * 0.9 })
      else link.kill()
    }
    if (this.#links.size === 0) return
    const timer = setTimeout(() => {
      for (const link of this.#links) link.kill()
    }, milliseconds)
    await this.#stopped.promise
    clearTimeout(timer)
  }

  #inState(state: Link['state']): Link[] {
    return [...this.#links].filter((link) => link.state === state)
  }

  /** Counts silence in turns of its own event loop: a blocked owner does not count as a silent worker. */
  #ping(): void {
    const { silenceMs, log } = this.#parts
    for (const link of this.#links) {
      const isStarting = link.state === 'starting'
      const limit = Math.max(silenceMs, isStarting ? LEAST_SILENCE_MS.starting : LEAST_SILENCE_MS.running)
      link.silentMs += PING_MS
      if (link.silentMs >= limit) {
        log.error(
          { worker: link.number, pid: link.pid, silent_ms: link.silentMs },
          'the event loop of a worker is blocked: killing and replacing it (--watchdog-secs)',
        )
        link.kill()
      } else if (!isStarting) link.ping()
    }
  }

  #fork(number: number): void {
    const { log } = this.#parts
    const worker = cluster.fork({ [WORKER_VARIABLE]: String(number) })
    const link = new Link(number, worker, () =>
      log.error({ worker: number }, 'a worker does not respond: killing and replacing it'),
    )
    this.#links.add(link)
    let reason: string | undefined
    worker.on('message', (message: FromWorker) => {
      link.silentMs = 0
      if (message.kind === 'failed') ({ reason } = message)
      else this.#hear(link, message)
    })
    worker.on('error', (error: Error) => {
      reason = error.message
      // It never began, so it will not end either.
      if (worker.process.pid === undefined) this.#gone(link, reason)
    })
    // After the exit of the process and all its messages. `disconnect` does not come while a connection is on its way.
    worker.process.once('close', (code: number | null, signal: string | null) =>
      this.#gone(link, reason ?? signal ?? `exit code ${code}`),
    )
  }

  #hear(link: Link, message: Exclude<FromWorker, { kind: 'failed' }>): void {
    switch (message.kind) {
      case 'hello': {
        const { message: begin, stored } = this.#parts.begin()
        return void link.load(begin, stored)
      }
      case 'ready':
        return this.#takeOn(link)
      case 'answer':
        return link.answered(message)
      case 'alive':
        return
      case 'closed':
        link.connections -= message.count
        return
      case 'audit':
      case 'audit-lost':
        return this.#parts.said(message)
    }
  }

  #takeOn(link: Link): void {
    this.#failures = 0
    if (link.state !== 'loading') return
    link.state = 'ready'
    this.#parts.log.info({ worker: link.number, pid: link.pid }, 'a worker is ready')
    this.#handOver.handKept()
    if (this.ready < this.#parts.count) return
    this.#hasStarted = true
    this.#started.resolve()
  }

  #gone(link: Link, reason: string): void {
    const { log, ended, giveUp } = this.#parts
    const { number, state } = link
    this.#links.delete(link)
    link.gone()
    ended(number)
    if (this.#isStopping) {
      if (this.#links.size === 0) this.#stopped.resolve()
      return
    }
    log.warn({ worker: number, reason }, 'a worker exited: replacing it')
    if (state === 'ready') return this.#fork(number)
    this.#failures++
    if (this.#failures >= MOST_FAILURES && !this.#hasStarted)
      return this.#started.reject(new StartError(`--workers: worker ${number} cannot start: ${reason}`))
    if (this.#failures >= MOST_FAILURES && this.ready === 0) return giveUp(`worker ${number} cannot start: ${reason}`)
    const wait = Math.min(FIRST_DELAY * 2 ** (this.#failures - 1), 10_000)
    setTimeout(() => {
      if (!this.#isStopping) this.#fork(number)
    }, wait)
  }
}
