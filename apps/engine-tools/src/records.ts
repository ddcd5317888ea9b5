import { type DecisionRecord, readDecisionRecord } from '@engine/analysis'
import { isObject, parseJson, type ParseJsonOptions, type Value } from '@engine/expression'
import { Malformed, RECEIPT_FORMAT, recordedDecision } from '@engine/receipts'
import { contentOf } from './files.ts'
import { ToolError } from './tool.ts'

/**
 * Read recorded decisions, one a line: a JSON object `{input, code?, now?, calls?}`, or a receipt with its evidence. Empty lines
 * are passed over. Throws `ToolError` with the line.
 */
export async function readRecords(
  file: string,
  numbers: ParseJsonOptions['numbers'] = 'double',
): Promise<readonly DecisionRecord[]> {
  const lines = (await contentOf(file)).toString('utf8').split('\n')
  return lines.flatMap((line, index): readonly DecisionRecord[] => {
    if (line.trim() === '') return []
    const parsed = parseJson(line, { duplicateKeys: 'refuse', numbers })
    const fault = (message: string) => new ToolError(`${file}:${index + 1}: ${message}`)
    if (parsed.kind === 'failed') throw fault(`${parsed.problem.reason} (column ${parsed.problem.column})`)
    const record = recordOf(line, parsed.value)
    if (typeof record === 'string') throw fault(record)
    return [record]
  })
}

/** The record, or the reason why there is none. */
function recordOf(line: string, value: Value): DecisionRecord | string {
  if (!isObject(value) || value['format'] !== RECEIPT_FORMAT) return readDecisionRecord(value)
  try {
    const { input, code = null, now, calls } = recordedDecision(line)
    return readDecisionRecord({ input, code, now, calls })
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}
