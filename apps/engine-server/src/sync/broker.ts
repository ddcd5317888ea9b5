/** What goes to all readers. */
export interface OutgoingMessage {
  /** The rest of the subject, after the prefix. */
  readonly subject: string
  /** Two messages with the same id are one: the broker keeps the first. */
  readonly id: string
  /** Where the writer's changes are counted; readers order by it. */
  readonly revision: number
  readonly payload: Uint8Array
}

/** A message from the stream. */
export interface IncomingMessage {
  /** Place in the stream, from 1. */
  readonly seq: number
  /** The rest of its subject, after the prefix. */
  readonly subject: string
  /** Undefined: the sender does not count its changes. As it was sent: it may be no number. */
  readonly revision: number | undefined
  readonly payload: Uint8Array
  /** Messages that wait for this reader behind this one. */
  readonly pending: number
  readonly isRedelivered: boolean
  /** It is dealt with, and must not come again. */
  ack(): void
  /** It could not be dealt with: let it come again soon. */
  retry(): void
}

/** One entry of the state bucket. */
export interface StateEntry {
  readonly key: string
  readonly value: Uint8Array
  /** Changes with every put of the key: what `put` compares. */
  readonly place: number
}

/** The current stream. */
export interface StreamState {
  /** Distinguishes a stream from a later one of the same name. */
  readonly created: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** All of its messages come from this fleet, so that a hole in the sequence is a loss. */
  readonly isOurs: boolean
  /** What an operator should know of stream and bucket, each in the same words every time. */
  readonly warnings: readonly string[]
  /** Copies of stream and bucket that do not follow their leader now. */
  readonly staleReplicas: readonly string[]
}

/** The stream does not exist yet, or any longer. A writer makes it. */
export class NoStream extends Error {}

/** The broker answers that it cannot store. It does so for good where its files are broken. */
export class StoreRefusal extends Error {
  readonly what: 'stream' | 'state'

  constructor(what: 'stream' | 'state', message: string, options?: ErrorOptions) {
    super(message, options)
    this.what = what
  }
}

/** How far a reader has come. */
export interface ConsumerState {
  /** It existed before: created by an earlier run of this instance. */
  readonly isKnown: boolean
  /** Everything up to this place was acknowledged. */
  readonly acknowledgedSeq: number
  /** A client is taking messages under this name. */
  readonly isTaken: boolean
}

/** The place in the bucket changed in between: another client writes too. */
export class StateConflict extends Error {}

/** Receives connection events. Calls return immediately. */
export interface ConnectionListener {
  /** There is a connection, for the first time or again. */
  up(): void
  down(reason: string): void
}

/**
 * A message broker with durable streams, as sync uses it: one stream of events, one bucket with the last state of each
 * key. A port, so that tests can lose, double and reorder what goes through it. Members reject while there is no
 * connection; nothing is kept for later.
 */
export interface Broker {
  readonly isConnected: boolean
  /** Bytes of the largest message; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /** Begin to connect, and to connect again whenever the connection is lost. */
  connect(listener: ConnectionListener): void
  /** Ensure that stream and bucket exist. */
  prepare(): Promise<StreamState>
  /** Resolves to the place in the stream when the broker has it. */
  publish(message: OutgoingMessage): Promise<number>
  /**
   * All entries of this fleet, each key once, at least as new as this call. Rejects when completeness cannot be
   * guaranteed.
   */
  entries(): Promise<readonly StateEntry[]>
  entry(key: string): Promise<StateEntry | undefined>
  /**
   * Resolves to the new place.
   *
   * @param expected the place that the key must have, 0 when there must be none; undefined: any. Rejects with
   *   `StateConflict`
   */
  put(key: string, value: Uint8Array, expected?: number): Promise<number>
  /**
   * Delete the stream or the bucket, with all that is in it, and make it again. Rejects when another fleet uses it too.
   */
  remake(what: 'stream' | 'state'): Promise<void>
  /** Forget a key. */
  purge(key: string): Promise<void>
  /**
   * Make sure that this reader has its durable place in the stream.
   *
   * @param from where a new one begins: with the first message that is kept, with the next one, or with the one at a place
   */
  ensureConsumer(from: 'first' | 'next' | number): Promise<ConsumerState>
  /** Give up the place: the next one is new. */
  deleteConsumer(): Promise<void>
  /** Take messages from the place. `lost` is called when the consumer or the stream is gone; no messages follow. */
  follow(take: (message: IncomingMessage) => void, lost: (reason: string) => void): Promise<{ stop(): Promise<void> }>
  close(): Promise<void>
}
