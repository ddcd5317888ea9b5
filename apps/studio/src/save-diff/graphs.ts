import type { DraftRuleset } from '@engine/authoring'
import { openGraph } from '../session/open-graph.ts'
import { stepChanges } from './changes.ts'

/** The graph of a ruleset, or of one of its sub-rules, in two drafts, with the number of different steps. */
export interface ComparedGraph {
  /** Name of the sub-rule; undefined for the ruleset itself. */
  readonly name: string | undefined
  readonly count: number
}

/** A draft whose steps are those of a sub-rule; without steps if the sub-rule is missing. */
export function graphIn(draft: DraftRuleset, name: string | undefined): DraftRuleset {
  if (name === undefined) return draft
  const { within, draft: opened } = openGraph(draft, name, {})
  if (within !== undefined) return opened
  const { startStepId: _start, ...rest } = draft
  return { ...rest, steps: [] }
}

/** The ruleset, then the sub-rules of both drafts by name. */
export function comparedGraphs(before: DraftRuleset, after: DraftRuleset): readonly ComparedGraph[] {
  const names = new Set([...Object.keys(before.subRules ?? {}), ...Object.keys(after.subRules ?? {})])
  return [undefined, ...[...names].sort()].map((name) => ({
    name,
    count: stepChanges(graphIn(before, name), graphIn(after, name)).size,
  }))
}
