import { defined } from '@engine/expression/core'
import type { DecisionStep, Step } from '../model.ts'
import type { Trace, TraceStep } from '../program.ts'
import type { TracedValues } from './traced-values.ts'

/** Maximum number of steps in a trace; the path of a longer execution is truncated. */
export const TRACE_LIMIT = 10_000

/** No branch of a step was taken. */
const NONE = -1

/** Records the steps that an execution enters, the branches that it takes, and the duration of each step. */
export class Tracer {
  readonly #monotonic: () => number
  readonly #all: readonly Step[]
  readonly #steps: number[] = []
  readonly #times: number[] = []
  readonly #branches: number[] = []
  #truncated = false

  constructor(monotonic: () => number, steps: readonly Step[]) {
    this.#monotonic = monotonic
    this.#all = steps
  }

  enter(step: number): void {
    if (this.#steps.length === TRACE_LIMIT) {
      this.#truncated = true
      return
    }
    this.#steps.push(step)
    this.#branches.push(NONE)
    this.#times.push(this.#monotonic())
  }

  /** The entered decision takes this branch; the number of its branches stands for the default. */
  take(branch: number): void {
    if (!this.#truncated) this.#branches[this.#branches.length - 1] = branch
  }

  finish(values?: TracedValues): Trace {
    const end = this.#monotonic()
    const steps = this.#steps.map((number, index): TraceStep => {
      const step = defined(this.#all[number])
      return {
        id: step.id,
        name: step.name,
        duration_us: microseconds((this.#times[index + 1] ?? end) - defined(this.#times[index])),
        ...(step.type === 'decision' && branchOf(step, this.#branches[index] ?? NONE)),
        ...values?.of(index),
      }
    })
    const path = steps.map(({ id }) => id).join(' -> ')
    return {
      path,
      steps,
      ...(this.#truncated && { truncated: true }),
      ...(values?.isTruncated === true && { values_truncated: true }),
    }
  }
}

function branchOf({ branches }: DecisionStep, taken: number): Pick<TraceStep, 'branch' | 'condition'> {
  if (taken === NONE) return {}
  const branch = branches[taken]
  return branch === undefined ? { branch: null } : { branch: taken, condition: branch.source }
}

/** Monotonic milliseconds as whole microseconds; never negative. */
export function microseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000))
}
