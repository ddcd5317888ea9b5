import type { EngineError } from '../errors.ts'

/** The scope that traces with values need in addition to `execute`. */
export const TRACE_VALUES = { scope: 'trace' } as const

/** Why the sender may not see values of executions; undefined if it may. */
export type ValuesRefusal = () => EngineError | undefined

/**
 * Refuses values without a trace, and without the scope for them. Throws the error that `refuse` creates, or an
 * `EngineError`.
 */
export function requireTraceValues(
  traceValues: boolean,
  trace: boolean,
  valuesRefusal: ValuesRefusal,
  refuse: (message: string) => Error,
): void {
  if (!traceValues) return
  if (!trace) throw refuse('adds values to a trace: it needs `trace` to be `true`')
  const refusal = valuesRefusal()
  if (refusal !== undefined) throw refusal
}
