import { delay, type Log } from '@engine/process'
import type { Applied } from '../services/replication.ts'
import type { Broker, IncomingMessage } from './broker.ts'
import { BadEvent, checkSubject, type Envelope, envelopeOf, readMessageInTurns, subjectOf } from './event.ts'
import type { LocalState } from './local-state.ts'
import { AppliedRevisions } from './applied-revisions.ts'
import { DeduplicatedLog } from './deduplicated-log.ts'
import { printable } from './broker-errors.ts'
import type { SyncMetrics } from './sync-metrics.ts'

/** Milliseconds before a failed subscription is retried. */
const RETRY_DELAY_MS = 500

export interface AdoptionParts {
  readonly broker: Broker
  readonly local: () => LocalState
  readonly instanceId: string
  readonly metrics: SyncMetrics
  readonly log: Log
  /** See `SubscriberParts`. */
  readonly largest?: number | undefined
  /** See `SubscriberParts`. */
  readonly requiresSignatures?: boolean | undefined
  /** Whether this instance holds the writer lease and has compared its state with the broker. */
  readonly isWriter: () => boolean
  /** Publishes the new list of tenants to the other instances. */
  readonly tenantsChanged: (text: string) => Promise<void>
}

/**
 * Adopts changes of third-party publishers (`--broker-other-writers`): envelopes of specification 6.1 without a revision.
 * The writer stores them in stream order, like requested changes, and publishes them with a revision; readers ignore the
 * original, so that all apply the same order. A durable consumer retains messages while the writer is unavailable.
 */
export class Adoption {
  readonly #parts: AdoptionParts
  readonly #applied = new AppliedRevisions()
  readonly #quiet: DeduplicatedLog
  #following: { stop(): Promise<void> } | undefined
  #isBeginning = false
  #isClosed = false
  #isPlaceLost = false
  /** Creation time of the stream that was consumed last; undefined: none yet. */
  #stream: string | undefined
  #lastSeq = 0
  #queue: Promise<void> = Promise.resolve()

  /** @param elapsed monotonic clock, milliseconds */
  constructor(parts: AdoptionParts, elapsed: () => number) {
    this.#parts = parts
    this.#quiet = new DeduplicatedLog(elapsed)
  }

  /** Called on each connection. */
  up(): void {
    if (this.#following === undefined && !this.#isBeginning && !this.#isClosed) void this.#begin()
  }

  async #begin(): Promise<void> {
    const { broker, isWriter, log } = this.#parts
    this.#isBeginning = true
    while (broker.isConnected && !this.#isClosed && this.#following === undefined) {
      try {
        if (isWriter()) await this.#follow()
      } catch (error) {
        this.#isPlaceLost = true
        this.#warn({ reason: printable(String(error)) }, 'cannot consume the events of other writers yet; retrying')
      }
      if (this.#following === undefined) await delay(RETRY_DELAY_MS)
    }
    this.#isBeginning = false
    if (this.#following !== undefined) log.info({ from: this.#lastSeq }, 'adopting changes of other writers')
  }

  async #follow(): Promise<void> {
    const { broker } = this.#parts
    const { created } = await broker.prepare()
    if (this.#isPlaceLost) await broker.deleteConsumer().catch(() => undefined)
    await broker.ensureConsumer(this.#from(created))
    this.#isPlaceLost = false
    if (this.#stream !== created) this.#applied.streamChanged()
    this.#stream = created
    this.#following = await broker.follow(
      (message) => this.#take(message),
      (reason) => this.#lost(reason),
    )
  }

  /** Where a new consumer starts. The first one skips messages already in the stream, which may be older than the stored state. */
  #from(created: string): 'first' | 'next' | number {
    if (this.#stream === undefined) return 'next'
    if (this.#stream !== created) return 'first'
    return this.#lastSeq + 1
  }

  #lost(reason: string): void {
    this.#warn({ reason }, 'consumer lost; recreating it')
    this.#following = undefined
    this.#isPlaceLost = true
    this.up()
  }

  #take(message: IncomingMessage): void {
    this.#queue = this.#queue.then(async () => {
      // INVARIANT: messages are adopted one at a time, in stream order.
      if (this.#isClosed || !this.#parts.isWriter()) return
      const isDone = await this.#adopt(message).catch((error: unknown) => this.#failed(message.subject, String(error)))
      if (!isDone) return message.retry()
      this.#lastSeq = Math.max(this.#lastSeq, message.seq)
      message.ack()
    })
  }

  /** Resolves to false if the message must be redelivered. */
  async #adopt(message: IncomingMessage): Promise<boolean> {
    const { instanceId, local, metrics, tenantsChanged, requiresSignatures = false } = this.#parts
    // Messages with a revision come from this writer, or a previous one.
    if (message.revision !== undefined) return true
    const envelope = await this.#read(message)
    if (envelope === undefined || envelope.instanceId === instanceId || this.#isClosed) return !this.#isClosed
    const { event } = envelope
    const subject = subjectOf(event)
    const reason = this.#applied.skipReason(subject, message)
    if (reason !== undefined) {
      metrics.skipped(reason)
      return true
    }
    const applied: Applied =
      requiresSignatures && event.type !== 'RulePut'
        ? { kind: 'refused', reason: 'it has no signature (--signature-require)' }
        : await local().adopt(event)
    if (applied.kind === 'failed') return this.#failed(subject, applied.reason)
    if (applied.kind === 'refused') {
      metrics.skipped('rejected')
      this.#warn({ subject, reason: applied.reason }, 'an event of another writer was not taken over')
      return true
    }
    this.#applied.followed(subject, message)
    if (applied.kind === 'unchanged') metrics.skipped('already_applied')
    else metrics.applied(event.type, Math.max(0, Date.now() - envelope.timestampMs) / 1000)
    if (applied.kind === 'applied' && event.type === 'TenantConfigChanged')
      await tenantsChanged(local().tenantsText() ?? event.text)
    return true
  }

  async #read({ subject, payload, seq }: IncomingMessage): Promise<Envelope | undefined> {
    try {
      const envelope = envelopeOf(await readMessageInTurns(payload, this.#parts.largest))
      checkSubject(subject, envelope.event)
      return envelope
    } catch (error) {
      if (!(error instanceof BadEvent)) throw error
      this.#parts.metrics.skipped('rejected')
      this.#warn({ seq, subject, reason: error.message }, 'an event cannot be read and is passed over')
      return undefined
    }
  }

  #failed(subject: string, reason: string): false {
    this.#warn({ subject, reason }, 'an event of another writer could not be taken over and is tried again')
    return false
  }

  /** Rate-limited: third parties can trigger these warnings at will. */
  #warn(fields: object, message: string): void {
    const times = this.#quiet.due(message)
    if (times !== undefined) this.#parts.log.warn(times > 1 ? { ...fields, times } : fields, message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#following?.stop()
    await this.#queue
  }
}
