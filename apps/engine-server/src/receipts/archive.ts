import { isObject, parseJson } from '@engine/expression'
import {
  type DecisionEntry,
  type Evidence,
  leafHash,
  Malformed,
  merkleTree,
  parseCheckpoint,
  parseCheckpointLine,
  parseEntry,
  parseEvidence,
  type Receipt,
  receiptOf,
} from '@engine/receipts'
import { constants } from 'node:fs'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeDisk } from '../store/disk.ts'
import type { SignedCheckpoint } from './recovery.ts'
import { chainFolder, chainsOf, evidenceName, isCheckpointLine, linesOf, type Segment, segmentsOf } from './segments.ts'

/** A receipt in the log, or why there is none. */
export type FoundReceipt =
  | { readonly kind: 'found'; readonly receipt: Receipt; readonly tenant: string }
  /** The chain does not exist, retention removed the entry, or its number was never assigned. */
  | { readonly kind: 'unknown' }
  /** The entry comes after the last checkpoint of the newest chain of an instance. */
  | { readonly kind: 'unsigned' }

/** Distance in bytes between indexed positions of a segment, from which entries are searched. */
const INDEX_STRIDE_BYTES = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000

/** The first entry of a tree, and its offset in its segment. */
interface TreePlace {
  readonly first: number
  readonly offset: number
}

/** The part of a segment that has been indexed. */
interface Index {
  readonly places: TreePlace[]
  /** End of the last indexed tree, and the number of the entry after it. */
  end: number
  next: number
}

/** Reads the receipts of all chains in a directory, whichever process writes them. */
export class ReceiptArchive {
  readonly directory: string
  readonly #indexes = new Map<string, Index>()
  /** The latest indexing of each segment. */
  readonly #reading = new Map<string, Promise<unknown>>()

  constructor(directory: string) {
    this.directory = directory
  }

  /**
   * Finds an entry. Reads each segment once, then at most a megabyte and one tree per receipt. Rejects with the
   * system's error.
   */
  async find(instance: string, seq: number, withEvidence: boolean): Promise<FoundReceipt> {
    const folder = chainFolder(this.directory, instance)
    if (folder === undefined) return { kind: 'unknown' }
    const segments = await segmentsOf(folder.path)
    for (const segment of segments) {
      const index = await this.#indexOf(segment)
      const first = index.places[0]?.first
      if (first === undefined || seq < first) break
      if (seq >= index.next) continue
      const place = index.places.findLast((one) => one.first <= seq) ?? { first, offset: 0 }
      return this.#read(segment, place.offset, seq, withEvidence)
    }
    const isNewest = (await chainsOf(this.directory)).findLast(({ id }) => id === folder.id)?.instance === instance
    const last = segments.at(-1)
    const end = last === undefined ? 0 : (await this.#indexOf(last)).next
    return { kind: isNewest && seq >= end ? 'unsigned' : 'unknown' }
  }

  /** The latest checkpoint of each chain that its instance continues. */
  async heads(): Promise<readonly SignedCheckpoint[]> {
    const newest = new Map((await chainsOf(this.directory)).map((chain) => [chain.id, chain]))
    const heads: SignedCheckpoint[] = []
    for (const { instance, path } of newest.values()) {
      const head = await this.#headOf(instance, (await segmentsOf(path)).toReversed())
      if (head !== undefined) heads.push(head)
    }
    return heads
  }

  /** Deletes the evidence of an entry; its commitments stay. False if it had none. */
  async erase(instance: string, seq: number): Promise<boolean> {
    const folder = chainFolder(this.directory, instance)
    if (folder === undefined) return false
    const prefix = evidencePrefix(seq)
    for (const { n } of await segmentsOf(folder.path)) {
      const path = join(folder.path, evidenceName(n))
      if ((await nodeDisk.kind(path)) !== 'file') continue
      for await (const { text, start, end } of linesOf(path)) {
        if (!text.startsWith(prefix)) continue
        await overwrite(path, start, end)
        return true
      }
    }
    return false
  }

  /**
   * Removes segments, with their evidence, to which nothing was written for `days` days, and evidence alone after
   * `evidenceDays`. The newest segment of a chain that is still in use stays without its evidence, because the chain
   * continues from it. Resolves to the number of removed segments. Rejects with the system's error.
   */
  async retain(days: number, now: number, evidenceDays = days): Promise<number> {
    const chains = await chainsOf(this.directory)
    const newest = new Set(new Map(chains.map(({ id, instance }) => [id, instance])).values())
    let removed = 0
    for (const { instance, path } of chains) {
      const segments = await segmentsOf(path)
      const last = newest.has(instance) ? segments.at(-1) : undefined
      let left = segments.length
      for (const segment of segments) {
        const age = now - (await stat(segment.path)).mtimeMs
        // No evidence is added to a segment of this age: a segment is written for at most a day.
        if (age >= evidenceDays * DAY_MS) await rm(join(path, evidenceName(segment.n)), { force: true })
        // The following segments are younger.
        else if (evidenceDays <= days) break
        if (age < days * DAY_MS) continue
        await rm(join(path, evidenceName(segment.n)), { force: true })
        if (segment === last) continue
        await rm(segment.path)
        this.#indexes.delete(segment.path)
        this.#reading.delete(segment.path)
        removed++
        left--
      }
      if (left === 0 && !newest.has(instance)) await rm(path, { recursive: true })
    }
    return removed
  }

  async #read(segment: Segment, offset: number, seq: number, withEvidence: boolean): Promise<FoundReceipt> {
    let entries: string[] = []
    for await (const { text } of linesOf(segment.path, offset)) {
      if (!isCheckpointLine(text)) {
        entries.push(text)
        continue
      }
      const { checkpoint, signature } = parseCheckpointLine(text)
      const { n, first, count } = parseCheckpoint(checkpoint)
      if (seq >= first + count) {
        entries = []
        continue
      }
      const entry = parseEntry(entries[seq - first] ?? '')
      // An entry for decisions without receipts belongs to no single tenant.
      if (entry.kind === 'lost') return { kind: 'unknown' }
      const tree = merkleTree(entries.map(leafHash))
      const evidence = withEvidence ? await evidenceOf(segment, entry) : undefined
      const receipt = receiptOf({ n, checkpoint, signature, first, entries, tree }, seq, evidence)
      return { kind: 'found', receipt, tenant: entry.tenant }
    }
    return { kind: 'unknown' }
  }

  /** The trees of a segment, up to its current end. Reads of the same segment are serialized. */
  #indexOf({ path }: Segment): Promise<Index> {
    const extend = () => this.#extended(path)
    const reading = (this.#reading.get(path) ?? Promise.resolve()).then(extend, extend)
    this.#reading.set(path, reading)
    return reading
  }

  async #extended(path: string): Promise<Index> {
    const index: Index = this.#indexes.get(path) ?? { places: [], end: 0, next: 0 }
    this.#indexes.set(path, index)
    let begin = index.end
    for await (const { text, end } of linesOf(path, index.end)) {
      if (!isCheckpointLine(text)) continue
      const { first, count } = parseCheckpoint(parseCheckpointLine(text).checkpoint)
      const last = index.places.at(-1)
      if (last === undefined || begin - last.offset >= INDEX_STRIDE_BYTES) index.places.push({ first, offset: begin })
      begin = end
      index.end = end
      index.next = first + count
    }
    return index
  }

  async #headOf(instance: string, segments: readonly Segment[]): Promise<SignedCheckpoint | undefined> {
    for (const segment of segments) {
      let head: SignedCheckpoint | undefined
      const { places } = await this.#indexOf(segment)
      for await (const { text } of linesOf(segment.path, places.at(-1)?.offset)) {
        if (!isCheckpointLine(text)) continue
        const { checkpoint, signature } = parseCheckpointLine(text)
        head = { instance, n: parseCheckpoint(checkpoint).n, checkpoint, signature }
      }
      if (head !== undefined) return head
    }
    return undefined
  }
}

const evidencePrefix = (seq: number) => `{"seq":${seq},`

/** The line with the evidence of an entry. */
export const evidenceLine = (seq: number, evidence: Evidence): string =>
  `${evidencePrefix(seq)}"evidence":${JSON.stringify(evidence)}}\n`

async function evidenceOf({ n, path }: Segment, { seq }: DecisionEntry): Promise<Evidence | undefined> {
  const file = join(path, '..', evidenceName(n))
  if ((await nodeDisk.kind(file)) !== 'file') return undefined
  const prefix = evidencePrefix(seq)
  for await (const { text } of linesOf(file)) if (text.startsWith(prefix)) return parsedEvidence(text)
  return undefined
}

/** Undefined if it cannot be parsed: a crash may have left half of it. */
function parsedEvidence(text: string): Evidence | undefined {
  const parsed = parseJson(text, { duplicateKeys: 'refuse' })
  const value = parsed.kind === 'parsed' && isObject(parsed.value) ? parsed.value['evidence'] : undefined
  try {
    return value === undefined || !isObject(value) ? undefined : parseEvidence(value)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Overwrites a line with blanks in place: another process may be appending to the file. */
async function overwrite(path: string, start: number, end: number): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW)
  try {
    const blanks = Buffer.alloc(end - start - 1, ' ')
    for (let written = 0; written < blanks.length;)
      written += (await file.write(blanks, written, blanks.length - written, start + written)).bytesWritten
    await file.datasync()
  } finally {
    await file.close()
  }
}
