import { fromBinary } from '@bufbuild/protobuf'
import { anyUnpack } from '@bufbuild/protobuf/wkt'
import { proto } from '@engine/api/proto'
import type { Value } from '@engine/expression'
import { GrpcError } from '@engine/grpc-server'
import type { Receipt } from '@engine/receipts'
import type { Decision } from '@engine/ruleset'
import { describe, expect, test } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import { EngineError } from '../errors.ts'
import { AskedReceipt } from '../receipts/asked-receipt.ts'
import type { AnswerForm, ExecutionService, RunOptions } from '../services/execution.ts'
import { RESULT } from './execution-message.ts'
import { receiptedResponse, receiptedResult } from './execution-receipt.ts'

/* Receipts in the messages of gRPC, and in the status of a failed execution. */

const receiptOf = (letters: number): Receipt =>
  ({
    format: 'engine-receipt/1',
    entry: '{}',
    evidence: { input: ['salt', 'x'.repeat(letters)] },
  }) as unknown as Receipt
const RECEIPT = receiptOf(10)
const BARE = { format: 'engine-receipt/1', entry: '{}' }
const DECISION: Decision = { code: 'ADULT', message: 'welcome', output: {} }
/** Nothing is evaluated in it: its answer is bytes and not a message. */
const CONSTANT: Decision = Object.freeze({ ...DECISION, output: Object.freeze({}) })
const FAILED = new EngineError('execution-failed', 'no branch fits')

interface Outcome {
  readonly decision?: Decision
  /** Undefined: the execution is not in the log. */
  readonly kept?: Promise<Receipt> | undefined
  /** Instead of the decision. */
  readonly thrown?: unknown
}

function response({ decision = DECISION, kept, thrown }: Outcome, noted: unknown[] = []): Promise<Buffer> {
  const execution = {
    execute<Answer>(name: string, input: Value, form: AnswerForm<Answer, unknown>, options: RunOptions) {
      noted.push([name, input, options.trace])
      if (kept !== undefined) options.receipt?.kept(kept, 1)
      if (thrown !== undefined) throw thrown
      return form.decided(decision, 7, 0)
    },
  } as unknown as ExecutionService
  return receiptedResponse(execution, 'adult', { age: 20 }, { hops: Hops.of(undefined), trace: true })
}

const read = async (bytes: Promise<Buffer>) => fromBinary(proto.ExecuteResponseSchema, await bytes)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('an answer', () => {
  test.each([
    ['a message', DECISION],
    ['bytes', CONSTANT],
  ])('that is %s has its receipt', async (_, decision) => {
    const noted: unknown[] = []
    const message = await read(response({ decision, kept: Promise.resolve(RECEIPT) }, noted))
    expect(message).toMatchObject({ code: 'ADULT', message: 'welcome', outputJson: '{}', durationUs: 7n })
    expect(textOf(message.receiptJson)).toBe(JSON.stringify(RECEIPT))
    expect(noted).toEqual([['adult', { age: 20 }, true]])
  })

  test.each([
    ['a message', DECISION],
    ['bytes', CONSTANT],
  ])('that is %s without an entry in the log has none', async (_, decision) => {
    const message = await read(response({ decision }))
    expect(message.code).toBe('ADULT')
    expect(message.receiptJson).toHaveLength(0)
  })

  test('is refused where its receipt cannot be written', async () => {
    const refused = new EngineError('receipts-unavailable', 'the disk is full')
    await expect(response({ kept: Promise.reject(refused) })).rejects.toBe(refused)
  })
})

/** The receipt in the status of a failed execution. */
async function receiptInStatus(outcome: Outcome): Promise<unknown> {
  const error = await response(outcome).catch((thrown: unknown) => thrown)
  if (!(error instanceof GrpcError)) throw error
  expect([error.status, error.message]).toEqual(['FAILED_PRECONDITION', 'no branch fits'])
  const failed = error.details.map((one) => anyUnpack(one, proto.FailedExecutionSchema))
  return JSON.parse(textOf(failed.find((one) => one !== undefined)?.receiptJson ?? new Uint8Array()))
}

describe('a failed execution', () => {
  const rest = JSON.stringify(receiptOf(0)).length
  test.each([
    ['has its receipt with the evidence', 10, receiptOf(10)],
    ['has its receipt with evidence of 2,400 characters in total', 2400 - rest, receiptOf(2400 - rest)],
    ['has its receipt without longer evidence', 2401 - rest, BARE],
  ])('%s', async (_, letters, expected) => {
    expect(await receiptInStatus({ kept: Promise.resolve(receiptOf(letters)), thrown: FAILED })).toEqual(expected)
  })

  test.each<[title: string, outcome: Outcome]>([
    ['that is not in the log', { thrown: FAILED }],
    ['that is a defect', { kept: Promise.resolve(RECEIPT), thrown: new EngineError('defect', 'internal error') }],
    ['of another kind', { kept: Promise.resolve(RECEIPT), thrown: new TypeError('undefined is not a function') }],
  ])('%s is thrown as it is', async (_, outcome) => {
    await expect(response(outcome)).rejects.toBe(outcome.thrown)
  })
})

describe('one result of many', () => {
  const item = (receipt?: AskedReceipt) => {
    const decided = RESULT.failed(FAILED, 0)
    return receipt === undefined ? decided : { ...decided, receipt }
  }

  test('has its receipt', async () => {
    const receipt = new AskedReceipt()
    receipt.kept(Promise.resolve(RECEIPT), 1)
    const result = await receiptedResult(item(receipt))
    expect(result.error).toBe('no branch fits')
    expect(textOf(result.receiptJson)).toBe(JSON.stringify(RECEIPT))
  })

  test.each([
    ['was not executed', new AskedReceipt()],
    ['did not ask', undefined],
  ])('has none where it %s', async (_, receipt) => {
    const one = item(receipt)
    expect(await receiptedResult(one)).toBe(one.result)
  })
})
