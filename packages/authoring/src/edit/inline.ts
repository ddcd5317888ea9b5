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
  /** Project and organization sub-rules, for names that the draft does not define itself. */
  readonly subRules?: ReadonlyMap<string, DraftGraph>
  /** The sub-rule that contains the step; undefined: the ruleset itself. */
  readonly within?: string
}

/**
 * Replaces a step by the steps of the sub-rule it uses, as engines do (docs/rulesets.md): fields become their bindings,
 * variables get unique names, terminals copy the outputs. The sub-rule itself is kept for other uses. Linear in the
 * size of both graphs, plus the sub-rule's steps times its variables.
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
  /** The host step for a step of the sub-rule: a copy, or the step after the use. */
  target(id: string): string | undefined
  /** Whether a host variable may have a value when the use is entered. */
  isKept(name: string): boolean
}

function copiesOf(copying: Copying, inner: Flow): readonly DraftStep[] {
  const { use, names, bound, target } = copying
  const changes = changesOf(names, bound)
  return [...inner.steps.values()].flatMap((step): readonly DraftStep[] => {
    // The end has nothing to do when there are no outputs.
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

/** The host with the use replaced by other steps, and its incoming edges redirected to `first`. */
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

/** A sub-rule's variables start as null, which matters for those read before they are set. */
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

/** The function that returns its first non-null argument. */
const firstOf = [...FUNCTIONS.values()].find(({ lazy }) => lazy === true)?.name ?? ''

/**
 * Whether a host variable may have a value when the use is entered: another step sets it, or the use can be entered
 * again.
 */
function keptIn(outer: Flow, use: SubRuleStep): (name: string) => boolean {
  const others = outer.setBy([...outer.steps.keys()].filter((other) => other !== use.id))
  const isRepeated = outer.reached(outer.successors(use.id), (next) => outer.successors(next)).has(use.id)
  return (name) => isRepeated || others.has(name)
}

/** A terminal of a sub-rule copies the outputs; a null output keeps the host's previous value. */
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
