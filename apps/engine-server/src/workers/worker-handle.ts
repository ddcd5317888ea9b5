import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { FromWorker, Question, RulesetsOf, ToWorker } from './messages.ts'

/**
 * Maximum silence of a worker with pending answers, and maximum time for an answer: requests wait for it, so an
 * unresponsive worker is replaced. Applying a large ruleset takes many seconds on a busy machine, during which the
 * worker still answers pings.
 */
const PATIENCE_MS = { silent: 5000, owing: 120_000 } as const

/** A question that a worker has not answered. */
interface Waiting {
  readonly settle: (answer: string | undefined) => void
  /** Whether a request waits for the answer. */
  readonly isOwed: boolean
  ms: number
}

/** Questions whose answers can come late, or not at all. */
const FIGURES: ReadonlySet<Question['kind']> = new Set(['metrics', 'statistics', 'decisions'])

/** The id of messages that need no answer. */
const NO_ANSWER = -1

/** Characters of rulesets per message: messages in transit are stored twice. */
const PART = 1024 * 1024

/**
 * `starting`: the process begins and knows nothing. `loading`: it receives the stored state. `stopping`: it finishes
 * pending work.
 */
type WorkerState = 'starting' | 'loading' | 'ready' | 'stopping' | 'gone'

/** A worker as its owner sees it. */
export class WorkerHandle {
  readonly number: number
  state: WorkerState = 'starting'
  /** Connections that it has, or will have. */
  connections = 0
  /** When it got its last connection, counted. */
  turn = 0
  /** Questions that it has not answered. */
  get unanswered(): number {
    return this.#waiting.size
  }
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #silentMs = 0
  #next = 0
  /** Messages to send after the rulesets; undefined: those are sent. */
  #later: (() => void)[] | undefined

  constructor(number: number, worker: Worker) {
    this.number = number
    this.#worker = worker
  }

  /** Milliseconds since its last message, as counted by the owner. */
  get silentMs(): number {
    return this.#silentMs
  }

  /** A message arrived. */
  heard(): void {
    this.#silentMs = 0
  }

  /** Counts time without messages. */
  passed(milliseconds: number): void {
    this.#silentMs += milliseconds
    for (const waiting of this.#waiting.values()) waiting.ms += milliseconds
  }

  /** Whether a request waits for an answer that is not to be expected. */
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

  /** Resolves to the answer, or to undefined when the worker is gone. */
  ask(question: Question, connection?: Socket): Promise<string | undefined> {
    if (this.state === 'gone') return Promise.resolve(undefined)
    const id = this.#next++
    return new Promise((resolve) => {
      const settle = (answer: string | undefined) => {
        this.#waiting.delete(id)
        resolve(answer)
      }
      this.#waiting.set(id, { settle, isOwed: !FIGURES.has(question.kind), ms: 0 })
      this.tell({ kind: 'question', id, question }, connection)
    })
  }

  /**
   * Send a change; resolves when the worker has it, or has ended. One that loads has it before it takes a connection, for
   * it does one after the other, so no request waits for it.
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

  /** Resolves when the message is on its way. A message that could not be sent shows in the exit of the process. */
  #send(message: ToWorker, connection?: Socket): Promise<void> {
    return new Promise((resolve) => {
      // The owner keeps the connection until the worker confirms it: the worker may end before.
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
      if (size < PART) continue
      yield { tenant, rulesets: part }
      part = []
      size = 0
    }
    if (part.length > 0) yield { tenant, rulesets: part }
  }
}
