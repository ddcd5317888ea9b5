import type { SyncEvent } from './event.ts'

/** A change that is not published yet. */
export interface OutboxEvent {
  /** Microseconds since 1970 at the time of the change, and greater than the revision of each earlier change of the writer. */
  readonly revision: number
  /** The subject without its prefix, which is also the state key. */
  readonly subject: string
  readonly type: SyncEvent['type']
  /** JSON text of the state entry: the envelope and the revision. */
  readonly text: string
}

/** Unpublished changes, in order. Each was acknowledged to the client that made it. */
export interface Outbox {
  /** Oldest first. */
  readonly events: readonly OutboxEvent[]
  /** The highest revision ever appended, as far as known; 0: none. */
  readonly lastRevision: number
  /** Adds to `events` immediately; resolves when the event is durable. Does not reject. */
  append(event: OutboxEvent): Promise<void>
  /** Removes the first events: the broker has stored them. */
  published(count: number): void
  close(): Promise<void>
}

/** An outbox in memory. */
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
