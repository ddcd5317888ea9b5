import { type Checkpoint, checkpointHash, NO_CHECKPOINT, parseCheckpoint } from './checkpoint.ts'
import { parseEntry } from './entry.ts'
import type { Fault } from './fault.ts'
import { type ReceiptKeys, signatureFault } from './keys.ts'
import { Malformed, objectOf, requireHashedText, requireMembers, requireText } from './malformed.ts'
import { leafHash, merkleTree, rootOf } from './merkle-tree.ts'

/** Maximum number of entries that one checkpoint may sign: they are kept in memory until it is read. */
const MAX_PENDING_ENTRIES = 1_000_000

/** A summary of a log, which is reliable only if the log is valid. */
export interface LogSummary {
  readonly instance: string | undefined
  readonly entries: number
  /** Number of decisions that the log records as lost. */
  readonly lost: number
  readonly checkpoints: number
  /** Number of the first checkpoint if it is not 0: earlier ones were removed, and are not proved. */
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

/** Start of a checkpoint line; every other line is an entry. */
const CHECKPOINT_LINE = '{"checkpoint":'

/** True if a line of a log is a checkpoint. */
const isCheckpointLine = (line: string): boolean => line.startsWith(CHECKPOINT_LINE)

/** Verifies the lines of a log, segment after segment, in one pass. Keeps the entries of one tree in memory. */
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

  /** Verifies the next line, given without its line end. */
  line(text: string): readonly Fault[] {
    try {
      return isCheckpointLine(text) ? this.#checkpoint(text) : this.#entry(text)
    } catch (error) {
      if (error instanceof Malformed) return [{ code: 'malformed', message: error.message }]
      throw error
    }
  }

  /** Called at the end of the log. */
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
    if (this.#leaves.length === MAX_PENDING_ENTRIES)
      throw new Malformed(`there are more than ${MAX_PENDING_ENTRIES} entries without a checkpoint`)
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
