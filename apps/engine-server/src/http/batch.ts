import type { BatchRequest } from '@engine/api'
import { parseJson, type Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { EngineError } from '../errors.ts'
import { type BatchItem, type ExecutionService, failedItem } from '../services/execution.ts'
import { MEDIA, SECURITY_HEADERS } from './answer.ts'

/** Inputs that wait for external calls at the same time. */
const MOST_WAITING = 16
/** Milliseconds of deciding after which other requests have their turn. */
const LONGEST_TURN = 20

/** Runs one input after the other, lets others have their turn, and overlaps what waits. */
class Runner {
  readonly #execution: ExecutionService
  readonly #program: Program
  readonly #trace: boolean | undefined
  #turn = performance.now()

  constructor(execution: ExecutionService, program: Program, trace: boolean | undefined) {
    this.#execution = execution
    this.#program = program
    this.#trace = trace
  }

  run(input: Value | undefined): BatchItem | Promise<BatchItem> {
    return this.#execution.item(this.#program, input, this.#trace)
  }

  /** A promise when it is time to let other requests be served. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#turn < LONGEST_TURN) return undefined
    return new Promise((resolve) =>
      setImmediate(() => {
        this.#turn = performance.now()
        resolve()
      }),
    )
  }
}

/** A batch as one JSON document: the text of `{results, summary}` (design section 5). */
export async function runBatch(
  execution: ExecutionService,
  program: Program,
  { inputs, options = {} }: BatchRequest,
): Promise<string> {
  const runner = new Runner(execution, program, options.trace)
  const stops = options.stop_on_error === true
  const items: (BatchItem | Promise<BatchItem>)[] = []
  const waiting = new Set<Promise<unknown>>()
  for (const input of inputs) {
    const item = runner.run(input as Value)
    items.push(item)
    if (item instanceof Promise) {
      if (stops || options.parallel === false) items[items.length - 1] = await item
      else {
        waiting.add(item)
        item.then(
          () => waiting.delete(item),
          () => waiting.delete(item),
        )
        if (waiting.size >= MOST_WAITING) await Promise.race(waiting)
      }
    }
    if (stops && (items.at(-1) as BatchItem).failed) break
    const pause = runner.pause()
    if (pause !== undefined) await pause
  }
  return summarized(await Promise.all(items.map(async (item) => item)), inputs.length)
}

function summarized(items: readonly BatchItem[], total: number): string {
  let failed = 0
  let microseconds = 0
  for (const item of items) {
    failed += item.failed ? 1 : 0
    microseconds += item.microseconds
  }
  const summary = { total, success: items.length - failed, failed, total_duration_us: microseconds }
  return `{"results":[${items.map(({ text }) => text).join(',')}],"summary":${JSON.stringify(summary)}}`
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
  { request, response, trace, longestLine, progress }: Streaming,
): Promise<void> {
  const runner = new Runner(execution, program, trace)
  response.writeHead(200, { ...SECURITY_HEADERS, 'content-type': MEDIA.ndjson })
  let pending = ''
  for await (const { text, number } of lines(request, longestLine)) {
    progress()
    const item =
      text === undefined
        ? failedItem(tooLong(longestLine), performance.now(), number)
        : await runLine(runner, text, number)
    pending += `${item.text}\n`
    if (pending.length >= CHUNK) {
      await write(response, pending)
      pending = ''
    }
    const pause = runner.pause()
    if (pause !== undefined) {
      // What is decided is sent before others have their turn: a slow stream is answered as it goes.
      await write(response, pending)
      pending = ''
      await pause
    }
    if (response.destroyed) return
  }
  response.end(pending)
}

export interface Streaming {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly trace: boolean | undefined
  /** Bytes. */
  readonly longestLine: number
  readonly progress: () => void
}

function runLine(runner: Runner, text: string, number: number): BatchItem | Promise<BatchItem> {
  const parsed = parseJson(text, { duplicateKeys: 'last' })
  if (parsed.kind === 'parsed') return runner.run(parsed.value)
  return failedItem(
    new EngineError('invalid-request', `line ${number}: ${parsed.problem.message}`),
    performance.now(),
    number,
  )
}

function tooLong(limit: number): EngineError {
  return new EngineError('payload-too-large', `this line is longer than ${limit} bytes (--max-request-body-bytes)`)
}

async function write(response: ServerResponse, text: string): Promise<void> {
  if (text === '' || response.write(text)) return
  const waiting = new AbortController()
  const { signal } = waiting
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  waiting.abort()
}

/** The lines of a stream that hold anything; undefined stands for one that was too long. Numbers from 1. */
async function* lines(
  request: IncomingMessage,
  longest: number,
): AsyncGenerator<{ readonly text: string | undefined; readonly number: number }> {
  let parts: Buffer[] = []
  let size = 0
  let number = 0
  const take = () => {
    number++
    const text = size > longest ? undefined : Buffer.concat(parts).toString('utf8').trim()
    parts = []
    size = 0
    return { text, number }
  }
  for await (const chunk of request as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      size += end - start
      if (size <= longest) parts.push(chunk.subarray(start, end))
      start = end + 1
      const line = take()
      if (line.text !== '') yield line
    }
    size += chunk.length - start
    if (size <= longest) parts.push(chunk.subarray(start))
    else parts = []
  }
  const last = take()
  if (last.text !== '') yield last
}
