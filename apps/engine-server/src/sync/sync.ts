import type { HealthRecord } from '@engine/api'
import { performance } from 'node:perf_hooks'
import type { Role } from './role.ts'
import { delay, type Log } from '@engine/process'
import type { ChangeSubscriber } from '../catalog/change-feed.ts'
import type { TenantsSubscriber } from '../tenants/tenancy.ts'
import { Adoption } from './adoption.ts'
import type { Broker } from './broker.ts'
import { stateDigest } from './digest.ts'
import type { LocalState } from './local-state.ts'
import type { Outbox } from './outbox.ts'
import { Publisher } from './publisher.ts'
import { printable } from './broker-errors.ts'
import { Subscriber } from './subscriber.ts'
import type { SyncMetrics } from './sync-metrics.ts'

/** Milliseconds that a start waits for the broker. */
const CONNECT_TIMEOUT_MS = 2000
/** Milliseconds that a start waits for the state once connected. */
const STATE_TIMEOUT_MS = 20_000

/** Seconds of rejected publications before a writer reports not ready. */
const REFUSED_SECONDS = 30

/** The current state of sync; the fields of `/health` `sync` (docs/sync-operations.md). */
export type SyncStatus = HealthRecord['sync']

/** Keeps instances in sync: a writer publishes its changes, readers apply them. */
export interface Sync {
  /** Publishes changes of a tenant's rulesets; undefined: this instance publishes nothing. */
  subscriber(tenant: string | undefined): ChangeSubscriber | undefined
  /** Publishes changes of the tenants; undefined as above. */
  readonly tenantsSubscriber: TenantsSubscriber | undefined
  /**
   * Connects, and waits briefly for the broker's state. Resolves to the reason why this instance must not run (its id is in
   * use), otherwise to undefined, also if the broker cannot be reached.
   */
  begin(): Promise<string | undefined>
  /** The digest is computed on access: it covers everything that is stored. */
  status(): SyncStatus
  /** Why this instance should receive no requests; undefined: it should. */
  refusal(): string | undefined
  /** Publishes pending messages, then closes the connection. */
  close(milliseconds: number): Promise<void>
}

export interface SyncParts {
  readonly role: 'writer' | 'reader'
  readonly broker: Broker
  /** Address of the broker, without credentials. */
  readonly address: string
  readonly outbox: Outbox
  /** The local store; available from `begin` on. */
  readonly local: () => LocalState
  /** See `SubscriberParts`. */
  readonly largest?: number
  /** See `SubscriberParts`. */
  readonly requiresSignatures?: boolean
  /** Whether the writer adopts changes of other publishers (`Adoption`). */
  readonly takesOthers?: boolean
  readonly instanceId: string
  readonly session: string
  readonly metrics: SyncMetrics
  readonly log: Log
}

/** A single instance, or one whose files another program distributes: there is no broker. */
export function createNoSync(role: Role, local: () => LocalState): Sync {
  return {
    subscriber: () => undefined,
    tenantsSubscriber: undefined,
    begin: async () => undefined,
    status: () => ({
      connected: false,
      role,
      lag_events: 0,
      last_applied_seq: 0,
      outbox: 0,
      get digest() {
        return stateDigest(local().rulesets())
      },
    }),
    refusal: () => undefined,
    async close() {},
  }
}

/** An instance of a fleet. */
export function createSync(parts: SyncParts): Sync {
  return parts.role === 'writer' ? new WriterSync(parts) : new ReaderSync(parts)
}

/** Handles the connection for both roles. */
abstract class ConnectedSync {
  protected readonly parts: SyncParts
  #wasConnected = false
  #reason = ''

  constructor(parts: SyncParts) {
    this.parts = parts
  }

  protected abstract up(): void
  protected abstract down(): void
  /** Whether a start has nothing more to wait for. */
  protected abstract hasBegun(): boolean
  protected abstract fault(): string | undefined

  async begin(): Promise<string | undefined> {
    const { broker, log, address } = this.parts
    broker.connect({ up: () => this.#connected(), down: (reason) => this.#disconnected(reason) })
    const start = performance.now()
    const waits = () => {
      const waited = performance.now() - start
      return waited < (broker.isConnected ? STATE_TIMEOUT_MS : CONNECT_TIMEOUT_MS)
    }
    while (!this.hasBegun() && this.fault() === undefined && waits()) await delay(10)
    if (!broker.isConnected) log.warn({ broker: address }, 'the broker cannot be reached yet: starting without it')
    return this.fault()
  }

  #connected(): void {
    const { log, address, metrics } = this.parts
    if (this.#wasConnected) metrics.reconnected()
    this.#wasConnected = true
    this.#reason = ''
    log.info({ broker: address }, 'connected to the broker')
    this.up()
  }

  #disconnected(reason: string): void {
    const { broker, log, address } = this.parts
    if (!broker.isConnected) this.down()
    // Random names of the client differ each time.
    if (printable(reason) === this.#reason) return
    this.#reason = printable(reason)
    log.warn({ broker: address, reason }, broker.isConnected ? 'broker error' : 'broker disconnected')
  }
}

class WriterSync extends ConnectedSync implements Sync {
  readonly #publisher: Publisher
  readonly #adoption: Adoption | undefined

  constructor(parts: SyncParts) {
    super(parts)
    const elapsed = () => performance.now()
    const publisher = new Publisher({ ...parts, now: Date.now, elapsed })
    this.#publisher = publisher
    const adopting = {
      ...parts,
      // A fresh writer first resumes from the broker's state.
      isWriter: () => publisher.isSettled && publisher.supersededBy === undefined,
      tenantsChanged: (text: string) => publisher.publishTenants(text),
    }
    this.#adoption = parts.takesOthers === true ? new Adoption(adopting, elapsed) : undefined
  }

  subscriber(tenant: string | undefined): ChangeSubscriber {
    return this.#publisher.subscriber(tenant)
  }

  get tenantsSubscriber(): TenantsSubscriber {
    return this.#publisher.tenantsSubscriber
  }

  status(): SyncStatus {
    const { broker, outbox, role, local } = this.parts
    const { refused, staleReplicas } = this.#publisher
    return {
      connected: broker.isConnected,
      role,
      lag_events: 0,
      last_applied_seq: this.#publisher.publishedSeq,
      outbox: outbox.events.length,
      ...(staleReplicas === 0 ? {} : { stale_replicas: staleReplicas }),
      ...(refused === undefined ? {} : { refusals: refused.times, refusal: refused.reason }),
      get digest() {
        return stateDigest(local().rulesets())
      },
    }
  }

  refusal(): string | undefined {
    const { supersededBy, refused } = this.#publisher
    if (supersededBy !== undefined) return `another writer (${supersededBy}) has taken over`
    if (refused === undefined || refused.seconds < REFUSED_SECONDS || !this.parts.broker.isConnected) return undefined
    return `the broker has taken no change for ${refused.seconds} s: ${refused.reason}`
  }

  async close(milliseconds: number): Promise<void> {
    await this.#adoption?.close()
    await this.#publisher.close(milliseconds)
    await this.parts.broker.close()
  }

  protected up(): void {
    this.#publisher.up()
    this.#adoption?.up()
  }

  protected down(): void {
    this.#publisher.down()
  }

  protected hasBegun(): boolean {
    return this.#publisher.isSettled
  }

  protected fault(): undefined {
    return undefined
  }
}

class ReaderSync extends ConnectedSync implements Sync {
  readonly #subscriber: Subscriber

  constructor(parts: SyncParts) {
    super(parts)
    this.#subscriber = new Subscriber({ ...parts, now: Date.now, elapsed: () => performance.now() })
  }

  subscriber(): undefined {
    return undefined
  }

  get tenantsSubscriber(): undefined {
    return undefined
  }

  status(): SyncStatus {
    const { broker, role, local } = this.parts
    const { lag, appliedSeq, writerDigest, silence } = this.#subscriber
    return {
      connected: broker.isConnected,
      role,
      lag_events: lag,
      last_applied_seq: appliedSeq,
      outbox: 0,
      get digest() {
        return stateDigest(local().rulesets())
      },
      ...(writerDigest === undefined ? {} : { writer_digest: writerDigest }),
      ...(silence === undefined ? {} : { writer_silent_seconds: Math.floor(silence) }),
    }
  }

  refusal(): string | undefined {
    const { isSynced, fault, staleness, isWithoutWriter } = this.#subscriber
    if (fault !== undefined || isSynced) return fault ?? staleness
    const isEmpty = this.parts.local().rulesets()[Symbol.iterator]().next().done === true
    if (isEmpty) return 'there are no rulesets yet: waiting for the first ones of the writer'
    // If there is no broker, the local state is served.
    return isWithoutWriter
      ? 'no writer keeps a state on the broker: whether all rulesets are here is unknown'
      : undefined
  }

  async close(): Promise<void> {
    await this.#subscriber.close()
    await this.parts.broker.close()
  }

  protected up(): void {
    this.#subscriber.up()
  }

  protected down(): void {
    this.#subscriber.down()
  }

  protected hasBegun(): boolean {
    return this.#subscriber.isFollowing || this.#subscriber.hasNoStream
  }

  protected fault(): string | undefined {
    return this.#subscriber.fault
  }
}
