import {
  AckPolicy,
  type Consumer,
  jetstream,
  JetStreamApiCodes,
  type JetStreamClient,
  jetstreamManager,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import { connect, headers, nanos, type NatsConnection } from '@nats-io/transport-node'
import {
  type Broker,
  type ConnectionListener,
  type ConsumerState,
  type IncomingMessage,
  NoStream,
  type OutgoingMessage,
  type StateEntry,
  type StreamState,
} from './broker.ts'
import { delay, TIMED_OUT, within } from '@engine/process'
import type { BrokerAddress } from './broker-address.ts'
import { authenticatorOf, type IdentityFiles, tlsOf } from './broker-identity.ts'
import {
  beginningAt,
  conflictOf,
  covers,
  hasNoResponders,
  hasOthers,
  incoming,
  inCopies,
  orNothing,
  refusalOf,
  REVISION,
  sizeLimit,
  staleReplicasOf,
} from './jetstream-answers.ts'
import { CHECKPOINT } from './state.ts'
import { checkSettings, EVENTS, STATE } from './stream-settings.ts'
import {
  ACK_WAIT_MS,
  DUPLICATE_WINDOW_MS,
  maxAckPending,
  PULL_EXPIRES_MS,
  REQUEST_TIMEOUT_MS,
} from './broker-limits.ts'

/** Specification 6.1: the name of the stream, and how long it keeps an event. */
const STREAM = 'engine-rules'
const RETENTION_MS = 7 * 24 * 3600 * 1000
/** The bucket with the last change of each subject. */
const BUCKET = 'engine-rules-state'
/** The stream behind it. */
const BUCKET_STREAM = `KV_${BUCKET}`
/** Milliseconds of inactivity after which the consumer of an instance with a random id is deleted. */
const RANDOM_ID_INACTIVE_MS = 24 * 3600 * 1000
/** Milliseconds without a further entry before reading the bucket fails. */
const ENTRY_TIMEOUT_MS = 2000
/** A silent partition is detected after three intervals. */
const PING_INTERVAL_MS = 3000
/** Milliseconds before a failed first connection is retried. */
const RETRY_DELAY_MS = 500

export interface JetStreamOptions {
  readonly address: BrokerAddress
  readonly identity: IdentityFiles
  /** See `tlsOf`. */
  readonly tlsFirst: boolean
  /** JetStream domain; undefined: the default of the account. */
  readonly domain: string | undefined
  /** `--broker-subject-prefix`. */
  readonly prefix: string
  readonly instanceId: string
  /** Whether the id was generated, so that no later instance has it. */
  readonly isRandomId: boolean
  /** Replicas of stream and bucket in a cluster. */
  readonly replicas: number
  /** Whether missing streams and buckets are created: only by the writer, which has their settings. */
  readonly makes: boolean
}

/** Reading the bucket ended before its last entry. */
class StateIncomplete extends Error {
  override readonly name = 'StateIncomplete'
  constructor() {
    super('the state did not arrive')
  }
}

/** NATS with JetStream. */
export function createJetStreamBroker(options: JetStreamOptions): Broker {
  return new JetStreamBroker(options)
}

/** Handles of a connection. */
interface Session {
  readonly connection: NatsConnection
  readonly js: JetStreamClient
  readonly manager: JetStreamManager
}

class JetStreamBroker implements Broker {
  readonly #options: JetStreamOptions
  readonly #durable: string
  #session: Session | undefined
  #bucket: KV | undefined
  /** Maximum bytes of a message that stream and bucket store. */
  #largestStored = Infinity
  #isConnected = false
  #isClosed = false

  constructor(options: JetStreamOptions) {
    this.#options = options
    this.#durable = `engine-${options.instanceId}`
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  get maxPayload(): number | undefined {
    const most = this.#session?.connection.info?.max_payload
    return most === undefined ? undefined : Math.min(most, this.#largestStored)
  }

  connect(listener: ConnectionListener): void {
    void this.#connect(listener)
  }

  async #connect(listener: ConnectionListener): Promise<void> {
    const { address, identity, tlsFirst, instanceId } = this.#options
    const authenticator = authenticatorOf(identity)
    const { servers, tls, user, password, token } = address
    const dial = () =>
      connect({
        servers: [...servers],
        name: `engine-server ${instanceId}`,
        ...(tls ? { tls: tlsOf(identity, tlsFirst) } : {}),
        ...(user === undefined || password === undefined ? {} : { user, pass: password }),
        ...(token === undefined ? {} : { token }),
        ...(authenticator === undefined ? {} : { authenticator }),
        maxReconnectAttempts: -1,
        // Credentials that the broker rejects now may be accepted later.
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: 300,
        reconnectJitter: 700,
        timeout: 2000,
        pingInterval: PING_INTERVAL_MS,
        maxPingOut: 2,
      })
    // The client would retry the first connection itself without reporting why it fails.
    let connection: NatsConnection | undefined
    while (connection === undefined && !this.#isClosed)
      connection = await dial().catch(async (error: unknown) => {
        listener.down(reasonOf(error))
        await delay(RETRY_DELAY_MS)
        return undefined
      })
    if (connection === undefined) return
    if (this.#isClosed) return connection.close()
    const watching = this.#watch(connection, listener)
    await this.#begin(connection, listener)
    await watching
  }

  /** Retries until JetStream is available: the broker may still be starting. */
  async #begin(connection: NatsConnection, listener: ConnectionListener): Promise<void> {
    while (!this.#isClosed) {
      try {
        const { domain } = this.#options
        const options = { timeout: REQUEST_TIMEOUT_MS, ...(domain === undefined ? {} : { domain }) }
        const manager = await jetstreamManager(connection, options)
        this.#session = { connection, manager, js: jetstream(connection, options) }
        this.#isConnected = !connection.isClosed()
        return listener.up()
      } catch (error) {
        listener.down(reasonOf(error))
        await delay(RETRY_DELAY_MS)
      }
    }
  }

  async #watch(connection: NatsConnection, listener: ConnectionListener): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        this.#isConnected = false
        listener.down('the connection was lost')
      } else if (status.type === 'error') listener.down(reasonOf(status.error))
      else if (status.type === 'reconnect' && this.#session !== undefined) {
        this.#isConnected = true
        listener.up()
      }
    }
  }

  get #open(): Session {
    if (this.#session === undefined || !this.#isConnected) throw new Error('there is no connection to the broker')
    return this.#session
  }

  async prepare(): Promise<StreamState> {
    const { js } = this.#open
    const { prefix, makes } = this.#options
    const subjects = `${prefix}.>`
    const warnings: string[] = []
    let info = await this.#made(
      {
        name: STREAM,
        subjects: [subjects],
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        max_age: nanos(RETENTION_MS),
        duplicate_window: nanos(DUPLICATE_WINDOW_MS),
      },
      warnings,
    )
    if (info === undefined) throw new NoStream(`there is no stream \`${STREAM}\` yet: a writer makes it`)
    checkSettings(info.config, EVENTS)
    // Another fleet, under a separate prefix, may share the stream.
    if (makes && !info.config.subjects.some((subject) => covers(subject, subjects)))
      info = await this.#open.manager.streams.update(STREAM, { subjects: [...info.config.subjects, subjects] })
    const bucket = await this.#bucketInfo(warnings)
    if (bucket !== undefined) checkSettings(bucket.config, STATE)
    this.#bucket = bucket === undefined ? undefined : await new Kvm(js).open(BUCKET)
    this.#largestStored = Math.min(...[info, bucket].map((one) => sizeLimit(one?.config.max_msg_size)))
    const { state, config, created } = info
    return {
      created,
      firstSeq: state.first_seq,
      lastSeq: state.last_seq,
      isOurs: config.subjects.length === 1,
      warnings,
      staleReplicas: [info, ...(bucket === undefined ? [] : [bucket])].flatMap(staleReplicasOf),
    }
  }

  async #bucketInfo(warnings: string[]): Promise<StreamInfo | undefined> {
    const { js, manager } = this.#open
    const known = await orNothing(JetStreamApiCodes.StreamNotFound, manager.streams.info(BUCKET_STREAM))
    if (known !== undefined) return this.#mended(known, warnings)
    if (!this.#options.makes) return undefined
    const make = (replicas: number) => new Kvm(js).create(BUCKET, { history: 1, storage: StorageType.File, replicas })
    await inCopies(this.#options.replicas, make)
    return this.#mended(await manager.streams.info(BUCKET_STREAM), warnings)
  }

  /** The stream, created if it is missing and this instance creates streams; otherwise undefined. */
  async #made(wanted: { readonly name: string } & Partial<StreamConfig>, warnings: string[]) {
    const { streams } = this.#open.manager
    const known = await orNothing(JetStreamApiCodes.StreamNotFound, streams.info(wanted.name))
    if (known !== undefined) return this.#mended(known, warnings)
    if (!this.#options.makes) return undefined
    return this.#mended(
      await inCopies(this.#options.replicas, (copies) => streams.add({ ...wanted, num_replicas: copies })),
      warnings,
    )
  }

  /** Restores the configured replicas of a stream as far as the broker can, and reports problems. */
  async #mended(info: StreamInfo, warnings: string[]): Promise<StreamInfo> {
    const { makes, replicas } = this.#options
    const { name, num_replicas: copies } = info.config
    if (!makes) return info
    if (copies < replicas)
      try {
        return await this.#open.manager.streams.update(name, { num_replicas: replicas })
      } catch (error) {
        warnings.push(`\`${name}\` has ${copies} of ${replicas} copies (--broker-replicas): ${reasonOf(error)}`)
      }
    else if (copies === 1 && (info.cluster?.name ?? '') !== '')
      warnings.push(`\`${name}\` has one copy in a cluster, and is away with its server: --broker-replicas 3`)
    return info
  }

  async recreate(what: 'stream' | 'state'): Promise<void> {
    const { streams } = this.#open.manager
    const name = what === 'stream' ? STREAM : BUCKET_STREAM
    const keys = what === 'stream' ? '>' : `$KV.${BUCKET}.>`
    const { state, config } = await streams.info(name, { subjects_filter: keys })
    const own = what === 'stream' ? `${this.#options.prefix}.` : `$KV.${BUCKET}.${this.#options.prefix}.`
    if (hasOthers(state.subjects, own) || (what === 'stream' && config.subjects.length > 1))
      throw new Error(`\`${name}\` is broken, and other fleets use it too: delete it by hand`)
    await streams.delete(name)
    this.#bucket = undefined
    await this.prepare()
  }

  async publish({ subject, id, revision, payload }: OutgoingMessage): Promise<number> {
    const own = headers()
    own.set(REVISION, String(revision))
    const options = { msgID: id, headers: own, timeout: patienceFor(payload), expect: { streamName: STREAM } }
    const ack = await this.#open.js
      .publish(`${this.#options.prefix}.${subject}`, payload, options)
      .catch((error: unknown) => {
        // No stream has the subject: it was deleted, or its servers are electing a leader.
        if (hasNoResponders(error)) throw new NoStream(`no stream \`${STREAM}\` takes the event`)
        throw refusalOf('stream', error)
      })
    return ack.seq
  }

  async #state(): Promise<KV | undefined> {
    if (this.#bucket === undefined) await this.prepare()
    if (!this.#isConnected) throw new Error('there is no connection to the broker')
    return this.#bucket
  }

  async entries(): Promise<readonly StateEntry[]> {
    const bucket = await this.#state()
    const last = bucket === undefined ? undefined : await this.#lastOf('>')
    if (bucket === undefined || last === undefined) return []
    const asking = bucket.history({ key: `${this.#options.prefix}.>` })
    // A request to a server that fails meanwhile may never be answered.
    const history = await within(3 * REQUEST_TIMEOUT_MS, asking)
    if (history === TIMED_OUT) {
      void asking.then((late) => late.stop()).catch(() => undefined)
      throw new StateIncomplete()
    }
    // An iteration whose connection is lost never ends by itself.
    const patience = setTimeout(() => history.stop(new StateIncomplete()), ENTRY_TIMEOUT_MS)
    const found = new Map<string, StateEntry>()
    let place = 0
    try {
      for await (const { key, value, revision, operation } of history) {
        patience.refresh()
        place = revision
        const own = this.#keyOf(key)
        if (operation === 'PUT') found.set(own, { key: own, value, place })
        else found.delete(own)
        // Concurrent changes are listed too, so the list may never end by itself.
        if (place >= last.seq && found.has(CHECKPOINT)) break
      }
    } finally {
      clearTimeout(patience)
    }
    // The queried replica may lag behind the leader, and the client ends the list at a heartbeat.
    if (place < last.seq) throw new StateIncomplete()
    if (!found.has(CHECKPOINT) && (await this.#lastOf(CHECKPOINT)) !== undefined) throw new StateIncomplete()
    return [...found.values()]
  }

  #keyOf(key: string): string {
    return key.slice(this.#options.prefix.length + 1)
  }

  async entry(key: string): Promise<StateEntry | undefined> {
    const found = await this.#lastOf(key)
    return found === undefined ? undefined : { key, value: found.data, place: found.seq }
  }

  /** The last message of the keys that match a pattern, read from the leader of the bucket. */
  async #lastOf(pattern: string) {
    // The client of the bucket would accept the answer of any replica, which may lag.
    const subject = `$KV.${BUCKET}.${this.#options.prefix}.${pattern}`
    const found = await orNothing(
      [JetStreamApiCodes.NoMessageFound, JetStreamApiCodes.StreamNotFound],
      this.#open.manager.streams.getMessage(BUCKET_STREAM, { last_by_subj: subject }),
    )
    return found ?? undefined
  }

  async put(key: string, value: Uint8Array, expected?: number): Promise<number> {
    const options = { timeout: patienceFor(value), ...(expected === undefined ? {} : { previousSeq: expected }) }
    try {
      const bucket = await this.#state()
      if (bucket === undefined) throw new Error('there is no state bucket')
      return await bucket.put(`${this.#options.prefix}.${key}`, value, options)
    } catch (error) {
      throw conflictOf(error) ?? refusalOf('state', error)
    }
  }

  async purge(key: string): Promise<void> {
    const entry = await this.entry(key)
    if (entry === undefined) return
    // A tombstone would remain forever.
    await this.#open.manager.streams.deleteMessage(BUCKET_STREAM, entry.place, false)
  }

  get #maxAckPending(): number {
    return maxAckPending(this.#open.connection.info?.max_payload ?? 0)
  }

  async ensureConsumer(from: 'first' | 'next' | number): Promise<ConsumerState> {
    const { consumers } = this.#open.manager
    const known = await orNothing(JetStreamApiCodes.ConsumerNotFound, consumers.info(STREAM, this.#durable))
    // It was created with another `max_payload`, or by an older release.
    if (known !== undefined && known.config.max_ack_pending !== this.#maxAckPending)
      await consumers.update(STREAM, this.#durable, { max_ack_pending: this.#maxAckPending })
    if (known !== undefined)
      return {
        isKnown: true,
        acknowledgedSeq: known.ack_floor.stream_seq,
        isTaken: known.num_waiting > 0,
      }
    const made = await consumers.add(STREAM, {
      durable_name: this.#durable,
      ack_policy: AckPolicy.Explicit,
      ...beginningAt(from),
      filter_subject: `${this.#options.prefix}.>`,
      ack_wait: nanos(ACK_WAIT_MS),
      max_ack_pending: this.#maxAckPending,
      // A consumer lost with its node is recreated, and missed changes are in the bucket.
      num_replicas: 1,
      // After this time, the stream no longer retains the messages from which the consumer would continue.
      inactive_threshold: nanos(this.#options.isRandomId ? RANDOM_ID_INACTIVE_MS : RETENTION_MS),
    })
    return { isKnown: false, acknowledgedSeq: made.ack_floor.stream_seq, isTaken: false }
  }

  async deleteConsumer(): Promise<void> {
    await orNothing(JetStreamApiCodes.ConsumerNotFound, this.#open.manager.consumers.delete(STREAM, this.#durable))
  }

  async follow(
    take: (message: IncomingMessage) => void,
    lost: (reason: string) => void,
  ): Promise<{ stop(): Promise<void> }> {
    const consumer: Consumer = await this.#open.js.consumers.get(STREAM, this.#durable)
    /** Checks since the last message or heartbeat. */
    let silence = 0
    const messages = await consumer.consume({
      max_messages: this.#maxAckPending,
      expires: PULL_EXPIRES_MS,
      idle_heartbeat: HEARTBEAT_INTERVAL_MS,
      callback: (message) => {
        silence = 0
        take(incoming(message, this.#keyOf(message.subject)))
      },
    })
    const end = () => {
      clearInterval(listening)
      return messages.close()
    }
    const gone = (reason: string) => {
      void end()
      lost(reason)
    }
    // After a reconnection, the client stops watching heartbeats if the consumer does not answer.
    const listening = setInterval(() => {
      silence = this.#isConnected ? silence + 1 : 0
      if (silence > MAX_MISSED_HEARTBEATS) gone('no heartbeats')
    }, 2 * HEARTBEAT_INTERVAL_MS).unref()
    const watch = async () => {
      for await (const status of messages.status()) {
        if (status.type === 'heartbeat') silence = 0
        const isSilent = status.type === 'heartbeats_missed' && status.count >= MAX_MISSED_HEARTBEATS
        if (isSilent || GONE.has(status.type)) return gone(status.type.replaceAll('_', ' '))
      }
    }
    void watch()
    return {
      stop: async () => {
        await end()
      },
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#isConnected = false
    const connection = this.#session?.connection
    if (connection === undefined || connection.isClosed()) return
    await connection.flush().catch(() => undefined)
    await connection.close()
  }
}

/** Milliseconds between two heartbeats of a consumer, and how many may be missed before its server counts as failed. */
const HEARTBEAT_INTERVAL_MS = 1500
const MAX_MISSED_HEARTBEATS = 3

/** The consumer or the stream is gone, and the client does not recreate it. */
const GONE: ReadonlySet<string> = new Set(['consumer_deleted', 'consumer_not_found', 'stream_not_found'])

function patienceFor(payload: Uint8Array): number {
  return REQUEST_TIMEOUT_MS + Math.ceil(payload.length / 100)
}

/** For the log: the client's message, which never contains a password. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
