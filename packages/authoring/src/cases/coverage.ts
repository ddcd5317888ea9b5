import { quote, type Value } from '@engine/expression'
import type { ActionStep, DecisionStep, Inspection, InspectedStep, Ruleset, Step } from '@engine/ruleset'

/** Coverage of one kind of part. */
export interface Covered {
  readonly covered: number
  readonly total: number
  /** Descriptions of the uncovered parts. */
  readonly missing: readonly string[]
}

/** Coverage of a ruleset: steps, decision outcomes (each branch and the default), and table rows. */
export interface Coverage {
  readonly steps: Covered
  readonly branches: Covered
  readonly rows: Covered
}

/** A part of a ruleset as its author sees it; parts with the same key are the same part. */
export interface Part {
  readonly key: string
  readonly words: string
  readonly isRow?: boolean
}

/** Maps the steps and branches of a ruleset to parts. */
export interface Parts {
  step(id: string): Part
  /** @param branch undefined: the default */
  wayOut(step: DecisionStep, branch: number | undefined): Part
  /** The rows whose matches an action lists, 1 for each matching row. */
  rows(step: ActionStep, action: number): readonly Part[]
}

/** The parts of a ruleset written in the engine format. */
const OWN_PARTS: Parts = {
  step: (id) => ({ key: id, words: `step ${quote(id)}` }),
  wayOut: ({ id, branches }, branch) => ({
    key: `${id}/${branch ?? 'default'}`,
    words:
      branch === undefined
        ? `the default of ${quote(id)}`
        : `branch ${branch + 1} of ${quote(id)} (${branches[branch]?.source ?? ''})`,
  }),
  rows: () => [],
}

/** The coverage of a ruleset by executions. Linear in the ruleset and the steps of the executions. */
export function coverageOf(ruleset: Ruleset, inspections: readonly Inspection[], parts: Parts = OWN_PARTS): Coverage {
  const steps = new Set<string>()
  const ways = new Set<string>()
  for (const inspection of inspections)
    for (const inspected of inspection.steps) {
      steps.add(parts.step(inspected.id).key)
      for (const { key } of waysTaken(ruleset.steps.get(inspected.id), inspected, parts)) ways.add(key)
    }
  const all = [...ruleset.steps.values()].flatMap((step) => waysOut(step, parts))
  return {
    steps: covered(
      Array.from(ruleset.steps.keys(), (id) => parts.step(id)),
      steps,
    ),
    branches: covered(
      all.filter(({ isRow }) => isRow !== true),
      ways,
    ),
    rows: covered(
      all.filter(({ isRow }) => isRow === true),
      ways,
    ),
  }
}

/**
 * The number of executions that covered each part, by key; uncovered parts are absent. Linear in the steps of the
 * executions.
 */
export function hitsOf(
  ruleset: Ruleset,
  inspections: readonly Inspection[],
  parts: Parts = OWN_PARTS,
): ReadonlyMap<string, number> {
  const hits = new Map<string, number>()
  for (const { steps } of inspections) {
    const seen = steps.flatMap((inspected) => [
      parts.step(inspected.id).key,
      ...waysTaken(ruleset.steps.get(inspected.id), inspected, parts).map(({ key }) => key),
    ])
    for (const key of new Set(seen)) hits.set(key, (hits.get(key) ?? 0) + 1)
  }
  return hits
}

/**
 * How often each branch, row and default was taken, by key, from the counts of engines: per step in branch order, with
 * the default last. Parts that were never taken are absent, as are rows of tables that list their matches, which
 * engines do not count. Linear in the counts.
 */
export function hitsOfCounts(
  ruleset: Ruleset,
  counts: { readonly [step: string]: readonly number[] },
  parts: Parts = OWN_PARTS,
): ReadonlyMap<string, number> {
  const hits = new Map<string, number>()
  for (const [id, taken] of Object.entries(counts)) {
    const step = ruleset.steps.get(id)
    if (step?.type !== 'decision') continue
    for (const [index, count] of taken.slice(0, step.branches.length + 1).entries()) {
      if (count === 0) continue
      const { key } = parts.wayOut(step, index < step.branches.length ? index : undefined)
      hits.set(key, (hits.get(key) ?? 0) + count)
    }
  }
  return hits
}

function waysTaken(step: Step | undefined, { branches, variables }: InspectedStep, parts: Parts): readonly Part[] {
  switch (step?.type) {
    case 'decision': {
      // Branches are tried in order up to the first true one, or one whose condition fails: then none is taken.
      const last = branches.at(-1)
      if (last?.error !== undefined) return []
      return [parts.wayOut(step, last?.taken === true ? branches.length - 1 : undefined)]
    }
    case 'action':
      return rowLists(step, parts).flatMap(({ variable, rows }) => matching(rows, variables[variable]))
    case 'terminal':
    case undefined:
      return []
  }
}

const matching = (rows: readonly Part[], matches: Value | undefined) =>
  rows.filter((_row, index) => Array.isArray(matches) && matches[index] === 1)

function rowLists(
  step: ActionStep,
  parts: Parts,
): readonly { readonly variable: string; readonly rows: readonly Part[] }[] {
  return step.actions.flatMap((action, index) => {
    const rows = action.action === 'set_variable' ? parts.rows(step, index) : []
    return action.action === 'set_variable' && rows.length > 0 ? [{ variable: action.name, rows }] : []
  })
}

/** Percentage, rounded down, so that 100 means complete. */
export function percent({ covered: count, total }: Covered): number {
  return total === 0 ? 100 : Math.floor((count / total) * 100)
}

function covered(all: readonly Part[], seen: ReadonlySet<string>): Covered {
  const words = new Map(all.map((part) => [part.key, part.words]))
  const missing = [...words].filter(([key]) => !seen.has(key)).map(([, text]) => text)
  return { covered: words.size - missing.length, total: words.size, missing }
}

function waysOut(step: Step, parts: Parts): readonly Part[] {
  switch (step.type) {
    case 'decision': {
      const branches = Array.from(step.branches.keys(), (index) => parts.wayOut(step, index))
      return step.defaultNext === undefined ? branches : [...branches, parts.wayOut(step, undefined)]
    }
    case 'action':
      return rowLists(step, parts).flatMap(({ rows }) => rows)
    case 'terminal':
      return []
  }
}
