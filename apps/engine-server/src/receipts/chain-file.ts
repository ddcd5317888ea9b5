import type { SignedTree } from '@engine/receipts'
import { constants } from 'node:fs'
import { type FileHandle, open, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeDisk } from '../store/disk.ts'
import { makeDirectoryDurably } from '../store/durable-files.ts'
import type { RecoveredChain } from './recovery.ts'
import { evidenceName, linesOf, segmentName } from './segments.ts'

/** Opens a file for reading and writing; a port, so that tests can fail at the n-th step. */
export type OpenFile = (path: string, flags: number, mode: number) => Promise<LogFile>
export type LogFile = Pick<FileHandle, 'write' | 'truncate' | 'datasync' | 'close' | 'stat'>

/** Size and age at which a new segment begins. */
const MAX_SEGMENT_BYTES = 256 * 1024 * 1024
const MAX_SEGMENT_MS = 24 * 60 * 60 * 1000

/** Log and evidence may contain personal data: other users get no access. */
const LOG_MODE = 0o640
const EVIDENCE_MODE = 0o600
/** Start of an evidence line; erased evidence is blank. */
const EVIDENCE_SEQ = /^\{"seq":(\d+),/
/** Marks a chain whose engine stopped cleanly: every assigned number is in the log. */
const CLOSED = 'closed'

/** An append-only file. After a failure it is reopened and truncated to its acknowledged size. */
class GrowingFile {
  readonly path: string
  size: number
  readonly #mode: number
  readonly #open: OpenFile
  #file: LogFile | undefined

  constructor(path: string, size: number, mode: number, openFile: OpenFile) {
    this.path = path
    this.size = size
    this.#mode = mode
    this.#open = openFile
  }

  /** Writes at an offset. Rejects with the system's error. */
  async write(text: string, at: number, isSynced: boolean): Promise<number> {
    const bytes = Buffer.from(text)
    const file = await this.#opened()
    for (let written = 0; written < bytes.length;)
      written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
    if (isSynced) await file.datasync()
    return at + bytes.length
  }

  /** Truncates the file to its acknowledged size, if the disk permits: otherwise the next opening does so. */
  async forget(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.truncate(this.size).catch(() => {})
    await file?.close().catch(() => {})
  }

  /** Truncates the file to less than its acknowledged size. */
  async cut(size: number): Promise<void> {
    this.size = size
    await this.forget()
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async #opened(): Promise<LogFile> {
    if (this.#file !== undefined) return this.#file
    const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants
    const file = await this.#open(this.path, O_RDWR | O_CREAT | O_NOFOLLOW, this.#mode)
    try {
      if ((await file.stat()).size > this.size) await file.truncate(this.size)
      if (this.size === 0) await nodeDisk.syncDirectory(join(this.path, '..'))
    } catch (cause) {
      await file.close().catch(() => {})
      throw cause
    }
    this.#file = file
    return file
  }
}

export interface ChainFileParts {
  readonly folder: string
  /** False if writes are not synced: a crash of the machine may lose acknowledged receipts. */
  readonly isSynced: boolean
  readonly now: () => number
  /** Replaced by tests. */
  readonly openFile?: OpenFile | undefined
  readonly maxSegmentBytes?: number | undefined
}

/** The files of the segment being written. */
interface SegmentFiles {
  readonly log: GrowingFile
  readonly evidence: GrowingFile
}

/** The files of the chain being written. One tree is written at a time. */
export class ChainFile {
  readonly folder: string
  readonly #parts: ChainFileParts
  readonly #openFile: OpenFile
  #segment: SegmentFiles | undefined
  #begunAt = 0
  #isOpened = false

  private constructor(parts: ChainFileParts) {
    this.folder = parts.folder
    this.#parts = parts
    this.#openFile = parts.openFile ?? open
  }

  /** A chain without files: its folder is created with its first tree. */
  static create(parts: ChainFileParts): ChainFile {
    return new ChainFile(parts)
  }

  /** Continues the last segment of a chain. Rejects with the system's error. */
  static async continue(parts: ChainFileParts, recovered: RecoveredChain): Promise<ChainFile> {
    const { segment, size, state, pending } = recovered
    const file = new ChainFile(parts)
    const evidenceSize = await cutEvidence(join(parts.folder, evidenceName(segment.n)), state.size + pending.length)
    file.#segment = file.#filesOf(segment.n, size, evidenceSize)
    // A restart does not extend the lifetime of the segment: with one restart per day, retention would never remove it.
    file.#begunAt = recovered.begunAt ?? parts.now()
    return file
  }

  /** The segment being written. */
  get segmentPath(): string | undefined {
    return this.#segment?.log.path
  }

  /**
   * Writes the entries of a tree, then its checkpoint. Both are on disk when the promise resolves. Rejects with the
   * system's error; then no part remains, and the write may be retried.
   *
   * @param evidence lines of evidence
   */
  async write({ n, entries, checkpoint, signature }: SignedTree, evidence: string): Promise<void> {
    const { isSynced } = this.#parts
    await this.#markOpened()
    const { log, evidence: kept } = await this.#segmentFor(n)
    const before = kept.size
    try {
      if (evidence !== '') kept.size = await kept.write(evidence, before, isSynced)
      // The checkpoint must not be on disk before its entries.
      const middle = await log.write(`${entries.join('\n')}\n`, log.size, isSynced)
      log.size = await log.write(`${JSON.stringify({ checkpoint, signature })}\n`, middle, isSynced)
    } catch (cause) {
      await log.forget()
      await kept.cut(before)
      throw cause
    }
  }

  /** @param isComplete every assigned number is in the log */
  async close(isComplete: boolean): Promise<void> {
    await Promise.all([this.#segment?.log.close(), this.#segment?.evidence.close()])
    if (!isComplete || !this.#isOpened) return
    const marker = await this.#openFile(join(this.folder, CLOSED), constants.O_RDWR | constants.O_CREAT, LOG_MODE)
    await marker.close()
    await nodeDisk.syncDirectory(this.folder)
  }

  async #markOpened(): Promise<void> {
    if (this.#isOpened) return
    await makeDirectoryDurably(nodeDisk, this.folder)
    await rm(join(this.folder, CLOSED), { force: true })
    this.#isOpened = true
  }

  async #segmentFor(n: number): Promise<SegmentFiles> {
    const { now, maxSegmentBytes = MAX_SEGMENT_BYTES } = this.#parts
    const current = this.#segment
    // A segment whose creation failed is retried under the same name.
    if (current?.log.size === 0) return current
    if (current !== undefined && current.log.size < maxSegmentBytes && now() - this.#begunAt < MAX_SEGMENT_MS)
      return current
    await this.close(false)
    // A crash may have left evidence of entries that are missing from the log.
    await rm(join(this.folder, evidenceName(n)), { force: true })
    this.#segment = this.#filesOf(n, 0, 0)
    this.#begunAt = now()
    return this.#segment
  }

  #filesOf(n: number, logSize: number, evidenceSize: number): SegmentFiles {
    return {
      log: new GrowingFile(join(this.folder, segmentName(n)), logSize, LOG_MODE, this.#openFile),
      evidence: new GrowingFile(join(this.folder, evidenceName(n)), evidenceSize, EVIDENCE_MODE, this.#openFile),
    }
  }
}

/**
 * Removes an incomplete last line and the evidence of entries that are not in the log: their numbers are assigned
 * again. Resolves to the remaining size in bytes.
 *
 * @param seq number of the next entry
 */
async function cutEvidence(path: string, seq: number): Promise<number> {
  if ((await nodeDisk.kind(path)) !== 'file') return 0
  let size = 0
  for await (const { text, end } of linesOf(path)) {
    if (Number(EVIDENCE_SEQ.exec(text)?.[1] ?? -1) >= seq) break
    size = end
  }
  await truncate(path, size)
  return size
}

/** True if the last engine that wrote a chain stopped cleanly. */
export async function wasClosed(folder: string): Promise<boolean> {
  return (await nodeDisk.kind(join(folder, CLOSED))) === 'file'
}
