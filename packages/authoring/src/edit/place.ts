import type { DraftGraph, DraftRuleset, DraftStep } from '../draft/model.ts'

/**
 * The graph of the ruleset itself, or with `within` of one of its sub-rules; undefined when there is none of this name.
 */
export function graphIn(draft: DraftRuleset, within: string | undefined): DraftGraph | undefined {
  if (within === undefined) return draft
  return Object.hasOwn(draft.subRules ?? {}, within) ? draft.subRules?.[within] : undefined
}

/** The draft with the first step and steps of one of its graphs replaced. */
export function withGraph(draft: DraftRuleset, within: string | undefined, graph: DraftGraph): DraftRuleset {
  if (within === undefined) return withSteps(draft, graph)
  return withSubRule(draft, within, withSteps(graphIn(draft, within) ?? graph, graph))
}

/** A graph with its first step and steps replaced. */
export function withSteps<Graph extends DraftGraph>(graph: Graph, { startStepId, steps }: DraftGraph): Graph {
  const { startStepId: _before, ...rest } = graph
  return { ...rest, ...(startStepId === undefined ? {} : { startStepId }), steps } as Graph
}

/** The draft with a sub-rule added or replaced. */
export function withSubRule(draft: DraftRuleset, name: string, graph: DraftGraph): DraftRuleset {
  return { ...draft, subRules: Object.fromEntries([...Object.entries(draft.subRules ?? {}), [name, graph]]) }
}

/** The wanted name, or the first free one with a numeric suffix; marks it as taken. */
export function freshName(taken: Set<string>, wanted: string, between = '_'): string {
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}${between}${number}`
  taken.add(name)
  return name
}

/** The display members of a step: its name, and its canvas position, which has no meaning here. */
export function appearanceOf(step: DraftStep): Pick<DraftStep, 'name'> {
  return {
    ...(step.name === undefined ? {} : { name: step.name }),
    ...('position' in step ? { position: step.position } : {}),
  }
}
