import type { BatchRequest } from '@engine/api'
import { isObject, type ParsedJson, parsePath, stringifyJson, typeName, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { EngineError } from '../errors.ts'
import { estimatedMicroseconds, MAX_UNMEASURED, runBatch, Runner } from '../services/batch.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { askForBody, drained, SECURITY_HEADERS } from '@engine/http-server'
import { type Awaitable, parsedJson } from '@engine/process'
import type { InputLine } from './csv-records.ts'
import { TEXT_ITEM, type TextItem } from './execution-text.ts'
import type { LineForm } from './line-form.ts'
import type { Line } from './request-lines.ts'

/** Answers a batch as one JSON document: the text of `{results, summary}` (docs/http.md, Batch). */
export async function answerBatch(
  execution: ExecutionService,
  program: Program,
  { inputs, options = {} }: BatchRequest,
  request: Omit<RunOptions, 'trace' | 'traceValues'>,
): Promise<string> {
  const { trace, trace_values: traceValues, receipt } = options
  const runner = new Runner(execution, program, TEXT_ITEM, { trace, traceValues, ...request }, receipt)
  const { items, summary } = await runBatch(runner, inputs as readonly Value[], {
    stopOnError: options.stop_on_error === true,
    parallel: options.parallel !== false,
    isAbandoned: () => request.signal?.aborted === true,
  })
  let texts = ''
  for (const { text, receipt: asked } of items) {
    const whole = asked === undefined ? text : `${await asked.appendedTo(text.slice(0, -1))}}`
    texts += texts === '' ? whole : `,${whole}`
  }
  return `{"results":[${texts}],"summary":${JSON.stringify(summary)}}`
}

/** Size of a part of a streamed answer, in characters, and of answers whose receipts are signed together. */
const MAX_CHUNK_CHARACTERS = 64 * 1024
const MAX_RECEIPTS_CHUNK_CHARACTERS = 2 * 1024 * 1024
/** Minimum number of characters of a line that are parsed per microsecond. */
const CHARACTERS_PER_MICROSECOND = 32

/**
 * Answers a batch of lines: each line of the request is an input, each line of the answer its result, in order. Reads
 * and writes with back-pressure, compressed or not: while the client does not read, no inputs are decided. A line that
 * cannot be parsed is a failed result with its number; the others continue.
 *
 * @param progress called after each read or write
 */
export async function streamBatch(
  execution: ExecutionService,
  program: Program,
  { request, response, headers, options, withReceipts = false, key, form, open, progress }: Streaming,
): Promise<void> {
  const runner = new LineRunner(new Runner(execution, program, form.item, options, withReceipts), form, key)
  askForBody(request)
  const inputs = await open()
  response.writeHead(200, { ...SECURITY_HEADERS, ...headers, 'content-type': form.type })
  response.flushHeaders()
  await writePart(response, form.head)
  for await (const arrived of inputs) {
    progress()
    for (const line of arrived) {
      const waiting = runner.run(line)
      if (waiting !== undefined) {
        await waiting
        progress()
      }
      if (runner.isFull) await writePart(response, await runner.take())
      const pause = runner.pause()
      if (pause !== undefined) {
        // Results are sent before other requests get their turn: a slow stream is answered continuously.
        await writePart(response, await runner.take())
        await pause
        progress()
      }
      if (response.destroyed) return
    }
    // A client that waits for an answer before it sends the next line receives it.
    await writePart(response, await runner.take())
    // Empty lines take time as well.
    await runner.turn()
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
  /** True if each answer includes its receipt; default: false. */
  readonly withReceipts?: boolean
  /** Undefined if lines have no key. */
  readonly key?: LineKey | undefined
  readonly form: LineForm
  /** Starts reading the inputs; rejects with an error of the whole request. */
  readonly open: () => Awaitable<AsyncIterable<readonly (Line | InputLine)[]>>
  readonly progress: () => void
}

/** Decides lines one by one, and collects their answers. */
class LineRunner {
  readonly #runner: Runner<TextItem>
  readonly #form: LineForm
  readonly #key: LineKey | undefined
  #text = ''
  /** Answers whose receipts are not signed yet, and their characters. */
  #receipted: Promise<string>[] = []
  #receiptedSize = 0
  /** Estimated work since the last reading of the clock, in microseconds. */
  #unmeasured = 0

  constructor(runner: Runner<TextItem>, form: LineForm, key: LineKey | undefined) {
    this.#runner = runner
    this.#form = form
    this.#key = key
  }

  /** True if the collected answers fill a part. */
  get isFull(): boolean {
    return this.#text.length >= MAX_CHUNK_CHARACTERS || this.#receiptedSize >= MAX_RECEIPTS_CHUNK_CHARACTERS
  }

  /** Returns the collected answers, and discards them. */
  take(): Awaitable<string> {
    const text = this.#text
    const receipted = this.#receipted
    this.#text = ''
    if (receipted.length === 0) return text
    this.#receipted = []
    this.#receiptedSize = 0
    return Promise.all(receipted).then((written) => text + written.join(''))
  }

  /** Returns a promise if the line waits for something. */
  run(line: Line | InputLine): Promise<void> | undefined {
    if ('input' in line) {
      const { input, number, size } = line
      this.#unmeasured += size / CHARACTERS_PER_MICROSECOND
      return input instanceof EngineError ? this.#add(this.#failed(input), number) : this.#decide(input, number)
    }
    const { text, number } = line
    if (text instanceof EngineError) return this.#add(this.#failed(text), number)
    this.#unmeasured += text.length / CHARACTERS_PER_MICROSECOND
    const { numbers } = this.#runner.program.ruleset.config
    const parsed = parsedJson(text, { duplicateKeys: 'last', numbers })
    return parsed instanceof Promise ? parsed.then((read) => this.#take(read, number)) : this.#take(parsed, number)
  }

  #take(parsed: ParsedJson, number: number): Promise<void> | undefined {
    if (parsed.kind === 'parsed') return this.#decide(parsed.value, number)
    const { reason, column } = parsed.problem
    const message = `line ${number}: ${reason} (column ${column})`
    return this.#add(this.#failed(new EngineError('invalid-request', message)), number)
  }

  /** The answer to a line that could not be parsed: nothing was executed, so its duration is 0. */
  #failed(error: EngineError): TextItem {
    return this.#form.item.failed(error, 0)
  }

  #decide(value: Value, number: number): Promise<void> | undefined {
    const item = this.#runner.run(value)
    const add = (decided: TextItem) => this.#add(decided, number, this.#key?.(value))
    return item instanceof Promise ? item.then(add) : add(item)
  }

  /** Adds the answer to a line, with its number and its key. */
  #add(item: TextItem, number: number, key?: Value): undefined {
    const begin = this.#form.before(number, key)
    const end = this.#form.after(number, key)
    if (item.receipt !== undefined || this.#receipted.length > 0) {
      // Appended in the order of the lines.
      const text = item.receipt?.appendedTo(item.text) ?? Promise.resolve(item.text)
      const whole = text.then((written) => begin + written + end)
      // A rejection is reported when the answers are taken, if they still are.
      whole.catch(() => {})
      this.#receipted.push(whole)
      this.#receiptedSize += item.size
    } else this.#text += begin + item.text + end
    this.#unmeasured += estimatedMicroseconds(item)
  }

  /** Returns a promise when other requests should get their turn. */
  pause(): Promise<void> | undefined {
    return this.#unmeasured < MAX_UNMEASURED ? undefined : this.turn()
  }

  /** Like `pause`, but reads the clock. */
  turn(): Promise<void> | undefined {
    this.#unmeasured = 0
    return this.#runner.pause()
  }
}

/** Returns the value that identifies an input; undefined if it has none. */
export type LineKey = (input: Value) => Value | undefined

/** Maximum number of characters of a key, as JSON, that is repeated in the answer. */
const MAX_KEY_CHARACTERS = 1000

/** The key at a path such as `order.id`: a text, a number or a boolean. Undefined if the path is invalid. */
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
    return stringifyJson(value).length > MAX_KEY_CHARACTERS ? undefined : value
  }
}

/** Writes a part of a streamed answer, and waits until the stream can take the next one. */
export async function writePart(response: ServerResponse, text: string): Promise<void> {
  if (text !== '' && !response.write(text)) await drained(response, 'close')
}
