import { gzipSync } from 'node:zlib'
import { status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { connected } from './connected-client.testing.ts'
import { framed } from './frames.testing.ts'
import { rawCall } from './raw-call.testing.ts'

describe('malformed requests', () => {
  const EXECUTE = '/engine.EngineService/Execute'
  const { INTERNAL, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, CANCELLED } = status

  test.each<[string, string, Buffer, readonly number[], object?]>([
    ['an unknown method', '/engine.EngineService/Steal', framed(Buffer.alloc(0)), [UNIMPLEMENTED]],
    ['an unknown service', '/other.Service/Execute', framed(Buffer.alloc(0)), [UNIMPLEMENTED]],
    ['no message', EXECUTE, Buffer.alloc(0), [INTERNAL, UNIMPLEMENTED, CANCELLED]],
    ['an empty message', EXECUTE, framed(Buffer.alloc(0)), [INVALID_ARGUMENT]],
    ['bytes that are not a message', EXECUTE, framed(Buffer.from('ffffffffffffffff', 'hex')), [INTERNAL]],
    [
      'a text that is not UTF-8',
      EXECUTE,
      framed(Buffer.from('0a02c328', 'hex')),
      [INTERNAL, INVALID_ARGUMENT, status.NOT_FOUND],
    ],
    ['a length of 4 GiB', EXECUTE, framed(Buffer.alloc(10), 0xff_ff_ff_ff), [RESOURCE_EXHAUSTED, INTERNAL]],
    ['a length beyond its end', EXECUTE, framed(Buffer.alloc(10), 1000), [INTERNAL, CANCELLED, UNIMPLEMENTED]],
    [
      'two messages',
      EXECUTE,
      Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]),
      [INTERNAL, INVALID_ARGUMENT, UNIMPLEMENTED],
    ],
    [
      'a compressed message that is not compressed',
      EXECUTE,
      framed(Buffer.from('xx'), 2, 1),
      [INTERNAL, UNIMPLEMENTED],
      { 'grpc-encoding': 'gzip' },
    ],
    [
      'an unknown encoding',
      EXECUTE,
      framed(Buffer.from('xx'), 2, 1),
      [INTERNAL, UNIMPLEMENTED],
      { 'grpc-encoding': 'magic' },
    ],
    [
      'a bomb',
      EXECUTE,
      framed(gzipSync(Buffer.alloc(64 * 1024 * 1024)), undefined, 1),
      [RESOURCE_EXHAUSTED],
      { 'grpc-encoding': 'gzip' },
    ],
  ])('%s', async (_what, path, body, expected, headers) => {
    const { server, client } = await connected()
    const { code } = await rawCall(server.grpc, path, body, headers)
    expect(expected).toContain(code)
    // In every case the server continues, and its log has no defect.
    expect(await client.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
    expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
  })
})
