import { proto } from '@engine/api/proto'
import { create, toBinary } from '@bufbuild/protobuf'
import type { Value } from '@engine/expression'
import { EngineError } from '../errors.ts'
import { AskedReceipt } from '../receipts/asked-receipt.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { detail, grpcFailure } from './error-mapping.ts'
import { RESPONSE, type ResultItem } from './execution-message.ts'

/** Maximum number of characters of the receipt of a failure: clients accept 8 KiB of metadata in total. */
const MAX_TRAILER_RECEIPT_CHARACTERS = 2400

/** The bytes of `Execute` with a receipt. For a failed execution, the receipt is a detail of the status. */
export async function receiptedResponse(
  execution: ExecutionService,
  name: string,
  input: Value,
  options: RunOptions,
): Promise<Buffer> {
  const receipt = new AskedReceipt()
  const response = await failing(receipt, async () => execution.execute(name, input, RESPONSE, { ...options, receipt }))
  const text = await receipt.text()
  const bytes = response instanceof Uint8Array ? response : toBinary(proto.ExecuteResponseSchema, response)
  if (text === undefined) return Buffer.from(bytes)
  // The concatenation of two messages is their union.
  const receiptJson = Buffer.from(text)
  const more = create(proto.ExecuteResponseSchema, { receiptJson })
  return Buffer.concat([bytes, toBinary(proto.ExecuteResponseSchema, more)])
}

async function failing<T>(receipt: AskedReceipt, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.code === 'defect') throw thrown
    const text = await receipt.shortText(MAX_TRAILER_RECEIPT_CHARACTERS)
    if (text === undefined) throw thrown
    throw grpcFailure(thrown, [detail(proto.FailedExecutionSchema, { receiptJson: Buffer.from(text) })])
  }
}

/** The result of one input of a batch or a stream, with its receipt if requested. */
export async function receiptedResult({ result, receipt }: ResultItem): Promise<proto.ExecuteResult> {
  const text = await receipt?.text()
  return text === undefined ? result : { ...result, receiptJson: Buffer.from(text) }
}
