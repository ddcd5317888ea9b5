import {
  Budget,
  BudgetError,
  defined,
  type EvaluationPolicy,
  isList,
  isObject,
  type MakeFunction,
  type Value,
} from '@engine/expression/core'
import type { AbortSignalLike } from './capability.ts'
import type { Code, CodeOptions } from './compile/generate.ts'
import { type Plan, planOf } from './compile/plan.ts'
import type { BranchCounts } from './execute/branch-counts.ts'
import { createBudget, deadlineOf, type Execution, NEEDS_PAUSE, pauseOf } from './execute/execution.ts'
import { executionError, failures, placeOf } from './execute/failures.ts'
import { interpretSteps, type Observer, type Steps } from './execute/interpreter.ts'
import { microseconds, Tracer } from './execute/trace.ts'
import { TracedValues } from './execute/traced-values.ts'
import { evaluationPolicy } from './evaluation-policy.ts'
import type { Ruleset } from './model.ts'
import type { ContractCheck } from './contract/contract-check.ts'
import { type InputContract, type Violation, violationsOf } from './contract/input-contract.ts'
import {
  type CallChain,
  ContractError,
  type Decision,
  type ExecuteOptions,
  type ExecutionResult,
  type Host,
  type Program,
  type Trace,
} from './program.ts'

/** The code generator, passed in by the programs that use it, so that bundles of other programs omit it. */
export interface Compiler {
  /** Whether a ruleset must be interpreted. */
  isTooLarge(plan: Plan): boolean
  generateCode(plan: Plan, options: CodeOptions): Code
  createContractCheck(contract: InputContract, makeFunction: MakeFunction | undefined): ContractCheck | undefined
}

/**
 * A ruleset ready for execution: as generated code if there is a compiler and the host can create functions, otherwise
 * interpreted.
 */
export class RulesetProgram implements Program {
  readonly ruleset: Ruleset
  readonly #host: Host
  readonly #compiler: Compiler | undefined
  readonly #dispatch: boolean
  readonly #branchCounts: BranchCounts | undefined
  readonly #policy: EvaluationPolicy
  /** The contract that inputs must satisfy. */
  readonly #enforced: InputContract | undefined
  #contractCheck: ContractCheck | undefined
  /** The deadline of an outermost execution. */
  readonly #deadlineMs: number
  #plan: Plan | undefined
  /** Set with the plan. */
  #isGenerated = false
  #code: Code | undefined
  #tracedCode: Code | undefined
  /** The pausable code, when `#code` cannot pause. */
  #pausingCode: Code | undefined
  /** The code, when it needs no clock and counts no steps: it runs without preparation. */
  #quick: ((input: Value, execution: Execution) => Decision) | undefined
  /** One object shared by all executions that do not wait: it is free again when they return. */
  #spare: Execution | undefined

  /**
   * @param dispatch finds the first true branch by index when there are many
   * @param branchCounts counts the branches that executions take
   */
  constructor(
    ruleset: Ruleset,
    host: Host,
    compiler: Compiler | undefined,
    dispatch: boolean,
    branchCounts?: BranchCounts,
  ) {
    this.ruleset = ruleset
    this.#host = host
    this.#compiler = compiler
    this.#dispatch = dispatch
    this.#branchCounts = branchCounts
    this.#policy = evaluationPolicy(ruleset)
    this.#enforced = ruleset.config.contract?.mode === 'enforce' ? ruleset.config.contract : undefined
    this.#deadlineMs = deadlineOf(host, ruleset.config.timeoutMs)
  }

  violations(input: Value): readonly Violation[] {
    const { contract } = this.ruleset.config
    if (contract === undefined || contract.mode === 'off') return []
    return this.#check(contract)(input, undefined)
  }

  #check(contract: InputContract): ContractCheck {
    this.#contractCheck ??=
      this.#compiler?.createContractCheck(contract, this.#host.makeFunction) ??
      ((input, budget = Budget.endless()) => violationsOf(contract, input, budget))
    return this.#contractCheck
  }

  /** Throws `ContractError`. */
  #requireContract(contract: InputContract, input: Value, caller: CallChain | undefined): void {
    const violations = this.#check(contract)(input, caller?.budget)
    if (violations.length > 0) throw new ContractError(contract, violations)
  }

  decide(input: Value, options?: ExecuteOptions): Decision | Promise<Decision> {
    const quick = this.#quick
    const spare = this.#spare
    if (quick === undefined || spare === undefined || options?.caller !== undefined || !hasMembers(input))
      return this.#run(input, options, undefined)
    this.#spare = undefined
    spare.budget.reset(this.#deadlineMs)
    if (options !== undefined) {
      spare.context = options.context
      spare.signal = options.signal
    }
    try {
      const decision = quick(input, spare)
      if (options !== undefined) {
        spare.context = undefined
        spare.signal = undefined
      }
      this.#spare = spare
      return decision
    } catch (error) {
      return this.#ended(error, input, spare, options?.signal)
    }
  }

  prepare(isTraced: boolean): void {
    if ((isTraced ? this.#tracedCode : this.#code) !== undefined) return
    const plan = this.#plan ?? this.#planned()
    if (this.#isGenerated) this.#codeFor(plan, isTraced)
  }

  execute(input: Value, options?: ExecuteOptions): ExecutionResult | Promise<ExecutionResult> {
    const isTraced = options?.trace ?? this.ruleset.config.enableTrace
    const showsValues = isTraced && options?.traceValues === true
    if (!showsValues) this.prepare(isTraced)
    const { monotonic } = this.#host
    const start = monotonic()
    const traced: Traced | undefined = isTraced
      ? { tracer: new Tracer(monotonic, [...this.ruleset.steps.values()]), showsValues, values: undefined }
      : undefined
    const decided = this.#run(input, options, traced)
    if (decided instanceof Promise) return decided.then((decision) => timed(decision, monotonic() - start, traced))
    return timed(decided, monotonic() - start, traced)
  }

  #run(input: Value, options: ExecuteOptions | undefined, traced: Traced | undefined): Decision | Promise<Decision> {
    const plan = this.#plan ?? this.#planned()
    const isCompiled = this.#isGenerated && isObject(input)
    if (this.#enforced !== undefined) this.#requireContract(this.#enforced, input, options?.caller)
    if (options?.caller !== undefined) return this.#called(plan, input, options, options.caller, isCompiled)
    const execution = this.#begin(plan, options, traced?.tracer)
    if (traced?.showsValues === true) {
      traced.values = new TracedValues(execution.budget)
      return this.#start(undefined, input, execution, options?.signal, traced.values)
    }
    const code = isCompiled ? this.#codeFor(plan, traced !== undefined) : undefined
    if (code?.kind !== 'plain' || traced !== undefined) return this.#start(code, input, execution, options?.signal)
    try {
      const decision = code.run(input, execution)
      execution.context = undefined
      execution.signal = undefined
      this.#spare = execution
      return decision
    } catch (error) {
      return this.#ended(error, input, execution, options?.signal)
    }
  }

  /** Code that cannot wait ended without a decision: it failed, or has to be restarted in a pausable form. */
  #ended(error: unknown, input: Value, execution: Execution, signal: AbortSignalLike | undefined): Promise<Decision> {
    if (error === NEEDS_PAUSE) return this.#restarted(input, execution, signal)
    throw this.#failure(error, execution)
  }

  /** Runs for a calling ruleset on the budget of the outermost one; its own shorter time limit still applies. */
  #called(
    plan: Plan,
    input: Value,
    options: ExecuteOptions,
    caller: CallChain,
    isCompiled: boolean,
  ): Decision | Promise<Decision> {
    const { budget } = caller
    const { timeoutMs } = this.ruleset.config
    const ends = timeoutMs > 0 && (budget.deadlineMs === 0 || timeoutMs < budget.deadlineMs) ? timeoutMs : undefined
    if (!plan.isCharged) budget.spend(plan.weight)
    const execution = this.#fresh(budget, options, caller)
    const code = isCompiled ? this.#codeFor(plan, false) : undefined
    if (ends === undefined) return this.#start(code, input, execution, options.signal)
    const end = budget.within(ends)
    try {
      const decided = this.#start(code, input, execution, options.signal)
      if (decided instanceof Promise) return decided.finally(end)
      end()
      return decided
    } catch (error) {
      end()
      throw error
    }
  }

  /** Runs code of any kind, or the interpreter. */
  #start(
    code: Code | undefined,
    input: Value,
    execution: Execution,
    signal: AbortSignalLike | undefined,
    observer?: Observer,
  ): Decision | Promise<Decision> {
    try {
      if (code?.kind === 'plain') return code.run(input, execution)
      return this.#drive(
        code === undefined
          ? interpretSteps(this.ruleset, this.#policy, input, execution, observer)
          : code.run(input, execution),
        execution,
        signal,
      )
    } catch (error) {
      return this.#ended(error, input, execution, signal)
    }
  }

  /** Restarts in a pausable form on the same budget. */
  async #restarted(input: Value, begun: Execution, signal: AbortSignalLike | undefined): Promise<Decision> {
    const execution = { ...begun, step: 0, entered: 0 }
    const plan = defined(this.#plan)
    const makeFunction = defined(this.#host.makeFunction)
    this.#pausingCode ??= defined(this.#compiler).generateCode(
      { ...plan, isResumable: true },
      this.#codeOptions(false, makeFunction),
    )
    await pauseOf(execution)
    execution.budget.resumed()
    return this.#start(this.#pausingCode, input, execution, signal)
  }

  /** Runs to the end or to the first wait. */
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
    const end = signal === undefined ? undefined : abandonment(signal)
    // The deadline starts at the first wait at the latest, and the work of others in the meantime is not charged to
    // this execution.
    execution.budget.begin()
    try {
      let waiting = first
      const abandoned = end?.promise
      for (;;) {
        const next = await resumed(
          steps,
          execution.budget,
          abandoned === undefined ? waiting : Promise.race([abandoned, waiting]),
        )
        if (next.done === true) return next.value
        waiting = next.value
      }
    } catch (error) {
      throw this.#failure(error, execution)
    } finally {
      end?.dispose()
    }
  }

  #failure(error: unknown, execution: Execution): unknown {
    const { timeoutMs } = this.ruleset.config
    const isCalled = execution.chain.caller !== undefined
    // The caller's deadline is reported by the caller.
    if (isCalled && error instanceof BudgetError && error.reason === 'deadline' && error.limit !== timeoutMs)
      return error
    const step = placeOf(error, this.ruleset) ?? this.#plan?.graph.ids[execution.step] ?? ''
    return executionError(error, step, timeoutMs)
  }

  #planned(): Plan {
    const plan = planOf(this.ruleset, this.#policy)
    this.#plan = plan
    this.#isGenerated = this.#host.makeFunction !== undefined && this.#compiler?.isTooLarge(plan) === false
    return plan
  }

  #codeFor(plan: Plan, isTraced: boolean): Code | undefined {
    const compiler = this.#compiler
    const { makeFunction } = this.#host
    if (compiler === undefined || makeFunction === undefined) return undefined
    if (!isTraced) {
      this.#code ??= compiler.generateCode(plan, this.#codeOptions(false, makeFunction))
      if (this.#code.kind === 'plain' && !plan.readsClock && !plan.isCounted && this.#enforced === undefined)
        this.#quick = this.#code.run
      return this.#code
    }
    // Traced code cannot be restarted.
    const traced = { ...plan, isResumable: plan.isResumable || plan.isLong }
    return (this.#tracedCode ??= compiler.generateCode(traced, this.#codeOptions(true, makeFunction)))
  }

  #codeOptions(isTraced: boolean, makeFunction: MakeFunction): CodeOptions {
    return { isTraced, branchCounts: this.#branchCounts, makeFunction, dispatch: this.#dispatch }
  }

  #begin(plan: Plan, options: ExecuteOptions | undefined, tracer: Tracer | undefined): Execution {
    const spare = this.#spare
    if (spare === undefined || tracer !== undefined) {
      const budget = createBudget(this.#host, this.ruleset.config.timeoutMs)
      return this.#fresh(budget, options, undefined, tracer, plan.readsClock)
    }
    this.#spare = undefined
    spare.now = plan.readsClock ? (options?.now ?? this.#host.now()) : 0
    spare.context = options?.context
    spare.signal = options?.signal
    spare.budget.reset(this.#deadlineMs)
    spare.entered = 0
    return spare
  }

  #fresh(
    budget: Budget,
    options: ExecuteOptions | undefined,
    caller: CallChain | undefined,
    tracer?: Tracer,
    readsClock = this.#plan?.readsClock === true,
  ): Execution {
    const host = this.#host
    const ruleset = this.ruleset.config.name
    return {
      now: readsClock ? (options?.now ?? host.now()) : 0,
      budget,
      host,
      ruleset,
      numbers: this.#policy.numbers,
      chain: { ruleset, budget, caller, length: (caller?.length ?? 0) + 1 },
      context: options?.context,
      signal: options?.signal,
      tracer,
      branchCounts: this.#branchCounts,
      step: 0,
      entered: 0,
    }
  }
}

/** How an execution is traced. */
interface Traced {
  readonly tracer: Tracer
  readonly showsValues: boolean
  /** Set when the execution begins. */
  values: TracedValues | undefined
}

/**
 * Whether generated code can read the input. A decimal passes although `isObject` excludes it, since that test would cost
 * as much as the rest of `decide`: generated code finds no members in it, as in no object without members.
 */
function hasMembers(input: Value): boolean {
  return typeof input === 'object' && input !== null && !isList(input)
}

/** Rejects when the signal aborts. `dispose` detaches from the signal, which other executions may share. */
function abandonment(signal: AbortSignalLike): { readonly promise: Promise<never>; dispose(): void } {
  // Node.js 20 has no `Promise.withResolvers`.
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_resolve, rejectPromise) => {
    reject = rejectPromise
  })
  const abort = () => reject(failures.abandoned())
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  // The execution may have ended already.
  promise.catch(() => undefined)
  return { promise, dispose: () => signal.removeEventListener('abort', abort) }
}

/** The next wait, resumed with the result of the previous one. */
async function resumed(
  steps: Steps,
  budget: Budget,
  waiting: Promise<unknown>,
): Promise<IteratorResult<Promise<unknown>, Decision>> {
  let value: unknown
  try {
    value = await waiting
  } catch (error) {
    budget.resumed()
    return steps.throw(error)
  }
  budget.resumed()
  return steps.next(value)
}

function timed({ code, message, output }: Decision, milliseconds: number, traced: Traced | undefined): ExecutionResult {
  const duration_us = microseconds(milliseconds)
  if (traced === undefined) return { code, message, output, duration_us }
  const trace: Trace = traced.tracer.finish(traced.values)
  return { code, message, output, duration_us, trace }
}
