import { isObject, type Value } from '@engine/expression'
import { failures } from '../errors.ts'

/** The parts of the body of an execution. */
export interface ExecutionBody {
  readonly input: Value
  readonly trace: boolean | undefined
}

/** Throws `EngineError`. The shape of this one body is looked at by hand: it is the hot path. */
export function executionBody(body: Value): ExecutionBody {
  if (!isObject(body)) throw failures.invalidPart('', 'must be an object such as {"input": {…}}')
  const { input, trace } = body
  if (input === undefined) throw failures.invalidPart('/input', 'is missing: the fields that the rules decide about')
  if (trace !== undefined && trace !== null && typeof trace !== 'boolean')
    throw failures.invalidPart('/trace', 'must be `true` or `false`')
  return { input, trace: trace ?? undefined }
}
