import type { Runtime } from '@engine/expression'
import type { AbortSignalLike } from '../capability.ts'
import type { CallChain, Host } from '../program.ts'
import type { Tracer } from './trace.ts'

/** One execution under way: what expressions need, and what its steps share. */
export interface Execution extends Runtime {
  now: number
  readonly host: Host
  /** `config.name`. */
  readonly ruleset: string
  /** `config.timeout_ms`; 0 is off. */
  readonly timeoutMs: number
  readonly chain: CallChain
  /** `ExecuteOptions.context`. */
  context: unknown
  /** `ExecuteOptions.signal`: ends what the execution waits for. */
  signal: AbortSignalLike | undefined
  /** Monotonic milliseconds at its beginning; 0 where no timeout can be looked at. */
  start: number
  readonly tracer: Tracer | undefined
  /** Monotonic milliseconds when it last let other work run. */
  turn: number
  /** Steps entered so far, where they are counted. */
  entered: number
  /** Number of the step that runs: where a failure has its place. */
  step: number
}
