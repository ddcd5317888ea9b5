import { createPauses, delay, type Log } from '@engine/process'
import type { Change, ChangeSubscriber } from '../catalog/change-feed.ts'
import { StoreError, type StoredRuleset } from '../store/store.ts'
import { type Broker, NoStream, StateConflict, type StateEntry } from './broker.ts'
import { diff, eventOf } from './diff.ts'
import type { TenantsSubscriber } from '../tenants/tenancy.ts'
import { DEFAULT_TENANT } from '../store/tenant-id.ts'
import { BadEvent, messageBytes, ruleSubject, type SyncEvent, TENANTS, DEFAULT_MAX_EVENT_BYTES } from './event.ts'
import { type LocalState, rulesetCount } from './local-state.ts'
import type { Outbox, OutboxEvent } from './outbox.ts'
import { type Refused, BrokerErrors } from './broker-errors.ts'
import { StaleReplicas } from './stale-replicas.ts'
import { LAST_REVISION, Revisions } from './revisions.ts'
import {
  eventText,
  CHECKPOINT,
  checkpointBytes,
  isTombstone,
  LEASE,
  leaseBytes,
  leaseOf,
  outboxEvent,
  readRecord,
  type StateRecord,
} from './state.ts'
import { stateDigest } from './digest.ts'
import type { SyncMetrics } from './sync-metrics.ts'

/** Maximum events published at the same time. */
const MAX_BATCH_EVENTS = 256
/** Maximum bytes published at the same time; the first event may exceed them. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024
/** Bytes reserved for the headers of a message. */
const HEADER_BYTES = 4096
/** The broker's default maximum payload, assumed before the first connection. */
const DEFAULT_MAX_PAYLOAD = 1024 * 1024
/** Milliseconds before a failed publication is retried. */
const RETRY_DELAY_MS = 300
/** Milliseconds between two heartbeats. */
const HEARTBEAT_INTERVAL_MS = 10_000
/** Milliseconds for which a tombstone is kept: the retention of the stream. */
const TOMBSTONE_RETENTION_MS = 7 * 24 * 3600 * 1000

type Withheld = ReadonlyMap<string, readonly [tenant: string, ruleset: StoredRuleset]>

export interface PublisherParts {
  readonly broker: Broker
  readonly outbox: Outbox
  readonly local: () => LocalState
  readonly instanceId: string
  /** Distinguishes this run of the instance from all others. */
  readonly session: string
  readonly metrics: SyncMetrics
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Maximum bytes of a message after decompression; default: that of `readMessage`. */
  readonly largest?: number | undefined
}

/**
 * The writer's side of sync. The local store is authoritative: after each connection the state bucket is compared with
 * it, and every change is written first to the bucket, then to the stream, so that a reader which loads the bucket and
 * then consumes the stream misses nothing.
 */
export class Publisher {
  readonly #parts: PublisherParts
  readonly #revisions: Revisions
  /** The entry of each subject in the bucket as this writer last saw it. */
  readonly #places = new Map<string, { readonly place: number; readonly revision: number }>()
  #isBusy = false
  /** The comparison after the connection is complete. */
  #isSettled = false
  /** Subjects changed between the start and the first comparison; undefined afterwards. */
  #touched: Set<string> | undefined = new Set()
  #supersededBy: string | undefined
  /** See `Lease`. */
  #began = 0
  #publishedSeq = 0
  #checkpointDigest = ''
  readonly #refusals: BrokerErrors
  readonly #staleReplicas: StaleReplicas
  /** The broker's last warnings. */
  #warnings: readonly string[] = []
  /** The bucket's version of rulesets whose local file cannot be served: they were not deleted. */
  #withheld: Withheld = new Map()
  #heartbeat: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(parts: PublisherParts) {
    this.#parts = parts
    this.#revisions = new Revisions(parts.outbox.lastRevision, parts.now)
    this.#refusals = new BrokerErrors(parts.log, parts.elapsed)
    this.#staleReplicas = new StaleReplicas(parts.log, parts.elapsed)
  }

  /** Sequence of the last published event. */
  get publishedSeq(): number {
    return this.#publishedSeq
  }

  /** Failing publications; undefined: none. */
  get refused(): Refused | undefined {
    return this.#refusals.current
  }

  /** Replicas of stream and bucket that have not been current for a minute. */
  get staleReplicas(): number {
    return this.#staleReplicas.count
  }

  /** The writer that has taken over; undefined: this instance is the writer. */
  get supersededBy(): string | undefined {
    return this.#supersededBy
  }

  /** Publishes changes of a tenant's rulesets. */
  subscriber(tenant: string = DEFAULT_TENANT): ChangeSubscriber {
    return {
      accept: (change, { origin }) => {
        if (origin !== 'sync') this.#accept(tenant, change)
      },
      changed: (change, { origin }) => (origin === 'sync' ? undefined : this.#record(eventOf(tenant, change))),
    }
  }

  /** Publishes the tenants to all readers. */
  publishTenants(text: string): Promise<void> {
    return this.#record({ type: 'TenantConfigChanged', text })
  }

  /** Publishes tenants that were changed on this instance. */
  readonly tenantsSubscriber: TenantsSubscriber = {
    accept: (text, origin) => {
      if (origin === 'sync') return
      this.#refuseSuperseded()
      this.#refuseLarge('tenants.json has', { type: 'TenantConfigChanged', text })
    },
    changed: async ({ text }, origin) => {
      if (origin === 'api' || origin === 'file') await this.publishTenants(text)
    },
  }

  #accept(tenant: string, change: Change): void {
    this.#touched?.add(ruleSubject(tenant, change.kind === 'put' ? change.ruleset.name : change.name))
    this.#refuseSuperseded()
    this.#refuseLarge('the ruleset has', eventOf(tenant, change))
  }

  #refuseSuperseded(): void {
    if (this.#supersededBy !== undefined)
      throw new StoreError(
        'conflict',
        `another writer (${this.#supersededBy}) has taken over: no changes are possible here before a restart`,
      )
  }

  #refuseLarge(subject: string, event: SyncEvent): void {
    const limit = this.#limit
    const { largest = DEFAULT_MAX_EVENT_BYTES } = this.#parts
    // No character takes more than six bytes.
    if (event.type === 'RuleDeleted' || event.text.length * 6 + HEADER_BYTES < Math.min(limit, largest)) return
    const { text } = outboxEvent(this.#envelope(event), 0)
    const whole = Buffer.byteLength(text)
    if (whole > largest)
      throw new StoreError(
        'too-large',
        `${subject} ${whole} bytes as an event, but readers accept ${largest} (twice --max-request-body-bytes)`,
      )
    const size = messageBytes(text, limit).length
    if (size > limit)
      throw new StoreError(
        'too-large',
        `${subject} ${size} bytes as an event, but the broker accepts ${limit} (max_payload of its configuration)`,
      )
  }

  get #limit(): number {
    return (this.#parts.broker.maxPayload ?? DEFAULT_MAX_PAYLOAD) - HEADER_BYTES
  }

  #envelope(event: SyncEvent) {
    const { instanceId, now } = this.#parts
    return { instanceId, event, timestampMs: now() }
  }

  async #record(event: SyncEvent): Promise<void> {
    const durable = this.#parts.outbox.append(outboxEvent(this.#envelope(event), this.#revisions.next()))
    void this.#work()
    await durable
  }

  /** Whether the state bucket has been compared with the store on this connection. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Called on each connection. */
  up(): void {
    this.#isSettled = false
    this.#heartbeat ??= setInterval(() => void this.#sendHeartbeat(), HEARTBEAT_INTERVAL_MS).unref()
    void this.#work()
  }

  down(): void {
    this.#isSettled = false
  }

  async #prepare(): Promise<void> {
    const { broker, log } = this.#parts
    const { warnings, staleReplicas } = await broker.prepare()
    this.#staleReplicas.update(staleReplicas)
    for (const warning of warnings) if (!this.#warnings.includes(warning)) log.warn({}, warning)
    this.#warnings = warnings
  }

  async #settle(): Promise<void> {
    const { broker, local } = this.#parts
    await this.#prepare()
    const isFirst = this.#touched !== undefined
    if (!(await this.#holdsLease(isFirst))) return
    const entries = await broker.entries()
    this.#places.clear()
    const records = new Map<string, StateRecord>()
    const paused = createPauses()
    for (const entry of entries) {
      if (entry.key === LEASE || entry.key === CHECKPOINT) continue
      const record = await this.#found(entry)
      await paused()
      if (record === undefined) continue
      this.#revisions.saw(record.revision)
      records.set(record.subject, record)
    }
    if (isFirst && local().isNew) await this.#adopt(records)
    this.#touched = undefined
    this.#withheld = this.#withheldOf(records)
    await this.#recordDifferences(records)
    await this.#forgetTombstones(records)
    this.#checkpointDigest = ''
    this.#isSettled = true
    this.#parts.log.info(
      { rulesets: rulesetCount(local()), outbox: this.#parts.outbox.events.length },
      'compared the broker with the stored state',
    )
  }

  /** The bucket's record of a subject, with its position. Unreadable records count as missing and are overwritten. */
  async #found({ key: subject, value, place }: StateEntry): Promise<StateRecord | undefined> {
    const record = await this.#readable(subject, value)
    this.#places.set(subject, { place, revision: record?.revision ?? 0 })
    return record
  }

  async #readable(subject: string, value: Uint8Array): Promise<StateRecord | undefined> {
    try {
      const record = await readRecord(subject, value, this.#parts.largest)
      // Above it, too few revisions would be left.
      if (record.revision > LAST_REVISION) throw new BadEvent(`its revision ${record.revision} is no time`)
      return record
    } catch (error) {
      if (!(error instanceof BadEvent)) throw error
      this.#parts.log.error({ subject, reason: error.message }, 'a record of a change cannot be read')
      return undefined
    }
  }

  /**
   * Resumes from the predecessor's state if nothing is stored here: an empty directory must not delete everything.
   */
  async #adopt(records: ReadonlyMap<string, StateRecord>): Promise<void> {
    const { local, log } = this.#parts
    // Tenants are applied before their rulesets.
    const sorted = [...records.values()].sort((left, right) => rank(left) - rank(right))
    let adopted = 0
    for (const { subject, envelope } of sorted) {
      const meetsPrecondition = () => this.#touched?.has(subject) !== true
      if (!meetsPrecondition()) continue
      const { kind, ...rest } = await local().apply(envelope.event, meetsPrecondition)
      if (kind === 'applied') adopted++
      else if (kind !== 'unchanged') log.warn({ subject, ...rest }, 'a ruleset from the broker was not adopted')
    }
    if (adopted > 0) log.warn({ adopted }, 'fresh writer: resuming from the state in the broker')
  }

  /** The desired state of readers: stored rulesets, and existing ones that cannot currently be read. */
  #rulesets(): readonly (readonly [tenant: string, ruleset: StoredRuleset])[] {
    const local = this.#parts.local()
    const stored = [...local.rulesets()]
    if (this.#withheld.size === 0) return stored
    const known = new Set(stored.map(([tenant, { name }]) => ruleSubject(tenant, name)))
    const withheld = Array.from(this.#withheld)
      .filter(([subject, [tenant, { name }]]) => !known.has(subject) && local.isWithheld(tenant, name))
      .map(([, ruleset]) => ruleset)
    return [...stored, ...withheld]
  }

  #withheldOf(records: ReadonlyMap<string, StateRecord>): Withheld {
    const { local, log } = this.#parts
    const stored = new Set(Array.from(local().rulesets(), ([tenant, { name }]) => ruleSubject(tenant, name)))
    const withheld = new Map(this.#withheld)
    for (const { subject, envelope } of records.values()) {
      const { event } = envelope
      if (event.type !== 'RulePut' || stored.has(subject) || !local().isWithheld(event.tenant, event.name)) continue
      const { tenant, name, version, text } = event
      withheld.set(subject, [tenant, { name, version, text, description: null, stepCount: 0 }])
      log.error({ subject }, 'the file of a ruleset cannot be served: readers keep the version in the broker')
    }
    return withheld
  }

  /** Records an event for each difference between the store and the bucket, pending events included. */
  async #recordDifferences(records: ReadonlyMap<string, StateRecord>): Promise<void> {
    const read = new Map<OutboxEvent, StateRecord | undefined>()
    const paused = createPauses()
    let newest = this.#newestWaiting(records)
    // Changes made while reading are read as well, so that nothing is awaited between the last one and the comparison.
    for (let unread = newest; unread.length > 0; unread = newest.filter((event) => !read.has(event))) {
      for (const event of unread) {
        read.set(event, await this.#readable(event.subject, Buffer.from(event.text)))
        await paused()
      }
      newest = this.#newestWaiting(records)
    }
    const waiting = newest.map((event) => read.get(event)).filter((record) => record !== undefined)
    const expected = new Map([...records, ...waiting.map((record) => [record.subject, record] as const)])
    const events = diff({ rulesets: this.#rulesets(), tenants: this.#parts.local().tenantsText() }, expected)
    await Promise.all(events.map((event) => this.#record(event)))
  }

  /**
   * The latest pending event of each subject, unless the broker's state is newer: after a long wait, or with wrong clocks.
   * The stored state may be newer than the event: a crash can happen between store and outbox.
   */
  #newestWaiting(records: ReadonlyMap<string, StateRecord>): readonly OutboxEvent[] {
    const last = new Map(this.#parts.outbox.events.map((event) => [event.subject, event]))
    return [...last.values()].filter(({ subject, revision }) => revision > (records.get(subject)?.revision ?? 0))
  }

  async #forgetTombstones(records: ReadonlyMap<string, StateRecord>): Promise<void> {
    const { broker, now } = this.#parts
    for (const { subject, envelope } of records.values())
      if (isTombstone(envelope.event) && envelope.timestampMs < now() - TOMBSTONE_RETENTION_MS) {
        await broker.purge(subject)
        this.#places.delete(subject)
      }
  }

  /** Whether this run is the writer: the run that started last. */
  async #holdsLease(takes: boolean): Promise<boolean> {
    const { broker, instanceId, session, log, metrics } = this.#parts
    if (this.#supersededBy !== undefined) return false
    const entry = await broker.entry(LEASE)
    const holder = entry === undefined ? undefined : leaseOf(entry)
    if (holder?.session === session) return true
    if (takes) this.#began = Math.max(this.#revisions.next(), (holder?.began ?? 0) + 1)
    // A late request of an ended run may reach a recreated bucket, which knows no newer lease.
    const isLeftBehind = holder?.began !== undefined && holder.began < this.#began
    // A bucket without the lease has lost everything else, too.
    if (holder === undefined || isLeftBehind) this.#isSettled = false
    if (takes || holder === undefined || isLeftBehind) {
      // Only over the expected entry: a delayed write of a previous run must not take over from its successor.
      await broker.put(LEASE, leaseBytes({ instanceId, session, began: this.#began }), entry?.place ?? 0)
      return true
    }
    this.#supersededBy = holder.instanceId
    metrics.conflict()
    log.error(
      { writer: holder.instanceId },
      'another writer has taken over: this one no longer publishes or changes anything',
    )
    return false
  }

  /** Compares, then publishes pending events in order until none is left. */
  async #work(): Promise<void> {
    if (this.#isBusy) return
    this.#isBusy = true
    const { broker, outbox } = this.#parts
    while (broker.isConnected && this.#supersededBy === undefined && !this.#isClosed) {
      try {
        if (!this.#isSettled) await this.#settle()
        else if (outbox.events.length > 0) {
          if ((await this.#holdsLease(false)) && this.#isSettled) await this.#publish(this.#batch())
        } else {
          await this.#writeCheckpoint()
          if (this.#isSettled && outbox.events.length === 0) break
        }
        this.#refusals.over()
      } catch (error) {
        await this.#failed(error)
        await delay(RETRY_DELAY_MS)
      }
    }
    this.#isBusy = false
  }

  #batch(): readonly OutboxEvent[] {
    let bytes = 0
    const { events } = this.#parts.outbox
    const fitting = events
      .slice(0, MAX_BATCH_EVENTS)
      .findIndex(({ text }, index) => (bytes += text.length) > MAX_BATCH_BYTES && index > 0)
    return events.slice(0, fitting < 0 ? MAX_BATCH_EVENTS : fitting)
  }

  async #publish(events: readonly OutboxEvent[]): Promise<void> {
    const { broker, outbox, metrics, instanceId } = this.#parts
    const fitting = events.filter((event) => this.#fits(event))
    const last = new Map(fitting.map((event) => [event.subject, event]))
    await Promise.all(Array.from(last.values(), (event) => this.#putState(event)))
    const limit = this.#limit
    const places = await Promise.all(
      fitting.map((event) =>
        broker.publish({
          subject: event.subject,
          id: `${instanceId}-${event.revision}`,
          revision: event.revision,
          payload: messageBytes(eventText(event), limit),
        }),
      ),
    )
    this.#publishedSeq = Math.max(this.#publishedSeq, ...places)
    outbox.published(events.length)
    for (const { type } of fitting) metrics.published(type)
  }

  /**
   * Whether an event fits into a message: the broker's limit may have been lowered since the change was accepted, and a
   * message that is never accepted must not block all others.
   */
  #fits({ subject, text }: OutboxEvent): boolean {
    const { metrics, log } = this.#parts
    const limit = this.#limit
    // No UTF-16 code unit takes more than three bytes.
    if (text.length * 3 <= limit || messageBytes(text, limit).length <= limit) return true
    metrics.publishFailed()
    log.error({ subject, limit }, 'a change is now too large for the broker and will not reach any reader')
    return false
  }

  async #putState({ subject, revision, text }: OutboxEvent): Promise<void> {
    const { broker, metrics, log } = this.#parts
    const value = messageBytes(text, this.#limit)
    for (;;) {
      const known = this.#places.get(subject)
      // Readers ignore older revisions, so an older one must not replace a newer entry.
      if (known !== undefined && known.revision >= revision) return
      try {
        this.#places.set(subject, { place: await broker.put(subject, value, known?.place ?? 0), revision })
        return
      } catch (error) {
        if (!(error instanceof StateConflict)) throw error
        const entry = await broker.entry(subject)
        if (entry === undefined) {
          this.#places.delete(subject)
          continue
        }
        const there = await this.#found(entry)
        if (there === undefined || there.revision <= revision) continue
        metrics.conflict()
        log.error({ subject, writer: there.envelope.instanceId }, 'the broker has a newer change of another writer')
      }
    }
  }

  /** Writes the checkpoint: everything is published, and readers should have this state. */
  async #writeCheckpoint(isHeartbeat = false): Promise<void> {
    const { broker, instanceId, now } = this.#parts
    const rulesets = this.#rulesets()
    const digest = stateDigest(rulesets)
    if (digest === this.#checkpointDigest && !isHeartbeat) return
    // Also serves as a heartbeat: no two checkpoints are equal.
    const { last: revision } = this.#revisions
    const checkpoint = { instanceId, revision, digest, rulesets: rulesets.length, timestampMs: now() }
    await broker.put(CHECKPOINT, checkpointBytes(checkpoint))
    this.#checkpointDigest = digest
  }

  async #sendHeartbeat(): Promise<void> {
    const { broker, outbox } = this.#parts
    if (!broker.isConnected || !this.#isSettled) return
    try {
      await this.#prepare()
      if (!(await this.#holdsLease(false))) return
      if (!this.#isSettled) void this.#work()
      else if (outbox.events.length === 0) await this.#writeCheckpoint(true)
    } catch (error) {
      await this.#failed(error)
    }
  }

  async #failed(error: unknown): Promise<void> {
    const { metrics, log, broker } = this.#parts
    metrics.publishFailed()
    // The connection reports its own loss.
    if (!broker.isConnected) return
    const broken = this.#refusals.failed(error)
    // The stream was deleted while this writer was connected. If recreating it fails, the next attempt reports it.
    if (error instanceof NoStream) await this.#prepare().catch(() => undefined)
    if (broken === undefined) return
    log.error(
      { what: broken, reason: String(error) },
      'the broker cannot store events: deleting and recreating its stream',
    )
    try {
      // Readers detect the new stream and reconcile. Pending events are published to it, and the comparison refills the bucket.
      await broker.recreate(broken)
      this.#isSettled = false
    } catch (failure) {
      log.error({ what: broken, reason: String(failure) }, 'the stream could not be recreated')
    }
  }

  /** Waits until pending events are published, while connected. */
  async close(milliseconds: number): Promise<void> {
    const { outbox, broker } = this.#parts
    clearInterval(this.#heartbeat)
    const end = Date.now() + milliseconds
    while (outbox.events.length > 0 && broker.isConnected && this.#supersededBy === undefined && Date.now() < end) {
      void this.#work()
      await delay(20)
    }
    this.#isClosed = true
    await outbox.close()
  }
}

const rank = ({ subject }: StateRecord) => (subject === TENANTS ? 0 : 1)
