import type { ActionStep, DraftGraph, DraftRuleset, DraftStep, SubRuleStep } from '../draft/model.ts'
import { Flow } from './flow.ts'
import { appearanceOf, freshName, graphIn, withGraph, withSubRule } from './place.ts'
import { redirected } from './edges.ts'
import { fieldNamed, replacedInPath, replacedInText, type Replace } from './references.ts'
import { type Edit, refusals } from './refusal.ts'
import { entryAndExit } from './selection.ts'
import { UNCHANGED, withTexts } from './step-texts.ts'
import { type Interface, interfaceOf } from './sub-rule-interface.ts'

export interface ExtractOptions {
  /** Of the sub-rule; no other one of the draft has it. */
  readonly name: string
  /** Id of the step that uses it; else one that is free. */
  readonly stepId?: string
  /** The sub-rule of the draft whose steps are selected; undefined: the ruleset's own. */
  readonly within?: string
}

export interface Extracted {
  readonly draft: DraftRuleset
  /** Id of the step that uses the sub-rule. */
  readonly stepId: string
}

/**
 * Makes a sub-rule of the draft of some steps, and a step that uses it of them. Fields and variables that the steps read
 * become bindings, variables that they set and that are read afterwards become outputs; where such a variable may have a value
 * before, the value goes in by a binding, and the result comes back through a variable of its own, since an output that is
 * null would leave the value of before. Decisions stay the same; the steps that are inlined count for `maxDepth`.
 *
 * Refused where the steps have not one entry and one exit, and where a variable may be missing in a ruleset that tells that
 * from null (`fieldMissing: 'strict'`, `exists($x)`): variables of a sub-rule begin as null. Costs the size of the graph,
 * and its steps times its variables.
 */
export function extractSubRule(
  draft: DraftRuleset,
  selected: readonly string[],
  { name, stepId, within }: ExtractOptions,
): Edit<Extracted> {
  const graph = graphIn(draft, within)
  if (graph === undefined) return refusals.unknownGraph(within ?? '')
  if (name === '') return refusals.emptyName()
  if (graphIn(draft, name) !== undefined) return refusals.nameTaken(name)
  const ids = new Set(graph.steps.map(({ id }) => id))
  if (stepId !== undefined && ids.has(stepId)) return refusals.idTaken(stepId)
  const flow = new Flow(graph)
  const area = new Set(selected)
  const way = entryAndExit(flow, area)
  if (way.kind === 'refused') return way
  const found = interfaceOf(
    flow,
    { ...way, area },
    { isStrict: draft.config.fieldMissing === 'strict', isSubRule: within !== undefined },
  )
  if (found.kind === 'refused') return found
  const use = stepId ?? freshName(ids, name)
  ids.add(use)
  const part: Part = { graph, area, way, found, name, use, behind: freshName(ids, `${use}_outputs`) }
  const next = withGraph(draft, within, remainder(part))
  return { kind: 'edited', draft: withSubRule(next, name, subRuleOf(part)), stepId: use }
}

interface Part {
  readonly graph: DraftGraph
  readonly area: ReadonlySet<string>
  readonly way: { readonly entry: string; readonly exit: string }
  readonly found: Interface
  readonly name: string
  /** Ids of the step that uses the sub-rule, and of the one behind it, if there is one. */
  readonly use: string
  readonly behind: string
}

/** The selected steps as a graph of their own. */
function subRuleOf({ graph, area, way, found }: Part): DraftGraph {
  const ids = new Set(area)
  const end = freshName(ids, 'end')
  const replace: Replace = (reading) => {
    const field = reading.kind === 'variable' ? found.readOnly.get(reading.name) : undefined
    return field === undefined ? reading : { ...fieldNamed(field), path: [...fieldNamed(field).path, ...reading.path] }
  }
  const changes = {
    ...UNCHANGED,
    expression: (text: string) => replacedInText(text, replace),
    path: (text: string) => replacedInPath(text, replace),
  }
  const inner = graph.steps
    .filter(({ id }) => area.has(id))
    .map((step) =>
      redirected(found.readOnly.size === 0 ? step : withTexts(step, changes), (id) => (id === way.exit ? end : id)),
    )
  const terminal: DraftStep = { id: end, type: 'terminal', code: 'DONE' }
  if (found.initial.size === 0) return { startStepId: way.entry, steps: [...inner, terminal] }
  const first: ActionStep = {
    id: freshName(ids, 'inputs'),
    type: 'action',
    assignments: Array.from(found.initial, ([variable, field]) => ({ name: variable, value: field })),
    nextStepId: way.entry,
  }
  return { startStepId: first.id, steps: [first, ...inner, terminal] }
}

/** The graph with the use in the place of the selected steps. */
function remainder({ graph, area, way, found, name, use, behind }: Part): DraftGraph {
  const first = graph.steps.find(({ id }) => id === way.entry)
  const copies = found.outputs.filter(({ through }) => through !== undefined)
  const step: SubRuleStep = {
    ...(first === undefined ? {} : appearanceOf(first)),
    id: use,
    name,
    type: 'sub_rule',
    refName: name,
    bindings: found.bindings,
    outputs: found.outputs.map(({ variable, through }) => ({ parentVar: through ?? variable, childVar: variable })),
    nextStepId: copies.length > 0 ? behind : way.exit,
  }
  const copying: ActionStep = {
    id: behind,
    type: 'action',
    assignments: copies.map(({ variable, through = variable }) => ({ name: variable, value: `$${through}` })),
    nextStepId: way.exit,
  }
  const steps = graph.steps.flatMap((one): readonly DraftStep[] => {
    if (one.id === way.entry) return copies.length > 0 ? [step, copying] : [step]
    return area.has(one.id) ? [] : [redirected(one, (id) => (id === way.entry ? use : id))]
  })
  return graph.startStepId === way.entry ? { ...graph, startStepId: use, steps } : { ...graph, steps }
}
