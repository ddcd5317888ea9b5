import type { AbortSignalLike } from '../capability.ts'
import { Budget, type Numbers, type Runtime } from '@engine/expression/core'
import type { CallChain, Host } from '../program.ts'
import type { BranchCounts } from './branch-counts.ts'
import type { Tracer } from './trace.ts'

/** The state of one execution: shared by its expressions and steps. */
export interface Execution extends Runtime {
  now: number
  readonly host: Host
  /** `config.name`. */
  readonly ruleset: string
  /** `config.numbers`. */
  readonly numbers: Numbers
  readonly chain: CallChain
  /** `ExecuteOptions.context`. */
  context: unknown
  /** `ExecuteOptions.signal`: cancels waiting. */
  signal: AbortSignalLike | undefined
  readonly tracer: Tracer | undefined
  /** For the interpreter: generated code has its counters built in. */
  readonly branchCounts: BranchCounts | undefined
  /** Number of entered steps, when counted. */
  entered: number
  /** Number of the current step: the position of a failure. */
  step: number
}

/** The deadline of an outermost execution: `config.timeout_ms`, or the request's own if that is shorter. */
export function deadlineOf(host: Host, timeoutMs: number): number {
  const requestMs = host.requestMs ?? 0
  if (timeoutMs === 0) return requestMs
  return requestMs === 0 ? timeoutMs : Math.min(timeoutMs, requestMs)
}

/** The budget of an outermost execution. */
export function createBudget(host: Host, timeoutMs: number): Budget {
  const monotonic = () => host.monotonic()
  const { processor = monotonic } = host
  return new Budget({ monotonic, processor }, { deadlineMs: deadlineOf(host, timeoutMs) })
}

/** Thrown by code that cannot wait when it should yield. No external effect has happened yet. */
export const NEEDS_PAUSE = Symbol('needs a pause')

/** A promise when the execution should yield to other work; it continues when the promise resolves. */
export function pauseOf({ budget, host }: Execution): Promise<void> | undefined {
  if (!budget.wantsPause || host.pause === undefined) return undefined
  return host.pause()
}
