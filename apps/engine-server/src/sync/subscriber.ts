import { quote } from '@engine/expression'
import { setImmediate as turn } from 'node:timers/promises'
import { delay, type Log } from '@engine/process'
import type { Applied } from '../services/replication.ts'
import { type Broker, type ConsumerState, type IncomingMessage, NoStream } from './broker.ts'
import { stateDigest } from './digest.ts'
import { BadEvent, checkSubject, envelopeOf, type Envelope, readMessageInTurns, subjectOf, TENANTS } from './event.ts'
import { type LocalState, rulesetCount } from './local-state.ts'
import { AppliedRevisions } from './applied-revisions.ts'
import { DeduplicatedLog } from './deduplicated-log.ts'
import { printable } from './broker-errors.ts'
import { GapDetector } from './gap-detector.ts'
import { CHECKPOINT, checkpointOf, type Checkpoint, isRevision, readRecord } from './state.ts'
import { stateIn, takeOver } from './reconciliation.ts'
import type { ReconcileReason, SyncMetrics } from './sync-metrics.ts'

/** Milliseconds between two checks of the writer's checkpoint. */
const CHECK_INTERVAL_MS = 2000
/** Milliseconds before the second check after a connection. */
const SECOND_CHECK_DELAY_MS = 700
/** Milliseconds for which a mismatch is tolerated while the writer makes changes. */
const GRACE_PERIOD_MS = 3000
/** Milliseconds after the first unsuccessful reconciliation, and the maximum while the checkpoint stays the same, and while it changes. */
const MIN_RECONCILE_INTERVAL_MS = 4000
const MAX_RECONCILE_INTERVAL_MS = 300_000
const MAX_MOVING_RECONCILE_INTERVAL_MS = 30_000
/** Milliseconds of a known difference without a loaded state before this reader is not ready. */
const STALE_AFTER_MS = 30_000
/** Milliseconds before a failed step is retried. */
const RETRY_DELAY_MS = 500
/** Limits of a batch that is read before it is applied: milliseconds, and characters, which bound its memory. */
const MAX_BATCH_READ_MS = 20
const MAX_BATCH_LENGTH = 32 * 1024 * 1024
/** Attempts to obtain a consumer that seems in use: pull requests of a dead instance expire after five seconds. */
const MAX_CONSUMER_ATTEMPTS = 14

export interface SubscriberParts {
  readonly broker: Broker
  /** The local store; called once connected. */
  readonly local: () => LocalState
  readonly instanceId: string
  readonly metrics: SyncMetrics
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Monotonic clock, milliseconds. */
  readonly elapsed: () => number
  /** Maximum bytes of a message after decompression; default: that of `readMessage`. */
  readonly largest?: number | undefined
  /** Rulesets need a signature (`--signature-require`): unsigned kinds of events need confirmation by the writer's state. */
  readonly requiresSignatures?: boolean | undefined
}

interface Arrived {
  readonly message: IncomingMessage
  readonly subject: string
  readonly envelope: Envelope
}

/**
 * The reader's side of sync: loads the state bucket, then consumes the stream. Whenever changes may have been missed (a gap in
 * the sequence, a recreated stream, a digest that differs from the writer's with no event pending), it loads the bucket again.
 * Events are applied in batches, only the newest of each ruleset, and acknowledged once they are stored.
 */
export class Subscriber {
  readonly #parts: SubscriberParts
  readonly #positions = new AppliedRevisions()
  #arrived: IncomingMessage[] = []
  /** Number of events being applied. */
  #applying = 0
  #following: { stop(): Promise<void> } | undefined
  /** Serializes batches of events and reconciliations. */
  #queue: Promise<void> = Promise.resolve()
  #isBeginning = false
  #isApplyingSoon = false
  #isComparing = false
  /** Requested during a reconciliation, which may have started too early to include the cause. */
  #nextReason: ReconcileReason | undefined
  #isClosed = false
  #stream = ''
  readonly #sequence = new GapDetector(() => this.#compare('gap'))
  #appliedSeq = 0
  #behind = 0
  #timer: NodeJS.Timeout | undefined
  #isSynced = false
  #taken = 0
  /** The writer's last checkpoint, and when it changed. */
  #checkpoint: { readonly text: string; readonly since: number; readonly checkpoint: Checkpoint } | undefined
  #lastCompared: Compared | undefined
  /** The digest of the last reconciled state. */
  #comparedDigest: string | undefined
  /** The highest revision from the stream since the last reconciliation, or that of its state. */
  #latest = 0
  /** Since when this reader has differed from the checkpoint; undefined: it does not. */
  #differsSince: number | undefined
  /** When the checkpoint was last read, present or not. */
  #lookedAt: number | undefined
  #isWithoutWriter = false
  #hasNoStream = false
  /** Number of events received. */
  #arrivals = 0
  /** The broker does not answer for the consumer, or delivers nothing. */
  #isPlaceLost = false
  #fault: string | undefined
  readonly #quiet: DeduplicatedLog

  constructor(parts: SubscriberParts) {
    this.#parts = parts
    this.#quiet = new DeduplicatedLog(parts.elapsed)
  }

  /** The stream does not exist yet. */
  get hasNoStream(): boolean {
    return this.#hasNoStream
  }

  /** No writer maintains a state. */
  get isWithoutWriter(): boolean {
    return this.#isWithoutWriter
  }

  /** Why this reader counts as stale; undefined: it is current, or cannot know. */
  get staleness(): string | undefined {
    const now = this.#parts.elapsed()
    const since = this.#differsSince ?? now
    const isSure = this.#parts.broker.isConnected && now - (this.#lookedAt ?? -Infinity) < STALE_AFTER_MS
    // A difference to the same, already compared checkpoint is a rejection, whose reason is in the log.
    const isKnown = this.#comparedDigest === this.#checkpoint?.checkpoint.digest
    if (!isSure || isKnown || now - since < STALE_AFTER_MS) return undefined
    return `it has differed from the writer for ${Math.round((now - since) / 1000)} s and cannot load its state`
  }

  /** Whether the state of the fleet was loaded since the start. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** Whether the stream is being consumed. */
  get isFollowing(): boolean {
    return this.#following !== undefined
  }

  /** Events known to be pending. */
  get lag(): number {
    return Math.max(this.#behind + this.#inHand, this.#differsSince === undefined ? 0 : 1)
  }

  /** Events received but not processed. */
  get #inHand(): number {
    return this.#arrived.length + this.#applying
  }

  /** Sequence of the last processed event. */
  get appliedSeq(): number {
    return this.#appliedSeq
  }

  /** Why the stream is not consumed; undefined: it is, or will be. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** The digest of the last checkpoint. */
  get writerDigest(): string | undefined {
    return this.#checkpoint?.checkpoint.digest
  }

  /** Seconds since the checkpoint changed; undefined: none was read yet. */
  get silence(): number | undefined {
    return this.#checkpoint === undefined ? undefined : (this.#parts.elapsed() - this.#checkpoint.since) / 1000
  }

  /** Called on each connection, the first one and later ones. */
  up(): void {
    if (this.#isClosed) return
    if (this.#following === undefined) void this.#begin()
    // The state can be reconciled without a consumer as well.
    this.#checkIn(this.#following === undefined ? GRACE_PERIOD_MS : 0)
  }

  down(): void {
    clearTimeout(this.#timer)
  }

  /** Obtains the consumer, reconciles, then consumes. */
  async #begin(): Promise<void> {
    if (this.#isBeginning) return
    this.#isBeginning = true
    const { broker, log } = this.#parts
    const goesOn = () => broker.isConnected && !this.#isClosed && this.#following === undefined
    let failure = ''
    while (goesOn()) {
      try {
        if (await this.#placed()) {
          this.#following = await broker.follow(
            (message) => this.#take(message),
            (reason) => this.#lost(reason),
          )
          log.info({ from: this.#sequence.last }, 'consuming the events of the writer')
          this.#checkIn(SECOND_CHECK_DELAY_MS)
          break
        }
      } catch (error) {
        this.#isPlaceLost = true
        this.#hasNoStream = error instanceof NoStream
        if (this.#hasNoStream) this.#isWithoutWriter = true
        const reason = printable(String(error))
        if (reason !== failure) log.warn({ reason }, 'cannot consume the events of the writer yet; retrying')
        failure = reason
      }
      await delay(this.#fault === undefined ? RETRY_DELAY_MS : 1000)
    }
    this.#isBeginning = false
  }

  /** Obtains the consumer, and reconciles the changes before it. False: another instance uses it. */
  async #placed(): Promise<boolean> {
    const { broker, local } = this.#parts
    const stream = await broker.prepare()
    const checkpoint = await this.#readHead()
    if (checkpoint?.instanceId === this.#parts.instanceId)
      return this.#faulty(
        `the writer has the same --instance-id, ${quote(checkpoint.instanceId)}: every instance needs its own`,
      )
    const isFirst = this.#stream === ''
    // An earlier run acknowledged events that were in its memory only; without a writer's state, the stream alone has them.
    const isEmpty = isFirst && rulesetCount(local()) === 0
    let place = await this.#ensureConsumer(checkpoint === undefined ? 'first' : 'next')
    // Later, this process itself may be using the consumer.
    if (place.isTaken && isFirst) {
      this.#taken++
      if (this.#taken >= MAX_CONSUMER_ATTEMPTS)
        return this.#faulty(
          'another instance has the same --instance-id and takes its events: every instance needs its own',
        )
      return false
    }
    this.#taken = 0
    this.#fault = undefined
    this.#appliedSeq = Math.max(this.#appliedSeq, place.acknowledgedSeq)
    if (isEmpty && checkpoint === undefined && place.isKnown) {
      await broker.deleteConsumer()
      place = await broker.ensureConsumer('first')
    }
    const isOther = !isFirst && stream.created !== this.#stream
    const hasGap = place.isKnown && stream.firstSeq > place.acknowledgedSeq + 1
    if (isFirst || isOther) {
      this.#positions.streamChanged()
      this.#sequence.begin()
    }
    this.#sequence.isWhole = stream.isOurs
    if (isFirst) await this.#reconcile('start')
    else if (isOther || hasGap || !place.isKnown) await this.#reconcile('gap')
    // Only now: a failed reconciliation is repeated.
    this.#stream = stream.created
    return true
  }

  /**
   * A consumer for which the broker does not answer is on a lost server: it is replaced. Reconciliation finds missed
   * changes.
   */
  async #ensureConsumer(from: 'first' | 'next'): Promise<ConsumerState> {
    const { broker } = this.#parts
    // Deletion takes effect even when no server is left to confirm it.
    if (this.#isPlaceLost) await broker.deleteConsumer().catch(() => undefined)
    const place = await broker.ensureConsumer(from)
    this.#isPlaceLost = false
    return place
  }

  #faulty(reason: string): false {
    if (this.#fault !== reason) this.#parts.log.error({ reason }, 'not consuming events')
    this.#fault = reason
    return false
  }

  #lost(reason: string): void {
    this.#parts.log.warn({ reason }, 'consumer lost; recreating it')
    this.#following = undefined
    this.#isPlaceLost = true
    this.#stream = this.#stream === '' ? '' : `${this.#stream} lost`
    void this.#begin()
  }

  #take(message: IncomingMessage): void {
    this.#sequence.saw(message)
    this.#arrivals++
    if (!message.isRedelivered) this.#behind = message.pending
    this.#arrived.push(message)
    this.#applySoon()
  }

  #applySoon(): void {
    if (this.#isApplyingSoon) return
    this.#isApplyingSoon = true
    void this.#serially(() => {
      this.#isApplyingSoon = false
      return this.#apply(this.#arrived.splice(0))
    })
  }

  #compare(reason: ReconcileReason): void {
    if (this.#isComparing) {
      this.#nextReason = reason
      return
    }
    this.#isComparing = true
    void this.#reconcile(reason)
      .catch((error: unknown) => {
        if (this.#isClosed) return
        this.#lastCompared = undefined
        this.#parts.log.warn({ reason: String(error) }, 'could not compare with the state of the writer')
        if (this.#parts.broker.isConnected) this.#checkIn(RETRY_DELAY_MS)
      })
      .finally(() => {
        this.#isComparing = false
        const next = this.#nextReason
        this.#nextReason = undefined
        if (next !== undefined && this.#parts.broker.isConnected && !this.#isClosed) this.#compare(next)
      })
  }

  #serially(task: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(async () => (this.#isClosed ? undefined : task()))
    this.#queue = done.catch(() => undefined)
    return done
  }

  async #apply(messages: readonly IncomingMessage[]): Promise<void> {
    // Deduplicate by sequence, or the duplicate would acknowledge a message that must be redelivered.
    const once = [...new Map(messages.map((one) => [one.seq, one])).values()]
    this.#applying = once.length
    const rest = once.slice(await this.#applySome(once).finally(() => (this.#applying = 0)))
    if (rest.length === 0) return
    // Queued behind a waiting reconciliation: a flood of events must not delay it.
    this.#arrived.unshift(...rest)
    this.#applySoon()
    await turn()
  }

  /** Applies the first messages as a batch. Resolves to their number. */
  async #applySome(messages: readonly IncomingMessage[]): Promise<number> {
    const { elapsed } = this.#parts
    const bySubject = new Map<string, Arrived[]>()
    const done: IncomingMessage[] = []
    const start = elapsed()
    let [count, length] = [0, 0]
    for (const message of messages) {
      count++
      // Old messages with a revision are skipped unread: after a long absence most events are old.
      const isCounted = message.revision !== undefined
      const isOld = isCounted && this.#isOld(message.subject, message)
      // INVARIANT: nothing else is read or applied meanwhile, so no event overtakes one that takes long to read.
      const arrived = isOld ? undefined : await this.#read(message)
      // Nothing is acknowledged: the broker redelivers it after the next start.
      if (this.#isClosed) return messages.length
      if (arrived === undefined || this.#isOld(arrived.subject, message)) done.push(message)
      else {
        bySubject.getOrInsertComputed(arrived.subject, () => []).push(arrived)
        length += lengthOf(arrived.envelope)
      }
      if (length > MAX_BATCH_LENGTH || elapsed() - start > MAX_BATCH_READ_MS) break
    }
    // Tenants are applied before their rulesets.
    const tenants = bySubject.get(TENANTS)
    bySubject.delete(TENANTS)
    if (tenants !== undefined) await this.#applyNewest(tenants, done)
    await Promise.all(Array.from(bySubject.values(), (arrived) => this.#applyNewest(arrived, done)))
    for (const message of done) message.ack()
    this.#appliedSeq = messages.slice(0, count).reduce((last, { seq }) => Math.max(last, seq), this.#appliedSeq)
    return count
  }

  /** Applies the newest event of a ruleset, or the newest that is not rejected. */
  async #applyNewest(arrived: readonly Arrived[], done: IncomingMessage[]): Promise<void> {
    let isOver = false
    for (const one of arrived.toSorted(compare).toReversed()) {
      if (!isOver) isOver = await this.#applyOne(one, done)
      else {
        this.#parts.metrics.skipped('older')
        done.push(one.message)
      }
    }
  }

  async #read(message: IncomingMessage): Promise<Arrived | undefined> {
    const { metrics, instanceId, largest } = this.#parts
    const { revision, subject, seq } = message
    // The writer adopts or ignores events without a revision: readers follow its order.
    if (revision === undefined && this.#checkpoint !== undefined) {
      metrics.skipped('uncounted')
      this.#warn({ subject, seq }, 'an event that no writer has counted is left to the writer')
      return undefined
    }
    try {
      if (revision !== undefined && !isRevision(revision)) throw new BadEvent('`Engine-Revision` is no integer from 1')
      const envelope = envelopeOf(await readMessageInTurns(message.payload, largest))
      checkSubject(subject, envelope.event)
      if (envelope.instanceId !== instanceId) return { message, envelope, subject: subjectOf(envelope.event) }
      metrics.skipped('echo')
    } catch (error) {
      if (!(error instanceof BadEvent)) throw error
      metrics.skipped('rejected')
      this.#warn({ seq, subject, reason: error.message }, 'an event cannot be read and is passed over')
    }
    return undefined
  }

  /** Rate-limited: third parties can trigger these warnings at will. */
  #warn(fields: object, message: string): void {
    const times = this.#quiet.due(message)
    if (times !== undefined) this.#parts.log.warn(times > 1 ? { ...fields, times } : fields, message)
  }

  #isOld(subject: string, message: IncomingMessage): boolean {
    const reason = this.#positions.skipReason(subject, message)
    if (reason !== undefined) this.#parts.metrics.skipped(reason)
    return reason !== undefined
  }

  /** Resolves to false if the event was rejected. */
  async #applyOne(arrived: Arrived, done: IncomingMessage[]): Promise<boolean> {
    const { local, metrics, now } = this.#parts
    const { message, subject } = arrived
    const { applied, envelope, revision } = await this.#done(arrived, local()).catch(
      // A defect, or a broker that does not answer, must not end the process.
      (error: unknown): Done => ({ ...arrived, applied: { kind: 'failed', reason: String(error) }, revision: 0 }),
    )
    if (applied.kind === 'failed') {
      this.#warn({ subject, reason: applied.reason }, 'an event could not be applied and is tried again')
      message.retry()
      return true
    }
    done.push(message)
    if (applied.kind === 'refused') {
      // INVARIANT: rejected messages do not advance any revision, so strangers cannot block the writer's own events.
      metrics.skipped('rejected')
      this.#warn({ subject, reason: applied.reason }, 'an event was not applied')
      return false
    }
    this.#positions.followed(subject, { ...message, revision })
    this.#latest = Math.max(this.#latest, revision ?? 0)
    if (applied.kind === 'unchanged') metrics.skipped('already_applied')
    else metrics.applied(envelope.event.type, Math.max(0, now() - envelope.timestampMs) / 1000)
    return true
  }

  /** Applies an event. Unsigned events are applied only if the writer's state confirms them. */
  async #done({ message, subject, envelope }: Arrived, local: LocalState): Promise<Done> {
    const { broker, largest, requiresSignatures = false } = this.#parts
    const { revision } = message
    if (envelope.event.type === 'RulePut') return { envelope, revision, applied: await local.apply(envelope.event) }
    if (this.#checkpoint === undefined) {
      const applied = requiresSignatures ? UNVOUCHED : await local.apply(envelope.event)
      return { envelope, revision, applied }
    }
    const entry = await broker.entry(subject)
    const record = entry === undefined ? undefined : await readRecord(subject, entry.value, largest)
    if (record === undefined || record.revision < (revision ?? Infinity))
      return { envelope, revision, applied: UNCONFIRMED }
    return { ...record, applied: await local.apply(record.envelope.event) }
  }

  /** Applies the state bucket, if a writer maintains one. */
  async #reconcile(reason: ReconcileReason): Promise<void> {
    const { broker, local, metrics, log, largest } = this.#parts
    // Events are applied in the meantime: changes newer than the state are kept.
    const state = await stateIn(await broker.entries(), log, largest)
    if (state === undefined) return
    await this.#serially(async () => {
      metrics.reconciled(reason)
      const taker = { local: local(), positions: this.#positions, broker, largest, log }
      const { changed, refused } = await takeOver(state, taker)
      this.#isSynced = true
      this.#comparedDigest = state.checkpoint.digest
      // Not the maximum of both: a third party's revision would hide missing changes forever.
      this.#latest = state.checkpoint.revision
      if (this.#digest() === this.#checkpoint?.checkpoint.digest) this.#differsSince = undefined
      const rulesets = state.records.length
      log.info({ reason, rulesets, changed, refused }, 'compared with the state of the writer')
    })
  }

  async #readHead(): Promise<Checkpoint | undefined> {
    const entry = await this.#parts.broker.entry(CHECKPOINT)
    const checkpoint = entry === undefined ? undefined : checkpointOf(entry)
    this.#lookedAt = this.#parts.elapsed()
    this.#isWithoutWriter = checkpoint === undefined
    if (entry === undefined || checkpoint === undefined) return undefined
    const text = Buffer.from(entry.value).toString('utf8')
    if (this.#checkpoint?.text !== text) this.#checkpoint = { text, since: this.#parts.elapsed(), checkpoint }
    return checkpoint
  }

  #checkIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      void this.#check()
        .catch(() => CHECK_INTERVAL_MS)
        .then((next) => {
          if (this.#parts.broker.isConnected) this.#checkIn(next)
        })
    }, milliseconds).unref()
  }

  /** Compares this reader with the writer's last checkpoint. Resolves to the time of the next check. */
  async #check(): Promise<number> {
    const before = this.#checkpoint?.checkpoint
    const checkpoint = await this.#readHead()
    if (checkpoint === undefined || this.#fault !== undefined) return CHECK_INTERVAL_MS
    const { elapsed } = this.#parts
    const now = elapsed()
    if (this.#digest() === checkpoint.digest) {
      this.#behind = 0
      this.#differsSince = undefined
      this.#lastCompared = undefined
      return CHECK_INTERVAL_MS
    }
    this.#differsSince ??= now
    // Right after a new checkpoint, changes may still be in transit, but not for long.
    const isMoving = before?.revision !== checkpoint.revision || this.#inHand > 0
    if (isMoving && now - this.#differsSince < GRACE_PERIOD_MS) return SECOND_CHECK_DELAY_MS
    const { digest } = checkpoint
    const last = this.#lastCompared
    // New arrivals may be old: then changes before the last checkpoint are missing.
    const isStale = last?.arrivals === this.#arrivals || this.#latest < (before?.revision ?? 0)
    // Otherwise a ruleset that is rejected here would cause reconciliations forever.
    if (last !== undefined && now - last.at < pauseAfter(last, digest, isStale)) return CHECK_INTERVAL_MS
    this.#lastCompared = { digest, at: now, arrivals: this.#arrivals, ...pausesAfter(last, digest, isStale) }
    this.#compare('digest')
    return CHECK_INTERVAL_MS
  }

  #digest(): string {
    return stateDigest(this.#parts.local().rulesets())
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#sequence.close()
    await this.#following?.stop()
    await this.#queue
  }
}

/** Orders events by revision, or by sequence where one has none. */
function compare({ message: left }: Arrived, { message: right }: Arrived): number {
  if (left.revision !== undefined && right.revision !== undefined) return left.revision - right.revision
  return left.seq - right.seq
}

/** A reconciliation caused by a digest. */
interface Compared extends Pauses {
  readonly digest: string
  readonly at: number
  readonly arrivals: number
}

/** Milliseconds before the next one. */
interface Pauses {
  /** Pause while the checkpoint is unchanged. */
  readonly pause: number
  /** Pause while it changes. */
  readonly movingPause: number
}

/** @param isStale whether the stream delivers nothing new: only reconciliation can help then */
function pauseAfter(last: Compared, digest: string, isStale: boolean): number {
  if (last.digest === digest) return last.pause
  return isStale ? MIN_RECONCILE_INTERVAL_MS : last.movingPause
}

function pausesAfter(last: Compared | undefined, digest: string, isStale: boolean): Pauses {
  if (last === undefined) return { pause: MIN_RECONCILE_INTERVAL_MS, movingPause: MIN_RECONCILE_INTERVAL_MS }
  const { pause, movingPause } = last
  if (last.digest === digest) return { pause: Math.min(pause * 2, MAX_RECONCILE_INTERVAL_MS), movingPause }
  const next = isStale ? MIN_RECONCILE_INTERVAL_MS : Math.min(movingPause * 2, MAX_MOVING_RECONCILE_INTERVAL_MS)
  return { pause: MIN_RECONCILE_INTERVAL_MS, movingPause: next }
}

/** The outcome of an event, or of the newer version in the state. */
interface Done {
  readonly applied: Applied
  readonly envelope: Envelope
  readonly revision: number | undefined
}

const UNCONFIRMED: Applied = { kind: 'refused', reason: 'the state of the writer does not confirm it' }
const UNVOUCHED: Applied = {
  kind: 'refused',
  reason: 'it has no signature, and no writer keeps a state that confirms it (--signature-require)',
}

/** Characters of an event's content. */
function lengthOf({ event }: Envelope): number {
  return event.type === 'RuleDeleted' ? 0 : event.text.length
}
