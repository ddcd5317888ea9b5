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
  /** Name of the sub-rule; unique in the draft. */
  readonly name: string
  /** Id of the step that uses it; default: a free id. */
  readonly stepId?: string
  /** The sub-rule that contains the selected steps; undefined: the ruleset itself. */
  readonly within?: string
}

export interface Extracted {
  readonly draft: DraftRuleset
  /** Id of the step that uses the sub-rule. */
  readonly stepId: string
}

/**
 * Extracts steps into a new sub-rule of the draft and replaces them by a step that uses it. Fields and variables that
 * the steps read become bindings, and variables that they set and that are read later become outputs. A variable that
 * may already have a value is passed in by a binding and returned through a separate variable, since a null output
 * would keep the previous value. Decisions do not change; the inlined steps count towards `maxDepth`.
 *
 * Rejected unless the steps have one entry and one exit, and when a variable may be missing in a ruleset that
 * distinguishes missing from null (`fieldMissing: 'strict'`, `exists($x)`): a sub-rule's variables start as null.
 * Linear in the size of the graph, plus its steps times its variables.
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
  /** Ids of the step that uses the sub-rule, and of the step after it, if any. */
  readonly use: string
  readonly behind: string
}

/** The selected steps as a separate graph. */
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

/** The graph with the selected steps replaced by the use. */
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
