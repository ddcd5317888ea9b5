import {
  defined,
  type Expression,
  FUNCTIONS,
  isReference,
  NO_SPAN,
  type Reference,
  rewrite,
  type Segment,
  walk,
} from '@engine/expression/core'
import { cycles, stepGraph } from '../graph.ts'
import type { Action, ActionStep, Branch, SetVariable, Step, TerminalStep } from '../model.ts'
import { actionsOf, expressionsOfAction } from '../step-expressions.ts'
import { faults } from '../problems.ts'
import { between, MAX_BRANCHES, MAX_ITEMS, MAX_PARTS, refuse, warn } from './decoding.ts'
import type { Decoding, Pausable } from './decoding.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'
import { MAX_STEPS } from './step.ts'
import type { DecodedStep, SubRuleStep } from './sub-rule-step.ts'
import type { Extent, StepSet } from './sub-rule.ts'

/** Maximum nesting of sub-rules. */
const MAX_NESTING = 10

/** Steps without sub-rule steps, and the document place of each. */
export interface Inlined {
  readonly steps: ReadonlyMap<string, Step>
  readonly places: ReadonlyMap<string, Place>
}

/**
 * Inlines sub-rules: replaces each step that uses one by a copy of its steps; undefined after a fault. The using step
 * becomes an action step with its own id that evaluates the bindings, followed by the copied steps with ids such as
 * `use/step`. In the copy:
 * - a field becomes its binding: a path into the caller's input or variables directly, anything else a variable that is
 *   set at the entry, and an unbound field a variable that is never set;
 * - a variable becomes unique to this copy, null at the entry;
 * - a terminal becomes an action step that copies the outputs and continues after the using step.
 *
 * Linear in the size of the result, which is measured before it is built.
 */
export function* inlineSubRules(
  decoding: Decoding,
  root: StepSet,
  subRules: ReadonlyMap<string, StepSet>,
): Pausable<Inlined | undefined> {
  if (!isAcyclic(decoding, subRules) || !isSmall(decoding, root, subRules)) return undefined
  const inlining = new Inlining(decoding, subRules, root.steps.keys())
  for (const step of root.steps.values()) {
    yield* between(decoding)
    yield* inlining.add(step, inlining.rootScope(root))
  }
  return inlining
}

function uses({ steps }: StepSet): readonly SubRuleStep[] {
  return [...steps.values()].filter((step) => step.type === 'sub_rule')
}

/** Whether no sub-rule uses itself directly or indirectly, and nesting is within the limit. */
function isAcyclic(decoding: Decoding, subRules: ReadonlyMap<string, StepSet>): boolean {
  const depths = new Map<string, number>()
  const path: string[] = []
  let isFine = true
  /** Nesting depth of a sub-rule, including itself. */
  const depthOf = (name: string): number => {
    const known = depths.get(name)
    if (known !== undefined) return known
    path.push(name)
    let deepest = 0
    for (const use of uses(defined(subRules.get(name)))) {
      const start = path.indexOf(use.refName)
      if (start >= 0) {
        isFine = false
        refuse(decoding, at(use.place, 'ref_name'), faults.subRuleCycle([...path.slice(start), use.refName]))
        continue
      }
      deepest = Math.max(deepest, depthOf(use.refName))
      if (deepest < MAX_NESTING) continue
      isFine = false
      refuse(decoding, at(use.place, 'ref_name'), faults.nestedSubRules(MAX_NESTING))
      // Sub-rules that use this one are only reported for their own faults.
      deepest = 0
    }
    path.pop()
    depths.set(name, deepest + 1)
    return deepest + 1
  }
  for (const name of subRules.keys()) depthOf(name)
  return isFine
}

/** Whether the steps of all uses together are within the limits of a ruleset. */
function isSmall(decoding: Decoding, root: StepSet, subRules: ReadonlyMap<string, StepSet>): boolean {
  const extents = new Map<string, Extent>()
  const total = (set: StepSet): Extent => {
    let { steps, branches, parts, items } = set.extent
    for (const { refName } of uses(set)) {
      const inner = extents.get(refName) ?? total(defined(subRules.get(refName)))
      extents.set(refName, inner)
      steps += inner.steps
      branches += inner.branches
      parts += inner.parts
      items += inner.items
    }
    return { steps, branches, parts, items }
  }
  const { steps, branches, parts, items } = total(root)
  const place = at(undefined, 'sub_rules')
  const before = decoding.faults.shown.length
  const limit = (what: string, most: number, found: number) => {
    if (found > most) refuse(decoding, place, faults.tooManyInlined(what, most, found))
  }
  limit('steps', MAX_STEPS, steps)
  limit('branches', MAX_BRANCHES, branches)
  limit('parts of expressions', MAX_PARTS, parts)
  limit('items of lists in expressions', MAX_ITEMS, items)
  return decoding.faults.shown.length === before
}

/** How the steps of one graph are written to the ruleset. */
interface CopyScope {
  /** The ruleset's own graph: nothing changes. */
  readonly isRoot: boolean
  readonly set: StepSet
  id(step: string): string
  variable(name: string): string
  expression(expression: Expression): Expression
  /** The input, for expressions that read it as a whole; undefined: the input of the execution. */
  readonly input: Expression | undefined
  /** The replacement of a terminal: the copies of the outputs, and the next step. */
  readonly end: { readonly actions: readonly Action[]; readonly nextStep: string } | undefined
  /** Variables that a use may leave unchanged. */
  readonly kept: (use: SubRuleStep, variable: string) => boolean
}

class Inlining implements Inlined {
  readonly steps = new Map<string, Step>()
  readonly places = new Map<string, Place>()
  readonly #decoding: Decoding
  readonly #subRules: ReadonlyMap<string, StepSet>
  readonly #ids: Set<string>
  readonly #variables = new Set<string>()
  readonly #reads = new Map<StepSet, Reads>()
  readonly #kept = new Map<StepSet, CopyScope['kept']>()

  constructor(decoding: Decoding, subRules: ReadonlyMap<string, StepSet>, ids: Iterable<string>) {
    this.#decoding = decoding
    this.#subRules = subRules
    this.#ids = new Set(ids)
  }

  rootScope(set: StepSet): CopyScope {
    const same = <T>(given: T) => given
    const kept = this.#keptOf(set)
    return { isRoot: true, set, id: same, variable: same, expression: same, input: undefined, end: undefined, kept }
  }

  *add(step: DecodedStep, scope: CopyScope): Pausable<void> {
    const id = scope.id(step.id)
    this.places.set(id, at(scope.set.place, step.id))
    if (step.type === 'sub_rule') yield* this.#use(step, id, scope)
    else this.steps.set(id, scope.isRoot ? step : copied(step, id, scope))
  }

  *#use(use: SubRuleStep, id: string, outer: CopyScope): Pausable<void> {
    const set = defined(this.#subRules.get(use.refName))
    const reads = this.#readsOf(set)
    this.#warnOfUnbound(use, reads)
    const variables = new Map([...set.variables].map((name) => [name, this.#fresh(this.#variables, `${id}/${name}`)]))
    const entry: SetVariable[] = []
    const assigned = (name: string, value: Expression): Reference => {
      const variable = this.#fresh(this.#variables, `${id}/${name}`)
      entry.push({ action: 'set_variable', name: variable, value })
      return reference(variable)
    }
    const fields = new Map<string, Reference>()
    for (const [field, value] of use.bindings) {
      const bound = outer.expression(value)
      fields.set(field, isPlainPath(bound) ? bound : assigned(field, bound))
    }
    for (const field of reads.fields)
      if (!fields.has(field)) fields.set(field, reference(this.#fresh(this.#variables, `${id}/${field}`)))
    const whole = reads.isWhole ? assigned('$', inputOf(use, fields)) : undefined
    for (const name of variables.values()) entry.push({ action: 'set_variable', name, value: NULL })
    const ids = new Map([...set.steps.keys()].map((inner) => [inner, this.#fresh(this.#ids, `${id}/${inner}`)]))
    const variable = (name: string) => {
      const known = variables.get(name) ?? this.#fresh(this.#variables, `${id}/${name}`)
      variables.set(name, known)
      return known
    }
    const scope: CopyScope = {
      isRoot: false,
      set,
      id: (inner) => defined(ids.get(inner)),
      variable,
      expression: (expression) => rewrite(expression, (node) => copiedNode(node, fields, whole, variable)),
      input: whole,
      end: { actions: outputsOf(use, outer, set.variables, variable), nextStep: outer.id(use.nextStep) },
      kept: this.#keptOf(set),
    }
    const nextStep = scope.id(set.entryStep)
    this.steps.set(id, { type: 'action', id, name: use.name, actions: entry, nextStep })
    for (const step of set.steps.values()) {
      yield* between(this.#decoding)
      yield* this.add(step, scope)
    }
  }

  /** A name that is not taken. */
  #fresh(taken: Set<string>, wanted: string): string {
    let name = wanted
    for (let number = 2; taken.has(name); number++) name = `${wanted}~${number}`
    taken.add(name)
    return name
  }

  #readsOf(set: StepSet): Reads {
    const known = this.#reads.get(set) ?? readsOf(set)
    this.#reads.set(set, known)
    return known
  }

  #keptOf(set: StepSet): CopyScope['kept'] {
    const known = this.#kept.get(set) ?? keptIn(set)
    this.#kept.set(set, known)
    return known
  }

  readonly #warned = new Set<SubRuleStep>()

  #warnOfUnbound(use: SubRuleStep, { fields }: Reads): void {
    if (this.#warned.has(use)) return
    this.#warned.add(use)
    const bound = new Set(use.bindings.map(([field]) => field))
    for (const field of fields)
      if (!bound.has(field)) warn(this.#decoding, at(use.place, 'bindings'), faults.unboundField(use.refName, field))
  }
}

const NULL: Expression = { kind: 'literal', value: null, span: NO_SPAN }

/** The function that returns its first non-null argument. */
const firstOf = defined([...FUNCTIONS.values()].find(({ lazy }) => lazy === true))

function reference(name: string, path: readonly Segment[] = []): Reference {
  return { kind: 'variable', name, path, span: NO_SPAN }
}

/** A path whose value is constant while the sub-rule runs, and that can be extended. */
function isPlainPath(expression: Expression): expression is Reference {
  return (
    isReference(expression) &&
    (expression.kind === 'field' || expression.kind === 'variable') &&
    expression.path.every(({ kind }) => kind !== 'wildcard')
  )
}

/** An expression within the copy. Each node gets its own span, because errors are located by span. */
function copiedNode(
  node: Expression,
  fields: ReadonlyMap<string, Reference>,
  whole: Reference | undefined,
  variable: (name: string) => string,
): Expression {
  const span = node.span === NO_SPAN ? NO_SPAN : { ...node.span }
  switch (node.kind) {
    case 'field': {
      const [first, ...rest] = node.path
      if (first?.kind === 'name') {
        const bound = defined(fields.get(first.name))
        return { ...bound, path: [...bound.path, ...rest], span }
      }
      return { ...defined(whole), path: node.path, span }
    }
    case 'variable':
      return { ...node, name: variable(node.name), span }
    case 'call':
      return { ...node, span, nameSpan: { ...node.nameSpan } }
    default:
      return { ...node, span }
  }
}

/** The bound input of a sub-rule as one value. */
function inputOf(use: SubRuleStep, fields: ReadonlyMap<string, Reference>): Expression {
  const entries = use.bindings.map(([key]) => ({ key, value: defined(fields.get(key)) }))
  return { kind: 'object', entries, span: NO_SPAN }
}

/**
 * Copies the outputs; a null output leaves the caller's variable unchanged. `written` are the variables set by steps of
 * the sub-rule: any other is null, and would be missing in mode `strict`.
 */
function outputsOf(
  use: SubRuleStep,
  outer: CopyScope,
  written: StepSet['variables'],
  variable: (name: string) => string,
): readonly SetVariable[] {
  return use.outputs.map(([given, from]) => {
    const name = outer.variable(given)
    const value = written.has(from) ? reference(variable(from)) : NULL
    return {
      action: 'set_variable',
      name,
      value: outer.kept(use, given)
        ? { kind: 'call', name: firstOf.name, args: [value, reference(name)], span: NO_SPAN, nameSpan: NO_SPAN }
        : value,
    }
  })
}

function copied(step: Step, id: string, scope: CopyScope): Step {
  switch (step.type) {
    case 'decision': {
      const branches = step.branches.map((branch): Branch => ({
        condition: scope.expression(branch.condition),
        source: branch.source,
        nextStep: scope.id(branch.nextStep),
        actions: branch.actions.map((action) => copiedAction(action, scope)),
      }))
      const defaultNext = step.defaultNext === undefined ? undefined : scope.id(step.defaultNext)
      return { ...step, id, branches, defaultNext }
    }
    case 'action': {
      const actions = step.actions.map((action) => copiedAction(action, scope))
      return { ...step, id, actions, nextStep: scope.id(step.nextStep) }
    }
    case 'terminal':
      return ended(step, id, scope)
  }
}

/** The code, message and output of a sub-rule's terminal are not evaluated. */
function ended({ name }: TerminalStep, id: string, { end }: CopyScope): ActionStep {
  return { type: 'action', id, name, actions: end?.actions ?? [], nextStep: end?.nextStep ?? '' }
}

function copiedAction(action: Action, scope: CopyScope): Action {
  switch (action.action) {
    case 'set_variable':
      return { ...action, name: scope.variable(action.name), value: scope.expression(action.value) }
    case 'log':
      return action
    case 'metric':
      return { ...action, value: scope.expression(action.value) }
    case 'external_call': {
      const params = action.params.map(([name, value]) => [name, scope.expression(value)] as const)
      const { resultVariable } = action
      return {
        ...action,
        params,
        resultVariable: resultVariable === undefined ? undefined : scope.variable(resultVariable),
      }
    }
    case 'call_ruleset': {
      const { inputMapping } = action
      const mapping = inputMapping === undefined ? scope.input : scope.expression(inputMapping)
      return { ...action, inputMapping: mapping, resultVariable: scope.variable(action.resultVariable) }
    }
  }
}

/** The parts of its input that a sub-rule reads. */
interface Reads {
  /** Names of the fields read. */
  readonly fields: ReadonlySet<string>
  /** Whether the whole input is read as well. */
  readonly isWhole: boolean
}

function readsOf({ steps }: StepSet): Reads {
  const fields = new Set<string>()
  let isWhole = false
  const note = (expression: Expression) =>
    walk(expression, (node) => {
      if (node.kind !== 'field') return
      const [first] = node.path
      if (first?.kind === 'name') fields.add(first.name)
      else isWhole = true
    })
  for (const step of steps.values()) {
    for (const expression of expressionsOf(step)) note(expression)
    if (actionsOf(step).some((action) => action.action === 'call_ruleset' && action.inputMapping === undefined))
      isWhole = true
  }
  return { fields, isWhole }
}

/** Every expression of a step that a copy evaluates. */
function expressionsOf(step: DecodedStep): readonly Expression[] {
  const ofActions = actionsOf(step).flatMap(expressionsOfAction)
  if (step.type === 'decision') return [...step.branches.map(({ condition }) => condition), ...ofActions]
  return step.type === 'sub_rule' ? step.bindings.map(([, value]) => value) : ofActions
}

/**
 * Whether a variable may have a value when a use is entered: another action sets it, or the use can be entered again.
 * Otherwise an unset output has nothing to leave unchanged.
 */
function keptIn({ steps, entryStep }: StepSet): CopyScope['kept'] {
  const setters = new Map<string, number>()
  const count = (name: string) => setters.set(name, (setters.get(name) ?? 0) + 1)
  for (const step of steps.values()) {
    if (step.type === 'sub_rule') for (const [name] of step.outputs) count(name)
    for (const action of actionsOf(step)) {
      if (action.action === 'set_variable') count(action.name)
      else if ('resultVariable' in action && action.resultVariable !== undefined) count(action.resultVariable)
    }
  }
  const plain = [...steps].map(([id, step]): [string, Step] => [id, withoutSubRule(step)])
  const graph = stepGraph({ steps: new Map(plain), config: { entryStep } })
  const repeated = new Set(cycles(graph.successors).flatMap((group) => group.map((number) => graph.ids[number])))
  return (use, variable) => (setters.get(variable) ?? 0) > 1 || repeated.has(use.id)
}

function withoutSubRule(step: DecodedStep): Step {
  if (step.type !== 'sub_rule') return step
  const { id, name, nextStep } = step
  return { type: 'action', id, name, actions: [], nextStep }
}
