import { isObject, type Value } from '@engine/expression'
import { requireTraceValues, type ValuesRefusal } from '../access/trace-values.ts'
import { failures } from '../errors.ts'

/** The parts of the body of an execution. */
export interface ExecutionBody {
  readonly input: Value
  readonly trace: boolean | undefined
  readonly traceValues: boolean | undefined
  /** True if the answer must include its receipt. */
  readonly receipt: boolean
}

/**
 * Throws `EngineError`, also if a trace with values is requested without its scope. The shape of this body is checked
 * by hand, because this is the hot path.
 */
export function executionBody(body: Value, valuesRefusal: ValuesRefusal): ExecutionBody {
  if (!isObject(body)) throw failures.invalidPart('', 'must be an object such as {"input": {…}}')
  const { input, trace, trace_values: traceValues, receipt } = body
  if (input === undefined) throw failures.invalidPart('/input', 'is missing: the fields that the rules decide about')
  if (trace !== undefined && trace !== null && typeof trace !== 'boolean')
    throw failures.invalidPart('/trace', 'must be `true` or `false`')
  if (receipt !== undefined && receipt !== null && typeof receipt !== 'boolean')
    throw failures.invalidPart('/receipt', 'must be `true` or `false`')
  if (traceValues !== undefined && traceValues !== null && typeof traceValues !== 'boolean')
    throw failures.invalidPart('/trace_values', 'must be `true` or `false`')
  if (traceValues === true) requireTraceValues(true, trace === true, valuesRefusal, refuse)
  return {
    input,
    trace: trace ?? undefined,
    traceValues: traceValues ?? undefined,
    receipt: receipt === true,
  }
}

const refuse = (message: string) => failures.invalidPart('/trace_values', message)
