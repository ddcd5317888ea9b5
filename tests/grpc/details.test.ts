import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf'
import { type Any, anyUnpack } from '@bufbuild/protobuf/wkt'
import { proto } from '@engine/api/proto'
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from '@engine/grpc-server'
import { createRegistry } from '@bufbuild/protobuf'
import { status } from '@grpc/grpc-js'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { StatusSchema } from '../../packages/grpc-server/src/generated/google/rpc/status_pb.ts'
import { connected, connectedForAll } from './connected-client.testing.ts'
import { framed } from './frames.testing.ts'
import { type RawReply, rawCall } from './raw-call.testing.ts'

/** Details of `google.rpc` and compressed messages, in addition to code and message. */

const engine = connectedForAll()
const registry = createRegistry(BadRequestSchema, ErrorInfoSchema, RetryInfoSchema)

function detailsOf({ code, trailers }: RawReply): Record<string, Message> {
  const bytes = Buffer.from(String(trailers['grpc-status-details-bin']), 'base64')
  const found = fromBinary(StatusSchema, bytes)
  expect(found.code).toBe(code)
  return Object.fromEntries(
    found.details.map((any: Any) => {
      const message = anyUnpack(any, registry)
      if (message === undefined) throw new Error(`a detail of the type ${any.typeUrl}`)
      return [message.$typeName, message]
    }),
  )
}

const bytesOf = (fields: { name?: string; inputJson?: string }) =>
  framed(toBinary(proto.ExecuteRequestSchema, create(proto.ExecuteRequestSchema, fields)))
const EXECUTE = '/engine.EngineService/Execute'

test('the place and the reason of a request that cannot be understood', async () => {
  const reply = await rawCall(engine.server.grpc, EXECUTE, bytesOf({ name: 'other', inputJson: '{"a":' }))
  expect(reply.code).toBe(status.INVALID_ARGUMENT)
  const details = detailsOf(reply)
  expect(details['google.rpc.BadRequest']).toMatchObject({ fieldViolations: [{ field: 'input_json' }] })
  expect(details['google.rpc.ErrorInfo']).toMatchObject({
    domain: 'engine',
    metadata: { path: '/input_json', line: '1', column: '6' },
  })
})

test('the suggestion for an expression', async () => {
  const request = create(proto.EvalRequestSchema, { expression: 'uper("a")' })
  const body = framed(toBinary(proto.EvalRequestSchema, request))
  const reply = await rawCall(engine.server.grpc, '/engine.EngineService/Eval', body)
  expect(reply.code).toBe(status.INVALID_ARGUMENT)
  expect(detailsOf(reply)['google.rpc.ErrorInfo']).toMatchObject({
    reason: 'UNKNOWN_FUNCTION',
    metadata: { suggestion: expect.stringContaining('upper') },
  })
})

test('the time to retry', async () => {
  const { server } = await connected('--multi-tenancy-enabled')
  await server.post('/api/v1/tenants', { id: 'slow', qps_limit: 1 })
  const ask = () => rawCall(server.grpc, EXECUTE, bytesOf({ name: 'x', inputJson: '{}' }), { 'x-tenant-id': 'slow' })
  const replies = [await ask(), await ask(), await ask()]
  const limited = replies.find(({ code }) => code === status.RESOURCE_EXHAUSTED)
  if (limited === undefined) throw new Error('none of three calls in a second was refused')
  const { retryDelay } = detailsOf(limited)['google.rpc.RetryInfo'] as Message & { retryDelay: { seconds: bigint } }
  expect(retryDelay.seconds).toBeGreaterThan(0n)
})

test('a message that is long, or in another script, arrives', async () => {
  for (const name of ['größe-世界', 'x'.repeat(3000)]) {
    const reply = await engine.client.call('Execute', { name, input_json: '{}' })
    expect(reply).toMatchObject({ code: status.NOT_FOUND, details: expect.stringMatching(/^ruleset `(größe-世界|x+)/) })
  }
})

test('compressed messages are read and answered', async () => {
  const { server } = await connected()
  const result = { code: 'LONG', message: '', output: { text: 'x'.repeat(5000) } }
  await server.post('/api/v1/rulesets', adultCheck({ steps: { yes: { id: 'yes', type: 'terminal', result } } }))
  const plain = toBinary(
    proto.ExecuteRequestSchema,
    create(proto.ExecuteRequestSchema, { name: 'adult-check', inputJson: '{"age": 20}' }),
  )
  const body = framed(gzipSync(plain), undefined, 1)
  const reply = await rawCall(server.grpc, EXECUTE, body, { 'grpc-encoding': 'gzip' })
  expect([reply.code, reply.headers['grpc-encoding'], reply.body[0]]).toEqual([status.OK, 'gzip', 1])
  expect(fromBinary(proto.ExecuteResponseSchema, gunzipSync(reply.body.subarray(5))).code).toBe('LONG')
})

test('an unknown encoding is refused with a list of the known ones', async () => {
  const reply = await rawCall(engine.server.grpc, EXECUTE, Buffer.alloc(0), { 'grpc-encoding': 'zstd' })
  expect([reply.code, reply.trailers['grpc-accept-encoding']]).toEqual([status.UNIMPLEMENTED, 'identity,gzip'])
})
