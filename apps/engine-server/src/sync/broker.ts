/** A message for all readers. */
export interface OutgoingMessage {
  /** The subject after the prefix. */
  readonly subject: string
  /** Deduplication id: of several messages with the same id, the broker keeps the first. */
  readonly id: string
  /** The writer's revision, by which readers order changes. */
  readonly revision: number
  readonly payload: Uint8Array
}

/** A message from the stream. */
export interface IncomingMessage {
  /** Sequence in the stream, from 1. */
  readonly seq: number
  /** The subject after the prefix. */
  readonly subject: string
  /** As sent, so it may be `NaN`; undefined: the sender uses no revisions. */
  readonly revision: number | undefined
  readonly payload: Uint8Array
  /** Messages of the stream that this reader has yet to receive after this one. */
  readonly pending: number
  readonly isRedelivered: boolean
  /** Processing is complete: do not redeliver. */
  ack(): void
  /** Processing failed: redeliver soon. */
  retry(): void
}

/** One entry of the state bucket. */
export interface StateEntry {
  readonly key: string
  readonly value: Uint8Array
  /** Sequence of the entry in the bucket, which changes with every put: `put` compares it. */
  readonly place: number
}

/** The current stream. */
export interface StreamState {
  /** Creation time, which distinguishes a stream from a later one of the same name. */
  readonly created: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** All of its messages belong to this fleet, so a gap in the sequence is a loss. */
  readonly isOurs: boolean
  /** Problems of stream and bucket that an operator should see; the same problem always has the same text. */
  readonly warnings: readonly string[]
  /** Replicas of stream and bucket that lag behind their leader. */
  readonly staleReplicas: readonly string[]
}

/** The stream does not exist. A writer creates it. */
export class NoStream extends Error {}

/** The broker reports that it cannot store a message. With damaged files, it never recovers by itself. */
export class StoreRefusal extends Error {
  readonly what: 'stream' | 'state'

  constructor(what: 'stream' | 'state', message: string, options?: ErrorOptions) {
    super(message, options)
    this.what = what
  }
}

/** The durable consumer of a reader. */
export interface ConsumerState {
  /** An earlier run of this instance created it. */
  readonly isKnown: boolean
  /** All messages up to this sequence are acknowledged. */
  readonly acknowledgedSeq: number
  /** A client is consuming with this name. */
  readonly isTaken: boolean
}

/** The entry has changed since it was read: another client writes too. */
export class StateConflict extends Error {}

/** Receives connection events. Calls return immediately. */
export interface ConnectionListener {
  /** Called on each connection, the first one and later ones. */
  up(): void
  down(reason: string): void
}

/**
 * A message broker with durable streams, as sync uses it: one stream of events, one bucket with the last state of each
 * key. A port, so that tests can drop, duplicate and reorder messages. Members reject while there is no connection;
 * nothing is queued.
 */
export interface Broker {
  readonly isConnected: boolean
  /** Maximum bytes of a message; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /** Connects, and reconnects whenever the connection is lost. */
  connect(listener: ConnectionListener): void
  /** Ensures that stream and bucket exist. */
  prepare(): Promise<StreamState>
  /** Resolves to the sequence in the stream once the broker has stored the message. */
  publish(message: OutgoingMessage): Promise<number>
  /**
   * All entries of this fleet, each key once, at least as new as this call. Rejects when completeness cannot be
   * guaranteed.
   */
  entries(): Promise<readonly StateEntry[]>
  entry(key: string): Promise<StateEntry | undefined>
  /**
   * Resolves to the new sequence of the entry.
   *
   * @param expected the sequence that the entry must have, 0 if it must not exist; undefined: any. Rejects with
   *   `StateConflict`
   */
  put(key: string, value: Uint8Array, expected?: number): Promise<number>
  /**
   * Deletes the stream or the bucket with its content, and creates it again. Rejects when another fleet uses it too.
   */
  recreate(what: 'stream' | 'state'): Promise<void>
  /** Deletes a key with its history. */
  purge(key: string): Promise<void>
  /**
   * Ensures that the durable consumer of this reader exists.
   *
   * @param from where a new one starts: at the first retained message, at the next one, or at a sequence
   */
  ensureConsumer(from: 'first' | 'next' | number): Promise<ConsumerState>
  /** Deletes the consumer: the next one is new. */
  deleteConsumer(): Promise<void>
  /** Consumes messages. `lost` is called when the consumer or the stream is gone; no messages follow. */
  follow(take: (message: IncomingMessage) => void, lost: (reason: string) => void): Promise<{ stop(): Promise<void> }>
  close(): Promise<void>
}
