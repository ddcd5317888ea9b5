import { type EvaluationPolicy, type Expression, NO_SPAN } from '@engine/expression'
import {
  type Action,
  type Branch,
  expressionsOf,
  expressionsOfAction,
  evaluationPolicy,
  type Ruleset,
  type Step,
  targetIds,
  type TerminalStep,
} from '@engine/ruleset'
import type { Encoder } from '../formula/encoder.ts'
import { evaluate, truthOf } from '../formula/evaluate.ts'
import { type Truth, UNKNOWN_ERROR } from '../formula/truth.ts'
import { FALSE, type Literal, negated, TRUE } from '../search/solver.ts'
import { ranksOf } from './ranks.ts'
import type { CallEffect, CallModel } from './call-answers.ts'
import { chosenRow, type UniqueRows, uniqueRowsOf } from './unique-rows.ts'
import { freeValue, held, NO_VARIABLES_SET, substitute, textOf, type Variables, variablesOf } from './substitution.ts'

/** What running actions does: the variables afterwards, and when it fails on the way. */
export interface Effect {
  readonly variables: Variables
  readonly succeeds: Literal
  readonly failures: readonly Failure[]
  /** The rows of a table with the hit policy *unique*; undefined: the actions test none. */
  readonly unique?: UniqueEffect
}

/** Rows of which at most one may match, over the input. */
export interface UniqueEffect {
  readonly rows: UniqueRows['rows']
  readonly truths: readonly Truth[]
  readonly variable: string
  /** One of `failures`. */
  readonly overlap: Failure
}

/** An error of some code occurs. */
export interface Failure {
  readonly code: string
  readonly literal: Literal
}

/** What knows the answers of calls. */
interface CallModels {
  readonly calls: (encoder: Encoder, ruleset: Ruleset, policy: EvaluationPolicy) => CallModel
}

/** States of one step distinguished by their variables; further ones are merged with unknown variables. */
const MAX_STATES_PER_STEP = 48

/** One ruleset over symbolic variables. */
export class SymbolicRuleset {
  readonly ruleset: Ruleset
  readonly policy: EvaluationPolicy
  /** Steps in an order in which each comes before those that it leads to; undefined with a loop, or a path beyond `max_depth`. */
  readonly ranks: ReadonlyMap<string, number> | undefined
  readonly #encoder: Encoder
  readonly #label: string
  readonly #calls: CallModel | undefined
  readonly #live: ReadonlyMap<string, ReadonlySet<string>>
  readonly #statesOf = new Map<string, Set<string>>()

  /**
   * @param further knows the answers of calls; undefined: they are unknown values
   * @param label distinguishes the unknown values of two versions
   */
  constructor(encoder: Encoder, ruleset: Ruleset, further: CallModels | undefined, label = '') {
    this.#label = label
    this.#encoder = encoder
    this.ruleset = ruleset
    this.policy = evaluationPolicy(ruleset)
    this.ranks = ranksOf(ruleset)
    this.#calls = further?.calls(encoder, ruleset, this.policy)
    this.#live = liveVariables(ruleset, this.#calls)
  }

  /** The step of an id, which exists in a decoded ruleset. */
  step(id: string): Step {
    const step = this.ruleset.steps.get(id)
    if (step === undefined) throw new Error(`there is no step ${id}: the ruleset was not decoded`)
    return step
  }

  /** The condition of a branch over the input. */
  condition({ condition }: Branch, variables: Variables): Expression {
    return substitute(condition, variables, this.policy)
  }

  truth(branch: Branch, variables: Variables): Truth {
    return this.#encoder.truth(this.condition(branch, variables), this.policy)
  }

  /** What actions of a step do, when it is the so-maniest step that is entered; the number matters where there are loops. */
  run(actions: readonly Action[], step: string, variables: Variables, depth: number): Effect {
    if (actions.length === 0) return { variables, succeeds: TRUE, failures: [] }
    const unique = uniqueRowsOf(actions)
    if (unique !== undefined) return this.#runUnique(unique, variables)
    const after = new Map(variables)
    const failures: Failure[] = []
    let succeeds: Literal = TRUE
    const fail = (code: string, literal: Literal): void => {
      failures.push({ code, literal: this.#encoder.solver.and([succeeds, literal]) })
      succeeds = this.#encoder.solver.and([succeeds, negated(literal)])
    }
    for (const [index, action] of actions.entries()) {
      for (const expression of expressionsOfAction(action)) {
        const symbolic = substitute(expression, after, this.policy)
        const errors = this.#encoder.errors(symbolic, this.policy)
        for (const [code, literal] of errors)
          failures.push({ code, literal: this.#encoder.solver.and([succeeds, literal]) })
        succeeds = this.#encoder.solver.and([succeeds, ...[...errors.values()].map(negated)])
        if (action.action === 'set_variable')
          after.set(
            action.name,
            held(symbolic, (text) => this.#encoder.nameOf(`${this.#encoder.policyText(this.policy)} ${text}`)),
          )
      }
      if (action.action !== 'call_ruleset' && action.action !== 'external_call') continue
      // A service whose answer is not awaited cannot make the execution fail.
      if (action.resultVariable === undefined) continue
      const values = expressionsOfAction(action).map((value) => substitute(value, after, this.policy))
      const place = `${step}/${index} ${this.#time(depth)}`
      const effect =
        this.#calls?.effectOf(action, place, values, after) ?? this.#unknownCall(`${place} ${action.action}`)
      fail(effect.code, effect.fails)
      after.set(action.resultVariable, effect.value)
      if (effect.history !== undefined) after.set(...effect.history)
    }
    return { variables: after, succeeds, failures }
  }

  #unknownCall(text: string): CallEffect {
    return { value: freeValue(text), code: UNKNOWN_ERROR, fails: this.#encoder.free(text) }
  }

  /** Rows are tested in order; then several matches are an error. */
  #runUnique({ variable, rows: given, fault }: UniqueRows, variables: Variables): Effect {
    const { solver } = this.#encoder
    const rows = given.map(({ id, condition }) => ({ id, condition: substitute(condition, variables, this.policy) }))
    const truths = rows.map(({ condition }) => this.#encoder.truth(condition, this.policy))
    const failures: Failure[] = []
    let succeeds: Literal = TRUE
    let one: Literal = FALSE
    let several: Literal = FALSE
    for (const { holds, errors } of truths) {
      for (const [code, literal] of errors) failures.push({ code, literal: solver.and([succeeds, literal]) })
      succeeds = solver.and([succeeds, ...[...errors.values()].map(negated)])
      several = solver.or([several, solver.and([one, holds])])
      one = solver.or([one, holds])
    }
    const code = truthOf(evaluate(fault, this.policy, {}, new Map([[variable, []]])))
    const overlap = { code, literal: solver.and([succeeds, several]) }
    const after = new Map(variables).set(variable, chosenRow(rows))
    return {
      variables: after,
      succeeds: solver.and([succeeds, negated(several)]),
      failures: [...failures, overlap],
      unique: { rows, truths, variable, overlap },
    }
  }

  /** The outputs of a result over the input. */
  outputs(step: TerminalStep, variables: Variables): readonly (readonly [name: string, value: Expression])[] {
    const fixed = Array.from(step.fields, ([name, value]) => [name, { kind: 'literal', value, span: NO_SPAN }] as const)
    return [...fixed, ...step.output.map(([name, value]) => [name, substitute(value, variables, this.policy)] as const)]
  }

  /** The expressions of a result over the input: those of its message and output. */
  result(step: TerminalStep, variables: Variables): readonly Expression[] {
    const message = step.message.kind === 'text' ? [] : step.message.parts.filter((part) => typeof part !== 'string')
    return [...message, ...step.output.map(([, value]) => value)].map((value) =>
      substitute(value, variables, this.policy),
    )
  }

  /** The variables with which a step is entered: only those that it or a later one reads. */
  entering(step: string, variables: Variables, depth: number): Variables {
    const live = this.#live.get(step)
    const kept = new Map([...variables].filter(([name]) => live?.has(name)))
    if (kept.size === 0) return NO_VARIABLES_SET
    const states = this.#statesOf.get(step) ?? new Set()
    this.#statesOf.set(step, states)
    const text = textOf(kept)
    // Behind a result nothing multiplies.
    const isEnd = this.step(step).type === 'terminal'
    if (isEnd || states.has(text) || states.size < MAX_STATES_PER_STEP) {
      states.add(text)
      return kept
    }
    return new Map(
      [...kept.keys()].map((name) => [name, freeValue(`${this.#label} ${step} ${name} ${this.#time(depth)}`)]),
    )
  }

  /** Distinguishes the rounds of a loop. */
  #time(depth: number): string {
    return this.ranks === undefined ? String(depth) : ''
  }
}

/** For each step, the variables that it or any step behind it reads. */
function liveVariables({ steps }: Ruleset, calls: CallModel | undefined): ReadonlyMap<string, ReadonlySet<string>> {
  const live = new Map<string, Set<string>>()
  const before = new Map<string, string[]>()
  for (const [id, step] of steps) {
    live.set(id, new Set([...readBy(step), ...(calls?.historiesReadBy(step) ?? [])]))
    for (const next of targetIds(step)) before.set(next, [...(before.get(next) ?? []), id])
  }
  const pending = [...steps.keys()]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    for (const earlier of new Set(before.get(id))) {
      const known = live.get(earlier)
      const size = known?.size ?? 0
      for (const name of live.get(id) ?? []) known?.add(name)
      if (known !== undefined && known.size > size) pending.push(earlier)
    }
  }
  return live
}

function readBy(step: Step): Set<string> {
  const names = new Set<string>()
  for (const expression of expressionsOf(step)) for (const name of variablesOf(expression)) names.add(name)
  return names
}

/** Every expression of a ruleset. */
export function expressionsOfRuleset({ steps }: Ruleset): readonly Expression[] {
  return [...steps.values()].flatMap(expressionsOf)
}
