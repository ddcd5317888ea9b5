import { type Place, pointer } from '@engine/ruleset'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import { type Source } from '../engine/scope.ts'
import { below } from '../place.ts'

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

/** Where parts of a converted ruleset come from. */
export interface EditorPlaces {
  /**
   * Where a step of the converted ruleset comes from, for traces and errors of executions; with the number of a branch of it,
   * where that comes from: a branch, or the row of a table.
   */
  editorStep(id: string, branch?: number): EditorPlace | undefined
  /**
   * JSON pointers to the rows of a table that collects, of which an action of the converted ruleset lists the matches: 1 for
   * each that matches, 0 for each other.
   */
  editorRows(id: string, action: number): readonly string[]
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
): EditorPlaces {
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
  ): Source | undefined => {
    const prefix = name === undefined ? below(undefined, 'steps') : below(undefined, 'sub_rules', name, 'steps')
    const own = sources.get(pointer(below(prefix, id, ...part)))
    if (own?.stepId !== undefined) return own
    const uses = usesOf(graph)
    for (let slash = id.indexOf('/'); slash >= 0; slash = id.indexOf('/', slash + 1)) {
      const used = uses.get(id.slice(0, slash))
      const inner = used === undefined ? undefined : graphs.get(used)
      const found = inner && find(inner.graph, used, id.slice(slash + 1), part)
      if (found !== undefined) return found
    }
    return NUMBERED.test(id) ? find(graph, name, id.replace(NUMBERED, ''), part) : undefined
  }
  return {
    editorStep(id, branch) {
      const { place, stepId } = find(draft, undefined, id, branch === undefined ? [] : ['branches', branch]) ?? {}
      return stepId === undefined ? undefined : { path: pointer(place), step_id: stepId }
    },
    editorRows: (id, action) =>
      find(draft, undefined, id, ['actions', action])?.rows?.map((place) => pointer(place)) ?? [],
  }
}
