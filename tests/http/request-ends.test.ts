import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chunk, chunkedHead, connectRaw, handled, LAST_CHUNK } from './raw.testing.ts'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const EXECUTE = '/api/v1/execute/adult-check'
const BATCH = `${EXECUTE}/batch`
const NDJSON = 'application/x-ndjson'
const ADULT = '{"age": 20}\n'
const CLOSE = 'connection: close\r\n'

let server: TestServer

async function serve(...options: readonly string[]): Promise<void> {
  server = await startServer(...options)
  await server.post('/api/v1/rulesets', adultCheck())
}

describe('the time of a request', { concurrent: true }, () => {
  beforeAll(() => serve('--request-timeout-secs', '1'))
  afterAll(() => server.stop())

  test('a body that does not arrive is 408', async () => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(EXECUTE) + chunk('{"input":'))
    const answer = await connection.ended()
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(answer).toContain(
      '{"error":"the request did not arrive within 1 s (--request-timeout-secs)","code":"TIMEOUT"}',
    )
  })

  test('headers that do not arrive are 408', async () => {
    const connection = await connectRaw(server)
    connection.write('GET /health HTTP/1.1\r\nhost: a\r\n')
    const answer = await connection.ended()
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(answer).toContain('{"error":"the headers of the request did not arrive in time","code":"TIMEOUT"}')
  })

  test('a stream that makes progress may take longer than the time of a request', async () => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(BATCH, NDJSON, CLOSE))
    for (let count = 0; count < 8; count++) {
      await delay(300)
      connection.write(chunk(ADULT))
    }
    connection.write(LAST_CHUNK)
    const answer = await connection.ended()
    expect(answer.match(/"ADULT"/g)).toHaveLength(8)
    expect(answer.endsWith('\r\n0\r\n\r\n')).toBe(true)
  })

  test('a stalled stream is reset, so that its reader knows that it is incomplete', async () => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(BATCH, NDJSON) + chunk(ADULT))
    const answer = await connection.ended()
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toContain('"ADULT"')
    expect(answer.endsWith('0\r\n\r\n')).toBe(false)
  })

  test('an idle connection is kept for the next request', async () => {
    const connection = await connectRaw(server)
    connection.write('GET /healthz/live HTTP/1.1\r\nhost: a\r\n\r\n')
    await connection.reads(/alive/)
    await delay(2200)
    connection.write('GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n')
    await connection.reads(/engine_info/)
    connection.socket.destroy()
  })
})

describe('a sender that disconnects', () => {
  beforeAll(() => serve())
  afterAll(() => server.stop())

  test.each([
    ['in a body', EXECUTE, 'application/json', '{"input":'],
    ['in a body that the router reads', '/api/v1/rulesets', 'application/json', '{"config":'],
    ['in a stream', BATCH, NDJSON, ADULT],
  ])('%s is no error of the server', async (_where, path, type, body) => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(path, type) + chunk(body))
    await handled()
    connection.socket.resetAndDestroy()
    await handled()
    expect((await server.request('GET', '/healthz/live')).status).toBe(200)
    expect(
      server.logged.filter((line) => !/^(?:warn: authentication is disabled|info: rules may call)/.test(line)),
    ).toEqual([])
  })
})

describe('the shutdown', () => {
  beforeEach(() => serve())
  afterEach(() => server.stop())

  /** Shuts the server down, with far more time than any test has; resolves to the steps that waited for all of it. */
  async function stopped(): Promise<readonly string[]> {
    await server.stop(600_000)
    return server.logged.filter((line) => line.includes('was not done in time'))
  }

  test('idle connections are closed immediately, including those without any request', async () => {
    const [used, silent] = [await connectRaw(server), await connectRaw(server)]
    used.write('GET /healthz/live HTTP/1.1\r\nhost: a\r\n\r\n')
    await used.reads(/alive/)
    expect(await stopped()).toEqual([])
    await Promise.all([used.ended(), silent.ended()])
  })

  test('a request that has begun to arrive is answered, and its connection closed', async () => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(EXECUTE) + chunk('{"input":'))
    await handled()
    const ending = stopped()
    await handled()
    connection.write(chunk('{"age": 20}}') + LAST_CHUNK)
    const answer = await connection.ended()
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(answer).toMatch(/^connection: close\r$/m)
    expect(answer).toContain('"ADULT"')
    expect(await ending).toEqual([])
  })

  test('a stream is finished, and its connection closed', async () => {
    const connection = await connectRaw(server)
    connection.write(chunkedHead(BATCH, NDJSON) + chunk(ADULT))
    await handled()
    const ending = stopped()
    await handled()
    connection.write(chunk(ADULT) + LAST_CHUNK)
    const answer = await connection.ended()
    expect(answer.match(/"ADULT"/g)).toHaveLength(2)
    expect(answer.endsWith('0\r\n\r\n')).toBe(true)
    expect(await ending).toEqual([])
  })

  test('an idle connection may send once more: a request on its way is answered, and the connection closed', async () => {
    const connection = await connectRaw(server)
    connection.write('GET /healthz/live HTTP/1.1\r\nhost: a\r\n\r\n')
    await handled()
    const ending = stopped()
    await handled()
    connection.write('GET /healthz/live HTTP/1.1\r\nhost: a\r\n\r\n')
    const [, second = ''] = (await connection.ended()).split('HTTP/1.1 200 OK').slice(1)
    expect(second.toLowerCase()).toContain('connection: close')
    expect(await ending).toEqual([])
  })

  test('readiness answers 503 to a request that was under way, and new connections are refused', async () => {
    const connection = await connectRaw(server)
    connection.write('GET /healthz/ready HTTP/1.1\r\n')
    await handled()
    const ending = stopped()
    await handled()
    await expect(connectRaw(server)).rejects.toThrow('ECONNREFUSED')
    connection.write('host: a\r\n\r\n')
    const answer = await connection.ended()
    expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    expect(answer).toContain('"accepting_requests":"the server is shutting down"')
    expect(await ending).toEqual([])
  })
})
