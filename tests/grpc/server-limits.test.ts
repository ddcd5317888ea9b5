import { create, toBinary } from '@bufbuild/protobuf'
import { proto } from '@engine/api/proto'
import { status } from '@grpc/grpc-js'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { adultCheck } from '../http/server.testing.ts'
import { connected, silence, waiting } from './connected-client.testing.ts'
import { FRAME, frame, framed, openRaw } from './frames.testing.ts'
import { begin, rawCall, sessionOf } from './raw-call.testing.ts'

/** Limits that the server enforces: unlike libraries of gRPC, these clients do not end a late call themselves. */

const request = (name: string, input_json: string) =>
  framed(toBinary(proto.ExecuteRequestSchema, create(proto.ExecuteRequestSchema, { name, inputJson: input_json })))
const EXECUTE = '/engine.EngineService/Execute'
const STREAM = '/engine.EngineService/ExecuteStream'

describe('the deadline of a caller that does not end its call', () => {
  test.each(['1S', '300m', '300000u', '99999999n'])('%s', async (timeout) => {
    const { server } = await connected()
    const { url } = await silence()
    await server.post('/api/v1/rulesets', waiting(url))
    const reply = await rawCall(server.grpc, EXECUTE, request('waits', '{}'), { 'grpc-timeout': timeout })
    expect([reply.code, reply.trailers['grpc-message']]).toEqual([
      status.DEADLINE_EXCEEDED,
      'the deadline of the call passed',
    ])
    // And the execution with it.
    await expect
      .poll(async () => (await server.request('GET', '/metrics')).text)
      .toContain('engine_executions_total{ruleset="waits",result="error"} 1')
  })

  test.each(['1H', '60M', '3600S', '3600000m'])('of an hour, written %s, is none that has passed', async (timeout) => {
    const { server } = await connected()
    const { url, called, answer } = await silence()
    await server.post('/api/v1/rulesets', waiting(url))
    const reply = rawCall(server.grpc, EXECUTE, request('waits', '{}'), { 'grpc-timeout': timeout })
    await called
    answer()
    expect((await reply).code).toBe(status.OK)
  })

  test('ends a stream', async () => {
    const { server } = await connected()
    const { ended } = begin(sessionOf(server.grpc), STREAM, { 'grpc-timeout': '300m' })
    expect((await ended).code).toBe(status.DEADLINE_EXCEEDED)
  })
})

test('a method that takes one request refuses two, and none', async () => {
  const { server } = await connected()
  await server.post('/api/v1/rulesets', adultCheck())
  const one = request('adult-check', '{"age": 20}')
  const reply = async (body: Buffer) => {
    const { code, trailers } = await rawCall(server.grpc, EXECUTE, body)
    return [code, trailers['grpc-message']]
  }
  expect((await reply(one))[0]).toBe(status.OK)
  expect(await reply(Buffer.concat([one, one]))).toEqual([
    status.UNIMPLEMENTED,
    'the method takes one request, found more',
  ])
  expect(await reply(Buffer.alloc(0))).toEqual([status.UNIMPLEMENTED, 'the method takes one request, found none'])
})

test('streams that are open on one connection are limited, other calls and connections are not', async () => {
  const { server } = await connected()
  await server.post('/api/v1/rulesets', adultCheck())
  const session = sessionOf(server.grpc)
  const one = request('adult-check', '{"age": 20}')
  const open = Array.from({ length: 100 }, () => begin(session, STREAM).stream)
  await Promise.all(
    open.map(async (stream) => {
      stream.write(one)
      await once(stream, 'data')
    }),
  )
  const { code, trailers } = await begin(session, STREAM).ended
  expect([code, trailers['grpc-message']]).toEqual([
    status.RESOURCE_EXHAUSTED,
    'a connection may have 100 streaming calls open',
  ])
  const unary = begin(session, EXECUTE)
  unary.stream.end(one)
  expect((await unary.ended).code).toBe(status.OK)
  const other = begin(sessionOf(server.grpc), STREAM)
  other.stream.end(one)
  expect((await other.ended).code).toBe(status.OK)
  open[0]?.end()
  await once(open[0] ?? session, 'close')
  const next = begin(session, STREAM)
  next.stream.end(one)
  expect((await next.ended).code).toBe(status.OK)
})

describe('pings', () => {
  const ping = frame(FRAME.ping, 0, 0, Buffer.alloc(8))
  const many = (count: number) => Buffer.concat(Array.from({ length: count }, () => ping))
  test('that are answered, but too many of them, end their connection', async () => {
    const { server } = await connected()
    const raw = await openRaw(server.grpc)
    const isOpen = () => !raw.socket.destroyed
    // Each has its answer before more are sent: else Node itself would end the connection, for what waits to be sent.
    for (let round = 1; isOpen() && round <= 500; round++) {
      const answered = raw.received().length + 100 * ping.length
      await raw.send(many(100))
      while (isOpen() && raw.received().length < answered) await new Promise((resolve) => setImmediate(resolve))
    }
    await raw.closed
    expect(raw.received().includes('too_many_pings')).toBe(true)
  })

  test('of a client that keeps its connection alive are answered', async () => {
    const { server } = await connected()
    const session = sessionOf(server.grpc)
    await once(session, 'connect')
    for (let count = 0; count < 100; count++)
      await new Promise<void>((resolve, reject) =>
        session.ping((error) => (error === null ? resolve() : reject(error))),
      )
    expect([session.closed, session.destroyed]).toEqual([false, false])
  })
})
