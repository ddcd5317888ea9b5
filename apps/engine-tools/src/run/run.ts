import { parseJson, stringifyJson, type Numbers, type Value } from '@engine/expression'
import { ruleFileText } from '@engine/rule-file'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { contentOf, readError } from '../files.ts'
import { ToolError } from '../tool.ts'
import { csvRecords } from './csv.ts'
import { createDecider, type Decider, type Outcome } from './decider.ts'
import type { InputFormat, InputRecord } from './input-record.ts'
import { ndjsonRecords } from './ndjson.ts'
import { showProgress } from './progress.ts'

export interface RunOptions {
  /** A path, or `-` for standard input. */
  readonly input: string
  readonly format: InputFormat
  readonly isTraced: boolean
  /** Results and summary as JSON on one line each. */
  readonly isJson: boolean
}

/** The totals of a run. */
interface Tally {
  readonly decisions: number
  readonly failed: number
  readonly seconds: number
  readonly codes: ReadonlyMap<string, number>
}

/** Bytes of a file that are read in one piece. */
const CHUNK_BYTES = 256 * 1024

/** Characters of results that are written in one piece. */
const CHUNK = 64 * 1024

/** Decide every input by the rules of a file. Returns whether all were decided. Throws `ToolError`. */
export async function run(path: string, options: RunOptions): Promise<boolean> {
  const decider = await createDecider(path, options.isTraced)
  const { numbers } = decider.ruleset.config
  if (options.format === 'json') return runDocument(decider, await documentOf(options.input, numbers), options)
  const recordsOf = options.format === 'csv' ? csvRecords : ndjsonRecords
  const { input } = options
  try {
    const bytes = input === '-' ? process.stdin : (await open(input)).createReadStream({ highWaterMark: CHUNK_BYTES })
    return await runRecords(decider, recordsOf(nameOf(input), bytes, numbers), options)
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw readError(nameOf(input), error)
  }
}

/** One input; a list has one in each item. */
async function runDocument(decider: Decider, document: Value, options: RunOptions): Promise<boolean> {
  if (Array.isArray(document)) {
    const items = document.map((input: Value, index) => ({ line: index + 1, input }))
    return runRecords(decider, [items], options, 'item')
  }
  const { isFailed, json } = await decider.decide(document)
  const text = stringifyJson(json)
  process.stdout.write(`${options.isJson ? text : ruleFileText(text)}\n`)
  return !isFailed
}

async function runRecords(
  decider: Decider,
  batches: AsyncIterable<readonly InputRecord[]> | Iterable<readonly InputRecord[]>,
  { isJson }: RunOptions,
  numberedBy: 'line' | 'item' = 'line',
): Promise<boolean> {
  const start = performance.now()
  const codes = new Map<string, number>()
  let [decisions, failures, pending] = [0, 0, '']
  const progress = showProgress()
  const flush = async () => {
    const text = pending
    pending = ''
    if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  try {
    for await (const batch of batches) {
      for (const record of batch) {
        const outcome = outcomeOf(decider, record)
        // oxlint-disable-next-line no-await-in-loop -- results have the order of their inputs
        const { code, isFailed, json } = outcome instanceof Promise ? await outcome : outcome
        decisions++
        if (isFailed) failures++
        else codes.set(code, (codes.get(code) ?? 0) + 1)
        pending += `${stringifyJson({ [numberedBy]: record.line, ...json })}\n`
        if (pending.length >= CHUNK) await flush()
      }
      progress.update(decisions)
    }
  } finally {
    progress.clear()
    await flush()
  }
  const tally = { decisions, failed: failures, seconds: (performance.now() - start) / 1000, codes }
  process.stderr.write(isJson ? `${tallyJson(tally)}\n` : tallyText(tally))
  return failures === 0
}

function outcomeOf(decider: Decider, record: InputRecord): Outcome | Promise<Outcome> {
  if ('input' in record) return decider.decide(record.input)
  const message = record.fault
  return { code: 'error', isFailed: true, json: { code: 'error', message, output: null, error: message } }
}

const whole = (count: number) => count.toLocaleString('en')
const perSecond = ({ decisions, seconds }: Tally) => Math.round(decisions / Math.max(seconds, 0.001))
const byCount = (codes: Tally['codes']) => [...codes].sort(([, a], [, b]) => b - a)

function tallyText(tally: Tally): string {
  const { decisions, failed, seconds } = tally
  const lines = [
    `${whole(decisions)} ${decisions === 1 ? 'input' : 'inputs'} in ${seconds.toFixed(2)} s (${whole(perSecond(tally))}/s), ${failed === 0 ? 'none' : whole(failed)} failed`,
    ...byCount(tally.codes).map(([code, count]) => `${whole(count).padStart(11)}  ${code}`),
  ]
  return `${lines.join('\n')}\n`
}

function tallyJson(tally: Tally): string {
  const { decisions, failed, seconds, codes } = tally
  return stringifyJson({
    inputs: decisions,
    failed,
    seconds: Number(seconds.toFixed(3)),
    per_second: perSecond(tally),
    codes: Object.fromEntries(byCount(codes)),
  })
}

async function documentOf(input: string, numbers: Numbers): Promise<Value> {
  const bytes = input === '-' ? await buffer(process.stdin) : await contentOf(input)
  const parsed = parseJson(bytes.toString('utf8'), { duplicateKeys: 'last', numbers })
  if (parsed.kind === 'parsed') return parsed.value
  const hint = parsed.problem.message.includes('after the end')
    ? ': one document a line is `--input-format ndjson`'
    : ''
  throw new ToolError(`${nameOf(input)}: ${parsed.problem.message}${hint}`)
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const nameOf = (input: string) => (input === '-' ? 'standard input' : input)
