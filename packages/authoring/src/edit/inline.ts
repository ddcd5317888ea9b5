import { type Expression, FUNCTIONS, NO_SPAN, print } from '@engine/expression'
import type {
  ActionStep,
  Assignment,
  DraftGraph,
  DraftRuleset,
  DraftStep,
  SubRuleStep,
  TerminalStep,
} from '../draft/model.ts'
import { Flow } from './flow.ts'
import { type Bound, boundFields, changesOf, Names } from './inline-names.ts'
import { appearanceOf, freshName, graphIn, withGraph } from './place.ts'
import { variableNamed } from './references.ts'
import { type Edit, type Refusal, refusals } from './refusal.ts'
import { redirected } from './edges.ts'
import { withTexts } from './step-texts.ts'
import { variableName } from './step-variables.ts'

export interface InlineOptions {
  /** Sub-rules of project and organization, for a name that the draft itself does not have. */
  readonly subRules?: ReadonlyMap<string, DraftGraph>
  /** The sub-rule of the draft that the step is in; undefined: it is the ruleset's own. */
  readonly within?: string
}

/**
 * Puts the steps of a sub-rule in the place of a step that uses it, as an engine does (docs/rulesets.md): fields become what
 * is bound to them, variables get names that the graph does not have, terminals copy the outputs. The sub-rule itself stays,
 * for other uses. Costs the size of both graphs, and the steps of the sub-rule times its variables.
 */
export function inlineSubRule(
  draft: DraftRuleset,
  stepId: string,
  { subRules, within }: InlineOptions = {},
): Edit<{ readonly draft: DraftRuleset }> {
  const host = graphIn(draft, within)
  if (host === undefined) return refusals.unknownGraph(within ?? '')
  const use = host.steps.find(({ id }) => id === stepId)
  if (use === undefined) return refusals.unknownSteps([stepId])
  if (use.type !== 'sub_rule') return refusals.notAUse(stepId)
  const { refName = '' } = use
  const graph = graphIn(draft, refName) ?? subRules?.get(refName)
  if (graph === undefined) return refusals.unknownSubRule(refName, stepId)
  if (refName === within) return refusals.ownSubRule(refName, stepId)
  const found = inlining(host, use, graph)
  if ('kind' in found) return found
  return { kind: 'edited', draft: withGraph(draft, within, found) }
}

function inlining(host: DraftGraph, use: SubRuleStep, graph: DraftGraph): DraftGraph | Refusal {
  const [outer, inner] = [new Flow(host), new Flow(graph)]
  const { start } = inner
  if (start === undefined || !inner.steps.has(start)) return refusals.noStart(use.refName ?? '')
  const steps = [...inner.steps.keys()].map((id) => ({ id, ...inner.variables(id) }))
  const text = steps.find(({ unreadable }) => unreadable !== undefined)?.unreadable
  if (text !== undefined) return refusals.unreadable(use.id, text)
  const names = new Names(outer, inner)
  const bound = boundFields(names, use, inner)
  if (bound.kind === 'refused') return bound
  const assignments = [...bound.assignments, ...nulls(names, inner, use)]
  const target = targetsIn(host, inner, use)
  const first = target(start)
  const copies = copiesOf({ use, names, bound, target, isKept: keptIn(outer, use) }, inner)
  if (assignments.length === 0) return replaced(host, use, copies, first)
  const entry: ActionStep = { ...appearanceOf(use), id: use.id, type: 'action', assignments, ...leadingTo(first) }
  return replaced(host, use, [entry, ...copies], use.id)
}

interface Copying {
  readonly use: SubRuleStep
  readonly names: Names
  readonly bound: Bound
  /** The step of the host for one of the sub-rule: a copy, or the one behind the use. */
  target(id: string): string | undefined
  /** Whether a variable of the host can have a value when the use is entered. */
  isKept(name: string): boolean
}

function copiesOf(copying: Copying, inner: Flow): readonly DraftStep[] {
  const { use, names, bound, target } = copying
  const changes = changesOf(names, bound)
  return [...inner.steps.values()].flatMap((step): readonly DraftStep[] => {
    // Without outputs there is nothing to do at its end.
    if (step.type === 'terminal' && use.outputs.length === 0) return []
    const id = target(step.id) ?? step.id
    return step.type === 'terminal'
      ? [ended(copying, step, id)]
      : [redirected({ ...withTexts(step, changes), id }, target)]
  })
}

function targetsIn(host: DraftGraph, inner: Flow, use: SubRuleStep): Copying['target'] {
  const taken = new Set(host.steps.map(({ id }) => id))
  const ids = new Map(Array.from(inner.steps.keys(), (id) => [id, freshName(taken, id)]))
  return (id) =>
    inner.steps.get(id)?.type === 'terminal' && use.outputs.length === 0 ? use.nextStepId : (ids.get(id) ?? id)
}

/** The host with other steps in the place of the use, and what led to it leading to `first`. */
function replaced(
  host: DraftGraph,
  use: SubRuleStep,
  steps: readonly DraftStep[],
  first: string | undefined,
): DraftGraph {
  const target = (id: string) => (id === use.id ? first : id)
  const changed = host.steps
    .flatMap((step) => (step.id === use.id ? steps : [step]))
    .map((step) => redirected(step, target))
  const { startStepId, ...rest } = host
  const start = startStepId === undefined ? undefined : target(startStepId)
  return { ...rest, ...(start === undefined ? {} : { startStepId: start }), steps: changed }
}

const leadingTo = (id: string | undefined) => (id === undefined ? {} : { nextStepId: id })

/** Variables of a sub-rule are null when it is entered, which matters for those that are read before they are set. */
function nulls(names: Names, inner: Flow, use: SubRuleStep): readonly Assignment[] {
  const { start = '' } = inner
  const before = inner.setBefore(start, new Set(inner.steps.keys()))
  const terminals = [...before].filter(([id]) => inner.steps.get(id)?.type === 'terminal')
  const early = new Set(inner.readEarly(before).keys())
  for (const { childVar, parentVar } of use.outputs) {
    const name = variableName(childVar ?? parentVar ?? '')
    if (terminals.some(([, known]) => !known.has(name))) early.add(name)
  }
  const set = inner.setBy(inner.steps.keys())
  return [...set].filter((name) => early.has(name)).map((name) => ({ name: names.variable(name), value: 'null' }))
}

/** The function whose value is the first that is not null. */
const firstOf = [...FUNCTIONS.values()].find(({ lazy }) => lazy === true)?.name ?? ''

/** Whether a variable of the host can have a value when the use is entered: another step sets it, or it is entered again. */
function keptIn(outer: Flow, use: SubRuleStep): (name: string) => boolean {
  const others = outer.setBy([...outer.steps.keys()].filter((other) => other !== use.id))
  const isRepeated = outer.reached(outer.successors(use.id), (next) => outer.successors(next)).has(use.id)
  return (name) => isRepeated || others.has(name)
}

/** A terminal of a sub-rule: it copies the outputs; one that is null leaves what the host may have had before. */
function ended({ names, isKept, use }: Copying, terminal: TerminalStep, id: string): ActionStep {
  const assignments = use.outputs.map(({ parentVar, childVar }): Assignment => {
    const name = variableName(parentVar ?? childVar ?? '')
    const value: Expression = variableNamed(names.variable(childVar ?? parentVar ?? ''))
    const args = [value, variableNamed(name)]
    const either: Expression = { kind: 'call', name: firstOf, args, span: NO_SPAN, nameSpan: NO_SPAN }
    return { name, value: print(isKept(name) ? either : value) }
  })
  return { ...appearanceOf(terminal), id, type: 'action', assignments, ...leadingTo(use.nextStepId) }
}
