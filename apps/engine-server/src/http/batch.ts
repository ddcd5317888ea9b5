import type { BatchRequest } from '@engine/api'
import { LONG_JSON, type ParsedJson, parseJson, readJson, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineError } from '../errors.ts'
import { LONGEST_BATCH, runBatch, Runner } from '../services/batch.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { drained } from '../drained.ts'
import { inTurns } from '../turns.ts'
import { MEDIA, SECURITY_HEADERS } from './answer.ts'
import { TEXT_ITEM, type TextItem } from './execution-text.ts'

/** A batch as one JSON document: the text of `{results, summary}` (design section 5). */
export async function answerBatch(
  execution: ExecutionService,
  program: Program,
  { inputs, options = {} }: BatchRequest,
  { span, signal }: Pick<RunOptions, 'span' | 'signal'>,
): Promise<string> {
  // Each input by itself is short; whether anybody still waits is asked between them.
  const runner = new Runner(execution, program, TEXT_ITEM, { trace: options.trace, span })
  const { items, summary } = await runBatch(runner, inputs as readonly Value[], {
    stopOnError: options.stop_on_error === true,
    parallel: options.parallel !== false,
    isAbandoned: () => signal?.aborted === true,
  })
  let length = 0
  for (const { text } of items) length += text.length
  if (length > LONGEST_BATCH)
    throw new EngineError(
      'invalid-request',
      `the results are longer than ${LONGEST_BATCH} characters: send fewer inputs at once, or a stream of lines`,
    )
  let texts = ''
  for (const { text } of items) texts += texts === '' ? text : `,${text}`
  return `{"results":[${texts}],"summary":${JSON.stringify(summary)}}`
}

/** Characters of answers that are written at once. */
const CHUNK = 64 * 1024

/**
 * A batch as NDJSON: each line of the request is an input, each line of the answer its result, in order. Read and written
 * with back-pressure: what the client does not read is not decided. A line that cannot be read is a failed result with
 * its number; the others go on.
 *
 * @param progress called whenever something was read or written
 */
export async function streamBatch(
  execution: ExecutionService,
  program: Program,
  { request, response, options, longestLine, progress }: Streaming,
): Promise<void> {
  const runner = new Runner(execution, program, TEXT_ITEM, options)
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': MEDIA.ndjson })
  response.flushHeaders()
  let pending = ''
  const flush = async () => {
    const text = pending
    pending = ''
    await write(response, text)
  }
  for await (const arrived of lines(request, longestLine)) {
    for (const { text, number } of arrived) {
      progress()
      const item = text instanceof EngineError ? failedLine(text) : await runLine(runner, text, number)
      pending += `${lineText(item, number)}\n`
      if (pending.length >= CHUNK) await flush()
      const pause = runner.pause()
      if (pause !== undefined) {
        // What is decided is sent before others have their turn: a slow stream is answered as it goes.
        await flush()
        await pause
      }
      if (response.destroyed) return
    }
    // Whoever waits for an answer before sending the next line gets it.
    await flush()
  }
  response.end()
}

export interface Streaming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly options: RunOptions
  /** Bytes. */
  readonly longestLine: number
  readonly progress: () => void
}

function runLine(runner: Runner<TextItem>, text: string, number: number): TextItem | Promise<TextItem> {
  if (text.length <= LONG_JSON) return runParsed(runner, parseJson(text, LAST), number)
  return inTurns(readJson(text, LAST)).then((parsed) => runParsed(runner, parsed, number))
}

const LAST = { duplicateKeys: 'last' } as const

function runParsed(runner: Runner<TextItem>, parsed: ParsedJson, number: number): TextItem | Promise<TextItem> {
  if (parsed.kind === 'parsed') return runner.run(parsed.value)
  return failedLine(new EngineError('invalid-request', `line ${number}: ${parsed.problem.message}`))
}

/** Of a line that could not be read: nothing was run, so it took no time. */
function failedLine(error: EngineError): TextItem {
  return TEXT_ITEM.failed(error, 0)
}

/** A failed result says which line it was. */
function lineText({ text, failed }: TextItem, number: number): string {
  return failed ? `${text.slice(0, -1)},"line":${number}}` : text
}

function tooLong(limit: number): EngineError {
  return new EngineError('payload-too-large', `this line is longer than ${limit} bytes (--max-request-body-bytes)`)
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

/** The lines of a stream that hold anything, as many at once as arrive together. */
async function* lines(request: IncomingMessage, longest: number): AsyncGenerator<readonly Line[]> {
  let parts: Buffer[] = []
  let size = 0
  let number = 0
  const take = (into: Line[]) => {
    number++
    const text = size > longest ? tooLong(longest) : lineOf(Buffer.concat(parts), number)
    parts = []
    size = 0
    if (text !== '') into.push({ text, number })
  }
  for await (const chunk of request as AsyncIterable<Buffer>) {
    const arrived: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      size += end - start
      if (size <= longest) parts.push(chunk.subarray(start, end))
      start = end + 1
      take(arrived)
    }
    size += chunk.length - start
    if (size <= longest) parts.push(chunk.subarray(start))
    else parts = []
    if (arrived.length > 0) yield arrived
  }
  const rest: Line[] = []
  take(rest)
  if (rest.length > 0) yield rest
}
