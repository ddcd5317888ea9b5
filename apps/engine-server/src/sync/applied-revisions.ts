import type { IncomingMessage } from './broker.ts'
import type { SkipReason } from './sync-metrics.ts'

/** The last change applied to a subject. Older events do not change it. */
interface Position {
  /** 0: its publisher sends no revisions. */
  readonly revision: number
  /** Sequence in the stream; 0: the change came from the state bucket. */
  readonly seq: number
}

/** Deleted subjects, missing from the state, whose position is kept. */
const MAX_OTHERS = 10_000

/** The last change of each subject that a reader has applied since its start, from the stream or from the bucket. */
export class AppliedRevisions {
  readonly #applied = new Map<string, Position>()
  /** Why an event is skipped; undefined: it may be new. */
  skipReason(subject: string, { revision, seq }: IncomingMessage): SkipReason | undefined {
    const known = this.#applied.get(subject)
    if (known === undefined) return undefined
    const isOld = revision === undefined ? seq <= known.seq : revision <= known.revision
    if (!isOld) return undefined
    return revision === known.revision ? 'already_applied' : 'older'
  }

  /** Records an event as processed. */
  followed(subject: string, message: IncomingMessage): void {
    const { revision = 0, seq = 0 } = this.#applied.get(subject) ?? {}
    this.#applied.set(subject, {
      revision: Math.max(revision, message.revision ?? 0),
      seq: Math.max(seq, message.seq),
    })
  }

  /** Whether a newer change of the subject came from the stream. */
  isBeyond(subject: string, revision: number): boolean {
    return (this.#applied.get(subject)?.revision ?? 0) > revision
  }

  /** Other subjects with a change from the stream that is newer than the revision. */
  beyond(known: ReadonlySet<string>, revision: number): readonly string[] {
    return Array.from(this.#applied.keys()).filter((subject) => !known.has(subject) && this.isBeyond(subject, revision))
  }

  /** Records that the subject matches the bucket. */
  loaded(subject: string, revision: number): void {
    this.#applied.set(subject, { revision, seq: this.#applied.get(subject)?.seq ?? 0 })
  }

  /**
   * Records that everything matches a complete state: unlisted subjects are at most at its revision, and their changes
   * without a revision are forgotten. Limited so that a flood of names cannot exhaust memory.
   */
  loadedAll(subjects: ReadonlySet<string>, revision: number): void {
    const others = Array.from(this.#applied).filter(([subject]) => !subjects.has(subject))
    const forgotten = others.filter(
      ([, position], at) => position.revision > revision || at < others.length - MAX_OTHERS,
    )
    for (const [subject] of forgotten) this.#applied.delete(subject)
  }

  /** Resets sequences after the stream was recreated. */
  streamChanged(): void {
    for (const [subject, { revision }] of this.#applied) this.#applied.set(subject, { revision, seq: 0 })
  }
}
