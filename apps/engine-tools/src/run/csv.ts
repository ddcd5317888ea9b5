import { type Numbers, parseJson, quote, type Value } from '@engine/expression'
import { CsvError, type CastingContext, parse } from 'csv-parse'
import type { Readable } from 'node:stream'
import { ToolError, withFile } from '../tool.ts'
import type { InputRecord } from './input-record.ts'

/** Separators of cells; that of the header holds for all lines. Spreadsheets write `;` in locales with a decimal comma. */
const SEPARATORS = [',', ';', '\t']

/** Maximum characters of a record: a quote without its end does not fill the memory. */
const MAX_RECORD = 16 * 1024 * 1024

/** Names in a column's path, as JSON may nest objects. */
const MAX_DEPTH = 128

/** Records in a batch. */
const BATCH = 1000

/** Number syntax of JSON: leading zeros, a plus sign and thousands separators make a text. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Longer texts may have digits that a double does not keep. */
const MAX_DOUBLE_TEXT = 15

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
    cast: (text, context) => (context.records === 0 ? text : cellValue(text, context, numbers)),
  })
  bytes.on('error', (cause) => parser.destroy(cause)).pipe(parser)
  let fields: FieldTree | undefined
  let batch: InputRecord[] = []
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (fields === undefined) {
        fields = withFile(file, [HeaderError], () => fieldTree(record as readonly string[]))
        continue
      }
      const line = info.lines
      batch.push(
        record.length === fields.width
          ? { line, input: inputOf(fields.members, record) }
          : { line, fault: `the line has ${record.length} cells, the header ${fields.width}` },
      )
      if (batch.length < BATCH) continue
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
  const unquoted = header.replaceAll(/"(?:[^"]|"")*"/g, '')
  const [first = ','] = unquoted.match(/[,;\t]/) ?? []
  return SEPARATORS.includes(first) ? first : ','
}

function cellValue(text: string, { quoting }: CastingContext, numbers: Numbers): Value | undefined {
  if (quoting) return text
  if (text === '') return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  if (!NUMBER.test(text)) return text
  const double = Number(text)
  if (numbers === 'double' && text.length <= MAX_DOUBLE_TEXT && Number.isFinite(double)) return double
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers })
  // A number beyond the range of doubles stays a text.
  return parsed.kind === 'parsed' ? parsed.value : text
}

/** A header does not name fields. */
class HeaderError extends Error {}

interface FieldTree {
  /** Columns of the header. */
  readonly width: number
  readonly members: Members
}

/** Members of an object: the index of their column, or members in turn. */
type Members = Map<string, number | Members>

/** Throws `HeaderError`. */
function fieldTree(header: readonly string[]): FieldTree {
  const members: Members = new Map()
  for (const [index, name] of header.entries()) {
    const keys = name.trim().split('.')
    if (keys.length > MAX_DEPTH)
      throw new HeaderError(`column ${index + 1} of the header is nested more than ${MAX_DEPTH} levels deep`)
    const last = keys.pop() ?? ''
    let inner = members
    for (const key of keys) {
      const found = inner.get(key) ?? new Map()
      if (typeof found === 'number')
        throw new HeaderError(`the columns ${quote(key)} and ${quote(name)} contradict each other`)
      inner.set(key, found)
      inner = found
    }
    if (last === '' || keys.includes(''))
      throw new HeaderError(`column ${index + 1} of the header names no field: ${quote(name)}`)
    if (inner.has(last)) throw new HeaderError(`the header names ${quote(name)} twice`)
    inner.set(last, index)
  }
  return { width: header.length, members }
}

function inputOf(members: Members, cells: CsvRecord['record']): { readonly [field: string]: Value } {
  const entries: [string, Value][] = []
  for (const [name, at] of members) {
    const value = typeof at === 'number' ? cells[at] : nonEmpty(inputOf(at, cells))
    if (value !== undefined) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

const nonEmpty = (value: { readonly [field: string]: Value }) => (Object.keys(value).length === 0 ? undefined : value)
