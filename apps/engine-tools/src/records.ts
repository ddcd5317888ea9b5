import { type DecisionRecord, readDecisionRecord } from '@engine/analysis'
import { parseJson, type ParseJsonOptions } from '@engine/expression'
import { contentOf } from './files.ts'
import { ToolError } from './tool.ts'

/**
 * Read recorded decisions, one JSON object `{input, code?, now?}` a line; empty lines are passed over. Throws `ToolError` with
 * the line.
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
    const record = readDecisionRecord(parsed.value)
    if (typeof record === 'string') throw fault(record)
    return [record]
  })
}
