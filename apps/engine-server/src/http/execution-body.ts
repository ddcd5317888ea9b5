import { isObject, type Value } from '@engine/expression'
import { type EngineError, failures } from '../errors.ts'

/** The parts of the body of an execution. */
export interface ExecutionBody {
  readonly input: Value
  readonly trace: boolean | undefined
  readonly traceValues: boolean | undefined
  /** The answer needs its receipt. */
  readonly receipt: boolean
}

/** Why the sender may not see values of executions; undefined: it may. */
export type ValuesRefusal = () => EngineError | undefined

/** The scope that traces with values need in addition to `execute`. */
export const TRACE_VALUES = { scope: 'trace' } as const

/**
 * Throws `EngineError`, also where a trace with values is requested without its scope. The shape of this one body is looked at by
 * hand: it is the hot path.
 */
export function executionBody(body: Value, valuesRefusal: ValuesRefusal): ExecutionBody {
  if (!isObject(body)) throw failures.invalidPart('', 'must be an object such as {"input": {…}}')
  const { input, trace, trace_values: traceValues, receipt } = body
  if (input === undefined) throw failures.invalidPart('/input', 'is missing: the fields that the rules decide about')
  if (trace !== undefined && trace !== null && typeof trace !== 'boolean')
    throw failures.invalidPart('/trace', 'must be `true` or `false`')
  if (receipt !== undefined && receipt !== null && typeof receipt !== 'boolean')
    throw failures.invalidPart('/receipt', 'must be `true` or `false`')
  const read = { input, trace: trace ?? undefined, receipt: receipt === true }
  if (traceValues === undefined) return { ...read, traceValues }
  if (traceValues !== null && typeof traceValues !== 'boolean')
    throw failures.invalidPart('/trace_values', 'must be `true` or `false`')
  const refuse = (message: string) => failures.invalidPart('/trace_values', message)
  requireTraceValues(traceValues === true, trace === true, valuesRefusal, refuse)
  return { ...read, traceValues: traceValues ?? undefined }
}

/** Refuses values without a trace, and without the scope for them. Throws what `refuse` makes, or an `EngineError`. */
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
