import { type Environment, interpret, isTrue, type EvaluationPolicy, type Value } from '@engine/expression/core'
import type { Action, Branch, DecisionStep, Ruleset, Step, TerminalStep } from '../model.ts'
import type { Decision } from '../program.ts'
import { callExternal, callRuleset, log, metric, sendExternal } from './actions.ts'
import { type Execution, pauseOf } from './execution.ts'
import { failures } from './failures.ts'
import { constantDecision, decision } from './result.ts'

/** Executions yield promises to wait for, and are resumed with their values. */
export type Steps = Generator<Promise<unknown>, Decision, unknown>

/** Observes the steps of an execution. */
export interface Observer {
  /** `variables` is live: it changes as the execution continues. */
  entered(step: Step, variables: ReadonlyMap<string, Value>): void
  /** A condition was evaluated, to a value or an error. */
  tried(branch: Branch, environment: Environment, value: Value | undefined, error: unknown): void
}

/**
 * Execute a ruleset by interpreting its expression trees: the reference semantics for generated code, and the fallback
 * where code generation is forbidden.
 */
export function* interpretSteps(
  ruleset: Ruleset,
  policy: EvaluationPolicy,
  input: Value,
  execution: Execution,
  observer?: Observer,
): Steps {
  const { config, steps } = ruleset
  const numbers = numbersOf(ruleset)
  const variables = new Map<string, Value>()
  const environment: Environment = { input, variables, policy, runtime: execution }
  let id = config.entryStep
  for (let entered = 1; ; entered++) {
    const step = steps.get(id)
    if (step === undefined) throw new Error(`step ${id} does not exist: the ruleset was not decoded`)
    execution.step = numbers.get(id) ?? 0
    if (entered > config.maxDepth) throw failures.maxDepth(config.maxDepth, id)
    execution.tracer?.enter(execution.step)
    observer?.entered(step, variables)
    execution.budget.spend(STEP)
    yield* turn(execution)
    switch (step.type) {
      case 'terminal':
        return decide(step, environment, execution)
      case 'action':
        yield* run(step.actions, id, environment, variables, execution)
        id = step.nextStep
        break
      case 'decision': {
        const branch = yield* taken(step, environment, execution, observer)
        const index = branch === undefined ? step.branches.length : step.branches.indexOf(branch)
        execution.tracer?.take(index)
        execution.branchCounts?.take(execution.step, index)
        if (branch !== undefined) yield* run(branch.actions, id, environment, variables, execution)
        id = branch?.nextStep ?? defaultOf(step)
      }
    }
  }
}

/** Units of entering a step. */
const STEP = 10

/** Step numbers by id. */
const known = new WeakMap<Ruleset, ReadonlyMap<string, number>>()

function numbersOf(ruleset: Ruleset): ReadonlyMap<string, number> {
  const numbers = known.get(ruleset) ?? new Map([...ruleset.steps.keys()].map((id, number) => [id, number]))
  known.set(ruleset, numbers)
  return numbers
}

/** Yields to other work when due. */
function* turn(execution: Execution): Generator<Promise<unknown>, void, unknown> {
  const pause = pauseOf(execution)
  if (pause === undefined) return
  yield pause
  execution.budget.resumed()
}

/** The first branch whose condition is true. */
function* taken(
  step: DecisionStep,
  environment: Environment,
  execution: Execution,
  observer: Observer | undefined,
): Generator<Promise<unknown>, Branch | undefined, unknown> {
  for (const branch of step.branches) {
    if (isTaken(branch, environment, observer)) return branch
    yield* turn(execution)
  }
  return undefined
}

function isTaken(branch: Branch, environment: Environment, observer: Observer | undefined): boolean {
  if (observer === undefined) return isTrue(interpret(branch.condition, environment), environment.runtime.budget)
  try {
    const value = interpret(branch.condition, environment)
    observer.tried(branch, environment, value, undefined)
    return isTrue(value, environment.runtime.budget)
  } catch (error) {
    observer.tried(branch, environment, undefined, error)
    throw error
  }
}

function defaultOf(step: DecisionStep): string {
  if (step.defaultNext === undefined) throw failures.noBranch(step.id)
  return step.defaultNext
}

function decide(step: TerminalStep, environment: Environment, execution: Execution): Decision {
  const constant = constantDecision(step)
  if (constant !== undefined) return constant
  const parts = step.message.kind === 'template' ? step.message.parts : []
  const messageValues = parts.filter((part) => typeof part !== 'string').map((part) => interpret(part, environment))
  const outputValues = step.output.map(([, expression]) => interpret(expression, environment))
  return decision(execution, step, messageValues, outputValues)
}

function* run(
  actions: readonly Action[],
  step: string,
  environment: Environment,
  variables: Map<string, Value>,
  execution: Execution,
): Generator<Promise<unknown>, void, unknown> {
  for (const action of actions) {
    yield* turn(execution)
    switch (action.action) {
      case 'set_variable':
        variables.set(action.name, interpret(action.value, environment))
        break
      case 'log':
        log(execution, action, step)
        break
      case 'metric':
        metric(execution, action, step, interpret(action.value, environment))
        break
      case 'external_call': {
        const values = action.params.map(([, expression]) => interpret(expression, environment))
        if (action.resultVariable === undefined) sendExternal(execution, action, step, values)
        else {
          const result = callExternal(execution, action, step, values)
          variables.set(action.resultVariable, result instanceof Promise ? ((yield result) as Value) : result)
        }
        break
      }
      case 'call_ruleset': {
        const mapped =
          action.inputMapping === undefined ? environment.input : interpret(action.inputMapping, environment)
        const result = callRuleset(execution, action, step, mapped)
        variables.set(action.resultVariable, result instanceof Promise ? ((yield result) as Value) : result)
      }
    }
  }
}
