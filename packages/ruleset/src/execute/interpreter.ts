import { type Environment, interpret, isTrue, type MissingPolicy, type Value } from '@engine/expression'
import type { Action, Branch, DecisionStep, Ruleset, Step, TerminalStep } from '../model.ts'
import type { Decision } from '../program.ts'
import { callExternal, callRuleset, log, metric, sendExternal } from './actions.ts'
import type { Execution } from './execution.ts'
import { failures } from './failures.ts'
import { constantDecision, decision } from './result.ts'

/** Runs of steps yield what they have to wait for, and are resumed with its value. */
export type Steps = Generator<Promise<unknown>, Decision, unknown>

/** Sees an execution from within. */
export interface Observer {
  /** `variables` goes on changing. */
  entered(step: Step, variables: ReadonlyMap<string, Value>): void
  /** A condition was evaluated: to a value, or to an error. */
  tried(branch: Branch, environment: Environment, value: Value | undefined, error: unknown): void
}

/**
 * Execute a ruleset step by step over its expressions' trees: the reference that generated code has to agree with, and
 * the way to run where code generation is forbidden.
 */
export function* interpretSteps(
  ruleset: Ruleset,
  policy: MissingPolicy,
  input: Value,
  execution: Execution,
  observer?: Observer,
): Steps {
  const { config, steps } = ruleset
  const numbers = new Map([...steps.keys()].map((id, number) => [id, number]))
  const variables = new Map<string, Value>()
  const environment: Environment = { input, variables, missing: policy, runtime: execution }
  let id = config.entryStep
  for (let entered = 1; ; entered++) {
    const step = steps.get(id)
    if (step === undefined) throw new Error(`step ${id} does not exist: the ruleset was not decoded`)
    execution.step = numbers.get(id) ?? 0
    if (entered > config.maxDepth) throw failures.maxDepth(config.maxDepth, id)
    execution.tracer?.enter(execution.step)
    observer?.entered(step, variables)
    if (entered > 16 && entered % 16 === 1) yield* checkTime(config.timeoutMs, execution, id)
    switch (step.type) {
      case 'terminal':
        return decide(step, environment, execution)
      case 'action':
        yield* run(step.actions, id, environment, variables, execution)
        id = step.nextStep
        break
      case 'decision': {
        const branch = step.branches.find((tried) => isTaken(tried, environment, observer))
        if (branch !== undefined) yield* run(branch.actions, id, environment, variables, execution)
        id = branch?.nextStep ?? defaultOf(step)
      }
    }
  }
}

function isTaken(branch: Branch, environment: Environment, observer: Observer | undefined): boolean {
  if (observer === undefined) return isTrue(interpret(branch.condition, environment))
  try {
    const value = interpret(branch.condition, environment)
    observer.tried(branch, environment, value, undefined)
    return isTrue(value)
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
        else variables.set(action.resultVariable, (yield callExternal(execution, action, step, values)) as Value)
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

/** At a clock check: fails when the time is over, lets other work run when it has been long. */
function* checkTime(timeoutMs: number, execution: Execution, step: string): Generator<Promise<unknown>, void, unknown> {
  const pause = timeCheck(timeoutMs, execution, step)
  if (pause !== undefined) yield pause
}

/** Throws when the time is over; gives the time that it is. */
export function checkTimeout(timeoutMs: number, execution: Execution, step: string): number {
  const now = execution.host.monotonic()
  if (timeoutMs > 0 && now - execution.start > timeoutMs) throw failures.timeout(timeoutMs, step)
  return now
}

/** Milliseconds for which an execution may keep the thread to itself. */
const LONGEST_TURN = 20

/** Throws when the time is over. A promise when other work should have its turn first. */
export function timeCheck(timeoutMs: number, execution: Execution, step: string): Promise<void> | undefined {
  const { host } = execution
  const now = checkTimeout(timeoutMs, execution, step)
  if (host.pause === undefined || now - execution.turn < LONGEST_TURN) return undefined
  return host.pause().then(() => {
    execution.turn = host.monotonic()
  })
}
