import type { IncomingMessage } from './broker.ts'

/** Milliseconds that a hole in the sequence may stay open. */
const HOLE_MS = 300
/** Remembered gaps: more of them change nothing. */
const MAX_HOLES = 1000

/** Detects missing messages of the stream. Messages that arrive out of order fill their gap. */
export class GapDetector {
  /** The stream holds nothing for others, so that a hole means something. */
  isWhole = false
  readonly #lost: () => void
  readonly #holes = new Set<number>()
  #last = 0
  #timer: NodeJS.Timeout | undefined

  /** @param lost called when a gap was not filled in time: its message is lost or late */
  constructor(lost: () => void) {
    this.#lost = lost
  }

  /** The greatest place that was seen. */
  get last(): number {
    return this.#last
  }

  /** Another stream begins. */
  begin(): void {
    this.#last = 0
    this.#holes.clear()
  }

  saw({ seq, isRedelivered }: IncomingMessage): void {
    this.#holes.delete(seq)
    if (isRedelivered) return
    if (this.isWhole && this.#last > 0)
      for (let missing = this.#last + 1; missing < seq && this.#holes.size < MAX_HOLES; missing++)
        this.#holes.add(missing)
    this.#last = Math.max(this.#last, seq)
    if (this.#holes.size > 0) this.#timer ??= setTimeout(() => this.#look(), HOLE_MS).unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    this.#timer = undefined
    if (this.#holes.size === 0) return
    this.#holes.clear()
    this.#lost()
  }
}
