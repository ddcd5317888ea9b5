import { createUnreadBodies } from '@engine/http-server'
import type { Receipt } from '@engine/receipts'
import type { Program } from '@engine/ruleset'
import type { Value } from '@engine/expression'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import { EngineError } from '../errors.ts'
import type { AnswerForm, ExecutionService, RunOptions } from '../services/execution.ts'
import { answerBatch, streamBatch } from './batch.ts'
import { NDJSON_LINES } from './line-form.ts'
import { lines } from './request-lines.ts'

test('a stream of blank lines does not block other requests', async () => {
  const chunk = Buffer.alloc(64 * 1024, '\n')
  const request = Object.assign(Readable.from(Array.from({ length: 100 }, () => chunk)), { headers: {} })
  const written: string[] = []
  const response = {
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: (text: string) => written.push(text) > 0,
    end: () => undefined,
    destroyed: false,
  }
  let turns = 0
  let turn = setImmediate(function again() {
    turns++
    turn = setImmediate(again)
  })
  const limits = { maxBytes: 4096, unread: createUnreadBodies(1e6) }
  const incoming = request as unknown as IncomingMessage
  await streamBatch({} as ExecutionService, {} as Program, {
    request: incoming,
    response: response as unknown as ServerResponse,
    headers: {},
    options: { hops: Hops.of(undefined) },
    form: NDJSON_LINES,
    open: () => lines(incoming, limits),
    progress: () => undefined,
  })
  clearImmediate(turn)
  expect(written).toEqual([])
  expect(turns).toBeGreaterThan(1)
})

/** A receipt of so many characters. */
const receiptOf = (number: number, letters = 0) =>
  ({ format: 'engine-receipt/1', index: number, entry: 'x'.repeat(letters) }) as unknown as Receipt
const PROGRAM = { ruleset: { config: { numbers: 'double' } } } as unknown as Program

interface Kept {
  /** By the number of the input; undefined: it is not in the log. */
  readonly receiptFor: (number: number) => Promise<Receipt> | undefined
  readonly letters?: number
  /** Waits before a decision, as for an external call. */
  readonly before?: (number: number) => Promise<unknown>
}

/** An engine that decides `{"n": number}`, where each decision has a receipt; 13 fails. */
function engine({ receiptFor, letters = 0, before }: Kept): ExecutionService {
  return {
    keepsReceipts: true,
    async item<Item>(_program: Program, input: Value | undefined, form: AnswerForm<Item, Item>, options: RunOptions) {
      const { n = -1 } = input as { readonly n?: number }
      await before?.(n)
      if (n < 0) return form.failed(new EngineError('invalid-input', 'no number'), 0)
      const receipt = receiptFor(n)
      if (receipt !== undefined) options.receipt?.kept(receipt, letters)
      if (n === 13) return form.failed(new EngineError('execution-failed', 'thirteen'), 1)
      return form.decided({ code: `C${n}`, message: '', output: {} }, 1, 0)
    },
  } as unknown as ExecutionService
}

const REQUEST = { hops: Hops.of(undefined) }

/** The parts of the answer to lines of numbers. */
async function streamed(
  execution: ExecutionService,
  texts: readonly string[],
  withReceipts = true,
  isLeft = () => false,
) {
  const parts: string[] = []
  const response = {
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: (part: string) => parts.push(part) > 0,
    end: () => undefined,
    get destroyed() {
      return isLeft()
    },
  }
  const request = Object.assign(Readable.from([Buffer.from(texts.map((text) => `${text}\n`).join(''))]), {
    headers: {},
  })
  const incoming = request as unknown as IncomingMessage
  await streamBatch(execution, PROGRAM, {
    request: incoming,
    response: response as unknown as ServerResponse,
    headers: {},
    options: REQUEST,
    withReceipts,
    form: NDJSON_LINES,
    open: () => lines(incoming, { maxBytes: 4096, unread: createUnreadBodies(1e6) }),
    progress: () => undefined,
  })
  return parts
}

const answersIn = (parts: readonly string[]) =>
  parts
    .join('')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { code: string; line: number; receipt?: { index: number } })
const short = (answers: ReturnType<typeof answersIn>) =>
  answers.map(({ code, line, receipt }) => [line, code, receipt?.index])
const textOf = (n: number) => `{"n":${n}}`

describe('lines with receipts', () => {
  const keeping = (letters = 0) =>
    engine({ receiptFor: (n) => (n === 9 ? undefined : nextTurn().then(() => receiptOf(n, letters))), letters })

  test('are answered in their order, also those without one', async () => {
    const texts = [textOf(9), textOf(1), 'nothing', '{}', textOf(13), textOf(2)]
    const answers = answersIn(await streamed(keeping(), texts))
    expect(short(answers)).toEqual([
      [1, 'C9', undefined],
      [2, 'C1', 1],
      [3, 'error', undefined],
      [4, 'error', undefined],
      [5, 'error', 13],
      [6, 'C2', 2],
    ])
  })

  test.each([
    ['after a single one with a receipt', [textOf(1), 'nothing']],
    ['before the first one with a receipt', ['nothing', textOf(1)]],
  ])('keep their places: one that cannot be read %s', async (_, texts) => {
    expect(answersIn(await streamed(keeping(), texts)).map(({ line }) => line)).toEqual([1, 2])
  })

  test('have none where none is requested', async () => {
    const answers = answersIn(await streamed(keeping(), [textOf(1)], false))
    expect(short(answers)).toEqual([[1, 'C1', undefined]])
  })

  test('are written together up to two megabytes, so that they share signatures', async () => {
    // Where time stands still no other request has its turn in between.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => clock.mockRestore())
    const written = async (count: number, letters: number) => {
      const parts = await streamed(
        keeping(letters),
        Array.from({ length: count }, (_, n) => textOf(n + 20)),
      )
      return parts.filter((part) => part !== '').map((part) => answersIn([part]).length)
    }
    expect(await written(40, 1)).toEqual([40])
    // A receipt counts as its evidence and 2,000 characters more: 34 of these fill a part.
    expect(await written(80, 60_000)).toEqual([34, 34, 12])
  })

  test('of an engine that keeps none are refused before the answer begins', async () => {
    const execution = { ...keeping(), keepsReceipts: false }
    await expect(streamed(execution, [textOf(1)])).rejects.toThrow('this engine keeps no receipts (--receipts)')
  })

  test.each([
    ['fail the stream', false],
    ['are of no consequence once the caller has left', true],
  ])('that cannot be written %s, and never the process', async (_, isLeft) => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const failing = engine({
        receiptFor: async (n) => {
          if (n === 1) throw new EngineError('receipts-unavailable', 'the disk is full')
          return receiptOf(n)
        },
        // The second decision waits while the receipt of the first fails.
        before: async (n) => {
          if (n === 2) for (let turns = 0; turns < 5; turns++) await nextTurn()
        },
      })
      const answering = streamed(failing, [textOf(1), textOf(2)], true, () => isLeft)
      if (isLeft) await answering
      else await expect(answering).rejects.toThrow('the disk is full')
      await nextTurn()
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).toEqual([])
  })
})

describe('a batch as one document with receipts', () => {
  const answered = async (options: object, execution = engine({ receiptFor: async (n) => receiptOf(n) })) =>
    JSON.parse(await answerBatch(execution, PROGRAM, { inputs: [{ n: 1 }, { n: 13 }, {}], options }, REQUEST))

  test('has one in each result that was executed', async () => {
    const { results, summary } = await answered({ receipt: true })
    expect(results.map(({ code, receipt }: { code: string; receipt?: Receipt }) => [code, receipt?.index])).toEqual([
      ['C1', 1],
      ['error', 13],
      ['error', undefined],
    ])
    expect(summary).toMatchObject({ total: 3, success: 1, failed: 2 })
  })

  test.each([{}, { receipt: false }])('has none with %j', async (options) => {
    const { results } = await answered(options)
    expect(results.some((one: object) => 'receipt' in one)).toBe(false)
  })

  test('is refused where a receipt cannot be written', async () => {
    const refused = new EngineError('receipts-unavailable', 'the disk is full')
    const failing = engine({ receiptFor: () => Promise.reject(refused) })
    await expect(answered({ receipt: true }, failing)).rejects.toBe(refused)
  })
})
