import { connect as connectHttp2 } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { status } from '@grpc/grpc-js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connected } from './connected.testing.ts'

describe('malformed requests', () => {
  /** Bytes as the body of a call, and the status that it ends with; undefined: the connection was given up. */
  async function raw(address: string, path: string, body: Buffer, headers: object = {}): Promise<number | undefined> {
    const session = connectHttp2(`http://${address}`)
    onTestFinished(() => session.destroy())
    return new Promise((resolve) => {
      session.on('error', () => resolve(undefined))
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      })
      let code: number | undefined
      const note = (found: Record<string, unknown>) => {
        if (found['grpc-status'] !== undefined) code = Number(found['grpc-status'])
      }
      stream
        .on('response', note)
        .on('trailers', note)
        .on('error', () => undefined)
      stream.on('close', () => resolve(code))
      stream.resume()
      stream.end(body)
    })
  }
  const framed = (message: Buffer, length = message.length, compressed = 0) => {
    const head = Buffer.alloc(5)
    head.writeUInt8(compressed, 0)
    head.writeUInt32BE(length, 1)
    return Buffer.concat([head, message])
  }
  const EXECUTE = '/engine.EngineService/Execute'
  const { INTERNAL, INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, CANCELLED } = status

  test.each<[string, string, Buffer, readonly number[], object?]>([
    ['an unknown method', '/engine.EngineService/Steal', framed(Buffer.alloc(0)), [UNIMPLEMENTED]],
    ['an unknown service', '/other.Service/Execute', framed(Buffer.alloc(0)), [UNIMPLEMENTED]],
    ['no message', EXECUTE, Buffer.alloc(0), [INTERNAL, UNIMPLEMENTED, CANCELLED]],
    ['an empty message', EXECUTE, framed(Buffer.alloc(0)), [INVALID_ARGUMENT]],
    ['bytes that are no message', EXECUTE, framed(Buffer.from('ffffffffffffffff', 'hex')), [INTERNAL]],
    [
      'a text that is no UTF-8',
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
      'a compressed message that is none',
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
    const code = await raw(server.grpc, path, body, headers)
    expect(code === undefined || expected.includes(code), `status ${code}`).toBe(true)
    // Whatever it was, the server goes on, and its log has no defect.
    expect(await client.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
    expect(server.logged.filter((line) => line.startsWith('error'))).toEqual([])
  })
})
