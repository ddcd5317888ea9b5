import { delay } from '../deadline.ts'
import type { Applied } from '../services/replication.ts'
import type { Log } from '../telemetry/log.ts'
import type { Broker, IncomingMessage } from './broker.ts'
import { stateDigest } from './digest.ts'
import { BadEvent, envelopeOf, type Envelope, readMessage, subjectOf, TENANTS } from './event.ts'
import { type LocalState, rulesetCount } from './local-state.ts'
import { Positions } from './positions.ts'
import { Sequence } from './sequence.ts'
import { HEAD, headOf, type Head } from './state.ts'
import { stateIn, takeOver } from './take-over.ts'
import type { ReconcileReason, SyncMetrics } from './sync-metrics.ts'

/** Milliseconds between two looks at what the writer says that everybody should have. */
const CHECK_MS = 2000
/** Milliseconds to the second look after a connection. */
const SOON_MS = 700
/** Milliseconds between two comparisons with the same head that did not help, and their limit. */
const FIRST_PAUSE_MS = 4000
const LONGEST_PAUSE_MS = 300_000
/** Milliseconds after which what failed is tried again. */
const RETRY_MS = 500
/** Looks at a place that somebody else has taken: what a dead instance asked for ends by itself after five seconds. */
const TAKEN_LOOKS = 14

export interface SubscriberParts {
  readonly broker: Broker
  /** What is stored here; asked once there is a connection. */
  readonly local: () => LocalState
  readonly instanceId: string
  readonly metrics: SyncMetrics
  readonly log: Log
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds that only grow. */
  readonly elapsed: () => number
}

interface Arrived {
  readonly message: IncomingMessage
  readonly subject: string
  readonly envelope: Envelope
}

/**
 * The reader's side: load the state bucket, then follow the stream; and whenever something might have been missed (a hole in
 * the sequence, a stream made anew, a digest that is not the writer's although nothing is on its way), load the bucket
 * again. Events are applied in batches, of each ruleset only the newest, and acknowledged when they are stored.
 */
export class Subscriber {
  readonly #parts: SubscriberParts
  readonly #positions = new Positions()
  #arrived: IncomingMessage[] = []
  #following: { stop(): Promise<void> } | undefined
  /** One thing after the other: batches of events, comparisons. */
  #queue: Promise<void> = Promise.resolve()
  #isBeginning = false
  #isApplyingSoon = false
  #isComparing = false
  /** What came up during a comparison, which may not know of it. */
  #nextReason: ReconcileReason | undefined
  #isClosed = false
  #stream = ''
  readonly #sequence = new Sequence(() => this.#compare('gap'))
  #appliedSeq = 0
  #behind = 0
  #timer: NodeJS.Timeout | undefined
  #isSynced = false
  #taken = 0
  /** What the writer said last, and when it said something new. */
  #head: { readonly text: string; readonly since: number; readonly head: Head } | undefined
  #lastCompared: { readonly digest: string; readonly at: number; pause: number } | undefined
  #fault: string | undefined

  constructor(parts: SubscriberParts) {
    this.#parts = parts
  }

  /** The state of the fleet was here once, since the start. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** Events arrive as they are published. */
  get isFollowing(): boolean {
    return this.#following !== undefined
  }

  /** Events that are known to be on their way. */
  get lag(): number {
    return this.#behind + this.#arrived.length
  }

  /** Place in the stream of the last event that was dealt with. */
  get appliedSeq(): number {
    return this.#appliedSeq
  }

  /** Why nothing is followed; undefined: something is, or will be. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** The digest that the writer told last. */
  get writerDigest(): string | undefined {
    return this.#head?.head.digest
  }

  /** Seconds since the writer said something new; undefined: it never has. */
  get silence(): number | undefined {
    return this.#head === undefined ? undefined : (this.#parts.elapsed() - this.#head.since) / 1000
  }

  /** There is a connection, for the first time or again. */
  up(): void {
    if (this.#isClosed) return
    if (this.#following === undefined) void this.#begin()
    else this.#checkIn(0)
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
          log.info({ from: this.#sequence.last }, 'following the writer')
          this.#checkIn(SOON_MS)
          break
        }
      } catch (error) {
        const reason = String(error)
        if (reason !== failure) log.warn({ reason }, 'the events of the writer cannot be followed yet')
        failure = reason
      }
      await delay(this.#fault === undefined ? RETRY_MS : 1000)
    }
    this.#isBeginning = false
  }

  /** Make sure of the place in the stream and of everything before it. False: somebody else has the place. */
  async #placed(): Promise<boolean> {
    const { broker, local } = this.#parts
    const stream = await broker.prepare()
    const head = await this.#readHead()
    if (head?.instanceId === this.#parts.instanceId)
      return this.#faulty(`the writer has the same --instance-id, \`${head.instanceId}\`: every instance needs its own`)
    const isFirst = this.#stream === ''
    // What an earlier run acknowledged was in its memory, and only the stream has it where no writer keeps a state.
    const isEmpty = isFirst && rulesetCount(local()) === 0
    let place = await broker.place(head === undefined ? 'first' : 'next')
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
    if (isEmpty && head === undefined && place.isKnown) {
      await broker.displace()
      place = await broker.place('first')
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

  #faulty(reason: string): false {
    if (this.#fault !== reason) this.#parts.log.error({ reason }, 'nothing is followed')
    this.#fault = reason
    return false
  }

  #lost(reason: string): void {
    this.#parts.log.warn({ reason }, 'the place in the stream is gone and is made again')
    this.#following = undefined
    this.#stream = this.#stream === '' ? '' : `${this.#stream} lost`
    void this.#begin()
  }

  #take(message: IncomingMessage): void {
    this.#sequence.saw(message)
    if (!message.isRedelivered) this.#behind = message.pending
    this.#arrived.push(message)
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
        this.#parts.log.warn({ reason: String(error) }, 'the state of the writer could not be compared')
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
    const bySubject = new Map<string, Arrived[]>()
    const done: IncomingMessage[] = []
    // A message that came twice is answered once: else the second copy would acknowledge what the first is to be tried again for.
    for (const message of new Map(messages.map((one) => [one.seq, one])).values()) {
      // What is counted need not be read to be old: after a long absence most events are.
      const isCounted = message.revision !== undefined
      const arrived = isCounted && this.#isOld(message.subject, message) ? undefined : this.#read(message)
      if (arrived === undefined || this.#isOld(arrived.subject, message)) done.push(message)
      else bySubject.getOrInsertComputed(arrived.subject, () => []).push(arrived)
    }
    // A tenant comes before its rulesets.
    const tenants = bySubject.get(TENANTS)
    bySubject.delete(TENANTS)
    if (tenants !== undefined) await this.#applyNewest(tenants, done)
    await Promise.all(Array.from(bySubject.values(), (arrived) => this.#applyNewest(arrived, done)))
    for (const message of done) message.ack()
    this.#appliedSeq = messages.reduce((last, { seq }) => Math.max(last, seq), this.#appliedSeq)
  }

  /** Of many events of one ruleset the newest, or the newest one that is not refused. */
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

  #read(message: IncomingMessage): Arrived | undefined {
    const { metrics, log, instanceId } = this.#parts
    try {
      const envelope = envelopeOf(readMessage(message.payload))
      if (envelope.instanceId !== instanceId) return { message, envelope, subject: subjectOf(envelope.event) }
      metrics.skipped('echo')
    } catch (error) {
      if (!(error instanceof BadEvent)) throw error
      metrics.skipped('rejected')
      log.warn({ seq: message.seq, reason: error.message }, 'an event cannot be read and is passed over')
    }
    return undefined
  }

  #isOld(subject: string, message: IncomingMessage): boolean {
    const reason = this.#positions.skipReason(subject, message)
    if (reason !== undefined) this.#parts.metrics.skipped(reason)
    return reason !== undefined
  }

  /** False when it was refused. */
  async #applyOne({ message, subject, envelope }: Arrived, done: IncomingMessage[]): Promise<boolean> {
    const { local, metrics, log, now } = this.#parts
    const { event, timestampMs } = envelope
    const applied = await local()
      .apply(event)
      .catch(
        // A defect of ours: it must not end the process over and over again.
        (error: unknown): Applied => ({ kind: 'failed', reason: String(error) }),
      )
    if (applied.kind === 'failed') {
      log.error({ subject, reason: applied.reason }, 'an event could not be applied and is tried again')
      message.retry()
      return true
    }
    this.#positions.followed(subject, message)
    this.#isSynced = true
    done.push(message)
    if (applied.kind === 'applied') metrics.applied(event.type, Math.max(0, now() - timestampMs) / 1000)
    else if (applied.kind === 'unchanged') metrics.skipped('already_applied')
    else {
      metrics.skipped('rejected')
      log.warn({ subject, reason: applied.reason }, 'an event was not applied')
    }
    return applied.kind !== 'refused'
  }

  /** Do what the state bucket says, where there is one of a writer. */
  async #reconcile(reason: ReconcileReason): Promise<void> {
    const { broker, local, metrics, log } = this.#parts
    // Events go on being applied meanwhile: what is newer than the state stays.
    const state = stateIn(await broker.entries(), log)
    if (state === undefined) return
    await this.#serially(async () => {
      metrics.reconciled(reason)
      const changed = await takeOver(state, { local: local(), positions: this.#positions, log })
      this.#isSynced = true
      log.info({ reason, rulesets: state.records.length, changed }, 'compared with the state of the writer')
    })
  }

  async #readHead(): Promise<Head | undefined> {
    const entry = await this.#parts.broker.entry(HEAD)
    const head = entry === undefined ? undefined : headOf(entry)
    if (entry === undefined || head === undefined) return undefined
    const text = Buffer.from(entry.value).toString('utf8')
    if (this.#head?.text !== text) this.#head = { text, since: this.#parts.elapsed(), head }
    return head
  }

  #checkIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      void this.#check()
        .catch(() => CHECK_MS)
        .then((next) => {
          if (this.#following !== undefined && this.#parts.broker.isConnected) this.#checkIn(next)
        })
    }, milliseconds).unref()
  }

  /** Whether this reader has what the writer had when it had published everything. Resolves to when to look again. */
  async #check(): Promise<number> {
    const before = this.#head?.head
    const head = await this.#readHead()
    if (head === undefined) return CHECK_MS
    if (this.#digest() === head.digest) {
      this.#behind = 0
      this.#lastCompared = undefined
      return CHECK_MS
    }
    // Something may still be on its way when the writer has just said something new.
    if (before?.revision !== head.revision || this.#arrived.length > 0) return SOON_MS
    const { elapsed } = this.#parts
    const last = this.#lastCompared
    const isSame = last?.digest === head.digest
    // A ruleset that is refused here would be compared for ever.
    if (isSame && elapsed() - last.at < last.pause) return CHECK_MS
    this.#lastCompared = {
      digest: head.digest,
      at: elapsed(),
      pause: isSame ? Math.min(last.pause * 2, LONGEST_PAUSE_MS) : FIRST_PAUSE_MS,
    }
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
