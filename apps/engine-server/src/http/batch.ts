import type { BatchRequest } from '@engine/api'
import type { ParsedJson, Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineError } from '../errors.ts'
import { runBatch, Runner } from '../services/batch.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import {
  ArrivingBytes,
  askForBody,
  type BodyLimits,
  drained,
  HttpError,
  httpErrors,
  LIMIT_FLAGS,
  MEDIA,
  SECURITY_HEADERS,
  unfoldedStream,
} from '@engine/http-server'
import { type Awaitable, parsedJson, whenThere } from '@engine/process'
import { TEXT_ITEM, type TextItem } from './execution-text.ts'

/** A batch as one JSON document: the text of `{results, summary}` (docs/http.md, Batch). */
export async function answerBatch(
  execution: ExecutionService,
  program: Program,
  { inputs, options = {} }: BatchRequest,
  request: Omit<RunOptions, 'trace'>,
): Promise<string> {
  const runner = new Runner(execution, program, TEXT_ITEM, { trace: options.trace, ...request })
  const { items, summary } = await runBatch(runner, inputs as readonly Value[], {
    stopOnError: options.stop_on_error === true,
    parallel: options.parallel !== false,
    isAbandoned: () => request.signal?.aborted === true,
  })
  let texts = ''
  for (const { text } of items) texts += texts === '' ? text : `,${text}`
  return `{"results":[${texts}],"summary":${JSON.stringify(summary)}}`
}

/** Characters of answers written in one piece. */
const CHUNK = 64 * 1024

/**
 * A batch as NDJSON: each line of the request is an input, each line of the answer its result, in order. Read and written
 * with back-pressure, compressed or not: inputs are not decided while the client does not read. A line that cannot be read is a failed result with
 * its number; the others continue.
 *
 * @param progress called whenever something was read or written
 */
export async function streamBatch(
  execution: ExecutionService,
  program: Program,
  { request, response, headers, options, limits, progress }: Streaming,
): Promise<void> {
  const runner = new Runner(execution, program, TEXT_ITEM, options)
  askForBody(request)
  response.writeHead(200, { ...SECURITY_HEADERS, ...headers, 'content-type': MEDIA.ndjson })
  response.flushHeaders()
  let pending = ''
  const flush = async () => {
    const text = pending
    pending = ''
    await write(response, text)
  }
  for await (const arrived of lines(request, limits)) {
    for (const { text, number } of arrived) {
      progress()
      const item = text instanceof EngineError ? failedLine(text) : await runLine(runner, text, number)
      pending += `${lineText(item, number)}\n`
      if (pending.length >= CHUNK) await flush()
      const pause = runner.pause()
      if (pause !== undefined) {
        // Results are sent before other requests have their turn: a slow stream is answered as it goes.
        await flush()
        await pause
      }
      if (response.destroyed) return
    }
    // A client that waits for an answer before it sends the next line gets it.
    await flush()
    // Lines that hold nothing take their time as well.
    await runner.pause()
    if (response.destroyed) return
  }
  response.end()
}

export interface Streaming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Response headers in addition to the common ones. */
  readonly headers: Readonly<Record<string, string>>
  readonly options: RunOptions
  readonly limits: BodyLimits
  readonly progress: () => void
}

function runLine(runner: Runner<TextItem>, text: string, number: number): Awaitable<TextItem> {
  const { numbers } = runner.program.ruleset.config
  return whenThere(parsedJson(text, { duplicateKeys: 'last', numbers }), (parsed) => runParsed(runner, parsed, number))
}

function runParsed(runner: Runner<TextItem>, parsed: ParsedJson, number: number): Awaitable<TextItem> {
  if (parsed.kind === 'parsed') return runner.run(parsed.value)
  return failedLine(new EngineError('invalid-request', `line ${number}: ${parsed.problem.message}`))
}

/** A line that could not be read: nothing was executed, so its duration is 0. */
function failedLine(error: EngineError): TextItem {
  return TEXT_ITEM.failed(error, 0)
}

/** A failed result includes its line number. */
function lineText({ text, failed }: TextItem, number: number): string {
  return failed ? `${text.slice(0, -1)},"line":${number}}` : text
}

function refusedLine(refusal: 'too-large' | 'too-many', limits: BodyLimits): EngineError {
  if (refusal === 'too-many') return new EngineError('overloaded', httpErrors.tooManyBodies().message)
  const message = `this line is longer than ${limits.maxBytes} bytes (${LIMIT_FLAGS.body})`
  return new EngineError('payload-too-large', message)
}

function lineOf(bytes: Buffer, number: number): string | EngineError {
  if (isUtf8(bytes)) return bytes.toString('utf8').trim()
  return new EngineError('invalid-request', `line ${number} is not valid UTF-8`)
}

async function write(response: ServerResponse, text: string): Promise<void> {
  if (text !== '' && !response.write(text)) await drained(response, 'close')
}

interface Line {
  /** Or why it cannot be read. */
  readonly text: string | EngineError
  /** From 1, empty lines included. */
  readonly number: number
}

/** The non-empty lines of a stream, in batches as they arrive, possibly empty. */
async function* lines(request: IncomingMessage, limits: BodyLimits): AsyncGenerator<readonly Line[]> {
  /** The line that has begun to arrive. */
  const begun = new ArrivingBytes(limits)
  /** Why the rest of it is not kept. */
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
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        // Counts empty lines cheaply: a few compressed bytes can expand to millions of them.
        if (end === start && begun.size === 0 && refused === undefined) number++
        else take(chunk.subarray(start, end), arrived)
        start = end + 1
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
    // The lines before it are answered; behind it there are none.
    const code = error.code === 'payload-too-large' ? error.code : 'invalid-request'
    yield [{ text: new EngineError(code, error.message), number: number + 1 }]
  } finally {
    begun.release()
  }
}

/** The text of a line whose end has arrived, or why it cannot be read. */
function textOfLine(begun: ArrivingBytes, end: Buffer, limits: BodyLimits, number: number): string | EngineError {
  if (begun.size === 0 && end.length === 0) return ''
  // Most lines arrive whole.
  if (begun.size === 0 && end.length <= limits.maxBytes) return lineOf(end, number)
  const refusal = begun.append(end)
  return refusal === undefined ? lineOf(begun.take(), number) : refusedLine(refusal, limits)
}
