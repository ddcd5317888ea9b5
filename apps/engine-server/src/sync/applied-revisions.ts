import type { IncomingMessage } from './broker.ts'
import type { SkipReason } from './sync-metrics.ts'

/** Where a ruleset stands: no event from before that may change it. */
interface Position {
  /** 0: the publisher that changed it last does not count its changes. */
  readonly revision: number
  /** In the stream; 0: it came from the state bucket. */
  readonly seq: number
}

/** Subjects that the state does not name, and whose position is remembered nevertheless: they were deleted. */
const MAX_OTHERS = 10_000

/** How far each subject has come on a reader since its start, whatever way a change came: from the stream or from the bucket. */
export class AppliedRevisions {
  readonly #applied = new Map<string, Position>()
  /** Why this event of the subject changes nothing; undefined: it may be something new. */
  skipReason(subject: string, { revision, seq }: IncomingMessage): SkipReason | undefined {
    const known = this.#applied.get(subject)
    if (known === undefined) return undefined
    const isOld = revision === undefined ? seq <= known.seq : revision <= known.revision
    if (!isOld) return undefined
    return revision === known.revision ? 'already_applied' : 'older'
  }

  /** An event was dealt with. */
  followed(subject: string, message: IncomingMessage): void {
    const { revision = 0, seq = 0 } = this.#applied.get(subject) ?? {}
    this.#applied.set(subject, {
      revision: Math.max(revision, message.revision ?? 0),
      seq: Math.max(seq, message.seq),
    })
  }

  /** The stream delivered something newer than the bucket. */
  isBeyond(subject: string, revision: number): boolean {
    return (this.#applied.get(subject)?.revision ?? 0) > revision
  }

  /** Subjects other than these of which something newer than that came from the stream. */
  beyond(known: ReadonlySet<string>, revision: number): readonly string[] {
    return Array.from(this.#applied.keys()).filter((subject) => !known.has(subject) && this.isBeyond(subject, revision))
  }

  /** The subject matches the bucket. */
  loaded(subject: string, revision: number): void {
    this.#applied.set(subject, { revision, seq: this.#applied.get(subject)?.seq ?? 0 })
  }

  /**
   * Everything matches a complete state: unlisted subjects are at most at its revision, and their uncounted changes are
   * forgotten. Limited so that a flood of names cannot exhaust memory.
   */
  loadedAll(subjects: ReadonlySet<string>, revision: number): void {
    const others = Array.from(this.#applied).filter(([subject]) => !subjects.has(subject))
    const forgotten = others.filter(
      ([, position], at) => position.revision > revision || at < others.length - MAX_OTHERS,
    )
    for (const [subject] of forgotten) this.#applied.delete(subject)
  }

  /** The stream was recreated: places in it begin again. */
  streamChanged(): void {
    for (const [subject, { revision }] of this.#applied) this.#applied.set(subject, { revision, seq: 0 })
  }
}
