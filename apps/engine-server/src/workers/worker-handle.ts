import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { FromWorker, Question, RulesetsOf, ToWorker } from './messages.ts'

/**
 * Maximum silence of a worker with pending answers, and maximum time for an answer: requests wait for it, so an
 * unresponsive worker is replaced. Applying a large ruleset takes many seconds on a busy machine, during which the
 * worker still answers pings.
 */
const PATIENCE_MS = { silent: 5000, owing: 120_000 } as const

/** A question that the worker has not answered yet. */
interface Waiting {
  readonly settle: (answer: string | undefined) => void
  /** True if a request waits for the answer. */
  readonly isOwed: boolean
  ms: number
}

/** Questions whose answers may be late or missing. */
const STATISTICAL_QUESTIONS: ReadonlySet<Question['kind']> = new Set(['metrics', 'statistics', 'decisions'])

/** The id of messages that need no answer. */
const NO_ANSWER = -1

/** Maximum number of characters of rulesets per message: messages in transit are stored twice. */
const MAX_PART_CHARACTERS = 1024 * 1024

/**
 * `starting`: the process starts and has no state yet. `loading`: it receives the stored state. `stopping`: it finishes
 * pending work.
 */
type WorkerState = 'starting' | 'loading' | 'ready' | 'stopping' | 'gone'

/** A worker from the perspective of its owner. */
export class WorkerHandle {
  readonly number: number
  state: WorkerState = 'starting'
  /** Number of connections that are assigned to the worker. */
  connections = 0
  /** Serial number of its last assigned connection. */
  turn = 0
  /** Number of unanswered questions. */
  get unanswered(): number {
    return this.#waiting.size
  }
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #silentMs = 0
  #next = 0
  /** Messages to send after the rulesets; undefined if those have been sent. */
  #later: (() => void)[] | undefined

  constructor(number: number, worker: Worker) {
    this.number = number
    this.#worker = worker
  }

  /** Milliseconds since its last message, as counted by the owner. */
  get silentMs(): number {
    return this.#silentMs
  }

  /** Called when a message arrives. */
  heard(): void {
    this.#silentMs = 0
  }

  /** Counts time without messages. */
  passed(milliseconds: number): void {
    this.#silentMs += milliseconds
    for (const waiting of this.#waiting.values()) waiting.ms += milliseconds
  }

  /** True if a request waits for an answer that is overdue. */
  get isStuck(): boolean {
    const limit = this.#silentMs >= PATIENCE_MS.silent ? PATIENCE_MS.silent : PATIENCE_MS.owing
    return this.#waiting.values().some(({ isOwed, ms }) => isOwed && ms >= limit)
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  tell(message: ToWorker, connection?: Socket): void {
    if (this.#later === undefined) void this.#send(message, connection)
    else this.#later.push(() => void this.#send(message, connection))
  }

  /** Sends the stored rulesets in parts, and holds other messages back meanwhile. */
  async load(begin: ToWorker, stored: readonly RulesetsOf[]): Promise<void> {
    this.state = 'loading'
    this.#later = []
    await this.#send(begin)
    for (const part of partsOf(stored)) await this.#send({ kind: 'rulesets', ...part })
    await this.#send({ kind: 'complete' })
    const later = this.#later
    this.#later = undefined
    for (const send of later) send()
  }

  /** Resolves to the answer, or to undefined if the worker has ended. */
  ask(question: Question, connection?: Socket): Promise<string | undefined> {
    if (this.state === 'gone') return Promise.resolve(undefined)
    const id = this.#next++
    return new Promise((resolve) => {
      const settle = (answer: string | undefined) => {
        this.#waiting.delete(id)
        resolve(answer)
      }
      this.#waiting.set(id, { settle, isOwed: !STATISTICAL_QUESTIONS.has(question.kind), ms: 0 })
      this.tell({ kind: 'question', id, question }, connection)
    })
  }

  /**
   * Sends a change; resolves when the worker has applied it or has ended. A worker that is still loading is not
   * awaited: it handles messages in order, so it applies the change before it takes a connection.
   */
  async inform(question: Question): Promise<void> {
    if (this.state === 'ready' || this.state === 'stopping') await this.ask(question)
    else if (this.state === 'loading') this.tell({ kind: 'question', id: NO_ANSWER, question })
  }

  answered({ id, text }: Extract<FromWorker, { kind: 'answer' }>): void {
    this.#waiting.get(id)?.settle(text)
  }

  gone(): void {
    this.state = 'gone'
    for (const { settle } of this.#waiting.values()) settle(undefined)
  }

  /** Pings the worker, ahead of queued messages. */
  ping(): void {
    void this.#send({ kind: 'ping' })
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** Resolves when the message has been sent. A failure to send is detected by the exit of the process. */
  #send(message: ToWorker, connection?: Socket): Promise<void> {
    return new Promise((resolve) => {
      // The owner keeps the connection until the worker confirms it: the worker may end earlier.
      this.#worker.process.send(message, connection, { keepOpen: true }, () => resolve())
    })
  }
}

function* partsOf(stored: readonly RulesetsOf[]): Iterable<RulesetsOf> {
  for (const { tenant, rulesets } of stored) {
    let part: RulesetsOf['rulesets'][number][] = []
    let size = 0
    for (const ruleset of rulesets) {
      part.push(ruleset)
      size += ruleset.text.length
      if (size < MAX_PART_CHARACTERS) continue
      yield { tenant, rulesets: part }
      part = []
      size = 0
    }
    if (part.length > 0) yield { tenant, rulesets: part }
  }
}
