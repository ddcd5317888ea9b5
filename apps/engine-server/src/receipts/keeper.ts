import { type Decided, ReceiptLog, type SignedTree } from '@engine/receipts'
import type { ReceiptsReport, ReportedChain } from '@engine/api'
import { type Log, pause, systemReason } from '@engine/process'
import { type KeyObject, randomUUID, randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { failures } from '../errors.ts'
import { ChainFile, type OpenFile, wasClosed } from './chain-file.ts'
import { BrokenChain, type RecoveredChain, recoverChain, type SignedCheckpoint } from './recovery.ts'
import { chainsOf } from './segments.ts'

/** How a process keeps receipts: the options of docs/configuration.md. */
export interface KeeperSettings {
  readonly directory: string
  /** `--instance-id`, with the number of the worker. */
  readonly id: string
  /** Version of the engine. */
  readonly engine: string
  /** Every decision gets a receipt. */
  readonly keepsAll: boolean
  readonly keepsEvidence: boolean
  /** Milliseconds until a decision without a requested receipt is signed, at most. */
  readonly intervalMs: number
  readonly isSynced: boolean
  /** Decisions continue without receipts when these cannot be written. */
  readonly continuesOnFailure: boolean
}

export interface KeeperParts {
  readonly privateKey: KeyObject
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** So many decisions have no receipt. */
  readonly lost: (count: number) => void
  /** A checkpoint is on disk. */
  readonly written?: ((head: SignedCheckpoint) => void) | undefined
  readonly now?: () => number
  /** Tests open other files. */
  readonly openFile?: OpenFile | undefined
  readonly maxSegmentBytes?: number | undefined
  readonly retryMs?: number | undefined
}

/** Entries of one tree at most: a receipt that is read later costs reading its tree. */
const MAX_TREE = 10_000
/** Chains in the directory that are reported, the newest ones. */
const MAX_KEPT = 1000
/** Milliseconds after which a tree that could not be written is tried again. */
const RETRY_MS = 1000

interface Waiting {
  resolve(signed: SignedTree): void
  reject(error: unknown): void
}

/** The chain of this process: signs entries together, and writes them before anyone gets their receipts. */
export class ReceiptKeeper {
  readonly settings: KeeperSettings
  readonly #parts: KeeperParts
  readonly #now: () => number
  readonly #log: ReceiptLog
  readonly #file: ChainFile
  #head: SignedCheckpoint | undefined
  readonly #opening = randomUUID()
  readonly #opened: SignedCheckpoint | undefined
  /** Chains of this instance that this process found. */
  #found: ReceiptsReport = { chains: [], kept: [] }
  #waiting: Waiting[] = []
  #evidence = ''
  /** `seq` of the first entry that is not on disk. */
  #writtenTo: number
  #nextSeq: number
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #running: Promise<void> | undefined
  /** The reason for which the last tree was not written; undefined: it was. */
  #failure: string | undefined
  /** Resolves with the first failure. */
  readonly #failed = Promise.withResolvers<void>()
  #lost = 0
  #isClosing = false

  private constructor(
    settings: KeeperSettings,
    parts: KeeperParts,
    chain: { readonly log: ReceiptLog; readonly file: ChainFile; readonly recovered: RecoveredChain | undefined },
  ) {
    this.settings = settings
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#log = chain.log
    this.#file = chain.file
    this.#head = chain.recovered?.head
    this.#opened = this.#head
    this.#writtenTo = chain.recovered?.state.size ?? 0
    this.#nextSeq = this.#writtenTo + (chain.recovered?.pending.length ?? 0)
  }

  /**
   * Continue the newest chain of the instance, or begin one. Entries that a crash left without a checkpoint are signed. Where
   * a decision may have got a number that is not in the log, a new chain begins, so that no number is given twice. Rejects
   * with the error of the system.
   */
  static async open(settings: KeeperSettings, parts: KeeperParts): Promise<ReceiptKeeper> {
    const own = (await chainsOf(settings.directory)).filter(({ id }) => id === settings.id)
    const kept = own.slice(-MAX_KEPT).map(({ instance }) => instance)
    const newest = own.at(-1)
    const left: ReportedChain[] = []
    if (newest !== undefined) {
      try {
        const recovered = await recoverChain(newest.path, newest.instance)
        const wasComplete = !settings.keepsAll || (await wasClosed(newest.path))
        const keeper = await ReceiptKeeper.#continue(settings, parts, newest, recovered)
        keeper.#found = { chains: [], kept }
        if (wasComplete) return keeper
        await keeper.close()
        left.push({ ...keeper.#reportedChain, continued: false })
      } catch (error) {
        if (!(error instanceof BrokenChain)) throw error
        const { instance } = newest
        parts.log.error(
          { instance, reason: error.message },
          'a chain of receipts cannot be continued: a new one begins',
        )
        left.push({ instance, opening: randomUUID(), opened: null, latest: null, continued: false })
      }
    }
    const instance = `${settings.id}/${randomUUIDv7()}`
    const folder = join(settings.directory, instance.replace('/', '.'))
    const log = new ReceiptLog({ instance, engine: settings.engine, privateKey: parts.privateKey })
    const file = ChainFile.create({ folder, ...fileParts(settings, parts) })
    const keeper = new ReceiptKeeper(settings, parts, { log, file, recovered: undefined })
    keeper.#found = { chains: left, kept }
    return keeper
  }

  static async #continue(
    settings: KeeperSettings,
    parts: KeeperParts,
    { instance, path }: { readonly instance: string; readonly path: string },
    recovered: RecoveredChain,
  ): Promise<ReceiptKeeper> {
    const { state, pending } = recovered
    const log = new ReceiptLog({ instance, engine: settings.engine, privateKey: parts.privateKey, state })
    for (const entry of pending) log.addText(entry)
    const file = await ChainFile.continue({ folder: path, ...fileParts(settings, parts) }, recovered)
    const keeper = new ReceiptKeeper(settings, parts, { log, file, recovered })
    if (pending.length > 0) {
      parts.log.warn({ instance, entries: pending.length }, 'signing receipts that a crash left without a checkpoint')
      keeper.#startWriting()
      // A full disk does not hold up the start.
      await Promise.race([keeper.#running, keeper.#failed.promise])
    }
    return keeper
  }

  get instance(): string {
    return this.#log.instance
  }

  /** The reason for which receipts cannot be written; undefined: they can. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Decisions whose receipts are lost and not yet stated in the log. */
  get unstated(): number {
    return this.#lost
  }

  /** The latest checkpoint on disk. */
  get head(): SignedCheckpoint | undefined {
    return this.#head
  }

  /** The chains for a witness, which compares them with earlier reports. */
  get report(): ReceiptsReport {
    const { chains, kept } = this.#found
    return { chains: [...chains, this.#reportedChain], kept }
  }

  get #reportedChain(): ReportedChain {
    return {
      instance: this.instance,
      opening: this.#opening,
      opened: reportedCheckpoint(this.#opened),
      latest: reportedCheckpoint(this.#head),
      continued: true,
    }
  }

  /**
   * Whether a decision gets a receipt. False: it is counted as one without. Throws `EngineError` where decisions are refused
   * while receipts cannot be written.
   */
  admits(): boolean {
    if (this.#failure === undefined && !this.#isClosing) return true
    if (!this.settings.continuesOnFailure) throw failures.receiptsUnavailable(this.#failure ?? 'the server stops')
    this.lose()
    return false
  }

  /** A decision has no receipt. */
  lose(): void {
    this.#lost++
    this.#parts.lost(1)
    this.#startLater()
  }

  /**
   * Add a decision.
   *
   * @param evidence its line, kept with it; empty: none
   */
  add(decided: Decided, evidence: (seq: number) => string): number {
    const seq = this.#log.add(decided, this.#now())
    this.#nextSeq = seq + 1
    this.#evidence += evidence(seq)
    if (this.#log.pending >= MAX_TREE) this.#startSoon()
    else this.#startLater()
    return seq
  }

  /**
   * The tree of the entries so far, signed at the end of this turn of the event loop: those of one turn share a signature.
   * Resolves when it is on disk. Rejects with an `EngineError` when it cannot be written.
   */
  signed(): Promise<SignedTree> {
    const signed = new Promise<SignedTree>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    this.#startSoon()
    return signed
  }

  /** Whether an entry was added and is not yet signed on disk. */
  isPending(seq: number): boolean {
    return seq >= this.#writtenTo && seq < this.#nextSeq
  }

  /** Signs the following checkpoints with another key. */
  rotate(privateKey: KeyObject): void {
    this.#log.rotate(privateKey)
  }

  /** Writes pending entries. Those that cannot be written are lost, with an error in the log. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    await this.#running
    if (this.#failure === undefined) {
      this.#startWriting()
      await this.#running
    }
    const isComplete = this.#failure === undefined
    const [entries, lost] = [this.#nextSeq - this.#writtenTo, this.#lost]
    if (!isComplete && entries + lost > 0)
      this.#parts.log.error({ entries, lost, reason: this.#failure }, 'receipts are lost: they could not be written')
    await this.#file.close(isComplete)
  }

  #startSoon(): void {
    if (this.#isDue || this.#running !== undefined) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#startWriting()
    })
  }

  #startLater(): void {
    // Another process may continue the log.
    if (this.#isClosing) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#startWriting()
    }, this.settings.intervalMs).unref()
  }

  /** At most one tree is written at a time; entries that arrive meanwhile share the next one. */
  #startWriting(): void {
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined
      if (this.#waiting.length > 0) this.#startSoon()
      else if (this.#lost > 0 || this.#log.pending > 0) this.#startLater()
    })
  }

  async #writeAll(): Promise<void> {
    for (;;) {
      if (this.#lost > 0 && this.#failure === undefined) {
        this.#log.addLost(this.#lost)
        this.#nextSeq++
        this.#lost = 0
      }
      const waiting = this.#waiting
      const evidence = this.#evidence
      this.#waiting = []
      this.#evidence = ''
      const signed = this.#log.checkpoint(this.#now())
      if (signed === undefined) return
      await this.#write(signed, evidence, waiting)
      if (this.#waiting.length === 0 && this.#log.pending < MAX_TREE && !this.#isClosing) return
      await pause()
    }
  }

  /** Tries until it is written, or the server stops. */
  async #write(signed: SignedTree, evidence: string, waiting: readonly Waiting[]): Promise<void> {
    for (;;) {
      try {
        await this.#file.write(signed, evidence)
        const { n, checkpoint, signature } = signed
        this.#head = { instance: this.instance, n, checkpoint, signature }
        this.#parts.written?.(this.#head)
        this.#writtenTo = signed.first + signed.entries.length
        if (this.#failure !== undefined) this.#parts.log.info({}, 'receipts are written again')
        this.#failure = undefined
        for (const { resolve } of waiting) resolve(signed)
        return
      } catch (cause) {
        const reason = systemReason(cause) ?? String(cause)
        if (this.#failure === undefined)
          this.#parts.log.error({ reason }, `receipts cannot be written: ${this.#consequence}`)
        this.#failure = reason
        this.#failed.resolve()
        for (const { reject } of [...waiting, ...this.#waiting]) reject(failures.receiptsUnavailable(reason))
        this.#waiting = []
        if (this.#isClosing) return
        const { retryMs = RETRY_MS } = this.#parts
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref())
        if (this.#isClosing) return
      }
    }
  }

  get #consequence(): string {
    return this.settings.continuesOnFailure ? 'decisions continue without them' : 'decisions that need one are refused'
  }
}

const reportedCheckpoint = (signed: SignedCheckpoint | undefined): ReportedChain['latest'] =>
  signed === undefined ? null : { checkpoint: signed.checkpoint, signature: signed.signature }

function fileParts({ isSynced }: KeeperSettings, { now = Date.now, openFile, maxSegmentBytes }: KeeperParts) {
  return { isSynced, now, openFile, maxSegmentBytes }
}
