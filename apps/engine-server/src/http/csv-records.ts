import type { Numbers, Value } from '@engine/expression'
import { ArrivingBytes, type BodyLimits, HttpError, unfoldedStream } from '@engine/http-server'
import { csvCellValue, type CsvFields, csvFields, CsvHeaderError, csvInput, csvSeparator } from '@engine/rule-file'
import { CsvError, parse } from 'csv-parse/sync'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { EngineError } from '../errors.ts'
import { LINE_FEED, type Line, refusedLine } from './request-lines.ts'

/** An input of a streamed request. */
export interface InputLine {
  /** The input, or the reason why the record has none. */
  readonly input: Value | EngineError
  /** The line on which it ends, counted from 1, including blank lines. */
  readonly number: number
  /** Number of characters of its text. */
  readonly size: number
}

const QUOTE = 34

/**
 * The inputs of a CSV body (RFC 4180) with a header, in batches as they arrive. Resolves when the header has arrived.
 * Rejects with an `EngineError` for a header that names no fields. A record that cannot be parsed is a failed input;
 * the others continue. Reading takes one pass over the bytes and one by the parser.
 */
export async function csvInputs(
  request: IncomingMessage,
  limits: BodyLimits,
  numbers: Numbers,
): Promise<AsyncGenerator<readonly InputLine[]>> {
  const records = csvRecords(request, limits)
  for (;;) {
    const { value: arrived, done } = await records.next()
    if (done === true) throw invalid('it has no header: the first line names the fields')
    const [first, ...rest] = arrived
    if (first !== undefined) return inputsOf(await readerOrStop(first, records, numbers), rest, records)
  }
}

/** Releases the request if its header is refused, so that the rest can be skipped. */
async function readerOrStop(header: Line, records: AsyncGenerator, numbers: Numbers): Promise<RecordReader> {
  try {
    return readerOf(header, numbers)
  } catch (error) {
    await records.return(undefined)
    throw error
  }
}

async function* inputsOf(reader: RecordReader, first: readonly Line[], records: AsyncGenerator<readonly Line[]>) {
  yield reader.read(first)
  for await (const arrived of records) yield reader.read(arrived)
}

/** The non-blank records of a stream, in possibly empty batches as they arrive. */
async function* csvRecords(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<readonly Line[]> {
  /** The record that is arriving. */
  const begun = new ArrivingBytes(limits)
  /** Why the rest of it is discarded. */
  let refused: EngineError | undefined
  let number = 1
  let isQuoted = false
  const take = (into: Line[]) => {
    const text = refused ?? textOf(begun.take(), number)
    refused = undefined
    if (text !== '') into.push({ text, number })
  }
  const keep = (piece: Buffer) => {
    if (refused !== undefined || piece.length === 0) return
    const refusal = begun.append(piece)
    if (refusal !== undefined) refused = refusedLine(refusal, limits)
  }
  try {
    for await (const chunk of unfoldedStream(request, limits)) {
      const arrived: Line[] = []
      let start = 0
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at]
        // A quote within quotes is doubled, so an even number of quotes ends a cell.
        if (byte === QUOTE) isQuoted = !isQuoted
        else if (byte === LINE_FEED) {
          if (!isQuoted) {
            keep(chunk.subarray(start, at))
            take(arrived)
            start = at + 1
          }
          number++
        }
      }
      keep(chunk.subarray(start))
      yield arrived
    }
    const rest: Line[] = []
    take(rest)
    yield rest
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // The records before it are answered; none follow it.
    const code = error.code === 'payload-too-large' ? error.code : 'invalid-request'
    yield [{ text: new EngineError(code, error.message), number }]
  } finally {
    begun.release()
  }
}

/** The text of a record without its line end and the initial byte order mark, or why it cannot be parsed. */
function textOf(bytes: Buffer, number: number): string | EngineError {
  if (!isUtf8(bytes)) return new EngineError('invalid-request', `line ${number} is not valid UTF-8`)
  return bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/\r$/, '')
}

/** Throws `EngineError`. */
function readerOf({ text }: Line, numbers: Numbers): RecordReader {
  if (text instanceof EngineError) throw text
  const separator = csvSeparator(text)
  try {
    const [header = []] = parse(text, { delimiter: separator, record_delimiter: '\n' })
    return new RecordReader(separator, csvFields(header), numbers)
  } catch (error) {
    if (error instanceof CsvHeaderError) throw invalid(error.message)
    throw error instanceof CsvError ? invalid(`line 1 is not CSV: ${error.message}`) : error
  }
}

const invalid = (reason: string) => new EngineError('invalid-request', `the body is not CSV of inputs: ${reason}`)

class RecordReader {
  readonly #separator: string
  readonly #fields: CsvFields
  readonly #numbers: Numbers

  constructor(separator: string, fields: CsvFields, numbers: Numbers) {
    this.#separator = separator
    this.#fields = fields
    this.#numbers = numbers
  }

  read(records: readonly Line[]): readonly InputLine[] {
    const texts = records.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    const parsed = this.#cells(texts)?.values()
    return records.map(({ text, number }) => {
      if (text instanceof EngineError) return { input: text, number, size: 0 }
      const input = this.#inputOf(parsed === undefined ? this.#cellsOf(text, number) : parsed.next().value, number)
      return { input, number, size: text.length }
    })
  }

  #inputOf(cells: Cells | EngineError | undefined, number: number): Value | EngineError {
    if (cells instanceof EngineError) return cells
    const read = csvInput(this.#fields, cells ?? [])
    return 'fault' in read ? new EngineError('invalid-request', `line ${number}: ${read.fault}`) : read.input
  }

  /** The cells of records; undefined if one of them is not CSV. */
  #cells(texts: readonly string[]): readonly Cells[] | undefined {
    try {
      const cells = this.#parse(texts.join('\n'))
      return cells.length === texts.length ? cells : undefined
    } catch (error) {
      if (error instanceof CsvError) return undefined
      throw error
    }
  }

  #cellsOf(text: string, number: number): Cells | EngineError {
    try {
      return this.#parse(text)[0] ?? []
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      return new EngineError('invalid-request', `line ${number} is not CSV: ${error.message}`)
    }
  }

  #parse(text: string): readonly Cells[] {
    return parse(text, {
      delimiter: this.#separator,
      record_delimiter: '\n',
      relax_column_count: true,
      cast: (cell, { quoting }) => csvCellValue(cell, quoting, this.#numbers),
    })
  }
}

type Cells = readonly (Value | undefined)[]
