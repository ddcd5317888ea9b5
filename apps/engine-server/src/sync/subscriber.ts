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

/** Milliseconds between two looks at the digest that the writer publishes for all readers. */
const CHECK_MS = 2000
/** Milliseconds to the second look after a connection. */
const SOON_MS = 700
/** Grace period in milliseconds for a mismatch while the writer keeps changing. */
const PATIENCE_MS = 3000
/** Milliseconds between two comparisons that did not help, and their limits: with the same checkpoint, and with another one. */
const FIRST_PAUSE_MS = 4000
const MAX_PAUSE_MS = 300_000
const MAX_MOVING_PAUSE_MS = 30_000
/** Milliseconds that this reader may know that it differs, and not be able to load the state, before it is not ready. */
const STALE_MS = 30_000
/** Milliseconds after which what failed is tried again. */
const RETRY_MS = 500
/**
 * Batch limits for reading the stream before applying: milliseconds and characters. Unpacked events must not fill the
 * memory.
 */
const READING_MS = 20
const READING_LENGTH = 32 * 1024 * 1024
/**
 * Attempts to obtain a consumer in use by another instance: pull requests of a dead instance expire after five seconds.
 */
const TAKEN_LOOKS = 14

export interface SubscriberParts {
  readonly broker: Broker
  /** The local store; called once connected. */
  readonly local: () => LocalState
  readonly instanceId: string
  readonly metrics: SyncMetrics
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds that only grow. */
  readonly elapsed: () => number
  /** Bytes of a message when it is unpacked; undefined: as `readMessage`. */
  readonly largest?: number | undefined
  /** Rulesets need a signature here (`--signature-require`), so what cannot have one needs the state of a writer. */
  readonly requiresSignatures?: boolean | undefined
}

interface Arrived {
  readonly message: IncomingMessage
  readonly subject: string
  readonly envelope: Envelope
}

/**
 * The reader's side: load the state bucket, then follow the stream; and whenever something might have been missed (a hole in
 * the sequence, a stream recreated, a digest that is not the writer's although nothing is on its way), load the bucket again.
 * Events are applied in batches, of each ruleset only the newest, and acknowledged when they are stored.
 */
export class Subscriber {
  readonly #parts: SubscriberParts
  readonly #positions = new AppliedRevisions()
  #arrived: IncomingMessage[] = []
  /** Events that are being applied. */
  #applying = 0
  #following: { stop(): Promise<void> } | undefined
  /** One thing after the other: batches of events, comparisons. */
  #queue: Promise<void> = Promise.resolve()
  #isBeginning = false
  #isApplyingSoon = false
  #isComparing = false
  /** Requested during a comparison, which may not have seen the cause. */
  #nextReason: ReconcileReason | undefined
  #isClosed = false
  #stream = ''
  readonly #sequence = new GapDetector(() => this.#compare('gap'))
  #appliedSeq = 0
  #behind = 0
  #timer: NodeJS.Timeout | undefined
  #isSynced = false
  #taken = 0
  /** The writer's last checkpoint, and when it last changed. */
  #checkpoint: { readonly text: string; readonly since: number; readonly checkpoint: Checkpoint } | undefined
  #lastCompared: Compared | undefined
  /** The digest in the state that was taken over last. */
  #comparedDigest: string | undefined
  /** The greatest revision that came from the stream since the state was taken over, or that of the state. */
  #latest = 0
  /** When this reader first differed from the checkpoint; undefined: it does not. */
  #differsSince: number | undefined
  /** When the broker last reported the checkpoint, or its absence. */
  #lookedAt: number | undefined
  #isWithoutWriter = false
  #hasNoStream = false
  /** Events that came, in all. */
  #arrivals = 0
  /** The broker does not answer for the place, or nothing comes from it. */
  #isPlaceLost = false
  #fault: string | undefined
  readonly #quiet: DeduplicatedLog

  constructor(parts: SubscriberParts) {
    this.#parts = parts
    this.#quiet = new DeduplicatedLog(parts.elapsed)
  }

  /** The broker reported that there is no stream yet. */
  get hasNoStream(): boolean {
    return this.#hasNoStream
  }

  /** The broker reported that no writer maintains a state. */
  get isWithoutWriter(): boolean {
    return this.#isWithoutWriter
  }

  /** Why this reader is known to lag behind for longer than it should; undefined: it does not, or cannot know. */
  get staleness(): string | undefined {
    const now = this.#parts.elapsed()
    const since = this.#differsSince ?? now
    const isSure = this.#parts.broker.isConnected && now - (this.#lookedAt ?? -Infinity) < STALE_MS
    // A difference to the same, already compared checkpoint is a rejection, whose reason is in the log.
    const isKnown = this.#comparedDigest === this.#checkpoint?.checkpoint.digest
    if (!isSure || isKnown || now - since < STALE_MS) return undefined
    return `it has differed from the writer for ${Math.round((now - since) / 1000)} s and cannot load its state`
  }

  /** The state of the fleet was here once, since the start. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** Events arrive as published. */
  get isFollowing(): boolean {
    return this.#following !== undefined
  }

  /** Events that are known to be on their way. */
  get lag(): number {
    return Math.max(this.#behind + this.#inHand, this.#differsSince === undefined ? 0 : 1)
  }

  /** Events that came and are not dealt with. */
  get #inHand(): number {
    return this.#arrived.length + this.#applying
  }

  /** Place in the stream of the last event that was dealt with. */
  get appliedSeq(): number {
    return this.#appliedSeq
  }

  /** Why nothing is followed; undefined: something is, or will be. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** The digest of the last checkpoint. */
  get writerDigest(): string | undefined {
    return this.#checkpoint?.checkpoint.digest
  }

  /** Seconds since the last change of the checkpoint; undefined: never. */
  get silence(): number | undefined {
    return this.#checkpoint === undefined ? undefined : (this.#parts.elapsed() - this.#checkpoint.since) / 1000
  }

  /** There is a connection, for the first time or again. */
  up(): void {
    if (this.#isClosed) return
    if (this.#following === undefined) void this.#begin()
    // Also without a place in the stream the state can be compared.
    this.#checkIn(this.#following === undefined ? PATIENCE_MS : 0)
  }

  down(): void {
    clearTimeout(this.#timer)
  }

  /** Take the place in the stream, compare, follow. */
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
          this.#checkIn(SOON_MS)
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
      await delay(this.#fault === undefined ? RETRY_MS : 1000)
    }
    this.#isBeginning = false
  }

  /** Make sure of the place in the stream and of everything before it. False: another instance has the place. */
  async #placed(): Promise<boolean> {
    const { broker, local } = this.#parts
    const stream = await broker.prepare()
    const checkpoint = await this.#readHead()
    if (checkpoint?.instanceId === this.#parts.instanceId)
      return this.#faulty(
        `the writer has the same --instance-id, ${quote(checkpoint.instanceId)}: every instance needs its own`,
      )
    const isFirst = this.#stream === ''
    // What an earlier run acknowledged was in its memory, and only the stream has it where no writer keeps a state.
    const isEmpty = isFirst && rulesetCount(local()) === 0
    let place = await this.#ensureConsumer(checkpoint === undefined ? 'first' : 'next')
    // While this very process follows, the place is taken by itself.
    if (place.isTaken && isFirst) {
      this.#taken++
      if (this.#taken >= TAKEN_LOOKS)
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
    // Not before: a comparison that failed is made again.
    this.#stream = stream.created
    return true
  }

  /**
   * A consumer that the broker does not respond for is on a lost server: it is abandoned. Missed changes are found by
   * comparison.
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
        if (this.#parts.broker.isConnected) this.#checkIn(RETRY_MS)
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
    // Behind a comparison that waits: a flood must not keep it off.
    this.#arrived.unshift(...rest)
    this.#applySoon()
    await turn()
  }

  /** Apply the first of these messages together. Resolves to how many they were. */
  async #applySome(messages: readonly IncomingMessage[]): Promise<number> {
    const { elapsed } = this.#parts
    const bySubject = new Map<string, Arrived[]>()
    const done: IncomingMessage[] = []
    const start = elapsed()
    let [count, length] = [0, 0]
    for (const message of messages) {
      count++
      // Old messages with a revision can be skipped without reading them: after a long absence most events are old.
      const isCounted = message.revision !== undefined
      const isOld = isCounted && this.#isOld(message.subject, message)
      // INVARIANT: nothing else is read or applied meanwhile, so that no event overtakes one that takes long to read.
      const arrived = isOld ? undefined : await this.#read(message)
      // Nothing is acknowledged: it comes again after the next start.
      if (this.#isClosed) return messages.length
      if (arrived === undefined || this.#isOld(arrived.subject, message)) done.push(message)
      else {
        bySubject.getOrInsertComputed(arrived.subject, () => []).push(arrived)
        length += lengthOf(arrived.envelope)
      }
      if (length > READING_LENGTH || elapsed() - start > READING_MS) break
    }
    // A tenant comes before its rulesets.
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

  /** What strangers can cause as often as they like fills no log. */
  #warn(fields: object, message: string): void {
    const times = this.#quiet.due(message)
    if (times !== undefined) this.#parts.log.warn(times > 1 ? { ...fields, times } : fields, message)
  }

  #isOld(subject: string, message: IncomingMessage): boolean {
    const reason = this.#positions.skipReason(subject, message)
    if (reason !== undefined) this.#parts.metrics.skipped(reason)
    return reason !== undefined
  }

  /** False when it was refused. */
  async #applyOne(arrived: Arrived, done: IncomingMessage[]): Promise<boolean> {
    const { local, metrics, now } = this.#parts
    const { message, subject } = arrived
    const { applied, envelope, revision } = await this.#done(arrived, local()).catch(
      // A defect of ours, or a broker that does not answer: it must not end the process.
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

  /** Apply an event. Unsigned events are only applied if the writer's state confirms them. */
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

  /** Apply the state bucket, if a writer maintains one. */
  async #reconcile(reason: ReconcileReason): Promise<void> {
    const { broker, local, metrics, log, largest } = this.#parts
    // Events are still applied meanwhile: anything newer than the state is kept.
    const state = await stateIn(await broker.entries(), log, largest)
    if (state === undefined) return
    await this.#serially(async () => {
      metrics.reconciled(reason)
      const taker = { local: local(), positions: this.#positions, broker, largest, log }
      const { changed, refused } = await takeOver(state, taker)
      this.#isSynced = true
      this.#comparedDigest = state.checkpoint.digest
      // Not the greater one: a stranger's would hide for good that something is missing.
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
        .catch(() => CHECK_MS)
        .then((next) => {
          if (this.#parts.broker.isConnected) this.#checkIn(next)
        })
    }, milliseconds).unref()
  }

  /** Compares this reader with the writer's last checkpoint. Resolves to the time of the next check. */
  async #check(): Promise<number> {
    const before = this.#checkpoint?.checkpoint
    const checkpoint = await this.#readHead()
    if (checkpoint === undefined || this.#fault !== undefined) return CHECK_MS
    const { elapsed } = this.#parts
    const now = elapsed()
    if (this.#digest() === checkpoint.digest) {
      this.#behind = 0
      this.#differsSince = undefined
      this.#lastCompared = undefined
      return CHECK_MS
    }
    this.#differsSince ??= now
    // Right after a new checkpoint, changes may still be in transit, but not forever.
    const isMoving = before?.revision !== checkpoint.revision || this.#inHand > 0
    if (isMoving && now - this.#differsSince < PATIENCE_MS) return SOON_MS
    const { digest } = checkpoint
    const last = this.#lastCompared
    // New arrivals may be old: then the changes before the last checkpoint have not arrived.
    const isStale = last?.arrivals === this.#arrivals || this.#latest < (before?.revision ?? 0)
    // A ruleset that is rejected here would otherwise be compared forever.
    if (last !== undefined && now - last.at < pauseAfter(last, digest, isStale)) return CHECK_MS
    this.#lastCompared = { digest, at: now, arrivals: this.#arrivals, ...pausesAfter(last, digest, isStale) }
    this.#compare('digest')
    return CHECK_MS
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

/** Which of two was made before the other. */
function compare({ message: left }: Arrived, { message: right }: Arrived): number {
  if (left.revision !== undefined && right.revision !== undefined) return left.revision - right.revision
  return left.seq - right.seq
}

/** A comparison because of a digest. */
interface Compared extends Pauses {
  readonly digest: string
  readonly at: number
  readonly arrivals: number
}

/** Milliseconds until the next one. */
interface Pauses {
  /** Pause while the checkpoint is unchanged. */
  readonly pause: number
  /** Pause while it changes. */
  readonly movingPause: number
}

/** @param isStale nothing new comes from the stream: then comparing is all there is */
function pauseAfter(last: Compared, digest: string, isStale: boolean): number {
  if (last.digest === digest) return last.pause
  return isStale ? FIRST_PAUSE_MS : last.movingPause
}

function pausesAfter(last: Compared | undefined, digest: string, isStale: boolean): Pauses {
  if (last === undefined) return { pause: FIRST_PAUSE_MS, movingPause: FIRST_PAUSE_MS }
  const { pause, movingPause } = last
  if (last.digest === digest) return { pause: Math.min(pause * 2, MAX_PAUSE_MS), movingPause }
  const next = isStale ? FIRST_PAUSE_MS : Math.min(movingPause * 2, MAX_MOVING_PAUSE_MS)
  return { pause: FIRST_PAUSE_MS, movingPause: next }
}

/** The outcome of an event: its own, or that of the state's newer version. */
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

/** Characters of the content that an event holds. */
function lengthOf({ event }: Envelope): number {
  return event.type === 'RuleDeleted' ? 0 : event.text.length
}
