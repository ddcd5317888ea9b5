import {
  type ChainState,
  checkpointHash,
  leafHash,
  Malformed,
  merkleTree,
  parseCheckpoint,
  parseCheckpointLine,
  parseEntry,
  rootOf,
} from '@engine/receipts'
import { stat } from 'node:fs/promises'
import { isCheckpointLine, linesOf, type Segment, segmentsOf } from './segments.ts'

/** Where a chain on disk continues. */
export interface RecoveredChain {
  readonly state: ChainState
  /** Entries without a checkpoint. */
  readonly pending: readonly string[]
  readonly segment: Segment
  /** Size of the segment up to its last checkpoint, in bytes; the rest is truncated. */
  readonly size: number
  /**
   * Time of the first checkpoint of the segment; undefined if there is none or bytes follow the last one, which belong
   * to the chain.
   */
  readonly begunAt: number | undefined
  /** Latest checkpoint; undefined if none was written. */
  readonly head: SignedCheckpoint | undefined
}

/** A checkpoint with its signature. */
export interface SignedCheckpoint {
  readonly instance: string
  readonly n: number
  readonly checkpoint: string
  readonly signature: string
}

/** The chain cannot be continued. The message is a reason for the log. */
export class BrokenChain extends Error {}

/** The end of a segment. */
interface Tail {
  /** The time of the first checkpoint. */
  readonly begunAt: number | undefined
  readonly checkpoint: string | undefined
  readonly signature: string
  /** Entries of the last tree. */
  readonly signed: readonly string[]
  readonly size: number
  readonly pending: readonly string[]
}

/**
 * Finds the end of a chain. An incomplete line and everything after the first unreadable entry is discarded: it was
 * never acknowledged. Reads the last segment once. Throws `BrokenChain`.
 *
 * @param folder folder of the chain
 */
export async function recoverChain(folder: string, instance: string): Promise<RecoveredChain> {
  const segments = await segmentsOf(folder)
  const segment = segments.at(-1)
  if (segment === undefined) throw new BrokenChain('it has no segment')
  const last = await tailOf(segment)
  const before = last.checkpoint === undefined ? segments.at(-2) : undefined
  const tail = before === undefined ? last : { ...(await tailOf(before)), pending: last.pending, size: 0 }
  if (tail.checkpoint === undefined && segment.n > 0) throw new BrokenChain('its last checkpoint is missing')
  const signed = signedState(tail, instance)
  const { pending, time } = pendingOf(tail.pending, instance, signed)
  return {
    state: { ...signed, time },
    pending,
    segment,
    size: tail.size,
    begunAt: (await stat(segment.path)).size === tail.size ? last.begunAt : undefined,
    head:
      tail.checkpoint === undefined
        ? undefined
        : { instance, n: signed.n - 1, checkpoint: tail.checkpoint, signature: tail.signature },
  }
}

async function tailOf({ path }: Segment): Promise<Tail> {
  let tail: Tail = { begunAt: undefined, checkpoint: undefined, signature: '', signed: [], size: 0, pending: [] }
  let entries: string[] = []
  for await (const { text, end } of linesOf(path)) {
    if (!isCheckpointLine(text)) {
      entries.push(text)
      continue
    }
    const { checkpoint, signature } = orBroken(() => parseCheckpointLine(text))
    const begunAt = tail.begunAt ?? orBroken(() => parseCheckpoint(checkpoint)).time
    tail = { begunAt, checkpoint, signature, signed: entries, size: end, pending: [] }
    entries = []
  }
  return { ...tail, pending: entries }
}

const EMPTY: ChainState = { n: 0, size: 0, prev: Buffer.alloc(32).toString('base64url'), time: 0 }

/** Throws `BrokenChain` if the last tree does not match its signed checkpoint: the disk has lost data. */
function signedState({ checkpoint: text, signed }: Tail, instance: string): ChainState {
  if (text === undefined) return EMPTY
  const { n, first, count, time, root, instance: named } = orBroken(() => parseCheckpoint(text))
  if (named !== instance) throw new BrokenChain('its checkpoint is of another instance')
  if (signed.length !== count || rootOf(merkleTree(signed.map(leafHash))).toString('base64url') !== root)
    throw new BrokenChain(`the entries before checkpoint ${n} are not those that it signed`)
  return { n: n + 1, size: first + count, prev: checkpointHash(text), time }
}

/** The entries after the last checkpoint, up to the first unreadable one, and the latest time. */
function pendingOf(texts: readonly string[], instance: string, { size, time }: ChainState) {
  const pending: string[] = []
  let latest = time
  for (const text of texts) {
    try {
      const entry = parseEntry(text)
      if (entry.seq !== size + pending.length) break
      if (entry.kind === 'decision') {
        if (entry.instance !== instance || entry.time < latest) break
        latest = entry.time
      }
    } catch (error) {
      if (error instanceof Malformed) break
      throw error
    }
    pending.push(text)
  }
  return { pending, time: latest }
}

function orBroken<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) throw new BrokenChain(error.message)
    throw error
  }
}
