import {
  Budget,
  BudgetError,
  compile,
  EvaluationError,
  type Expression,
  foldingBudget,
  isTrue,
  makeFunction,
  type EvaluationPolicy,
  stringifyJson,
  type Value,
} from '@engine/expression'
import {
  type Action,
  createDispatch,
  type DecisionStep,
  type Dispatch,
  evaluationPolicy,
  type Ruleset,
  type TerminalStep,
} from '@engine/ruleset'
import { evaluate, type Evaluated } from '../formula/evaluate.ts'
import { type Callees, NO_CALLEES, RulesetCalls } from './callees.ts'
import { isSameJson } from './same-json.ts'
import type { Answers } from './stubs.ts'

/** What an execution ends in. */
export type Side =
  | { readonly code: string; readonly message: string; readonly output: { readonly [key: string]: Value } }
  | { readonly error: { readonly code: string; readonly step: string } }

/** What an execution showed on its way. */
export interface Trail {
  /** Claims that it refutes: see `claims`. */
  readonly seen: readonly string[]
  /** Undefined: it reaches an unanswered call, so its continuation is unknown. */
  readonly side: Side | undefined
}

/** One step of an execution. */
export interface Visit {
  /** The claims that it refutes; visits that take the same branch mostly share one list. */
  readonly shown: readonly string[]
  /** The step that comes next; undefined: the execution ends. */
  readonly next: string | undefined
  /** The end of the execution; undefined: there is a next step, or an unanswered call. */
  readonly side: Side | undefined
}

/** Names of what an execution can show. */
export const claims = {
  step: (step: string): string => `step ${step}`,
  taken: (step: string, branch: number): string => `taken ${step} ${branch}`,
  default: (step: string): string => `default ${step}`,
  gap: (step: string): string => `gap ${step}`,
  fails: (place: string, code: string): string => `fails ${place} ${code}`,
  code: (code: string): string => `code ${code}`,
  output: (step: string, name: string, type: 'right' | 'wrong'): string => `output ${type} ${step} ${name}`,
  overlap: (step: string, row: number): string => `overlap ${step} ${row}`,
} as const

/** Where an expression stands: the condition or the actions of a branch, the actions or the result of a step. */
export const parts = {
  condition: (step: string, branch: number): string => `${step} ${branch} condition`,
  actions: (step: string, branch: number | undefined): string => `${step} ${branch ?? 'step'} actions`,
  result: (step: string): string => `${step} result`,
} as const

/** The end of an execution by an error, or, without a code, by a call of something that is not there. */
class Stop extends Error {
  readonly code: string | undefined
  /** The claim that it refutes, if there is one. */
  readonly claim: string | undefined
  constructor(code?: string, claim?: string) {
    super(code)
    this.code = code
    this.claim = claim
  }
}

/** Sees each condition of an execution before it is evaluated. */
export type ConditionWatch = (
  step: string,
  branch: number,
  condition: Expression,
  evaluate: (part: Expression) => Evaluated,
) => void

/** The further claims that a result shows. */
export type ResultWatch = (step: TerminalStep, output: { readonly [name: string]: Value }) => readonly string[]

/** Branches from which on a decision is indexed, after some evaluations in order: an index costs as much as these. */
const MIN_INDEXED = 24
const INDEX_AFTER = 16
/** What finding a branch by the index may take. */
const INDEX_UNITS = 2000
const INDEX_BYTES = 1024 * 1024

/** Times that a decision is entered until its conditions are compiled: that costs as much as some dozens of evaluations. */
const COMPILED_AFTER = 40

/** Finds the branch that a decision takes; undefined: its conditions are evaluated in order. */
type Finder = (...parameters: Parameters<Dispatch>) => number | undefined

const NO_FINDER: Finder = () => undefined

interface FollowerOptions {
  readonly shownByResult?: ResultWatch | undefined
  /** Whether conditions may be compiled. Default true. */
  readonly compiles?: boolean | undefined
  /** The rulesets that are called; an execution that calls another one is not followed to its end. */
  readonly callees?: Callees | undefined
  /** Whether all conditions are interpreted in their order: without generated code and without an index. Default false. */
  readonly inOrder?: boolean | undefined
}

/** The input, variables and time of one step. */
interface Surroundings {
  readonly input: Value
  /** Changed by the actions of the step. */
  readonly variables: Map<string, Value>
  readonly now: number
}

/** Follows executions of a ruleset by the interpreter of expressions. */
export class Follower {
  readonly #ruleset: Ruleset
  readonly #policy: EvaluationPolicy
  readonly #shownByResult: ResultWatch | undefined
  readonly #compiles: boolean
  readonly #calls: RulesetCalls
  /** For each decision: how often it was entered, then what finds its branch. */
  readonly #finders = new Map<string, number | Finder>()
  /** By step: the claims that an entry shows, and each way of taking a branch or none. Making their names takes long. */
  readonly #names = new Map<
    string,
    { readonly entered: readonly string[]; readonly taken: Map<number, readonly string[]> }
  >()
  readonly #inOrder: boolean

  constructor(
    ruleset: Ruleset,
    { shownByResult, callees = NO_CALLEES, inOrder = false, compiles = !inOrder }: FollowerOptions = {},
  ) {
    this.#ruleset = ruleset
    this.#calls = new RulesetCalls(ruleset, callees, compiles)
    this.#compiles = compiles
    this.#inOrder = inOrder
    this.#policy = evaluationPolicy(ruleset)
    this.#shownByResult = shownByResult
  }

  /**
   * @param watch called before each condition is evaluated, with what evaluates parts of it
   * @param answers those of external calls; undefined: the execution ends at a call
   */
  follow(input: Value, now = 0, watch?: ConditionWatch, answers?: Answers): Trail {
    const seen: string[] = []
    const surroundings = { input, variables: new Map<string, Value>(), now }
    const { entryStep, maxDepth } = this.#ruleset.config
    let id = entryStep
    for (let entered = 1; entered <= maxDepth; entered++) {
      const { shown, next, side } = this.visit(id, surroundings, watch, answers)
      seen.push(...shown)
      if (next === undefined) return { seen, side }
      id = next
    }
    seen.push('max-depth')
    return { seen, side: { error: { code: 'max-depth', step: id } } }
  }

  /** Executes one step. @param watch,answers as those of `follow` */
  visit(id: string, surroundings: Surroundings, watch?: ConditionWatch, answers?: Answers): Visit {
    const step = this.#ruleset.steps.get(id)
    if (step === undefined) throw new Error(`there is no step ${id}: the ruleset was not decoded`)
    let names = this.#names.get(id)
    if (names === undefined) this.#names.set(id, (names = { entered: [claims.step(id)], taken: new Map() }))
    let shown = names.entered
    try {
      if (step.type === 'terminal') {
        shown = [...shown, claims.code(step.code)]
        const side = this.#result(step, surroundings)
        return { shown: [...shown, ...(this.#shownByResult?.(step, side.output) ?? [])], next: undefined, side }
      }
      if (step.type === 'action') {
        this.#run(step.actions, parts.actions(id, undefined), surroundings, answers)
        return { shown, next: step.nextStep, side: undefined }
      }
      const taken = this.#taken(step, surroundings, watch)
      const branch = step.branches[taken]
      shown = names.taken.get(taken) ?? [...shown, claimOf(step, taken)]
      names.taken.set(taken, shown)
      if (branch !== undefined && branch.actions.length > 0)
        this.#run(branch.actions, parts.actions(id, taken), surroundings, answers)
      const next = branch === undefined ? step.defaultNext : branch.nextStep
      return { shown, next, side: next === undefined ? { error: { code: 'no-branch', step: id } } : undefined }
    } catch (error) {
      if (!(error instanceof Stop)) throw error
      const { code, claim } = error
      if (claim !== undefined) shown = [...shown, claim]
      return { shown, next: undefined, side: code === undefined ? undefined : { error: { code, step: id } } }
    }
  }

  #evaluate(expression: Expression, { input, variables, now }: Surroundings): Evaluated {
    return evaluate(expression, this.#policy, input, variables, now)
  }

  #value(expression: Expression, place: string, surroundings: Surroundings): Value {
    return valueAt(place, this.#evaluate(expression, surroundings))
  }

  /** The branch that is taken; none: another number. */
  #taken(step: DecisionStep, surroundings: Surroundings, watch: ConditionWatch | undefined): number {
    const found = watch === undefined && !this.#inOrder ? this.#found(step, surroundings) : undefined
    if (found !== undefined) return found
    return step.branches.findIndex(({ condition }, index) => {
      watch?.(step.id, index, condition, (part) => this.#evaluate(part, surroundings))
      return isTrue(this.#value(condition, parts.condition(step.id, index), surroundings))
    })
  }

  /** The branch that is taken, once a decision is entered often; undefined: it is not, or a condition fails, and the interpreter names the error. */
  #found(step: DecisionStep, { input, variables, now }: Surroundings): number | undefined {
    const known = this.#finders.get(step.id) ?? 0
    if (typeof known === 'number') {
      const isLong = step.branches.length >= MIN_INDEXED
      const isOften = known >= (isLong ? INDEX_AFTER : COMPILED_AFTER)
      this.#finders.set(step.id, isOften ? this.#finderOf(step, isLong) : known + 1)
      return undefined
    }
    try {
      return known(input, variables, { now, budget: Budget.ofThousands(INDEX_UNITS, INDEX_BYTES) })
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof BudgetError) return undefined
      throw error
    }
  }

  /** An index of many branches, or the compiled conditions of a few. */
  #finderOf({ branches }: DecisionStep, isLong: boolean): Finder {
    const conditions = branches.map(({ condition }) => condition)
    const policy = this.#policy
    const made = this.#compiles ? makeFunction : undefined
    if (isLong) return createDispatch(conditions, { policy, folding: foldingBudget() }, made) ?? NO_FINDER
    if (made === undefined) return NO_FINDER
    const codes = conditions.map((one) => compile(one, { policy, makeFunction: made, folding: foldingBudget() }))
    return (input, variables, runtime) => codes.findIndex((code) => isTrue(code(input, variables, runtime)))
  }

  #run(actions: readonly Action[], place: string, surroundings: Surroundings, answers: Answers | undefined): void {
    const { input, variables, now } = surroundings
    const value = (expression: Expression): Value => this.#value(expression, place, surroundings)
    for (const action of actions) {
      if (action.action === 'call_ruleset') {
        const passed = action.inputMapping === undefined ? input : value(action.inputMapping)
        const answer = this.#calls.call(action.rulesetName, passed, now, answers)
        if (answer === undefined) throw new Stop()
        variables.set(action.resultVariable, valueAt(place, answer))
        continue
      }
      if (action.action === 'set_variable') variables.set(action.name, value(action.value))
      else if (action.action === 'metric') value(action.value)
      else if (action.action === 'external_call') {
        const { service, method, params, resultVariable } = action
        const parameters = Object.fromEntries(params.map(([name, expression]) => [name, value(expression)]))
        // Nothing waits for the others, and no decision depends on them.
        if (resultVariable === undefined) continue
        const call = answers?.take(service, method, parameters)
        if (call === undefined) throw new Stop()
        if (call.answer === undefined) throw new Stop('external-call', claims.fails(place, 'external-call'))
        const { payload = null, metadata = {} } = call.answer
        variables.set(resultVariable, { capability: service, operation: method, payload, metadata })
      }
    }
  }

  #result(step: TerminalStep, surroundings: Surroundings): Exclude<Side, { readonly error: unknown }> {
    const value = (expression: Expression): Value => this.#value(expression, parts.result(step.id), surroundings)
    const { code, message, fields, output } = step
    const texts = (message.kind === 'text' ? [message.text] : message.parts).map((part) => {
      if (typeof part === 'string') return part
      const shown = value(part)
      return typeof shown === 'string' ? shown : stringifyJson(shown)
    })
    const evaluated = output.map(([name, expression]) => [name, value(expression)] as const)
    return { code, message: texts.join(''), output: Object.fromEntries([...fields, ...evaluated]) }
  }
}

/** The value that was found at a place, where an error ends the execution. */
function valueAt(place: string, found: Evaluated): Value {
  if ('value' in found) return found.value
  throw new Stop(found.error, claims.fails(place, found.error))
}

/** The claim that a decision shows by the branch that it takes, or by taking none. */
function claimOf({ id, branches, defaultNext }: DecisionStep, taken: number): string {
  if (branches[taken] !== undefined) return claims.taken(id, taken)
  return defaultNext === undefined ? claims.gap(id) : claims.default(id)
}

/** Whether two results are the same: equal JSON values, or the same error. */
export function areSame(left: Side, right: Side): boolean {
  if ('error' in left || 'error' in right)
    return 'error' in left && 'error' in right && left.error.code === right.error.code
  return left.code === right.code && left.message === right.message && isSameJson(left.output, right.output)
}
