import type { SyncEvent } from './event.ts'

/** One change on its way to the broker. */
export interface OutboxEvent {
  /** Microseconds since 1970 when the change was made, and greater than that of every earlier change of the writer. */
  readonly revision: number
  /** The subject without its prefix, which is also the state key. */
  readonly subject: string
  readonly type: SyncEvent['type']
  /** JSON text of the state entry: the envelope, and the revision. */
  readonly text: string
}

/** Unpublished changes, in order. Each was acknowledged to the client that made it. */
export interface Outbox {
  /** The oldest first. */
  readonly events: readonly OutboxEvent[]
  /** The greatest revision that was ever in here, as far as known; 0: none. */
  readonly lastRevision: number
  /** Visible in `events` immediately; resolves when it is durable. Does not reject. */
  append(event: OutboxEvent): Promise<void>
  /** The broker has the first ones. */
  published(count: number): void
  close(): Promise<void>
}

/** An outbox in memory: its content ends with the process. */
export function createMemoryOutbox(): Outbox {
  const events: OutboxEvent[] = []
  let lastRevision = 0
  return {
    events,
    get lastRevision() {
      return lastRevision
    },
    async append(event) {
      events.push(event)
      lastRevision = event.revision
    },
    published: (count) => void events.splice(0, count),
    async close() {},
  }
}
