import { status } from '@grpc/grpc-js'
import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, constants } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { engineClient } from '../grpc/client.testing.ts'
import { chunk, chunkedHead, connectRaw, handled, LAST_CHUNK, type RawConnection } from './raw.testing.ts'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const EXECUTE = '/api/v1/execute/adult-check'
const BATCH = `${EXECUTE}/batch`
const RULESETS = '/api/v1/rulesets'
const ADULT = '{"input":{"age":20}}'
/** The sender's action frees the memory, not the timeout of its request. */
const PATIENT = ['--request-timeout-secs', '600']
const POLL = { timeout: 120_000, interval: 20 }

describe('the memory for bodies that are arriving', () => {
  const BODY = 64 * 1024
  let server: TestServer
  const open: RawConnection[] = []

  beforeAll(async () => {
    server = await startServer(
      '--max-request-body-bytes',
      `${BODY}`,
      '--max-unread-body-bytes',
      `${3 * BODY}`,
      ...PATIENT,
    )
    await server.post(RULESETS, adultCheck())
  })
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.destroy()
  })
  afterAll(() => server.stop())

  async function connected(): Promise<RawConnection> {
    const connection = await connectRaw(server)
    open.push(connection)
    return connection
  }

  /** Sends most of the largest body and no end. */
  async function unfinished(path: string, type?: string): Promise<RawConnection> {
    const connection = await connected()
    connection.write(chunkedHead(path, type) + chunk(`{"input":{"age":20,"x":"${'x'.repeat(BODY - 1000)}`))
    return connection
  }

  /** A body in two pieces: what becomes of it. */
  async function inPieces(path = EXECUTE): Promise<string> {
    const connection = await connected()
    connection.write(chunkedHead(path, 'application/json', 'connection: close\r\n') + chunk(ADULT.slice(0, 5)))
    await handled()
    connection.write(chunk(ADULT.slice(5)) + LAST_CHUNK)
    return connection.ended()
  }

  test.each([
    [EXECUTE, undefined],
    [RULESETS, undefined],
    [BATCH, undefined],
    [BATCH, 'application/x-ndjson'],
    [RULESETS, 'application/octet-stream'],
  ])('is one for all connections: unfinished bodies at %s (%s)', async (path, type) => {
    const taking = await Promise.all([0, 1, 2].map(() => unfinished(path, type)))
    await vi.waitFor(async () => expect(await inPieces()).toMatch(/^HTTP\/1\.1 503 /), POLL)
    const answer = await inPieces(path === RULESETS ? RULESETS : EXECUTE)
    expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    expect(answer).toMatch(/^retry-after: 1\r$/m)
    expect(answer).toMatch(/^connection: close\r$/m)
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      error: 'too many request bodies are arriving at the same time (--max-unread-body-bytes): try again',
      code: 'UNAVAILABLE',
    })
    // A body that arrives in one piece is not buffered, and is still answered.
    expect((await server.post(EXECUTE, ADULT)).body.code).toBe('ADULT')
    expect((await server.request('GET', '/healthz/live')).status).toBe(200)
    taking[0]?.socket.destroy()
    await vi.waitFor(async () => expect(await inPieces()).toMatch(/^HTTP\/1\.1 200 OK\r\n/), POLL)
  })

  test('is given back after bodies that are complete, refused or aborted', async () => {
    for (let round = 0; round < 4; round++) {
      const [large, broken, complete] = [await connected(), await unfinished(EXECUTE), await connected()]
      large.write(chunkedHead(EXECUTE) + chunk('x'.repeat(BODY)) + chunk('x'))
      expect(await large.ended()).toMatch(/^HTTP\/1\.1 413 /)
      broken.socket.resetAndDestroy()
      complete.write(chunkedHead(EXECUTE) + chunk(ADULT) + LAST_CHUNK)
      await complete.reads(/"ADULT"/)
      for (const { socket } of open.splice(0)) socket.destroy()
    }
    await vi.waitFor(async () => {
      const three = await Promise.all([0, 1, 2].map(() => unfinished(EXECUTE)))
      await handled()
      for (const one of three) one.write(chunk('"}}') + LAST_CHUNK)
      for (const one of three) await one.reads(/"ADULT"/)
      for (const { socket } of open.splice(0)) socket.destroy()
    }, POLL)
  })

  test('of a stream: the line is refused, and those after it are answered', async () => {
    const taking = await Promise.all([0, 1].map(() => unfinished(EXECUTE)))
    const stream = await connected()
    stream.write(chunkedHead(BATCH, 'application/x-ndjson') + chunk('{"age":20}\n'))
    await stream.reads(/"ADULT"/)
    const third = await unfinished(EXECUTE)
    await vi.waitFor(async () => expect(await inPieces()).toMatch(/^HTTP\/1\.1 503 /), POLL)
    stream.write(chunk(`{"age":`))
    await handled()
    stream.write(chunk(`20}\n{"age":20}\n`) + LAST_CHUNK)
    const answer = await stream.reads(/\r\n0\r\n\r\n$/)
    expect(answer).toContain('too many request bodies are arriving at the same time')
    expect(answer).toContain('"line":2')
    expect(answer.match(/"ADULT"/g)).toHaveLength(2)
    for (const { socket } of [...taking, third]) socket.destroy()
  })
})

/** The status that a call ends with; undefined: it had none. */
function statusOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  let code: number | undefined
  stream.on('response', (headers) => (code = Number(headers['grpc-status'])))
  stream.on('error', () => {}).resume()
  return new Promise((resolve) => stream.once('close', () => resolve(code)))
}

describe('the memory for messages of gRPC that are arriving', () => {
  const BODY = 64 * 1024
  let server: TestServer
  let session: ClientHttp2Session

  beforeAll(async () => {
    // Enough for three calls below with any buffer sizes, and not for a fourth.
    const limits = ['--max-request-body-bytes', `${BODY}`, '--max-unread-body-bytes', `${3.5 * BODY}`]
    server = await startServer('--grpc-addr', '127.0.0.1:0', ...limits, ...PATIENT)
    session = connectHttp2(`http://${server.grpc}`)
  })
  afterAll(async () => {
    session.destroy()
    await server.stop()
  })

  /** A call that sends this many bytes of a message of 60,000; resolves to its final status. */
  function calling(bytes: number): { readonly stream: ClientHttp2Stream; readonly ended: Promise<number | undefined> } {
    const path = '/engine.EngineService/Eval'
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    const prefix = Buffer.alloc(5)
    prefix.writeUInt32BE(60_000, 1)
    stream.write(Buffer.concat([prefix, Buffer.alloc(bytes)]))
    return { stream, ended: statusOf(stream) }
  }

  test('is shared too: a stream without memory left is refused, and calls in a single packet are answered', async () => {
    for (let round = 0; round < 3; round++) {
      const taking = [0, 1, 2].map(() => calling(59_000))
      await handled()
      // Over another connection, whose flow control is not exhausted.
      const client = engineClient(server.grpc)
      expect(await client.call('Eval', { expression: '1 + 1' })).toMatchObject({ message: { result_json: '2' } })
      const more = calling(59_000)
      expect(await more.ended).toBe(status.RESOURCE_EXHAUSTED)
      const refused = await client.call('Eval', { expression: `"${'x'.repeat(59_000)}"` })
      expect(refused).toMatchObject({ code: status.RESOURCE_EXHAUSTED })
      for (const { stream } of taking) stream.close(constants.NGHTTP2_CANCEL)
      await Promise.all(taking.map(({ ended }) => ended))
      await vi.waitFor(async () => {
        const answered = await client.call('Eval', { expression: `"${'x'.repeat(59_000)}"` })
        expect(answered).toHaveProperty('message')
      }, POLL)
      client.close()
    }
  })
})

describe('a message of gRPC that is not complete in time', () => {
  test('is given up, however it drips; a stream of complete ones may take longer', async () => {
    const server = await startServer('--grpc-addr', '127.0.0.1:0', '--request-timeout-secs', '1')
    const client = engineClient(server.grpc)
    const long = client
      .stream('ExecuteStream')
      .on('error', () => {})
      .resume()
    const session = connectHttp2(`http://${server.grpc}`)
    const headers = { ':method': 'POST', ':path': '/engine.EngineService/Eval', 'content-type': 'application/grpc' }
    const stream = session.request({ ...headers, te: 'trailers' })
    const ended = statusOf(stream)
    stream.write(Buffer.from([0, 0, 1, 0, 0]))
    const drops = setInterval(() => {
      stream.write(Buffer.alloc(1))
      long.write({ name: 'none', input_json: '{}' })
    }, 100)
    expect(await ended).toBe(status.DEADLINE_EXCEEDED)
    expect(long.closed).toBe(false)
    clearInterval(drops)
    long.destroy()
    client.close()
    session.destroy()
    await server.stop()
  })
})

describe('the limit of connections', () => {
  let server: TestServer
  const open: Socket[] = []

  beforeEach(async () => {
    server = await startServer('--max-connections', '3', '--grpc-addr', '127.0.0.1:0')
  })
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy()
    await server.stop()
  })

  /** Whether a new connection is kept. */
  async function isKept(port: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    open.push(socket)
    const closed = once(socket.resume(), 'close').then(() => false)
    return Promise.race([closed, delay(300, true)])
  }

  test.each(['http', 'grpc'] as const)('of %s: one more is closed, until another one is', async (what) => {
    const port = Number(what === 'http' ? new URL(server.url).port : server.grpc.split(':')[1])
    expect([await isKept(port), await isKept(port), await isKept(port)]).toEqual([true, true, true])
    expect([await isKept(port), await isKept(port)]).toEqual([false, false])
    const told = server.logged.filter((line) => line.includes('--max-connections'))
    expect(told).toEqual(['warn: too many connections: new ones are closed (--max-connections)'])
    open[0]?.destroy()
    await vi.waitFor(async () => expect(await isKept(port)).toBe(true), POLL)
  })
})
