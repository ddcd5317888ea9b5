import { type Expression, FUNCTIONS, NO_SPAN, parse, print } from '@engine/expression'
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
import { appearanceOf, freshName, graphIn, withGraph } from './place.ts'
import { isReading, type Reading, replacedInPath, replacedInText, type Replace, variableNamed } from './references.ts'
import { type Edit, type Refusal, refusals } from './refusal.ts'
import { redirected } from './edges.ts'
import { type TextChanges, withTexts } from './step-texts.ts'
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
  if (inner.start === undefined || !inner.steps.has(inner.start)) return refusals.noStart(use.refName ?? '')
  const unreadable = [...inner.steps.keys()].find((id) => inner.variables(id).unreadable !== undefined)
  if (unreadable !== undefined) return refusals.unreadable(use.id, inner.variables(unreadable).unreadable ?? '')
  const names = new Names(outer, inner)
  const isWhole = [...inner.steps.values()].some(
    ({ id, type }) => type !== 'terminal' && inner.variables(id).readsInput,
  )
  const bound = boundFields(names, use, isWhole)
  if (bound.kind === 'refused') return bound
  const entry: readonly Assignment[] = [...bound.assignments, ...nulls(names, inner, use)]
  const ids = idsOf(host, inner)
  const targetOf = (id: string) => {
    const step = inner.steps.get(id)
    return step?.type === 'terminal' && use.outputs.length === 0 ? use.nextStepId : (ids.get(id) ?? id)
  }
  const changes = changesOf(names, bound)
  const isKept = keptIn(outer, use)
  const copies = [...inner.steps.values()].flatMap((step): readonly DraftStep[] => {
    const id = ids.get(step.id) ?? step.id
    if (step.type === 'terminal') return use.outputs.length === 0 ? [] : [ended(names, isKept, use, step, id)]
    return [redirected({ ...withTexts(step, changes), id }, targetOf)]
  })
  const first = targetOf(inner.start)
  if (entry.length === 0) return replaced(host, use, copies, first)
  const action: ActionStep = {
    ...appearanceOf(use),
    id: use.id,
    type: 'action',
    assignments: entry,
    ...leadingTo(first),
  }
  return replaced(host, use, [action, ...copies], use.id)
}

/** The host with other steps in the place of the use, and what led to it leading to `first`. */
function replaced(
  host: DraftGraph,
  use: SubRuleStep,
  steps: readonly DraftStep[],
  first: string | undefined,
): DraftGraph {
  const target = (id: string) => (id === use.id ? first : id)
  const changed = host.steps.flatMap((step) => (step.id === use.id ? steps : [redirected(step, target)]))
  const { startStepId, ...rest } = host
  const start = startStepId === undefined ? undefined : target(startStepId)
  return { ...rest, ...(start === undefined ? {} : { startStepId: start }), steps: changed }
}

/** Names in the host of the variables of a sub-rule, and of what is bound to its fields. */
class Names {
  readonly #taken: Set<string>
  readonly #variables = new Map<string, string>()

  constructor(outer: Flow, inner: Flow) {
    this.#taken = new Set(namesIn(outer))
    for (const name of namesIn(inner)) this.variable(name)
  }

  variable(written: string): string {
    const name = variableName(written)
    const known = this.#variables.get(name) ?? freshName(this.#taken, name)
    this.#variables.set(name, known)
    return known
  }

  fresh(wanted: string): string {
    return freshName(this.#taken, PLAIN.test(wanted) ? wanted : 'input')
  }
}

const leadingTo = (id: string | undefined) => (id === undefined ? {} : { nextStepId: id })

/** Ids in the host of the steps of a sub-rule. */
function idsOf(host: DraftGraph, inner: Flow): ReadonlyMap<string, string> {
  const taken = new Set(host.steps.map(({ id }) => id))
  return new Map(Array.from(inner.steps.keys(), (id) => [id, freshName(taken, id)]))
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

const namesIn = (flow: Flow) =>
  [...flow.steps.keys()].flatMap((id) => flow.variables(id).events.map(({ name }) => name))

interface Bound {
  readonly kind: 'bound'
  /** What stands in the place of a field. */
  field(name: string): Reading
  /** What stands in the place of the whole input; undefined: it is not read. */
  readonly whole: Reading | undefined
  readonly assignments: readonly Assignment[]
}

/** A path stands for itself, everything else is evaluated once, and a field without a binding is what nothing sets. */
function boundFields(names: Names, use: SubRuleStep, isWhole: boolean): Bound | Refusal {
  const fields = new Map<string, Reading>()
  const assignments: Assignment[] = []
  for (const { field = '', expr = '' } of use.bindings) {
    const parsed = parse(expr)
    if (parsed.kind === 'failed') return refusals.unreadable(use.id, expr)
    const { expression } = parsed
    if (isReading(expression) && expression.path.every(({ kind }) => kind !== 'wildcard')) {
      fields.set(field, expression)
      continue
    }
    const name = names.fresh(field)
    fields.set(field, variableNamed(name))
    assignments.push({ name, value: expr })
  }
  const whole = isWhole ? variableNamed(names.fresh('input')) : undefined
  if (whole !== undefined) {
    const entries = Array.from(fields, ([key, value]) => ({ key, value }))
    assignments.push({ name: whole.name, value: print({ kind: 'object', entries, span: NO_SPAN }) })
  }
  const field = (name: string) => {
    const known = fields.get(name) ?? variableNamed(names.fresh(name))
    fields.set(name, known)
    return known
  }
  return { kind: 'bound', assignments, field, whole }
}

function changesOf(names: Names, bound: Bound): TextChanges {
  const replace: Replace = (reading) => {
    const [first, ...rest] = reading.path
    if (reading.kind === 'variable') {
      const name = names.variable(reading.name)
      return name === reading.name ? reading : { ...reading, name }
    }
    if (first?.kind !== 'name') return bound.whole === undefined ? reading : { ...bound.whole, path: reading.path }
    const root = bound.field(first.name)
    return isSameField(root, first.name) ? reading : { ...root, path: [...root.path, ...rest] }
  }
  return {
    expression: (text) => replacedInText(text, replace),
    path: (text) => replacedInPath(text, replace),
    variable: (written) => (names.variable(written) === variableName(written) ? written : names.variable(written)),
  }
}

function isSameField({ kind, path }: Reading, name: string): boolean {
  const [first, ...rest] = path
  return kind === 'field' && rest.length === 0 && first?.kind === 'name' && first.name === name
}

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
function ended(
  names: Names,
  isKept: (name: string) => boolean,
  use: SubRuleStep,
  terminal: TerminalStep,
  id: string,
): ActionStep {
  const assignments = use.outputs.map(({ parentVar, childVar }): Assignment => {
    const name = variableName(parentVar ?? childVar ?? '')
    const value: Expression = variableNamed(names.variable(childVar ?? parentVar ?? ''))
    const args = [value, variableNamed(name)]
    const either: Expression = { kind: 'call', name: firstOf, args, span: NO_SPAN, nameSpan: NO_SPAN }
    return { name, value: print(isKept(name) ? either : value) }
  })
  return { ...appearanceOf(terminal), id, type: 'action', assignments, ...leadingTo(use.nextStepId) }
}
