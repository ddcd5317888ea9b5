import type { Value } from '@engine/expression'
import type { Program } from '@engine/ruleset'
import { EngineError, failures } from '../errors.ts'
import { AskedReceipt } from '../receipts/asked-receipt.ts'
import { type Awaitable, createPauses, pause, whenThere } from '@engine/process'
import type { AnswerForm, ExecutionService, RunOptions } from './execution.ts'

/** Inputs that wait for external calls at the same time. */
const MAX_WAITING = 16
/** Characters of all results of one batch: they are kept until the last input is decided. */
const MAX_KEPT = 48 * 1024 * 1024
/** Milliseconds of deciding after which other requests have their turn. */
const MAX_TURN = 20
/** Estimated microseconds of work between two readings of the clock: a reading costs as much as a short decision. */
export const MAX_UNMEASURED = 500
/** Microseconds of an input besides its decision, at least. */
const INPUT_OVERHEAD = 2
/** Characters of a result that are written in a microsecond, at least. */
const CHARACTERS_PER_MICROSECOND = 64

/** One result of many. */
export interface BatchItem {
  readonly failed: boolean
  readonly microseconds: number
  /** Characters that are kept for it. */
  readonly size: number
  /** Undefined: none was requested. */
  readonly receipt?: AskedReceipt | undefined
}

/** Executes the inputs of a batch, which may be of any form before they are values. */
export interface InputRunner<Input, Item extends BatchItem> {
  run(input: Input): Awaitable<Item>
  /** The result of an input for which there is no room. */
  refused(): Item
  /** A promise when it is time to let other requests be served. */
  readonly pause: () => Promise<void> | undefined
}

/** Runs the inputs of one request, and lets others have their turn. */
export class Runner<Item extends BatchItem> implements InputRunner<Value | undefined, Item> {
  readonly #execution: ExecutionService
  readonly program: Program
  readonly #form: AnswerForm<Item, Item>
  readonly #options: RunOptions
  readonly #withReceipts: boolean

  /** @param withReceipts each input requests its receipt. Throws `EngineError` where the engine keeps none */
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

  /** The result of an input for which there is no room. */
  refused(): Item {
    const message = `the results of this batch have more than ${MAX_KEPT} characters in total: send fewer inputs per request`
    const details = [{ path: '', code: 'batch-too-large', message }]
    return this.#form.failed(new EngineError('execution-failed', message, { details }), 0)
  }

  /** A promise when it is time to let other requests be served. */
  readonly pause = createPauses(MAX_TURN)
}

/** The options of a batch. */
export interface BatchOptions {
  /** End with the first input that fails; later ones are not run. */
  readonly stopOnError: boolean
  /** Let inputs wait for external calls at the same time. */
  readonly parallel: boolean
  /** Checked between inputs: whether the client is gone. */
  readonly isAbandoned?: () => boolean
}

/** The results of a batch, and their sums. */
export interface BatchResults<Item> {
  readonly items: readonly Item[]
  /** `total` counts the inputs, also those that were not run. */
  readonly summary: { total: number; success: number; failed: number; total_duration_us: number }
}

/** Run inputs one after the other; those that wait, at the same time. The results are in the order of the inputs. */
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
    return size > MAX_KEPT ? runner.refused() : item
  }
  const kept = (item: Awaitable<Item>) => whenThere(item, keep)
  let hasWaited = false
  let unmeasured = 0
  for (const input of inputs) {
    // The client can only have disconnected during a wait.
    if (hasWaited && isAbandoned?.() === true) break
    hasWaited = false
    const item = kept(runner.run(input))
    items.push(item)
    if (item instanceof Promise) {
      if (stopOnError || !parallel) {
        items[items.length - 1] = await item
        // The end of one input and the beginning of the next are not one turn.
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
  // Most batches wait for nothing, and thousands of promises would cost as much as the decisions.
  const done = items.some((item) => item instanceof Promise)
    ? await Promise.all(items.map(async (item) => item))
    : items
  return { items: done as readonly Item[], summary: summaryOf(done as readonly Item[], inputs.length) }
}

/** Microseconds of an item, estimated without a clock. */
export function estimatedMicroseconds({ microseconds, size }: BatchItem): number {
  return INPUT_OVERHEAD + microseconds + size / CHARACTERS_PER_MICROSECOND
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
