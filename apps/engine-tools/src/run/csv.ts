import type { Numbers, Value } from '@engine/expression'
import { csvCellValue, type CsvFields, CsvHeaderError, csvFields, csvInput, csvSeparator } from '@engine/rule-file'
import { CsvError, parse } from 'csv-parse'
import type { Readable } from 'node:stream'
import { ToolError, withFile } from '../tool.ts'
import type { InputRecord } from './input-record.ts'

/** Maximum characters of a record: a quote without its end does not fill the memory. */
const MAX_RECORD = 16 * 1024 * 1024

/** Records in a batch. */
const MAX_BATCH_RECORDS = 1000

/**
 * The inputs of a CSV file (RFC 4180) with a header, in batches. The columns are fields; `order.total` is a member of `order`.
 * An unquoted cell in the number syntax of JSON is a number, `true` and `false` are booleans, an empty one is absent; every
 * other cell, and every quoted one, is a text. Throws `ToolError` for a text that is not CSV.
 */
export async function* csvRecords(
  file: string,
  bytes: Readable,
  numbers: Numbers,
): AsyncGenerator<readonly InputRecord[]> {
  const parser = parse({
    bom: true,
    delimiter: await separatorOf(bytes),
    info: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    skip_empty_lines: true,
    cast: (text, context) => (context.records === 0 ? text : csvCellValue(text, context.quoting, numbers)),
  })
  bytes.on('error', (cause) => parser.destroy(cause)).pipe(parser)
  let fields: CsvFields | undefined
  let batch: InputRecord[] = []
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (fields === undefined) {
        fields = withFile(file, [CsvHeaderError], () => csvFields(record as readonly string[]))
        continue
      }
      batch.push({ line: info.lines, ...csvInput(fields, record) })
      if (batch.length < MAX_BATCH_RECORDS) continue
      yield batch
      batch = []
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The records before the fault are inputs.
    yield batch
    throw new ToolError(`${file}: it is not CSV: ${error.message}`)
  }
  if (fields === undefined) throw new ToolError(`${file}: it has no header: the first line names the fields`)
  yield batch
}

interface CsvRecord {
  readonly record: readonly (Value | undefined)[]
  readonly info: { readonly lines: number }
}

/** The first separator of the header. The stream stays at its beginning. */
async function separatorOf(bytes: Readable): Promise<string> {
  if (bytes.readableLength === 0 && !bytes.readableEnded)
    await new Promise<void>((resolve, reject) => {
      bytes.once('readable', resolve).once('end', resolve).once('error', reject)
    })
  const begin = bytes.read() as Buffer | null
  if (begin === null) return ','
  bytes.unshift(begin)
  const [header = ''] = begin.toString('utf8').split('\n', 1)
  return csvSeparator(header)
}
