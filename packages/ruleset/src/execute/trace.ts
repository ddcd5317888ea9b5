import type { Trace } from '../program.ts'

/** Steps that one trace keeps; the path of a longer execution ends there. */
const TRACE_LIMIT = 10_000

/** Writes down the steps that an execution enters, and how long each took. */
export class Tracer {
  readonly #monotonic: () => number
  readonly #ids: readonly string[]
  readonly #names: readonly string[]
  readonly #steps: number[] = []
  readonly #times: number[] = []
  #truncated = false

  constructor(monotonic: () => number, ids: readonly string[], names: readonly string[]) {
    this.#monotonic = monotonic
    this.#ids = ids
    this.#names = names
  }

  enter(step: number): void {
    if (this.#steps.length === TRACE_LIMIT) {
      this.#truncated = true
      return
    }
    this.#steps.push(step)
    this.#times.push(this.#monotonic())
  }

  finish(): Trace {
    const end = this.#monotonic()
    const steps = this.#steps.map((step, index) => ({
      id: this.#ids[step] ?? '',
      name: this.#names[step] ?? '',
      duration_us: microseconds((this.#times[index + 1] ?? end) - (this.#times[index] as number)),
    }))
    const path = steps.map(({ id }) => id).join(' -> ')
    return this.#truncated ? { path, steps, truncated: true } : { path, steps }
  }
}

/** Whole microseconds of monotonic milliseconds; never negative. */
export function microseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000))
}
