import type { BatchRequest } from '@engine/api'
import { isObject, type ParsedJson, parsePath, stringifyJson, typeName, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineError } from '../errors.ts'
import { runBatch, Runner } from '../services/batch.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { askForBody, type BodyLimits, drained, MEDIA, SECURITY_HEADERS } from '@engine/http-server'
import { type Awaitable, parsedJson, whenThere } from '@engine/process'
import { TEXT_ITEM, type TextItem } from './execution-text.ts'
import { lines } from './request-lines.ts'

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
  { request, response, headers, options, key, limits, progress }: Streaming,
): Promise<void> {
  const runner = new Runner(execution, program, TEXT_ITEM, options)
  askForBody(request)
  response.writeHead(200, { ...SECURITY_HEADERS, ...headers, 'content-type': MEDIA.ndjson })
  response.flushHeaders()
  let pending = ''
  const flush = async () => {
    const text = pending
    pending = ''
    await writePart(response, text)
  }
  for await (const arrived of lines(request, limits)) {
    for (const { text, number } of arrived) {
      progress()
      pending +=
        text instanceof EngineError ? lineText(failedLine(text), number) : await runLine(runner, text, number, key)
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
  /** Undefined: lines have no key. */
  readonly key?: LineKey | undefined
  readonly limits: BodyLimits
  readonly progress: () => void
}

function runLine(runner: Runner<TextItem>, text: string, number: number, key: LineKey | undefined): Awaitable<string> {
  const { numbers } = runner.program.ruleset.config
  return whenThere(parsedJson(text, { duplicateKeys: 'last', numbers }), (parsed) =>
    runParsed(runner, parsed, number, key),
  )
}

function runParsed(
  runner: Runner<TextItem>,
  parsed: ParsedJson,
  number: number,
  key: LineKey | undefined,
): Awaitable<string> {
  if (parsed.kind === 'parsed') {
    const { value } = parsed
    return whenThere(runner.run(value), (item) => lineText(item, number, key?.(value)))
  }
  return lineText(failedLine(new EngineError('invalid-request', `line ${number}: ${parsed.problem.message}`)), number)
}

/** A line that could not be read: nothing was executed, so its duration is 0. */
function failedLine(error: EngineError): TextItem {
  return TEXT_ITEM.failed(error, 0)
}

/** A result with the number of its line, and its key as JSON. */
function lineText({ text }: TextItem, number: number, key?: string): string {
  return `${text.slice(0, -1)},"line":${number}${key === undefined ? '' : `,"key":${key}`}}\n`
}

/** The JSON of the value that identifies an input; undefined: it has none. */
export type LineKey = (input: Value) => string | undefined

/** Characters of a key that is repeated in the answer. */
const MAX_KEY = 1000

/** The key at a path such as `order.id`: a text, a number or a boolean. Undefined: the text has another form. */
export function lineKey(path: string): LineKey | undefined {
  const parsed = parsePath(path)
  if (parsed.kind !== 'parsed' || parsed.expression.kind !== 'field') return undefined
  const names = parsed.expression.path.flatMap((segment) => (segment.kind === 'name' ? [segment.name] : []))
  if (names.length === 0 || names.length < parsed.expression.path.length) return undefined
  return (input) => {
    let value: Value | undefined = input
    for (const name of names) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
    if (value === undefined || value === null || typeName(value) === 'object' || typeName(value) === 'array')
      return undefined
    const text = stringifyJson(value)
    return text.length > MAX_KEY ? undefined : text
  }
}

/** Writes a part of a streamed answer, and waits until there is room for the next. */
export async function writePart(response: ServerResponse, text: string): Promise<void> {
  if (text !== '' && !response.write(text)) await drained(response, 'close')
}
