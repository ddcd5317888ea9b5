import { defined } from '@engine/expression'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { checkpointHash, checkpointText, NO_CHECKPOINT, signCheckpoint } from './checkpoint.ts'
import { type Decided, entryText, lostText } from './entry.ts'
import { keyId } from './keys.ts'
import { leafHash, type MerkleTree, merkleTree, pathOf, rootOf } from './merkle-tree.ts'
import { type Evidence, type Receipt, RECEIPT_FORMAT } from './receipt.ts'

/** The end of a chain, which its next checkpoint continues. */
export interface ChainState {
  /** Number of checkpoints so far. */
  readonly n: number
  /** Number of entries so far. */
  readonly size: number
  /** Hash of the last checkpoint. */
  readonly prev: string
  /** Latest time of an entry or checkpoint, epoch milliseconds. */
  readonly time: number
}

/** A chain without entries. */
const NEW_CHAIN: ChainState = { n: 0, size: 0, prev: NO_CHECKPOINT, time: 0 }

/** Entries that one checkpoint signs. */
export interface SignedTree {
  readonly n: number
  readonly checkpoint: string
  readonly signature: string
  /** `seq` of the first entry. */
  readonly first: number
  readonly entries: readonly string[]
  readonly tree: MerkleTree
}

/** A chain of receipts in memory: entries are added, and from time to time a checkpoint signs them. */
export class ReceiptLog {
  readonly instance: string
  readonly #constants: { readonly engine: string; readonly instance: string }
  #privateKey: KeyObject
  #key: string
  #n: number
  #size: number
  #prev: string
  #time: number
  #entries: string[] = []
  #leaves: Buffer[] = []

  constructor(parts: {
    readonly instance: string
    /** Version of the engine. */
    readonly engine: string
    readonly privateKey: KeyObject
    readonly state?: ChainState
  }) {
    const { instance, engine, privateKey, state = NEW_CHAIN } = parts
    this.instance = instance
    this.#constants = {
      engine: `"engine":${JSON.stringify(engine)},`,
      instance: `"instance":${JSON.stringify(instance)},`,
    }
    this.#privateKey = privateKey
    this.#key = keyId(createPublicKey(privateKey))
    ;({ n: this.#n, size: this.#size, prev: this.#prev, time: this.#time } = state)
  }

  /** Number of entries without a checkpoint. */
  get pending(): number {
    return this.#entries.length
  }

  /** Signs the following checkpoints with another key. */
  rotate(privateKey: KeyObject): void {
    this.#privateKey = privateKey
    this.#key = keyId(createPublicKey(privateKey))
  }

  /** Adds a decision and returns its `seq`. Times never decrease, even when the clock was set back. */
  add(decided: Decided, time: number): number {
    this.#time = Math.max(this.#time, time)
    const seq = this.#size + this.#entries.length
    this.addText(entryText(decided, this.#constants, seq, this.#time))
    return seq
  }

  /** Records the number of decisions that have no entry. */
  addLost(lost: number): void {
    this.addText(lostText(lost, this.#size + this.#entries.length))
  }

  /** Adds an entry that was written earlier, for example by a run that ended before its checkpoint. */
  addText(entry: string): void {
    this.#entries.push(entry)
    this.#leaves.push(leafHash(entry))
  }

  /** Signs the pending entries; undefined if there are none. */
  checkpoint(time: number): SignedTree | undefined {
    if (this.#entries.length === 0) return undefined
    const tree = merkleTree(this.#leaves)
    this.#time = Math.max(this.#time, time)
    const n = this.#n++
    const first = this.#size
    const entries = this.#entries
    const checkpoint = checkpointText({
      count: entries.length,
      first,
      instance: this.instance,
      key: this.#key,
      n,
      prev: this.#prev,
      root: rootOf(tree).toString('base64url'),
      time: this.#time,
    })
    this.#prev = checkpointHash(checkpoint)
    this.#size += entries.length
    this.#entries = []
    this.#leaves = []
    return { n, checkpoint, signature: signCheckpoint(checkpoint, this.#privateKey), first, entries, tree }
  }
}

/** The receipt of an entry of a signed tree. */
export function receiptOf(signed: SignedTree, seq: number, evidence?: Evidence): Receipt {
  const index = seq - signed.first
  return {
    format: RECEIPT_FORMAT,
    entry: defined(signed.entries[index]),
    index,
    path: pathOf(signed.tree, index).map((one) => one.toString('base64url')),
    checkpoint: signed.checkpoint,
    signature: signed.signature,
    ...(evidence === undefined ? {} : { evidence }),
  }
}
