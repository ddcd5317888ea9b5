import { defined } from '@engine/expression'
import type { Trace } from '../program.ts'

/** Maximum number of steps in a trace; the path of a longer execution is truncated. */
const TRACE_LIMIT = 10_000

/** Records the steps that an execution enters, and the duration of each. */
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
      duration_us: microseconds((this.#times[index + 1] ?? end) - defined(this.#times[index])),
    }))
    const path = steps.map(({ id }) => id).join(' -> ')
    return this.#truncated ? { path, steps, truncated: true } : { path, steps }
  }
}

/** Monotonic milliseconds as whole microseconds; never negative. */
export function microseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000))
}
