import { type Budget, type Environment, isTrue, type Value } from '@engine/expression/core'
import type { Action, Branch, Step } from '../model.ts'
import type { TraceStep } from '../program.ts'
import type { Observer } from './interpreter.ts'
import { ShownValues, valuesIn } from './shown-values.ts'
import { TRACE_LIMIT } from './trace.ts'

/** Maximum length of the JSON text of all values of a trace. */
const MAX_CHARACTERS = 1_000_000

/** Records the values that the steps of an interpreted execution read in conditions and the variables that they set. */
export class TracedValues implements Observer {
  readonly #budget: Budget
  readonly #shown: ShownValues
  readonly #steps: { values: Record<string, Value>; variables: Record<string, Value> }[] = []
  #entered = 0
  #variables: ReadonlyMap<string, Value> = new Map()
  /** Variables that the current step sets. */
  #set: readonly string[] = []

  constructor(budget: Budget) {
    this.#budget = budget
    this.#shown = new ShownValues(budget, MAX_CHARACTERS)
  }

  get isTruncated(): boolean {
    return this.#shown.isTruncated
  }

  entered(step: Step, variables: ReadonlyMap<string, Value>): void {
    this.#leave()
    this.#variables = variables
    if (++this.#entered > TRACE_LIMIT) return
    this.#steps.push({ values: {}, variables: {} })
    this.#set = step.type === 'action' ? variablesOf(step.actions) : []
  }

  tried(branch: Branch, environment: Environment, value: Value | undefined): void {
    const step = this.#steps.at(-1)
    if (step === undefined || this.#entered > TRACE_LIMIT) return
    this.#add(step.values, valuesIn(branch.condition, environment))
    if (value !== undefined && isTrue(value, this.#budget)) this.#set = variablesOf(branch.actions)
  }

  /** The values of a recorded step. Call after the execution has ended. */
  of(index: number): Pick<TraceStep, 'values' | 'variables'> {
    this.#leave()
    const { values = {}, variables = {} } = this.#steps[index] ?? {}
    return {
      ...(Object.keys(values).length > 0 && { values }),
      ...(Object.keys(variables).length > 0 && { variables }),
    }
  }

  /** Records the variables at the end of a step. */
  #leave(): void {
    const set = this.#set
    this.#set = []
    const step = this.#steps.at(-1)
    if (step !== undefined && set.length > 0)
      this.#add(step.variables, new Map(set.map((name) => [name, this.#variables.get(name) ?? null])))
  }

  #add(to: Record<string, Value>, values: ReadonlyMap<string, Value>): void {
    for (const [name, value] of values) {
      if (Object.hasOwn(to, name)) continue
      const shown = this.#shown.shown(value)
      // A plain assignment would set the prototype for the name `__proto__`.
      if (shown !== undefined)
        Object.defineProperty(to, name, { value: shown, enumerable: true, configurable: true, writable: true })
    }
  }
}

function variablesOf(actions: readonly Action[]): readonly string[] {
  return actions.flatMap((action) => {
    if (action.action === 'set_variable') return [action.name]
    if (action.action === 'log' || action.action === 'metric' || action.resultVariable === undefined) return []
    return [action.resultVariable]
  })
}
