import type { DraftGraph, DraftRuleset } from '@engine/authoring'
import { escapedKey, keysOfPointer } from '@engine/expression'

/** The graph that a view shows: that of the ruleset, or of one of its sub-rules. */
export interface OpenGraph {
  /** Name of the sub-rule; undefined for the ruleset itself. */
  readonly within: string | undefined
  /** The draft with its steps replaced by those of the sub-rule, so that every view can show it like a ruleset. */
  readonly draft: DraftRuleset
  /** JSON pointer to the graph in the draft. */
  readonly prefix: string
  /** False for shared sub-rules of project and organization, which are read-only here. */
  readonly isOwn: boolean
}

type SubRules = Readonly<Record<string, DraftGraph>>

/** The graph with this name; the ruleset itself if the sub-rule is missing. */
export function openGraph(draft: DraftRuleset, within: string | undefined, shared: SubRules): OpenGraph {
  const own = within === undefined ? undefined : member(draft.subRules, within)
  const graph = own ?? (within === undefined ? undefined : member(shared, within))
  if (within === undefined || graph === undefined) return { within: undefined, draft, prefix: '', isOwn: true }
  const prefix = `/subRules/${escapedKey(within)}`
  return { within, draft: withGraph(draft, graph), prefix, isOwn: own !== undefined }
}

const member = (all: SubRules | undefined, name: string): DraftGraph | undefined =>
  all !== undefined && Object.hasOwn(all, name) ? all[name] : undefined

function withGraph<Graph extends DraftGraph>(owner: Graph, { startStepId, steps }: DraftGraph): Graph {
  const { startStepId: _before, ...rest } = owner
  return { ...rest, ...(startStepId !== undefined && { startStepId }), steps } as unknown as Graph
}

/** The draft after a change of one of its graphs. */
export function putBack(draft: DraftRuleset, within: string | undefined, changed: DraftRuleset): DraftRuleset {
  if (within === undefined) return changed
  const graph = member(changed.subRules, within)
  if (graph === undefined) return draft
  return withGraph({ ...changed, subRules: { ...changed.subRules, [within]: withGraph(graph, changed) } }, draft)
}

/** The step at a JSON pointer into a draft, and the sub-rule that contains it. */
export function stepAt(
  { steps, subRules }: DraftRuleset,
  path: string,
): { readonly within: string | undefined; readonly id: string } | undefined {
  const [, subRule, number] = /^(\/subRules\/[^/]*)?\/steps\/(\d+)/.exec(path) ?? []
  const within = subRule === undefined ? undefined : keysOfPointer(subRule)[1]
  const graph = within === undefined ? steps : member(subRules, within)?.steps
  const id = graph?.[Number(number)]?.id
  return id === undefined ? undefined : { within, id }
}

/** Whether a sub-rule of the draft equals another, or uses it directly or indirectly. */
export function usesSubRule({ subRules }: DraftRuleset, name: string, wanted: string): boolean {
  const found = new Set([name])
  for (const one of found) {
    if (one === wanted) return true
    for (const step of member(subRules, one)?.steps ?? [])
      if (step.type === 'sub_rule' && step.refName !== undefined) found.add(step.refName)
  }
  return false
}
