import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ArrivingBytes, type BodyLimits, HttpError, httpErrors, LIMIT_FLAGS, unfoldedStream } from '@engine/http-server'
import { EngineError } from '../errors.ts'

export const NDJSON_TYPE = 'application/x-ndjson'
export const CSV_TYPE = 'text/csv'

const NDJSON = /^application\/x-ndjson(?:\s*;.*)?$/i
const CSV = /^text\/csv(?:\s*;.*)?$/i

/** True if the body of a request consists of lines. */
export function hasLines({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return NDJSON.test(headers['content-type'] ?? '')
}

/** True if the body of a request is CSV. */
export const hasCsv = ({ headers }: Pick<IncomingMessage, 'headers'>) => CSV.test(headers['content-type'] ?? '')

export const LINE_FEED = 10

/** A line of a streamed request. */
export interface Line {
  /** The text, or why it cannot be read. */
  readonly text: string | EngineError
  /** Counted from 1, including empty lines. */
  readonly number: number
}

/** The non-empty lines of a stream, in possibly empty batches as they arrive. */
export async function* lines(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<readonly Line[]> {
  /** The line that is arriving. */
  const begun = new ArrivingBytes(limits)
  /** Why the rest of it is discarded. */
  let refused: EngineError | undefined
  let number = 0
  const take = (end: Buffer, into: Line[]) => {
    number++
    const text = refused ?? textOfLine(begun, end, limits, number)
    refused = undefined
    if (text !== '') into.push({ text, number })
  }
  try {
    for await (const chunk of unfoldedStream(request, limits)) {
      const arrived: Line[] = []
      let start = 0
      if (begun.size > 0 || refused !== undefined) {
        const end = chunk.indexOf(LINE_FEED)
        if (end >= 0) take(chunk.subarray(0, end), arrived)
        start = end + 1
      }
      const last = chunk.lastIndexOf(LINE_FEED)
      if (last >= start) {
        const whole = chunk.subarray(start, last)
        // Most lines arrive complete and are text: decoding a whole chunk costs less than decoding each line.
        if (whole.length <= limits.maxBytes && isUtf8(whole))
          number = splitLines(whole.toString('utf8'), number, arrived)
        else for (const line of splitBytes(whole)) take(line, arrived)
        start = last + 1
      }
      if (refused === undefined && start < chunk.length) {
        const refusal = begun.append(chunk.subarray(start))
        if (refusal !== undefined) refused = refusedLine(refusal, limits)
      }
      yield arrived
    }
    const rest: Line[] = []
    take(Buffer.alloc(0), rest)
    if (rest.length > 0) yield rest
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    // The lines before it are answered; none follow it.
    const code = error.code === 'payload-too-large' ? error.code : 'invalid-request'
    yield [{ text: new EngineError(code, error.message), number: number + 1 }]
  } finally {
    begun.release()
  }
}

/**
 * Adds the non-empty lines of a text. Empty lines are counted cheaply: a few compressed bytes can expand to millions of
 * them.
 *
 * @param before the number of the previous line
 * @returns the number of the last line
 */
function splitLines(text: string, before: number, into: Line[]): number {
  let number = before
  for (let start = 0; ;) {
    number++
    const end = text.indexOf('\n', start)
    const line = end === start ? '' : text.slice(start, end < 0 ? text.length : end).trim()
    if (line !== '') into.push({ text: line, number })
    if (end < 0) return number
    start = end + 1
  }
}

function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; ;) {
    const end = bytes.indexOf(LINE_FEED, start)
    yield bytes.subarray(start, end < 0 ? bytes.length : end)
    if (end < 0) return
    start = end + 1
  }
}

/** The text of a complete line, or why it cannot be read. */
function textOfLine(begun: ArrivingBytes, end: Buffer, limits: BodyLimits, number: number): string | EngineError {
  if (begun.size === 0 && end.length === 0) return ''
  // Most lines arrive complete.
  if (begun.size === 0 && end.length <= limits.maxBytes) return lineOf(end, number)
  const refusal = begun.append(end)
  return refusal === undefined ? lineOf(begun.take(), number) : refusedLine(refusal, limits)
}

/** The error for a discarded line or record. */
export function refusedLine(refusal: 'too-large' | 'too-many', limits: BodyLimits): EngineError {
  if (refusal === 'too-many') return new EngineError('overloaded', httpErrors.tooManyBodies().message)
  const message = `this line is longer than ${limits.maxBytes} bytes (${LIMIT_FLAGS.body})`
  return new EngineError('payload-too-large', message)
}

function lineOf(bytes: Buffer, number: number): string | EngineError {
  if (isUtf8(bytes)) return bytes.toString('utf8').trim()
  return new EngineError('invalid-request', `line ${number} is not valid UTF-8`)
}
