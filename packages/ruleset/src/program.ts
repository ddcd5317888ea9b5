import type { Budget, MakeFunction, Value } from '@engine/expression/core'
import type { InputContract, Violation } from './contract/input-contract.ts'
import type { AbortSignalLike, CapabilityProvider } from './capability.ts'
import type { LogLevel, Ruleset } from './model.ts'

/** The result of a decision: the terminal step's code, message and output. Constant results are shared and frozen. */
export interface Decision {
  readonly code: string
  readonly message: string
  readonly output: { readonly [key: string]: Value }
}

/** Specification 2.3. */
export interface ExecutionResult extends Decision {
  /** Whole microseconds on a monotonic clock. */
  readonly duration_us: number
  readonly trace?: Trace
}

export interface Trace {
  /** Visited step ids joined by ` -> `. */
  readonly path: string
  readonly steps: readonly TraceStep[]
  /** True when the execution entered more steps than a trace records (10,000). */
  readonly truncated?: true
  /** True if values were omitted, since those of a trace are limited to 1,000,000 characters of JSON. */
  readonly values_truncated?: true
}

/** A visited step. */
export interface TraceStep {
  readonly id: string
  readonly name: string
  readonly duration_us: number
  /** Only for decisions: the index of the branch taken; null for the default. Absent if the execution failed in it. */
  readonly branch?: number | null
  /** The condition of that branch. */
  readonly condition?: string
  /** With `ExecuteOptions.traceValues`: every field and variable in the conditions up to the branch taken; null when missing. */
  readonly values?: { readonly [path: string]: Value }
  /** With `ExecuteOptions.traceValues`: the variables that the step set. */
  readonly variables?: { readonly [name: string]: Value }
}

export interface ExecuteOptions {
  /** Default: `config.enable_trace`. Only `execute` traces. */
  readonly trace?: boolean | undefined
  /** Adds values to a trace. Such an execution is interpreted. */
  readonly traceValues?: boolean | undefined
  /** Epoch milliseconds for `now()`; default: the host's clock, read once. */
  readonly now?: number
  /** Aborts when the decision is no longer needed: a waiting execution and its pending call end then. */
  readonly signal?: AbortSignalLike | undefined
  /** Passed unchanged to capabilities: for example the telemetry trace of the execution. */
  readonly context?: unknown
  /** Set by a program that calls this one. */
  readonly caller?: CallChain
}

/** The rulesets being executed, innermost first, when one calls another. */
export interface CallChain {
  readonly ruleset: string
  /** The outermost execution's budget: everything it calls is charged to it and keeps its deadline. */
  readonly budget: Budget
  readonly caller: CallChain | undefined
  /** Rulesets in the chain. */
  readonly length: number
}

/** A ruleset ready for execution. Synchronous when nothing in it waits; then `execute` returns a plain result. */
export interface Program {
  readonly ruleset: Ruleset
  /**
   * The violations of `config.contract` by an input; empty without a contract, or with the mode `off`. Cost: the
   * contract and typed lists.
   */
  violations(input: Value): readonly Violation[]
  /**
   * Generates the code of the next execution, if necessary: for hosts that measure executions themselves. Executions do
   * this automatically.
   */
  prepare(isTraced: boolean): void
  /** The decision alone: reads no clock unless a rule needs the time. Throws `ExecutionError`. */
  decide(input: Value, options?: ExecuteOptions): Decision | Promise<Decision>
  /** The decision with its duration, and with its trace when requested. Throws or rejects with `ExecutionError`. */
  execute(input: Value, options?: ExecuteOptions): ExecutionResult | Promise<ExecutionResult>
}

/** The environment of a ruleset, provided entirely by the host program. */
export interface Host {
  /**
   * For `call_ruleset`, with the `ExecuteOptions.context` of the execution. `generation` changes whenever any name may resolve
   * differently.
   */
  readonly rulesets: { resolve(name: string, context?: unknown): Program | undefined; readonly generation: number }
  readonly capabilities: { get(name: string): CapabilityProvider | undefined }
  log(entry: { ruleset: string; step: string; level: LogLevel; message: string }): void
  metric(entry: { ruleset: string; name: string; value: number; tags: readonly (readonly [string, string])[] }): void
  /** Failed external calls without a `result_variable`. */
  callFailed(entry: { ruleset: string; step: string; service: string; method: string; cause: string }): void
  /** Milliseconds with fractions, monotonic. */
  monotonic(): number
  /** Milliseconds of processor time of this thread; undefined: `monotonic` is used. */
  readonly processor?: () => number
  /** Milliseconds that any execution may take, regardless of `config.timeout_ms`; undefined: no limit. */
  readonly requestMs?: number
  /** Epoch milliseconds. */
  now(): number
  /** Creates functions from generated code; undefined: interpret (browser with a strict policy). */
  readonly makeFunction: MakeFunction | undefined
  /**
   * A time limit for a waiting call: the signal is passed to the provider and aborts after the milliseconds (undefined:
   * never); `dispose` ends the timer.
   */
  limit(milliseconds: number | undefined): { readonly signal: AbortSignalLike; dispose(): void }
  /** Lets other work run; called where an execution may pause when its turn is over (`Budget.wantsPause`). */
  readonly pause: (() => Promise<void>) | undefined
}

/** An execution failed. HTTP: 500 `INTERNAL_ERROR` (specification 7.1). */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError'
  /** From `problems.ts`: `timeout`, `request-timeout`, `max-depth`, `no-branch`, `call-cycle`, `external-call`, or an evaluation code. */
  readonly code: string
  /** Id of the step in which it happened. */
  readonly step: string
  constructor(code: string, message: string, step: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.step = step
  }
}

/** An input breaks the contract of its ruleset (`config.contract` with the mode `enforce`): nothing was decided. */
export class ContractError extends ExecutionError {
  readonly violations: readonly Violation[]
  constructor({ name, version }: InputContract, violations: readonly Violation[]) {
    const places = violations.length === 1 ? '1 place' : `${violations.length} places`
    super('invalid-input', `the input breaks the contract ${name} ${version} in ${places}`, '')
    this.violations = violations
  }
}
