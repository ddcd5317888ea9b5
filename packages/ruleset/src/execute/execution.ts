import type { AbortSignalLike } from '../capability.ts'
import { Budget, type Runtime } from '@engine/expression'
import type { CallChain, Host } from '../program.ts'
import type { Tracer } from './trace.ts'

/** One execution under way: what expressions need, and what its steps share. */
export interface Execution extends Runtime {
  now: number
  readonly host: Host
  /** `config.name`. */
  readonly ruleset: string
  readonly chain: CallChain
  /** `ExecuteOptions.context`. */
  context: unknown
  /** `ExecuteOptions.signal`: ends what the execution waits for. */
  signal: AbortSignalLike | undefined
  readonly tracer: Tracer | undefined
  /** Steps entered so far, where they are counted. */
  entered: number
  /** Number of the step that runs: where a failure has its place. */
  step: number
}

/** The deadline of an execution that no other began: `config.timeout_ms`, or the request's own where that is shorter. */
export function deadlineOf(host: Host, timeoutMs: number): number {
  const requestMs = host.requestMs ?? 0
  if (timeoutMs === 0) return requestMs
  return requestMs === 0 ? timeoutMs : Math.min(timeoutMs, requestMs)
}

/** The budget of an execution that no other began. */
export function createBudget(host: Host, timeoutMs: number): Budget {
  const monotonic = () => host.monotonic()
  const { processor = monotonic } = host
  return new Budget({ monotonic, processor }, { deadlineMs: deadlineOf(host, timeoutMs) })
}

/** A promise when it is time to let other work run: the execution goes on when it is fulfilled. */
export function pauseOf({ budget, host }: Execution): Promise<void> | undefined {
  if (!budget.wantsPause || host.pause === undefined) return undefined
  return host.pause()
}
