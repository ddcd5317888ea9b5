import type { Log } from '@engine/process'
import { type Kysely, sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Tables } from './tables.ts'

/**
 * Wakes listeners that wait for a change, in this process and in other replicas, when the transaction of the change has
 * committed. A wake-up carries no data and may be lost with a connection: listeners read the database again, and also
 * poll it periodically.
 */
export interface Wakes {
  /** Calls the listener after each wake-up of the topic, until the returned function is called. */
  on(topic: string, listener: WakeListener): () => void
  /** Notifies other processes of a topic when the transaction commits. */
  announce(transaction: Kysely<Tables>, topic: string): Promise<void>
  /**
   * Called after a commit of this process, before its request is answered, so that the next request to this process
   * sees the change.
   */
  committed(topics: Iterable<string>): void
  close(): Promise<void>
}

/** @param isCertain false if no change is known, but wake-ups may have been lost */
export type WakeListener = (isCertain: boolean) => void

/** Wakes listeners within one process: the embedded database is used by only one. */
export class LocalWakes implements Wakes {
  readonly #byTopic = new Map<string, Set<WakeListener>>()

  on(topic: string, listener: WakeListener): () => void {
    const listeners = this.#byTopic.get(topic) ?? new Set()
    this.#byTopic.set(topic, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#byTopic.get(topic) === listeners) this.#byTopic.delete(topic)
    }
  }

  committed(topics: Iterable<string>): void {
    for (const topic of topics) for (const listener of this.#byTopic.get(topic) ?? []) listener(true)
  }

  protected wakeAll(): void {
    for (const listeners of this.#byTopic.values()) for (const listener of listeners) listener(false)
  }

  async announce(_transaction: Kysely<Tables>, _topic: string): Promise<void> {}

  async close(): Promise<void> {}
}

/** The channel of NOTIFY; its payload is the process that made the change, a blank, and the topic. */
const CHANNEL = 'engine_platform'

const RECONNECT_DELAY_MS = 1000

/** Wakes listeners by LISTEN on a separate connection, which is re-established when it breaks. */
export class ServerWakes extends LocalWakes {
  /** Identifies this process, whose own notifications arrive after its listeners were called. */
  readonly #origin = randomUUID()
  readonly #url: string
  readonly #log: Log
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(url: string, log: Log) {
    super()
    this.#url = url
    this.#log = log
  }

  override async announce(transaction: Kysely<Tables>, topic: string): Promise<void> {
    await sql`select pg_notify(${CHANNEL}, ${`${this.#origin} ${topic}`})`.execute(transaction)
  }

  /** Resolves when the connection is established, or when the first attempt has failed, which is retried. */
  async connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, application_name: 'engine-platform wakes' })
    this.#client = client
    // `end` is also emitted after `error`.
    client.on('error', (err) => this.#log.warn({ err }, 'the connection that listens for changes broke off'))
    client.on('end', () => this.#again())
    client.on('notification', ({ payload = '' }) => this.#notified(payload))
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      // Notifications during the outage are lost.
      this.wakeAll()
    } catch (err) {
      this.#log.warn({ err }, 'cannot listen for changes in the database')
      client.removeAllListeners('end')
      await client.end().catch(() => {})
      this.#again()
    }
  }

  override async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  #notified(payload: string): void {
    const blank = payload.indexOf(' ')
    if (payload.slice(0, blank) !== this.#origin) this.committed([payload.slice(blank + 1)])
  }

  #again(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.connect(), RECONNECT_DELAY_MS)
  }
}

/** Waits for a wake-up, which may have occurred earlier. */
export interface Wakeable {
  wake(): void
  /** Resolves after a wake-up to true, or after this number of milliseconds to false. */
  next(milliseconds: number): Promise<boolean>
}

export function wakeable(): Wakeable {
  let isWoken = false
  let resume: (() => void) | undefined
  return {
    wake() {
      isWoken = true
      resume?.()
    },
    async next(milliseconds) {
      if (!isWoken)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          resume = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      const was = isWoken
      isWoken = false
      resume = undefined
      return was
    },
  }
}
