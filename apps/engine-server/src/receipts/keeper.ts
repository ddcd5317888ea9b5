import { type Decided, ReceiptLog, type SignedTree } from '@engine/receipts'
import type { ReceiptsReport, ReportedChain } from '@engine/api'
import { type Log, pause, systemReason } from '@engine/process'
import { type KeyObject, randomUUID, randomUUIDv7 } from 'node:crypto'
import { join } from 'node:path'
import { failures } from '../errors.ts'
import { ChainFile, type OpenFile, wasClosed } from './chain-file.ts'
import { BrokenChain, type RecoveredChain, recoverChain, type SignedCheckpoint } from './recovery.ts'
import { chainsOf } from './segments.ts'

/** How a process keeps receipts: options in docs/configuration.md. */
export interface KeeperSettings {
  readonly directory: string
  /** `--instance-id`, with the worker number. */
  readonly id: string
  /** Version of the engine. */
  readonly engine: string
  /** True if every decision gets a receipt. */
  readonly keepsAll: boolean
  readonly keepsEvidence: boolean
  /** Maximum delay before a decision without a requested receipt is signed. */
  readonly intervalMs: number
  readonly isSynced: boolean
  /** True if decisions continue without receipts when these cannot be written. */
  readonly continuesOnFailure: boolean
}

export interface KeeperParts {
  readonly privateKey: KeyObject
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Called with the number of decisions that have no receipt. */
  readonly lost: (count: number) => void
  /** Called when a checkpoint is on disk. */
  readonly written?: ((head: SignedCheckpoint) => void) | undefined
  readonly now?: () => number
  /** Replaced by tests. */
  readonly openFile?: OpenFile | undefined
  readonly maxSegmentBytes?: number | undefined
  readonly retryMs?: number | undefined
}

/** Maximum number of entries in a tree: reading a receipt later means reading its tree. */
const MAX_TREE_ENTRIES = 10_000
/** Maximum number of chains in the directory that are reported, newest first. */
const MAX_REPORTED_CHAINS = 1000
/** Delay before a failed write of a tree is retried. */
const RETRY_DELAY_MS = 1000

interface Waiting {
  resolve(signed: SignedTree): void
  reject(error: unknown): void
}

/** The chain of this process: signs entries together, and writes them before their receipts are returned. */
export class ReceiptKeeper {
  readonly settings: KeeperSettings
  readonly #parts: KeeperParts
  readonly #now: () => number
  readonly #log: ReceiptLog
  readonly #file: ChainFile
  #head: SignedCheckpoint | undefined
  readonly #opening = randomUUID()
  readonly #opened: SignedCheckpoint | undefined
  /** Chains of this instance that existed at start. */
  #found: ReceiptsReport = { chains: [], kept: [] }
  #waiting: Waiting[] = []
  #evidence = ''
  /** `seq` of the first entry that is not on disk. */
  #writtenTo: number
  #nextSeq: number
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #running: Promise<void> | undefined
  /** Why the last write of a tree failed; undefined if it succeeded. */
  #failure: string | undefined
  /** Resolves at the first failure. */
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
   * Continues the newest chain of the instance, or begins one. Entries that a crash left without a checkpoint are
   * signed. If a decision may have a number that is not in the log, a new chain begins, so that no number is assigned
   * twice. Rejects with the system's error.
   */
  static async open(settings: KeeperSettings, parts: KeeperParts): Promise<ReceiptKeeper> {
    const own = (await chainsOf(settings.directory)).filter(({ id }) => id === settings.id)
    const kept = own.slice(-MAX_REPORTED_CHAINS).map(({ instance }) => instance)
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
      // A full disk does not delay the start.
      await Promise.race([keeper.#running, keeper.#failed.promise])
    }
    return keeper
  }

  get instance(): string {
    return this.#log.instance
  }

  /** Why receipts cannot be written; undefined if they can. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Number of decisions with lost receipts that are not yet recorded in the log. */
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
   * True if a decision gets a receipt; if false, it is counted as one without. Throws `EngineError` if decisions are
   * refused while receipts cannot be written.
   */
  admits(): boolean {
    if (this.#failure === undefined && !this.#isClosing) return true
    if (!this.settings.continuesOnFailure) throw failures.receiptsUnavailable(this.#failure ?? 'the server stops')
    this.lose()
    return false
  }

  /** Counts a decision without a receipt. */
  lose(): void {
    this.#lost++
    this.#parts.lost(1)
    this.#startLater()
  }

  /**
   * Adds a decision.
   *
   * @param evidence returns the line stored with the entry; empty if there is none
   */
  add(decided: Decided, evidence: (seq: number) => string): number {
    const seq = this.#log.add(decided, this.#now())
    this.#nextSeq = seq + 1
    this.#evidence += evidence(seq)
    if (this.#log.pending >= MAX_TREE_ENTRIES) this.#startSoon()
    else this.#startLater()
    return seq
  }

  /**
   * The tree of the entries so far, signed at the end of this turn of the event loop: entries of one turn share a
   * signature. Resolves when the tree is on disk. Rejects with an `EngineError` if it cannot be written.
   */
  signed(): Promise<SignedTree> {
    const signed = new Promise<SignedTree>((resolve, reject) => this.#waiting.push({ resolve, reject }))
    this.#startSoon()
    return signed
  }

  /** True if an entry was added and is not yet signed on disk. */
  isPending(seq: number): boolean {
    return seq >= this.#writtenTo && seq < this.#nextSeq
  }

  /** Signs the following checkpoints with another key. */
  rotate(privateKey: KeyObject): void {
    this.#log.rotate(privateKey)
  }

  /** Writes pending entries. Entries that cannot be written are lost and logged as an error. */
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

  /** One tree is written at a time; entries that arrive meanwhile share the next one. */
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
      if (this.#waiting.length === 0 && this.#log.pending < MAX_TREE_ENTRIES && !this.#isClosing) return
      await pause()
    }
  }

  /** Retries until the tree is written or the server stops. */
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
        const { retryMs = RETRY_DELAY_MS } = this.#parts
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
