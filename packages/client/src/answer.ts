import { parseJson, type Value } from '@engine/expression'
import { ClientError } from './errors.ts'

/** The value of JSON that an engine sent. Throws `ClientError`. */
export function valueOf(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'parsed') return parsed.value
  throw new ClientError('server', `the answer is not JSON: ${parsed.problem.message}`)
}
