import { type Place, pointer } from '@engine/ruleset'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import { below, type Source } from '../engine/scope.ts'

/** A sub-rule, and where it stands in the draft: an asset stands where it is used first. */
export interface FoundGraph {
  readonly graph: DraftGraph
  readonly from: Place
  readonly asset: boolean
}

/** A step of the editor. */
export interface EditorPlace {
  /** JSON pointer into the draft; of a step of an asset the place where the asset is used. */
  readonly path: string
  readonly step_id: string
}

/** The number that the decoder puts behind an id that was taken. */
const NUMBERED = /~\d+$/

/**
 * Finds the editor's step for the id of an inlined step, `use/inner`: the id of a step that uses a sub-rule, and behind
 * it the id of one of the sub-rule's steps. Ids may hold slashes themselves, so each way to read the id is tried.
 */
export function placesOf(
  draft: DraftRuleset,
  graphs: ReadonlyMap<string, FoundGraph>,
  sources: ReadonlyMap<string, Source>,
): (id: string, branch?: number) => EditorPlace | undefined {
  const indexes = new Map<DraftGraph, ReadonlyMap<string, string | undefined>>()
  const usesOf = (graph: DraftGraph) => {
    const known = indexes.get(graph)
    if (known !== undefined) return known
    const made = new Map(graph.steps.map((step) => [step.id, step.type === 'sub_rule' ? step.refName : undefined]))
    indexes.set(graph, made)
    return made
  }
  const find = (
    graph: DraftGraph,
    name: string | undefined,
    id: string,
    part: readonly (string | number)[],
  ): EditorPlace | undefined => {
    const prefix = name === undefined ? below(undefined, 'steps') : below(undefined, 'sub_rules', name, 'steps')
    const own = sources.get(pointer(below(prefix, id, ...part)))
    if (own?.stepId !== undefined) return { path: pointer(own.place), step_id: own.stepId }
    const uses = usesOf(graph)
    for (let slash = id.indexOf('/'); slash >= 0; slash = id.indexOf('/', slash + 1)) {
      const used = uses.get(id.slice(0, slash))
      const inner = used === undefined ? undefined : graphs.get(used)
      const found = inner && find(inner.graph, used, id.slice(slash + 1), part)
      if (found !== undefined) return found
    }
    return NUMBERED.test(id) ? find(graph, name, id.replace(NUMBERED, ''), part) : undefined
  }
  return (id, branch) => find(draft, undefined, id, branch === undefined ? [] : ['branches', branch])
}
