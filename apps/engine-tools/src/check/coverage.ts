import { quote } from '@engine/expression'
import type { Inspection, Ruleset } from '@engine/ruleset'

/** How much of something the cases came through. */
export interface Covered {
  readonly covered: number
  readonly total: number
  /** The uncovered parts, in words. */
  readonly missing: readonly string[]
}

/** Of a ruleset: its steps, and the ways out of its decisions (each branch, and the default). */
export interface Coverage {
  readonly steps: Covered
  readonly branches: Covered
}

/** The steps and branches covered by executions of a ruleset. */
export function coverageOf(ruleset: Ruleset, inspections: readonly Inspection[]): Coverage {
  const entered = new Set<string>()
  const taken = new Set<string>()
  for (const { steps } of inspections)
    for (const { id, type, branches } of steps) {
      entered.add(id)
      if (type !== 'decision') continue
      // Branches are tried in order up to the first true one, or one whose condition fails: then no way is taken.
      const last = branches.at(-1)
      if (last?.error === undefined) taken.add(wayOut(id, last?.taken === true ? branches.length - 1 : undefined))
    }
  return { steps: covered(stepsOf(ruleset), entered), branches: covered(waysOut(ruleset), taken) }
}

/** Percent, rounded down, so that 100 means everything. */
export function percent({ covered: count, total }: Covered): number {
  return total === 0 ? 100 : Math.floor((count / total) * 100)
}

function covered(all: ReadonlyMap<string, string>, seen: ReadonlySet<string>): Covered {
  const missing = [...all].filter(([key]) => !seen.has(key)).map(([, words]) => words)
  return { covered: all.size - missing.length, total: all.size, missing }
}

function stepsOf({ steps }: Ruleset): ReadonlyMap<string, string> {
  return new Map(Array.from(steps.keys(), (id) => [id, `step ${quote(id)}`]))
}

const wayOut = (step: string, branch: number | undefined) => `${step}/${branch ?? 'default'}`

function waysOut({ steps }: Ruleset): ReadonlyMap<string, string> {
  const ways = new Map<string, string>()
  for (const step of steps.values()) {
    if (step.type !== 'decision') continue
    for (const [index, { source }] of step.branches.entries())
      ways.set(wayOut(step.id, index), `branch ${index + 1} of ${quote(step.id)} (${source})`)
    if (step.defaultNext !== undefined) ways.set(wayOut(step.id, undefined), `the default of ${quote(step.id)}`)
  }
  return ways
}
