import type { Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import type { FromWorker, Question, RulesetsOf, ToWorker } from './messages.ts'

/** Milliseconds in which a worker has to answer its owner. A request waits for it, so a worker that does not is replaced. */
const PATIENCE_MS = 5000

/** Questions whose answers can come late, or not at all. */
const FIGURES: ReadonlySet<Question['kind']> = new Set(['metrics', 'statistics', 'decisions'])

/** The id of messages that need no answer. */
const NO_ANSWER = -1

/** Characters of rulesets in one message: what is on its way is held twice. */
const PART = 1024 * 1024

/**
 * `starting`: the process begins and knows nothing. `loading`: it gets what is stored. `stopping`: it finishes what it has in
 * hand.
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
  /** Milliseconds since it said anything, as its owner counts them. */
  silentMs = 0
  /** Questions that it has not answered. */
  get unanswered(): number {
    return this.#waiting.size
  }
  readonly #worker: Worker
  readonly #stuck: () => void
  readonly #waiting = new Map<number, (answer: string | undefined) => void>()
  #next = 0
  /** Messages to send after the rulesets; undefined: those are sent. */
  #later: (() => void)[] | undefined

  /** @param stuck called when the worker did not answer in time, before it is killed */
  constructor(number: number, worker: Worker, stuck: () => void) {
    this.number = number
    this.#worker = worker
    this.#stuck = stuck
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

  /**
   * Resolves to the answer, or to undefined when the worker is gone. One that does not answer in time is killed: the request that
   * waits must not wait for ever.
   */
  ask(question: Question, connection?: Socket): Promise<string | undefined> {
    if (this.state === 'gone') return Promise.resolve(undefined)
    const id = this.#next++
    return new Promise((resolve) => {
      const timer = FIGURES.has(question.kind) ? undefined : setTimeout(() => this.#tooLate(), PATIENCE_MS)
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer)
        this.#waiting.delete(id)
        resolve(answer)
      })
      this.tell({ kind: 'question', id, question }, connection)
    })
  }

  /**
   * Tell of a change; resolves when the worker has it, or is gone. One that loads has it before it takes a connection, for
   * it does one after the other, so no request waits for it.
   */
  async inform(question: Question): Promise<void> {
    if (this.state === 'ready' || this.state === 'stopping') await this.ask(question)
    else if (this.state === 'loading') this.tell({ kind: 'question', id: NO_ANSWER, question })
  }

  answered({ id, text }: Extract<FromWorker, { kind: 'answer' }>): void {
    this.#waiting.get(id)?.(text)
  }

  gone(): void {
    this.state = 'gone'
    for (const settle of this.#waiting.values()) settle(undefined)
  }

  #tooLate(): void {
    this.#stuck()
    this.kill()
  }

  /** Asks for a word, ahead of what is kept back. */
  ping(): void {
    void this.#send({ kind: 'ping' })
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** Resolves when the message is on its way. A message that could not be sent shows in the exit of the process. */
  #send(message: ToWorker, connection?: Socket): Promise<void> {
    return new Promise((resolve) => {
      // The connection stays ours until the worker says that it has it: it may end before.
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
