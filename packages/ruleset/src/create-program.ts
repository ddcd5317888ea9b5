import { isObject, type MissingPolicy, type Value } from '@engine/expression'
import type { AbortSignalLike } from './capability.ts'
import { type Code, generateCode } from './compile/code.ts'
import { type Plan, planOf } from './compile/plan.ts'
import type { Execution } from './execute/execution.ts'
import { executionError, failures, placeOf } from './execute/failures.ts'
import { interpretSteps, type Steps } from './execute/interpreter.ts'
import { microseconds, Tracer } from './execute/trace.ts'
import { missingPolicy } from './missing-policy.ts'
import type { Ruleset } from './model.ts'
import type { CallChain, Decision, ExecuteOptions, ExecutionResult, Host, Program, Trace } from './program.ts'

export interface ProgramOptions {
  /** Find the first true of many branches by look-up. Default true; the results are the same. */
  readonly dispatch?: boolean
}

/**
 * Make a ruleset ready to run: as generated JavaScript when the host can make functions, else interpreted. Code is
 * generated at the first execution, so that a program that is never asked costs next to nothing.
 */
export function createProgram(ruleset: Ruleset, host: Host, options: ProgramOptions = {}): Program {
  return new RulesetProgram(ruleset, host, options.dispatch ?? true)
}

class RulesetProgram implements Program {
  readonly ruleset: Ruleset
  readonly #host: Host
  readonly #dispatch: boolean
  readonly #policy: MissingPolicy
  readonly #chain: CallChain
  #plan: Plan | undefined
  #code: Code | undefined
  #tracedCode: Code | undefined
  /** The code, when it needs no clock and counts no steps: nothing has to be prepared for it. */
  #quick: ((input: Value, execution: Execution) => Decision) | undefined
  /** One object for all executions that do not wait: it is free again when they return. */
  #spare: Execution | undefined

  constructor(ruleset: Ruleset, host: Host, dispatch: boolean) {
    const { name } = ruleset.config
    this.ruleset = ruleset
    this.#host = host
    this.#dispatch = dispatch
    this.#policy = missingPolicy(ruleset)
    this.#chain = { ruleset: name, caller: undefined, length: 1 }
  }

  decide(input: Value, options?: ExecuteOptions): Decision | Promise<Decision> {
    const quick = this.#quick
    const spare = this.#spare
    if (quick === undefined || spare === undefined || options !== undefined || !isObject(input))
      return this.#run(input, options, undefined)
    this.#spare = undefined
    spare.allocated = 0
    try {
      return quick(input, spare)
    } catch (error) {
      throw this.#failure(error, spare)
    } finally {
      this.#spare = spare
    }
  }

  execute(input: Value, options?: ExecuteOptions): ExecutionResult | Promise<ExecutionResult> {
    const { monotonic } = this.#host
    const start = monotonic()
    const tracer = (options?.trace ?? this.ruleset.config.enableTrace) ? this.#tracer() : undefined
    const decided = this.#run(input, options, tracer)
    if (decided instanceof Promise) return decided.then((decision) => timed(decision, monotonic() - start, tracer))
    return timed(decided, monotonic() - start, tracer)
  }

  #run(input: Value, options: ExecuteOptions | undefined, tracer: Tracer | undefined): Decision | Promise<Decision> {
    const plan = (this.#plan ??= planOf(this.ruleset, this.#policy))
    const isCompiled = isObject(input) && this.#host.makeFunction !== undefined && !plan.isTooLarge
    const execution = this.#begin(plan, isCompiled, options, tracer)
    try {
      const code = isCompiled ? this.#codeFor(plan, tracer) : undefined
      if (code?.kind === 'plain') {
        const decision = code.run(input, execution)
        // An execution that another began, or that is traced, has a form of its own.
        if (tracer === undefined && options?.caller === undefined) {
          execution.context = undefined
          this.#spare = execution
        }
        return decision
      }
      return this.#drive(
        code === undefined ? interpretSteps(this.ruleset, this.#policy, input, execution) : code.run(input, execution),
        execution,
        options?.signal,
      )
    } catch (error) {
      throw this.#failure(error, execution)
    }
  }

  /** Runs to the end, or to the first thing that has to be waited for. */
  #drive(steps: Steps, execution: Execution, signal: AbortSignalLike | undefined): Decision | Promise<Decision> {
    const first = steps.next()
    return first.done === true ? first.value : this.#wait(steps, first.value, execution, signal)
  }

  async #wait(
    steps: Steps,
    first: Promise<unknown>,
    execution: Execution,
    signal: AbortSignalLike | undefined,
  ): Promise<Decision> {
    try {
      let waiting = first
      const abandoned = signal === undefined ? undefined : abandonment(signal)
      for (;;) {
        const next = await resumed(steps, abandoned === undefined ? waiting : Promise.race([abandoned, waiting]))
        if (next.done === true) return next.value
        waiting = next.value
      }
    } catch (error) {
      throw this.#failure(error, execution)
    }
  }

  #failure(error: unknown, execution: Execution): unknown {
    return executionError(error, placeOf(error, this.ruleset) ?? this.#plan?.graph.ids[execution.step] ?? '')
  }

  #codeFor(plan: Plan, tracer: Tracer | undefined): Code | undefined {
    const { makeFunction } = this.#host
    if (makeFunction === undefined) return undefined
    const dispatch = this.#dispatch
    if (tracer === undefined) {
      this.#code ??= generateCode(plan, { isTraced: false, makeFunction, dispatch })
      const needsNothing = !plan.readsClock && !plan.isTimed && !plan.isCounted
      if (this.#code.kind === 'plain' && needsNothing) this.#quick = this.#code.run
      return this.#code
    }
    return (this.#tracedCode ??= generateCode(plan, { isTraced: true, makeFunction, dispatch }))
  }

  #begin(plan: Plan, isCompiled: boolean, options: ExecuteOptions | undefined, tracer: Tracer | undefined): Execution {
    const host = this.#host
    const now = plan.readsClock ? (options?.now ?? host.now()) : 0
    const start = plan.isTimed || plan.isResumable || !isCompiled ? host.monotonic() : 0
    const spare = this.#spare
    if (spare !== undefined && tracer === undefined && options?.caller === undefined) {
      this.#spare = undefined
      spare.now = now
      spare.context = options?.context
      spare.start = start
      spare.turn = start
      spare.allocated = 0
      spare.entered = 0
      return spare
    }
    const { caller } = options ?? {}
    const chain = caller === undefined ? this.#chain : { ...this.#chain, caller, length: caller.length + 1 }
    return {
      now,
      allocated: 0,
      host,
      ruleset: this.#chain.ruleset,
      timeoutMs: this.ruleset.config.timeoutMs,
      chain,
      context: options?.context,
      start,
      turn: start,
      tracer,
      step: 0,
      entered: 0,
    }
  }

  #tracer(): Tracer {
    const { monotonic } = this.#host
    const steps = [...this.ruleset.steps.values()]
    return new Tracer(
      monotonic,
      steps.map(({ id }) => id),
      steps.map(({ name }) => name),
    )
  }
}

/** Rejects when nobody waits for the decision any more. */
function abandonment(signal: AbortSignalLike): Promise<never> {
  const abandoned = new Promise<never>((_resolve, reject) => {
    const reason = failures.abandoned()
    if (signal.aborted) reject(reason)
    else signal.addEventListener('abort', () => reject(reason))
  })
  // The execution may have ended before.
  abandoned.catch(() => undefined)
  return abandoned
}

/** The next thing to wait for, with what was waited for put in its place. */
async function resumed(steps: Steps, waiting: Promise<unknown>): Promise<IteratorResult<Promise<unknown>, Decision>> {
  let value: unknown
  try {
    value = await waiting
  } catch (error) {
    return steps.throw(error)
  }
  return steps.next(value)
}

function timed({ code, message, output }: Decision, milliseconds: number, tracer: Tracer | undefined): ExecutionResult {
  const duration_us = microseconds(milliseconds)
  if (tracer === undefined) return { code, message, output, duration_us }
  const trace: Trace = tracer.finish()
  return { code, message, output, duration_us, trace }
}
