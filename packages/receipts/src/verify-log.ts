import { type Checkpoint, checkpointHash, NO_CHECKPOINT, parseCheckpoint } from './checkpoint.ts'
import { parseEntry } from './entry.ts'
import type { Fault } from './fault.ts'
import { type ReceiptKeys, signatureFault } from './keys.ts'
import { Malformed, objectOf, requireHashedText, requireMembers, requireText } from './malformed.ts'
import { leafHash, merkleTree, rootOf } from './merkle-tree.ts'

/** Entries that one checkpoint may sign: they are kept in memory until it comes. */
const MAX_PENDING = 1_000_000

/** The content of a log, true once it holds. */
export interface LogSummary {
  readonly instance: string | undefined
  readonly entries: number
  /** Decisions that an entry states to be lost. */
  readonly lost: number
  readonly checkpoints: number
  /** The first checkpoint when it is not number 0: earlier ones were removed, and are not proved. */
  readonly anchor: number | undefined
  /** Number and hash of the last checkpoint: a witness compares them. */
  readonly head: { readonly n: number; readonly hash: string } | undefined
}

/** Reads the signature line of a checkpoint in a log. Throws `Malformed`. */
export function parseCheckpointLine(line: string): { readonly checkpoint: string; readonly signature: string } {
  const value = objectOf(line, 'line')
  requireMembers(value, 'line', ['checkpoint', 'signature'])
  return {
    checkpoint: requireHashedText(value, 'checkpoint', 'line'),
    signature: requireText(value, 'signature', 'line'),
  }
}

/** How the line of a checkpoint begins; every other line is an entry. */
const CHECKPOINT_LINE = '{"checkpoint":'

/** Whether a line of a log has a checkpoint. */
const isCheckpointLine = (line: string): boolean => line.startsWith(CHECKPOINT_LINE)

/** Verifies the lines of a log, segment after segment. Keeps the entries of one tree, which it reads once. */
export class LogVerification {
  readonly #keys: ReceiptKeys
  #leaves: Buffer[] = []
  #instance: string | undefined
  #anchor: number | undefined
  #head: { readonly n: number; readonly hash: string } | undefined
  /** `seq` of the next entry; undefined before the first. */
  #seq: number | undefined
  #entryTime = 0
  #checkpointTime = 0
  #entries = 0
  #lost = 0
  #checkpoints = 0

  constructor(keys: ReceiptKeys) {
    this.#keys = keys
  }

  /** Verify the next line, without its end. */
  line(text: string): readonly Fault[] {
    try {
      return isCheckpointLine(text) ? this.#checkpoint(text) : this.#entry(text)
    } catch (error) {
      if (error instanceof Malformed) return [{ code: 'malformed', message: error.message }]
      throw error
    }
  }

  /** The log ends here. */
  end(): readonly Fault[] {
    const count = this.#leaves.length
    if (count > 0)
      return [
        {
          code: 'unsigned',
          message: `there is no checkpoint for ${count} ${count === 1 ? 'entry' : 'entries'} at the end: the log was cut, or is not signed yet`,
        },
      ]
    return this.#checkpoints === 0 ? [{ code: 'unsigned', message: 'the log has no checkpoint' }] : []
  }

  get summary(): LogSummary {
    return {
      instance: this.#instance,
      entries: this.#entries,
      lost: this.#lost,
      checkpoints: this.#checkpoints,
      anchor: this.#anchor,
      head: this.#head,
    }
  }

  #entry(text: string): readonly Fault[] {
    if (this.#leaves.length === MAX_PENDING)
      throw new Malformed(`there are more than ${MAX_PENDING} entries without a checkpoint`)
    const entry = parseEntry(text)
    const faults: Fault[] = []
    if (this.#seq !== undefined && entry.seq !== this.#seq)
      faults.push({ code: 'position', message: `entry ${entry.seq} where ${this.#seq} was expected` })
    this.#seq = entry.seq + 1
    this.#entries++
    this.#leaves.push(leafHash(text))
    if (entry.kind === 'lost') {
      this.#lost += entry.lost
      return faults
    }
    this.#instance ??= entry.instance
    if (entry.instance !== this.#instance)
      faults.push({ code: 'instance', message: `entry ${entry.seq} is of another instance` })
    if (entry.time < this.#entryTime)
      faults.push({ code: 'time', message: `entry ${entry.seq} is earlier than the one before` })
    this.#entryTime = entry.time
    return faults
  }

  #checkpoint(line: string): readonly Fault[] {
    const { checkpoint: text, signature } = parseCheckpointLine(line)
    const checkpoint = parseCheckpoint(text)
    const faults: Fault[] = []
    const refused = signatureFault(this.#keys, checkpoint, text, signature)
    if (refused !== undefined) faults.push(refused)
    this.#instance ??= checkpoint.instance
    if (checkpoint.instance !== this.#instance)
      faults.push({ code: 'instance', message: `checkpoint ${checkpoint.n} is of another instance` })
    const order = this.#orderFault(checkpoint)
    if (order !== undefined) faults.push(order)
    if (
      checkpoint.count !== this.#leaves.length ||
      rootOf(merkleTree(this.#leaves)).toString('base64url') !== checkpoint.root
    )
      faults.push({ code: 'root', message: `the entries before checkpoint ${checkpoint.n} are not those it signed` })
    if (checkpoint.time < this.#checkpointTime || checkpoint.time < this.#entryTime)
      faults.push({
        code: 'time',
        message: `checkpoint ${checkpoint.n} is earlier than an entry or checkpoint before it`,
      })
    this.#head = { n: checkpoint.n, hash: checkpointHash(text) }
    this.#checkpointTime = checkpoint.time
    this.#checkpoints++
    this.#leaves = []
    return faults
  }

  #orderFault({ n, prev, first, count }: Checkpoint): Fault | undefined {
    const head = this.#head
    const isPlaced = first + count === (this.#seq ?? 0)
    if (head === undefined) {
      if (n > 0) this.#anchor = n
      if (isPlaced && (n > 0 || (first === 0 && prev === NO_CHECKPOINT))) return undefined
      return { code: 'order', message: `checkpoint ${n} does not begin the chain` }
    }
    if (isPlaced && n === head.n + 1 && prev === head.hash) return undefined
    return { code: 'order', message: `checkpoint ${n} does not follow checkpoint ${head.n}` }
  }
}
