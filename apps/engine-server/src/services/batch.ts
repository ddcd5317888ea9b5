import type { Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { EngineError, failures } from '../errors.ts'
import { AskedReceipt } from '../receipts/asked-receipt.ts'
import { type Awaitable, createPauses, pause, whenThere } from '@engine/process'
import type { AnswerForm, ExecutionService, RunOptions } from './execution.ts'

/** Maximum number of inputs that wait for external calls concurrently. */
const MAX_WAITING = 16
/** Maximum number of characters of all results of a batch: they are kept until the last input is decided. */
const MAX_KEPT_CHARACTERS = 48 * 1024 * 1024
/** Longest time spent on decisions before other requests get their turn. */
const MAX_TURN_MS = 20
/**
 * Longest estimated work between two readings of the clock, in microseconds: a reading costs as much as a short
 * decision.
 */
export const MAX_UNMEASURED = 500
/** Minimum overhead per input besides its decision, in microseconds. */
const INPUT_OVERHEAD_US = 2
/** Minimum number of characters of a result that are written per microsecond. */
const CHARACTERS_PER_MICROSECOND = 64

/** One result of a batch. */
export interface BatchItem {
  readonly failed: boolean
  readonly microseconds: number
  /** Number of characters that are kept for it. */
  readonly size: number
  /** Undefined if none was requested. */
  readonly receipt?: AskedReceipt | undefined
}

/** Executes the inputs of a batch, which need not be parsed yet. */
export interface InputRunner<Input, Item extends BatchItem> {
  run(input: Input): Awaitable<Item>
  /** The result of an input that exceeds the memory limit. */
  refused(): Item
  /** Returns a promise when other requests should get their turn. */
  readonly pause: () => Promise<void> | undefined
}

/** Runs the inputs of one request, and lets other requests get their turn in between. */
export class Runner<Item extends BatchItem> implements InputRunner<Value | undefined, Item> {
  readonly #execution: ExecutionService
  readonly program: Program
  readonly #form: AnswerForm<Item, Item>
  readonly #options: RunOptions
  readonly #withReceipts: boolean

  /** @param withReceipts each input requests its receipt. Throws `EngineError` if the engine keeps none */
  constructor(
    execution: ExecutionService,
    program: Program,
    form: AnswerForm<Item, Item>,
    options: RunOptions,
    withReceipts = false,
  ) {
    if (withReceipts && !execution.keepsReceipts) throw failures.receiptsOff()
    this.#withReceipts = withReceipts
    this.#execution = execution
    this.program = program
    this.#form = form
    this.#options = options
  }

  run(input: Value | undefined): Awaitable<Item> {
    if (!this.#withReceipts) return this.#execution.item(this.program, input, this.#form, this.#options)
    const receipt = new AskedReceipt()
    const item = this.#execution.item(this.program, input, this.#form, { ...this.#options, receipt })
    return whenThere(item, (decided) => ({ ...decided, size: decided.size + receipt.size, receipt }))
  }

  /** The result of an input that exceeds the memory limit. */
  refused(): Item {
    const message = `the results of this batch have more than ${MAX_KEPT_CHARACTERS} characters in total: send fewer inputs per request`
    const details = [{ path: '', code: 'batch-too-large', message }]
    return this.#form.failed(new EngineError('execution-failed', message, { details }), 0)
  }

  /** Returns a promise when other requests should get their turn. */
  readonly pause = createPauses(MAX_TURN_MS)
}

/** The options of a batch. */
export interface BatchOptions {
  /** Ends the batch with the first input that fails; later ones are not run. */
  readonly stopOnError: boolean
  /** Lets inputs wait for external calls concurrently. */
  readonly parallel: boolean
  /** Checked between inputs: true if the client has disconnected. */
  readonly isAbandoned?: () => boolean
}

/** The results of a batch with a summary. */
export interface BatchResults<Item> {
  readonly items: readonly Item[]
  /** `total` counts the inputs, including those that were not run. */
  readonly summary: { total: number; success: number; failed: number; total_duration_us: number }
}

/**
 * Runs inputs one by one; while they wait for external calls, several run concurrently. The results are in the order of
 * the inputs.
 */
export async function runBatch<Input, Item extends BatchItem>(
  runner: InputRunner<Input, Item>,
  inputs: readonly Input[],
  { stopOnError, parallel, isAbandoned }: BatchOptions,
): Promise<BatchResults<Item>> {
  const items: Awaitable<Item>[] = []
  const waiting = new Set<Promise<unknown>>()
  let size = 0
  const keep = (item: Item): Item => {
    size += item.size
    return size > MAX_KEPT_CHARACTERS ? runner.refused() : item
  }
  const kept = (item: Awaitable<Item>) => whenThere(item, keep)
  let hasWaited = false
  let unmeasured = 0
  for (const input of inputs) {
    // The client can only have disconnected while the batch was waiting.
    if (hasWaited && isAbandoned?.() === true) break
    hasWaited = false
    const item = kept(runner.run(input))
    items.push(item)
    if (item instanceof Promise) {
      if (stopOnError || !parallel) {
        items[items.length - 1] = await item
        // The end of one input and the start of the next must not be one turn.
        await pause()
        hasWaited = true
      } else {
        waiting.add(item)
        item.then(
          () => waiting.delete(item),
          () => waiting.delete(item),
        )
        if (waiting.size >= MAX_WAITING) {
          await Promise.race(waiting)
          await pause()
          hasWaited = true
        }
      }
    }
    const last = items.at(-1)
    if (stopOnError && last !== undefined && !(last instanceof Promise) && last.failed) break
    unmeasured += item instanceof Promise ? MAX_UNMEASURED : estimatedMicroseconds(item)
    if (unmeasured < MAX_UNMEASURED) continue
    unmeasured = 0
    const turn = runner.pause()
    if (turn !== undefined) {
      await turn
      hasWaited = true
    }
  }
  // Most batches never wait, and thousands of promises would cost as much as the decisions.
  const done = items.some((item) => item instanceof Promise)
    ? await Promise.all(items.map(async (item) => item))
    : items
  return { items: done as readonly Item[], summary: summaryOf(done as readonly Item[], inputs.length) }
}

/** Microseconds of an item, estimated without a clock. */
export function estimatedMicroseconds({ microseconds, size }: BatchItem): number {
  return INPUT_OVERHEAD_US + microseconds + size / CHARACTERS_PER_MICROSECOND
}

function summaryOf(items: readonly BatchItem[], total: number): BatchResults<BatchItem>['summary'] {
  let failed = 0
  let microseconds = 0
  for (const item of items) {
    failed += item.failed ? 1 : 0
    microseconds += item.microseconds
  }
  return { total, success: items.length - failed, failed, total_duration_us: microseconds }
}
