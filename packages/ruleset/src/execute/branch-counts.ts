import { defined, type Value } from '@engine/expression/core'
import type { Ruleset } from '../model.ts'
import type { Decision } from '../program.ts'
import { type Execution, NEEDS_PAUSE } from './execution.ts'

/**
 * Number of executions per branch of a decision, in branch order; last those that took the default, or no branch if
 * there is no default.
 */
export type TakenBranches = readonly number[]

/**
 * Counts how often each branch of a ruleset is taken. Programs with the same content share one instance. Counting costs
 * one increment per decision, and 8 bytes per branch.
 */
export class BranchCounts {
  /** The counters of all decisions, one decision after the other: generated code increments them. */
  readonly counters: Float64Array
  /** The index of the first counter of each step, by step number. */
  readonly offsets: readonly number[]
  /** Counters that the current run of restartable code has reached. */
  readonly pending: number[] = []
  readonly #ruleset: Ruleset

  constructor(ruleset: Ruleset) {
    this.#ruleset = ruleset
    let size = 0
    this.offsets = Array.from(ruleset.steps.values(), (step) => {
      const offset = size
      if (step.type === 'decision') size += step.branches.length + 1
      return offset
    })
    this.counters = new Float64Array(size)
  }

  /** @param branch the number of branches stands for the default, or for none */
  take(step: number, branch: number): void {
    this.counters[defined(this.offsets[step]) + branch]! += 1
  }

  /** Code that lists the counters it reaches in `pending`: a restarted run is counted only once. */
  countingOnce(run: (input: Value, execution: Execution) => Decision): typeof run {
    const { counters, pending } = this
    return (input, execution) => {
      try {
        return run(input, execution)
      } catch (error) {
        if (error === NEEDS_PAUSE) pending.length = 0
        throw error
      } finally {
        for (const index of pending) counters[index]! += 1
        pending.length = 0
      }
    }
  }

  /** By step id, only for decisions that were reached. Linear in the branches. */
  bySteps(): { readonly [step: string]: TakenBranches } {
    const found: [string, TakenBranches][] = []
    for (const [number, step] of [...this.#ruleset.steps.values()].entries()) {
      if (step.type !== 'decision') continue
      const offset = defined(this.offsets[number])
      const counts = this.counters.subarray(offset, offset + step.branches.length + 1)
      if (counts.some((count) => count > 0)) found.push([step.id, Array.from(counts)])
    }
    return Object.fromEntries(found)
  }
}
