import { keysOfPointer } from '@engine/expression'
import { type Place, pointer, type Ruleset } from '@engine/ruleset'
import type { DraftGraph, DraftRuleset } from '../draft/model.ts'
import { type Source } from '../engine/scope.ts'
import { below } from '../place.ts'

/** A sub-rule and its place in the draft; a shared one has the place of its first use. */
export interface FoundGraph {
  readonly graph: DraftGraph
  readonly from: Place
  readonly asset: boolean
}

/** A step of the editor. */
export interface EditorPlace {
  /** JSON pointer into the draft; for a step of a shared sub-rule, the place of its use. */
  readonly path: string
  readonly step_id: string
}

/** Maps parts of a converted ruleset to the draft. */
export interface EditorPlaces {
  /**
   * The origin of a converted step, for traces and execution errors; with a branch number, the origin of that branch: a
   * branch, or a table row.
   */
  editorStep(id: string, branch?: number): EditorPlace | undefined
  /** JSON pointers to the table rows whose matches an action lists: 1 for each matching row, 0 for the others. */
  editorRows(id: string, action: number): readonly string[]
  /** True if the draft does not state the default of a decision: its table continues with the next step. */
  impliesDefault(id: string): boolean
}

/**
 * Whether a branch, given by its pointer into the ruleset, is the last row of a table without a stated default. A row that
 * always matches completes such a table.
 */
export function endsTable(ruleset: Ruleset, places: Pick<EditorPlaces, 'impliesDefault'>, place: string): boolean {
  const [, id = '', , branch] = keysOfPointer(place)
  const step = ruleset.steps.get(id)
  return step?.type === 'decision' && Number(branch) === step.branches.length - 1 && places.impliesDefault(id)
}

/** The suffix that the decoder appends to an id that was taken. */
const NUMBERED = /~\d+$/

/**
 * Resolves the id of an inlined step, `use/inner`, to a draft step: the id of the step that uses the sub-rule, then the
 * id of the sub-rule's step. Ids may contain slashes, so each possible split is tried.
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
    impliesDefault: (id) => find(draft, undefined, id, ['default_next'])?.isImplied === true,
  }
}
