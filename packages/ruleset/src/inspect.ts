import {
  type Budget,
  type Environment,
  type Expression,
  interpret,
  isTrue,
  print,
  type Value,
} from '@engine/expression/core'
import { createBudget, type Execution } from './execute/execution.ts'
import { executionError, placeOf } from './execute/failures.ts'
import { interpretSteps, type Observer, type Steps } from './execute/interpreter.ts'
import { ShownValues, valuesIn } from './execute/shown-values.ts'
import { microseconds } from './execute/trace.ts'
import { evaluationPolicy } from './evaluation-policy.ts'
import type { Branch, Ruleset, Step } from './model.ts'
import { type Decision, type ExecuteOptions, ExecutionError, type Host } from './program.ts'

/** A detailed record of an execution, for people who analyse a decision. */
export interface Inspection {
  readonly result: Decision | undefined
  /** The reason why there is no result. */
  readonly error: { readonly code: string; readonly message: string; readonly step: string } | undefined
  readonly duration_us: number
  readonly steps: readonly InspectedStep[]
  /** True if more steps were entered than are listed. */
  readonly truncated: boolean
}

export interface InspectedStep {
  readonly id: string
  readonly name: string
  readonly type: string
  /** For a decision: the branches that were tried, in order; only the last one can be true. */
  readonly branches: readonly InspectedBranch[]
  /** After the step. */
  readonly variables: { readonly [name: string]: Value }
}

export interface InspectedBranch {
  readonly condition: string
  readonly parsed: string
  /** The value of the condition; undefined when it failed. */
  readonly value?: Value
  readonly taken: boolean
  readonly next_step: string
  readonly error?: string
  /** Every field and variable in the condition, by its text; null when missing. */
  readonly fields: { readonly [path: string]: Value }
}

/** Maximum number of listed steps. */
const MAX_STEPS = 1000

/** Execute with the interpreter and record everything. Never throws for errors in rules. */
export async function inspect(
  ruleset: Ruleset,
  host: Host,
  input: Value,
  { context, signal }: Pick<ExecuteOptions, 'context' | 'signal'> = {},
): Promise<Inspection> {
  const { timeoutMs } = ruleset.config
  const start = host.monotonic()
  const execution = executionOf(ruleset, host, { context, signal })
  const { budget } = execution
  const notes = new Notes(budget)
  const finished = (result: Decision | undefined, error: Inspection['error']): Inspection => {
    const { steps, truncated } = notes.finish()
    return { result, error, duration_us: microseconds(host.monotonic() - start), steps, truncated }
  }
  try {
    const steps = interpretSteps(ruleset, evaluationPolicy(ruleset), input, execution, notes)
    return finished(await toEnd(steps, budget), undefined)
  } catch (thrown) {
    const error = executionError(
      thrown,
      placeOf(thrown, ruleset) ?? [...ruleset.steps.keys()][execution.step] ?? '',
      timeoutMs,
    )
    if (!(error instanceof ExecutionError)) throw error
    return finished(undefined, { code: error.code, message: error.message, step: error.step })
  }
}

/** A new execution without a trace, with the budget of the ruleset. */
function executionOf(
  { config: { name, timeoutMs, numbers } }: Ruleset,
  host: Host,
  { context, signal }: Pick<ExecuteOptions, 'context' | 'signal'>,
): Execution {
  const budget = createBudget(host, timeoutMs)
  budget.begin()
  const chain = { ruleset: name, budget, caller: undefined, length: 1 }
  const now = host.now()
  return {
    now,
    budget,
    host,
    ruleset: name,
    numbers,
    branchCounts: undefined,
    chain,
    context,
    signal,
    tracer: undefined,
    step: 0,
    entered: 0,
  }
}

/** An expression, and the position where an execution evaluates it. */
export interface ValueQuestion {
  /** Ids of the steps; the expression is evaluated when the first of them is entered. */
  readonly steps: ReadonlySet<string>
  /** Variables that are assigned before the evaluation, in order. */
  readonly assignments: readonly { readonly name: string; readonly value: Expression }[]
  readonly expression: Expression
}

/** The value of an expression; `missed` if the execution enters none of the steps. */
export type ValueAnswer =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'missed' }

/**
 * The value of an expression for an input when the execution enters a step. The interpreter executes the ruleset up to
 * that point. Never throws for errors in rules.
 */
export async function valueAt(
  ruleset: Ruleset,
  host: Host,
  input: Value,
  question: ValueQuestion,
): Promise<ValueAnswer> {
  const policy = evaluationPolicy(ruleset)
  const execution = executionOf(ruleset, host, { context: undefined, signal: undefined })
  let answer: ValueAnswer = { kind: 'missed' }
  const observer: Observer = {
    entered({ id }, variables) {
      if (answer.kind === 'missed' && question.steps.has(id))
        answer = answered(question, { input, variables, policy, runtime: execution })
    },
    tried: () => undefined,
  }
  const steps = interpretSteps(ruleset, policy, input, execution, observer)
  try {
    await toEnd(steps, execution.budget)
  } catch {
    // The answer was found before the failure, or the execution never reached the step.
  }
  return answer
}

function answered(
  { assignments, expression }: ValueQuestion,
  environment: Environment & { readonly variables: ReadonlyMap<string, Value> },
): ValueAnswer {
  const variables = new Map(environment.variables)
  try {
    for (const { name, value } of assignments) variables.set(name, interpret(value, { ...environment, variables }))
    return { kind: 'value', value: interpret(expression, { ...environment, variables }) }
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

async function toEnd(steps: Steps, budget: Budget): Promise<Decision> {
  let next = steps.next()
  while (next.done !== true) {
    const value = await next.value
    budget.resumed()
    next = steps.next(value)
  }
  return next.value
}

/** Maximum length of the JSON text of all listed values. */
const MAX_SHOWN = 16 * 1024 * 1024
const NOT_SHOWN = 'not shown: the inspection would become too large'

class Notes implements Observer {
  readonly #values: ShownValues
  readonly #steps: (InspectedStep & { branches: InspectedBranch[] })[] = []
  #variables: ReadonlyMap<string, Value> = new Map()
  #entered = 0

  constructor(budget: Budget) {
    this.#values = new ShownValues(budget, MAX_SHOWN, NOT_SHOWN)
  }

  entered(step: Step, variables: ReadonlyMap<string, Value>): void {
    this.#leave()
    this.#variables = variables
    if (++this.#entered > MAX_STEPS) return
    this.#steps.push({ id: step.id, name: step.name, type: step.type, branches: [], variables: {} })
  }

  tried(branch: Branch, environment: Environment, value: Value | undefined, error: unknown): void {
    if (this.#entered > MAX_STEPS) return
    this.#steps.at(-1)?.branches.push({
      condition: branch.source,
      parsed: print(branch.condition),
      ...(value === undefined
        ? { error: error instanceof Error ? error.message : String(error) }
        : { value: this.#shown(value) }),
      taken: value !== undefined && isTrue(value, environment.runtime.budget),
      next_step: branch.nextStep,
      fields: this.#all(valuesIn(branch.condition, environment)),
    })
  }

  finish(): { steps: readonly InspectedStep[]; truncated: boolean } {
    this.#leave()
    return { steps: this.#steps, truncated: this.#entered > MAX_STEPS }
  }

  #shown(value: Value): Value {
    return this.#values.shown(value) ?? NOT_SHOWN
  }

  #all(values: ReadonlyMap<string, Value>): { readonly [name: string]: Value } {
    return Object.fromEntries(Array.from(values, ([name, value]) => [name, this.#shown(value)]))
  }

  /** Record the variables at the end of a step. */
  #leave(): void {
    const last = this.#steps.at(-1)
    if (last !== undefined && this.#entered <= MAX_STEPS) Object.assign(last, { variables: this.#all(this.#variables) })
  }
}
