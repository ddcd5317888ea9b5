import {
  ACK_WAIT_MS,
  DUPLICATE_WINDOW_MS,
  maxAckPending,
  PULL_EXPIRES_MS,
  REQUEST_TIMEOUT_MS,
} from './broker-limits.ts'
import {
  type Broker,
  type ConnectionListener,
  type ConsumerState,
  type IncomingMessage,
  NoStream,
  type OutgoingMessage,
  StateConflict,
  type StateEntry,
  StoreRefusal,
  type StreamState,
} from './broker.ts'
import { between, type Random } from './random.testing.ts'

/** The network's effects on messages. */
export interface Chaos {
  /** Milliseconds of each way, at least and at most. */
  readonly delayMs: readonly [least: number, most: number]
  /** How likely a request, an answer, a delivery or an acknowledgement is lost. */
  readonly drop: number
  /** How likely something stands still on its way for up to eight seconds, longer than any client waits. */
  readonly stall: number
  /** How likely a delivery comes twice. */
  readonly duplicate: number
  /** How likely a delivery is overtaken by later ones. */
  readonly reorder: number
}

export const CALM: Chaos = { delayMs: [1, 4], drop: 0, stall: 0, duplicate: 0, reorder: 0 }

/** One request to the broker. */
export interface Operation {
  /** Instance id of the client. */
  readonly client: string
  readonly kind:
    | 'prepare'
    | 'publish'
    | 'entries'
    | 'entry'
    | 'put'
    | 'recreate'
    | 'purge'
    | 'ensureConsumer'
    | 'deleteConsumer'
    | 'follow'
  /** Subject or key; empty where there is none. */
  readonly key: string
}

/** What becomes of a request. `answer-lost`: it is done, and the client does not learn it. `refused`: the broker answers with an error. */
export type Fate = 'lost' | 'answer-lost' | 'refused' | undefined

/** A message that the stream took. */
export interface Taken {
  readonly seq: number
  readonly id: string
  readonly subject: string
  readonly revision: number | undefined
  readonly payload: Uint8Array
}

/** One instance's connection. */
export interface SimulatedClient extends Broker {
  /** Drop the connection; it comes again by itself. */
  cut(): void
  /** Drops all messages without notifying clients, until healed. */
  partition(): void
  heal(): void
  /** The process ends: its pending requests are never answered. */
  kill(): void
}

/** Milliseconds after which a client notices a silent partition. */
const NOTICED_MS = 9000

interface Place {
  next: number
  /** Delivered and not acknowledged, with the moment at which they come again. */
  readonly pending: Map<number, number>
  session: Session | undefined
}

interface Session {
  readonly client: Client
  readonly take: (message: IncomingMessage) => void
  readonly lost: (reason: string) => void
  /** The client's connection of its last pull request; 0: none pending. */
  connection: number
  /** Until then a disconnected client appears to be pulling. */
  seemsAliveUntil: number
}

interface Stream {
  readonly created: string
  firstSeq: number
  lastSeq: number
  readonly messages: Map<number, Taken>
  readonly ids: Map<string, { readonly seq: number; readonly at: number }>
  readonly places: Map<string, Place>
}

interface Bucket {
  last: number
  readonly entries: Map<string, StateEntry>
}

/**
 * A simulated broker with a network that fails on demand. Everything that happens depends on the random source and the
 * timers only, so that with timers that are not real a run can be repeated.
 */
export class SimulatedBroker {
  chaos: Chaos = CALM
  maxPayload = 1024 * 1024
  isOurs = true
  warnings: readonly string[] = []
  staleReplicas: readonly string[] = []
  /** The storage that fails permanently until recreated. */
  broken: 'stream' | 'state' | undefined
  /** Decides the fate of single requests; `chaos` decides the others. */
  fate: (operation: Operation) => Fate = () => undefined
  /** Called for every message that a client is given. */
  delivered: (client: string, message: IncomingMessage) => void = () => undefined
  /** Called for every acknowledgement, at the moment when the client gives it. */
  acknowledged: (client: string, message: IncomingMessage) => void = () => undefined
  /** Every message that a stream ever took. */
  readonly taken: Taken[] = []
  /** Every request that was done, in order: `put a`, `publish a`. Reading is not among them. */
  readonly done: string[] = []
  readonly random: Random
  #isUp = true
  #streams = 0
  #stream: Stream | undefined
  #bucket: Bucket | undefined
  readonly #clients = new Set<Client>()

  constructor(random: Random) {
    this.random = random
    setInterval(() => this.#sweep(), 500).unref()
  }

  get isUp(): boolean {
    return this.#isUp
  }

  get lastSeq(): number {
    return this.#stream?.lastSeq ?? 0
  }

  /** Who has a place in the stream. */
  get places(): readonly string[] {
    return [...(this.#stream?.places.keys() ?? [])]
  }

  entry(key: string): StateEntry | undefined {
    return this.#bucket?.entries.get(key)
  }

  get keys(): readonly string[] {
    return [...(this.#bucket?.entries.keys() ?? [])].sort()
  }

  client(instanceId: string): SimulatedClient {
    const client = new Client(this, instanceId)
    this.#clients.add(client)
    return client
  }

  forget(client: Client): void {
    this.#clients.delete(client)
  }

  /** Messages in transit are lost, stored data is kept. Some recently acknowledged messages were not stored. */
  stop(): void {
    this.#isUp = false
    for (const client of this.#clients) client.cut()
    for (const place of this.#stream?.places.values() ?? []) {
      if (this.random() < 0.5) continue
      place.next = Math.max(1, place.next - Math.floor(this.random() * 5))
    }
  }

  start(): void {
    this.#isUp = true
  }

  /** The stream is deleted, with the position of every consumer. */
  wipeStream(): void {
    const places = [...(this.#stream?.places.values() ?? [])]
    this.#stream = undefined
    for (const { session } of places) session?.client.noticesLoss(session, 'consumer deleted')
  }

  /** Stream and bucket are deleted. */
  wipe(): void {
    this.#bucket = undefined
    this.wipeStream()
  }

  wipeBucket(): void {
    this.#bucket = undefined
  }

  /** Retention: only the last messages are left. */
  expire(left: number): void {
    const stream = this.#stream
    if (stream === undefined) return
    for (; stream.firstSeq <= stream.lastSeq - left; stream.firstSeq++) stream.messages.delete(stream.firstSeq)
  }

  /** As `expire`, but places go along, so that a gap cannot be seen by them. */
  purge(): void {
    this.expire(0)
    const stream = this.#stream
    for (const place of stream?.places.values() ?? []) {
      place.pending.clear()
      place.next = Math.max(place.next, stream?.firstSeq ?? 0)
    }
  }

  /** A message from a client outside this fleet. */
  inject(subject: string, payload: Uint8Array | string, revision?: number): number {
    this.prepare()
    return this.#store({ subject, id: `injected ${this.taken.length}`, revision, payload: Buffer.from(payload) })
  }

  /** One way through the network: milliseconds, or undefined when it is lost. */
  way(): number | undefined {
    const { delayMs, drop, stall } = this.chaos
    if (drop > 0 && this.random() < drop) return undefined
    if (stall > 0 && this.random() < stall) return between(this.random, 500, 8000)
    return between(this.random, ...delayMs)
  }

  // The following runs when a request arrives.

  prepare(): StreamState {
    this.#stream ??= {
      created: `stream ${++this.#streams}`,
      firstSeq: 1,
      lastSeq: 0,
      messages: new Map(),
      ids: new Map(),
      places: new Map(),
    }
    this.#bucket ??= { last: 0, entries: new Map() }
    const { created, firstSeq, lastSeq } = this.#stream
    return {
      created,
      firstSeq,
      lastSeq,
      isOurs: this.isOurs,
      warnings: this.warnings,
      staleReplicas: this.staleReplicas,
    }
  }

  publish(message: OutgoingMessage): number {
    if (message.payload.length > this.maxPayload) throw new Error('maximum payload exceeded')
    if (this.broken === 'stream') throw new StoreRefusal('stream', 'error opening msg block file')
    const known = this.#existing.ids.get(message.id)
    if (known !== undefined && Date.now() - known.at < DUPLICATE_WINDOW_MS) return known.seq
    return this.#store(message)
  }

  #store(message: Omit<Taken, 'seq'>): number {
    const stream = this.#existing
    const seq = ++stream.lastSeq
    const taken = { ...message, seq }
    stream.messages.set(seq, taken)
    stream.ids.set(message.id, { seq, at: Date.now() })
    this.taken.push(taken)
    for (const place of stream.places.values()) this.#pump(place)
    return seq
  }

  entries(): readonly StateEntry[] {
    return [...this.#kept.entries.values()]
  }

  put(key: string, value: Uint8Array, expected: number | undefined): number {
    if (value.length > this.maxPayload) throw new Error('maximum payload exceeded')
    if (this.broken === 'state') throw new StoreRefusal('state', 'error opening msg block file')
    const bucket = this.#kept
    const place = bucket.entries.get(key)?.place ?? 0
    if (expected !== undefined && expected !== place) throw new StateConflict(`wrong last sequence: ${place}`)
    bucket.entries.set(key, { key, value, place: ++bucket.last })
    return bucket.last
  }

  recreate(what: 'stream' | 'state'): void {
    if (what === 'stream') this.wipeStream()
    else this.wipeBucket()
    if (this.broken === what) this.broken = undefined
    this.prepare()
  }

  remove(key: string, place: number): void {
    if (this.#bucket?.entries.get(key)?.place !== place) throw new Error('no message found')
    this.#bucket.entries.delete(key)
  }

  ensureConsumer(instanceId: string, from: 'first' | 'next' | number): ConsumerState {
    const stream = this.#existing
    const known = stream.places.get(instanceId)
    if (known !== undefined)
      return {
        isKnown: true,
        acknowledgedSeq: Math.min(known.next, ...known.pending.keys()) - 1,
        isTaken: known.session !== undefined && this.#asks(known.session),
      }
    const beginnings = { first: stream.firstSeq, next: stream.lastSeq + 1 }
    const next = typeof from === 'number' ? from : beginnings[from]
    stream.places.set(instanceId, { next, pending: new Map(), session: undefined })
    return { isKnown: false, acknowledgedSeq: next - 1, isTaken: false }
  }

  #asks({ client, connection, seemsAliveUntil }: Session): boolean {
    return (connection !== 0 && client.connection === connection) || Date.now() < seemsAliveUntil
  }

  deleteConsumer(instanceId: string): void {
    this.#stream?.places.delete(instanceId)
  }

  /** False: there is no such place. */
  follow(instanceId: string, session: Session): boolean {
    const place = this.#stream?.places.get(instanceId)
    if (place === undefined) return false
    place.session = session
    this.#pump(place)
    return true
  }

  confirm(instanceId: string, created: string, seq: number): void {
    if (this.#stream?.created === created) this.#stream.places.get(instanceId)?.pending.delete(seq)
  }

  retryIn(instanceId: string, seq: number, milliseconds: number): void {
    const place = this.#stream?.places.get(instanceId)
    if (place?.pending.has(seq) === true) place.pending.set(seq, Date.now() + milliseconds)
  }

  get #existing(): Stream {
    if (this.#stream === undefined) throw new NoStream('stream not found')
    return this.#stream
  }

  get #kept(): Bucket {
    if (this.#bucket === undefined) throw new Error('bucket not found')
    return this.#bucket
  }

  /** Deliver new messages to clients with pending pull requests. */
  #pump(place: Place): void {
    const stream = this.#existing
    const { session } = place
    if (!this.#isUp || session === undefined || session.client.connection !== session.connection) return
    for (; place.next <= stream.lastSeq && place.pending.size < maxAckPending(this.maxPayload); place.next++)
      this.#deliver(stream, place, session, place.next, false)
  }

  #deliver(stream: Stream, place: Place, session: Session, seq: number, isRedelivered: boolean): void {
    const found = stream.messages.get(seq)
    if (found === undefined) {
      place.pending.delete(seq)
      return
    }
    place.pending.set(seq, Date.now() + ACK_WAIT_MS)
    const pending = stream.lastSeq - seq
    session.client.deliver(session, stream.created, { ...found, pending, isRedelivered })
    if (this.chaos.duplicate > 0 && this.random() < this.chaos.duplicate)
      session.client.deliver(session, stream.created, { ...found, pending, isRedelivered: this.random() < 0.5 })
  }

  /** Redeliver unacknowledged messages. */
  #sweep(): void {
    const stream = this.#stream
    if (stream === undefined || !this.#isUp) return
    for (const place of stream.places.values()) {
      const { session } = place
      if (session === undefined || session.client.connection !== session.connection) continue
      for (const [seq, due] of place.pending) if (due <= Date.now()) this.#deliver(stream, place, session, seq, true)
      this.#pump(place)
    }
  }
}

const NEVER: Promise<never> = new Promise(() => undefined)

/** Something that a client gets: a message without the ways to answer it. */
type Delivery = Omit<IncomingMessage, 'ack' | 'retry'>

class Client implements SimulatedClient {
  readonly #broker: SimulatedBroker
  readonly #id: string
  #listener: ConnectionListener | undefined
  /** 0: there is none. */
  #connection = 0
  #connections = 0
  #isKnownDown = false
  #isDead = false
  #isPartitioned = false
  /** When the last thing of this connection arrives: nothing on one connection overtakes. */
  #sentUntil = 0
  #receivedUntil = 0
  #session: Session | undefined

  constructor(broker: SimulatedBroker, id: string) {
    this.#broker = broker
    this.#id = id
  }

  get connection(): number {
    return this.#connection
  }

  get isConnected(): boolean {
    return this.#connection !== 0 && !this.#isKnownDown
  }

  get maxPayload(): number | undefined {
    return this.#connections === 0 ? undefined : this.#broker.maxPayload
  }

  connect(listener: ConnectionListener): void {
    this.#listener = listener
    this.#tryIn(between(this.#broker.random, 1, 20))
  }

  #tryIn(milliseconds: number): void {
    setTimeout(() => {
      if (this.#isDead || this.#connection !== 0) return
      if (!this.#broker.isUp || this.#isPartitioned) return this.#tryIn(between(this.#broker.random, 300, 1000))
      this.#connection = ++this.#connections
      this.#isKnownDown = false
      this.#sentUntil = 0
      this.#receivedUntil = 0
      this.#listener?.up()
      if (this.#session !== undefined) this.#askAgain(this.#session)
    }, milliseconds)
  }

  cut(): void {
    if (this.#connection === 0) return
    this.#connection = 0
    if (this.#session !== undefined) this.#session.connection = 0
    this.#listener?.down('the connection was lost')
    this.#tryIn(between(this.#broker.random, 300, 1000))
  }

  partition(): void {
    this.#isPartitioned = true
    const connection = this.#connection
    setTimeout(() => {
      if (this.#isPartitioned && connection !== 0 && this.#connection === connection) this.cut()
    }, NOTICED_MS)
  }

  heal(): void {
    this.#isPartitioned = false
  }

  kill(): void {
    this.#isDead = true
    this.#connection = 0
    this.#broker.forget(this)
    if (this.#session === undefined) return
    this.#session.connection = 0
    if (this.#broker.random() < 0.5) this.#session.seemsAliveUntil = Date.now() + PULL_EXPIRES_MS
  }

  async close(): Promise<void> {
    this.kill()
  }

  /** Something on its way to the broker. It may still be on its way when the connection, or the process, is gone. */
  #send(arrive: () => void): void {
    const milliseconds = this.#broker.way()
    if (milliseconds === undefined) return
    const connection = this.#connection
    const survives = this.#broker.random() < 0.5
    const now = Date.now()
    this.#sentUntil = Math.max(this.#sentUntil, now + milliseconds)
    const tries = (left: number) => {
      if (!this.#broker.isUp || (this.#connection !== connection && !survives)) return
      if (!this.#isPartitioned) arrive()
      else if (survives && left > 0) setTimeout(() => tries(left - 1), 500)
    }
    setTimeout(() => tries(20), this.#sentUntil - now)
  }

  /** Something on its way to the client. */
  #receive(arrive: () => void, extraMs = 0): void {
    const milliseconds = this.#broker.way()
    if (milliseconds === undefined || this.#connection === 0) return
    const connection = this.#connection
    const now = Date.now()
    const at = Math.max(this.#receivedUntil, now + milliseconds)
    if (extraMs === 0) this.#receivedUntil = at
    const tries = (left: number) => {
      if (this.#isDead || this.#connection !== connection) return
      if (!this.#isPartitioned) arrive()
      else if (left > 0) setTimeout(() => tries(left - 1), 500)
    }
    setTimeout(() => tries(20), at - now + extraMs)
  }

  #request<T>(kind: Operation['kind'], key: string, run: () => T): Promise<T> {
    if (this.#isDead) return NEVER
    if (!this.isConnected) return Promise.reject(new Error('there is no connection to the broker'))
    const fate = this.#broker.fate({ client: this.#id, kind, key })
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        if (!this.#isDead) reject(new Error('timeout'))
      }, REQUEST_TIMEOUT_MS)
      if (fate === 'lost') return
      this.#send(() => {
        let settle: () => void
        try {
          if (fate === 'refused') throw new Error('the broker refuses')
          const result = run()
          if (CHANGES.has(kind)) this.#broker.done.push(`${kind} ${key}`.trim())
          settle = () => resolve(result)
        } catch (error) {
          settle = () => reject(error)
        }
        if (fate === 'answer-lost') return
        this.#receive(() => {
          clearTimeout(timer)
          settle()
        })
      })
    })
  }

  prepare(): Promise<StreamState> {
    return this.#request('prepare', '', () => this.#broker.prepare())
  }

  publish(message: OutgoingMessage): Promise<number> {
    return this.#request('publish', message.subject, () => this.#broker.publish(message))
  }

  entries(): Promise<readonly StateEntry[]> {
    return this.#request('entries', '', () => this.#broker.entries())
  }

  entry(key: string): Promise<StateEntry | undefined> {
    return this.#request('entry', key, () => this.#broker.entry(key))
  }

  put(key: string, value: Uint8Array, expected?: number): Promise<number> {
    return this.#request('put', key, () => this.#broker.put(key, value, expected))
  }

  recreate(what: 'stream' | 'state'): Promise<void> {
    return this.#request('recreate', what, () => this.#broker.recreate(what))
  }

  async purge(key: string): Promise<void> {
    const entry = await this.entry(key)
    if (entry === undefined) return
    await this.#request('purge', key, () => this.#broker.remove(key, entry.place))
  }

  ensureConsumer(from: 'first' | 'next' | number): Promise<ConsumerState> {
    return this.#request('ensureConsumer', '', () => this.#broker.ensureConsumer(this.#id, from))
  }

  deleteConsumer(): Promise<void> {
    return this.#request('deleteConsumer', '', () => this.#broker.deleteConsumer(this.#id))
  }

  async follow(
    take: (message: IncomingMessage) => void,
    lost: (reason: string) => void,
  ): Promise<{ stop(): Promise<void> }> {
    const session: Session = { client: this, take, lost, connection: this.#connection, seemsAliveUntil: 0 }
    await this.#request('follow', '', () => {
      if (!this.#broker.follow(this.#id, session)) throw new Error('consumer not found')
    })
    this.#session = session
    // An unreported loss is noticed by the next pull request.
    const asking = setInterval(() => {
      if (this.#session !== session || this.#isDead) clearInterval(asking)
      else this.#askAgain(session)
    }, PULL_EXPIRES_MS).unref()
    return {
      stop: async () => {
        session.connection = 0
        if (this.#session === session) this.#session = undefined
      },
    }
  }

  #askAgain(session: Session): void {
    if (!this.isConnected) return
    const connection = this.#connection
    this.#send(() => {
      if (this.#session !== session) return
      session.connection = connection
      if (!this.#broker.follow(this.#id, session)) this.noticesLoss(session, 'consumer not found')
    })
  }

  noticesLoss(session: Session, reason: string): void {
    this.#receive(() => {
      if (this.#session !== session) return
      this.#session = undefined
      session.lost(reason)
    })
  }

  deliver(
    session: Session,
    created: string,
    { seq, subject, revision, payload, pending, isRedelivered }: Delivery,
  ): void {
    const { chaos, random } = this.#broker
    const late = chaos.reorder > 0 && random() < chaos.reorder ? between(random, 1, 300) : 0
    const message: IncomingMessage = {
      seq,
      subject,
      revision,
      payload,
      pending,
      isRedelivered,
      ack: () => {
        if (this.#isDead) return
        this.#broker.acknowledged(this.#id, message)
        if (this.#connection !== 0) this.#send(() => this.#broker.confirm(this.#id, created, seq))
      },
      retry: () => {
        if (!this.#isDead && this.#connection !== 0) this.#send(() => this.#broker.retryIn(this.#id, seq, 1000))
      },
    }
    this.#receive(() => {
      if (this.#session !== session && session.connection === 0) return
      this.#broker.delivered(this.#id, message)
      session.take(message)
    }, late)
  }
}

const CHANGES: ReadonlySet<Operation['kind']> = new Set(['publish', 'put', 'recreate', 'purge', 'deleteConsumer'])
