import type { IncomingMessage } from './broker.ts'

/** Milliseconds before a gap in the sequence counts as a loss. */
const GAP_TIMEOUT_MS = 300
/** Missing sequences that are tracked: one is enough to report a loss. */
const MAX_MISSING = 1000

/** Detects missing messages of the stream. A message that arrives late closes its gap. */
export class GapDetector {
  /** Whether all messages of the stream belong to this fleet: otherwise gaps mean nothing. */
  isWhole = false
  readonly #lost: () => void
  readonly #missing = new Set<number>()
  #last = 0
  #timer: NodeJS.Timeout | undefined

  /** @param lost called when a gap was not closed in time: its message is lost or late */
  constructor(lost: () => void) {
    this.#lost = lost
  }

  /** The highest sequence so far. */
  get last(): number {
    return this.#last
  }

  /** Starts over, for a new stream. */
  begin(): void {
    this.#last = 0
    this.#missing.clear()
  }

  saw({ seq, isRedelivered }: IncomingMessage): void {
    this.#missing.delete(seq)
    if (isRedelivered) return
    if (this.isWhole && this.#last > 0)
      for (let missing = this.#last + 1; missing < seq && this.#missing.size < MAX_MISSING; missing++)
        this.#missing.add(missing)
    this.#last = Math.max(this.#last, seq)
    if (this.#missing.size > 0) this.#timer ??= setTimeout(() => this.#look(), GAP_TIMEOUT_MS).unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    this.#timer = undefined
    if (this.#missing.size === 0) return
    this.#missing.clear()
    this.#lost()
  }
}
