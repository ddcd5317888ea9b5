import { type Numbers, parseJson } from '@engine/expression'
import type { Readable } from 'node:stream'
import { ToolError } from '../tool.ts'
import type { InputRecord } from './input-record.ts'

/** Maximum characters of a line: a line without an end does not fill the memory. */
const MAX_LINE = 64 * 1024 * 1024

/** The inputs of NDJSON, in batches as they are read. Blank lines are counted and skipped. Throws `ToolError`. */
export async function* ndjsonRecords(
  file: string,
  bytes: Readable,
  numbers: Numbers,
): AsyncGenerator<readonly InputRecord[]> {
  let line = 0
  let begun = ''
  for await (const text of decodedText(file, bytes)) {
    // Only the new piece is searched: a long line would otherwise be read again with each piece.
    const lines = text.split('\n')
    lines[0] = begun + (lines[0] ?? '')
    begun = lines.pop() ?? ''
    if (begun.length > MAX_LINE) throw new ToolError(`${file}:${line + lines.length + 1}: the line is too long`)
    const first = line + 1
    line += lines.length
    yield lines.flatMap((one, index) => recordOf(one, first + index, numbers))
  }
  yield recordOf(begun, line + 1, numbers)
}

function recordOf(text: string, line: number, numbers: Numbers): readonly InputRecord[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const parsed = parseJson(trimmed, { duplicateKeys: 'last', numbers })
  if (parsed.kind === 'parsed') return [{ line, input: parsed.value }]
  const { reason, column } = parsed.problem
  return [{ line, fault: `${reason} (column ${column + text.length - text.trimStart().length})` }]
}

/** The text of a stream in pieces, without its byte order mark. Throws `ToolError` for bytes that are not UTF-8. */
async function* decodedText(file: string, bytes: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw new ToolError(`${file}: it is not valid UTF-8`)
    }
  }
  for await (const chunk of bytes) yield decode(chunk as Buffer)
  yield decode()
}
