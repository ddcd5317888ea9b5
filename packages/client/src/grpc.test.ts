import { create, toBinary } from '@bufbuild/protobuf'
import { anyPack, AnySchema } from '@bufbuild/protobuf/wkt'
import { proto } from '@engine/api/proto'
import { Metadata, type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientError } from './errors.ts'
import { createGrpcTransport } from './grpc.ts'
import type { Sending, Transport } from './transport.ts'

/* Receipts over gRPC: how they are requested, and where an answer has them. */

const RECEIPT = { format: 'engine-receipt/1', entry: '{}' }
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))
const DECIDED = { code: 'ADULT', message: 'yes', outputJson: '{"age":20}', durationUs: 7n }

type Reply = Buffer | { readonly code: status; readonly details: string; readonly metadata?: Metadata }
let reply: Reply
let asked: Buffer
const server = new Server()
let transport: Transport
const sending: Sending = { signal: new AbortController().signal, timeoutMs: 10_000 }

beforeAll(async () => {
  const { method } = proto.EngineService
  for (const { parent, name } of [method.execute, method.batchExecute])
    server.register(
      `/${parent.typeName}/${name}`,
      (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
        asked = call.request
        if (Buffer.isBuffer(reply)) answer(null, reply)
        else answer(reply)
      },
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      'unary',
    )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  )
  transport = createGrpcTransport({ address: `127.0.0.1:${port}`, tls: undefined, headers: {} })
})
afterAll(async () => {
  await transport.close()
  server.forceShutdown()
})

function execute(answer: Reply, receipt = true) {
  reply = answer
  return transport.execute('adult', { age: 20 }, { tracing: false, receipt }, sending)
}
const responseOf = (receiptJson: Uint8Array) =>
  Buffer.from(toBinary(proto.ExecuteResponseSchema, create(proto.ExecuteResponseSchema, { ...DECIDED, receiptJson })))

describe('a decision', () => {
  const decided = { code: 'ADULT', message: 'yes', output: { age: 20 }, duration_us: 7 }

  test.each([true, false])('requests its receipt: %s', async (receipt) => {
    await execute(responseOf(new Uint8Array()), receipt)
    const inputJson = '{"age":20}'
    const request = create(proto.ExecuteRequestSchema, { name: 'adult', inputJson, receipt })
    expect(asked).toEqual(Buffer.from(toBinary(proto.ExecuteRequestSchema, request)))
  })

  test.each<[title: string, receiptJson: Uint8Array, expected: object]>([
    ['has its receipt', bytesOf(RECEIPT), { ...decided, receipt: RECEIPT }],
    ['has none of an engine that does not answer with one', new Uint8Array(), decided],
    ['has none of another format', bytesOf({ ...RECEIPT, format: 'x' }), decided],
  ])('%s', async (_, receiptJson, expected) => {
    expect(await execute(responseOf(receiptJson))).toEqual(expected)
  })

  test.each(['[]', 'receipt'])('with %s as its receipt is not of an engine', async (text) => {
    await expect(execute(responseOf(Buffer.from(text)))).rejects.toThrow(/^the answer is not /)
  })
})

test('results of a batch have theirs, failed ones beside their error', async () => {
  const results = [
    { ...DECIDED, receiptJson: bytesOf(RECEIPT) },
    { error: 'no', receiptJson: bytesOf(RECEIPT) },
    { error: 'no' },
  ].map((one) => create(proto.ExecuteResultSchema, one))
  const answer = create(proto.BatchExecuteResponseSchema, { results, summary: { total: 3, success: 1, failed: 2 } })
  reply = Buffer.from(toBinary(proto.BatchExecuteResponseSchema, answer))
  const batch = await transport.batch('adult', [{ age: 20 }], { receipt: true }, sending)
  expect(batch.results).toEqual([
    expect.objectContaining({ code: 'ADULT', receipt: RECEIPT }),
    { error: 'no', receipt: RECEIPT },
    { error: 'no' },
  ])
  expect(batch.summary).toEqual({ total: 3, success: 1, failed: 2 })
  const inputsJson = ['{"age":20}']
  const request = create(proto.BatchExecuteRequestSchema, { name: 'adult', inputsJson, receipt: true })
  expect(asked).toEqual(Buffer.from(toBinary(proto.BatchExecuteRequestSchema, request)))
})

/** A `google.rpc.Status` with details: its code and message come first. */
function statusBytes(...details: readonly Uint8Array[]): Buffer {
  const parts = details.map((one) => Buffer.concat([Buffer.from([(3 << 3) | 2, one.length]), one]))
  return Buffer.concat([Buffer.from([1 << 3, 9, (2 << 3) | 2, 2]), Buffer.from('no'), ...parts])
}

describe('a failed execution', () => {
  const failed = create(proto.FailedExecutionSchema, { receiptJson: bytesOf(RECEIPT) })
  const packed = toBinary(AnySchema, anyPack(proto.FailedExecutionSchema, failed))
  const other = toBinary(AnySchema, create(AnySchema, { typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo' }))
  const broken = toBinary(
    AnySchema,
    create(AnySchema, {
      typeUrl: `type.googleapis.com/${proto.FailedExecutionSchema.typeName}`,
      value: Uint8Array.of(0xff),
    }),
  )

  test.each<[title: string, bytes: Buffer | undefined, expected: unknown]>([
    ['has its receipt in the details of its status', statusBytes(packed), RECEIPT],
    ['has it after other details', statusBytes(other, packed), RECEIPT],
    ['has none without details', undefined, undefined],
    ['has none in other details', statusBytes(other), undefined],
    ['has none in details that are none', Buffer.from([0xff, 0xff]), undefined],
    ['has none in details that cannot be read', statusBytes(broken), undefined],
  ])('%s', async (_, bytes, expected) => {
    const metadata = new Metadata()
    if (bytes !== undefined) metadata.set('grpc-status-details-bin', bytes)
    const answer = { code: status.FAILED_PRECONDITION, details: 'no branch fits', metadata }
    const error: unknown = await execute(answer).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ kind: 'execution', message: 'no branch fits', repeatable: 'never' })
    expect((error as ClientError).receipt).toEqual(expected)
  })
})
