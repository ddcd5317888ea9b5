import { isNumber, isObject, type ObjectValue, parseJson, type ParseJsonOptions } from '@engine/expression'
import { contentOf } from './files.ts'
import { ToolError } from './tool.ts'

/** A recorded decision: a line of a file of recordings. */
interface RecordedDecision {
  readonly input: ObjectValue
  readonly code?: string
  /** Epoch milliseconds. */
  readonly now?: number
}

/** The largest time of a date, in milliseconds. */
const MAX_TIME = 8.64e15

/**
 * Read recorded decisions, one JSON object `{input, code?, now?}` a line; empty lines are passed over. Throws `ToolError` with
 * the line.
 */
export async function readRecords(
  file: string,
  numbers: ParseJsonOptions['numbers'] = 'double',
): Promise<readonly RecordedDecision[]> {
  const lines = (await contentOf(file)).toString('utf8').split('\n')
  return lines.flatMap((line, index): readonly RecordedDecision[] => {
    if (line.trim() === '') return []
    const parsed = parseJson(line, { duplicateKeys: 'refuse', numbers })
    const fault = (message: string) => new ToolError(`${file}:${index + 1}: ${message}`)
    if (parsed.kind === 'failed') throw fault(parsed.problem.message)
    const record = parsed.value
    if (!isObject(record) || record['input'] === undefined || !isObject(record['input']))
      throw fault('a record is an object with an `input` that is an object')
    const { input, code, now } = record
    if (code !== undefined && typeof code !== 'string') throw fault('`code` must be a text')
    if (now !== undefined && !(isNumber(now) && Math.abs(Number(now)) <= MAX_TIME))
      throw fault('`now` must be a number of milliseconds')
    return [{ input, ...(code === undefined ? {} : { code }), ...(now === undefined ? {} : { now: Number(now) }) }]
  })
}
