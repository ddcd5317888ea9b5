import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { CapabilityProvider } from '@engine/ruleset'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { IS_FULL_RUN } from '../../cases.testing.ts'
import { killAll, type RunningServer, start } from '../../engine-server.testing.ts'
import { connectRaw, handled, type RawConnection } from '../raw.testing.ts'
import { adultCheck, JSON_TYPE, startHost, startServer, type TestServer } from '../server.testing.ts'

const BODY = '{"input":{"age":20}}'
const head = (name: string, length: number, more = '') =>
  `POST /api/v1/execute/${name} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n${more}content-length: ${length}\r\n\r\n`
const EXECUTE = head('adult-check', BODY.length) + BODY
const LIVE = 'GET /healthz/live HTTP/1.1\r\nhost: a\r\n\r\n'
const POLL = { timeout: 120_000, interval: 20 }

const open: RawConnection[] = []
afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy()
})

async function connected(server: TestServer): Promise<RawConnection> {
  const connection = await connectRaw(server)
  open.push(connection)
  return connection
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/** Executions that the metrics count with a status. */
async function countedOf(server: TestServer, status: string): Promise<number> {
  const { text } = await server.request('GET', '/metrics')
  const line = text.split('\n').find((one) => one.includes('execute/:name"') && one.includes(`status="${status}"`))
  return Number(line?.split(' ').at(-1) ?? 0)
}

describe('a request in pieces', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer('--request-timeout-secs', '1')
    await server.post('/api/v1/rulesets', adultCheck())
  })
  afterAll(() => server.stop())

  test.each([
    ['its head', EXECUTE.slice(0, 60)],
    ['its body', EXECUTE.slice(0, -3)],
  ])('that stops within %s is 408', async (_where, bytes) => {
    const connection = await connected(server)
    connection.write(EXECUTE + bytes)
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*"ADULT"[^]*HTTP\/1\.1 408 Request Timeout\r\n/)
  })

  test('is answered when its rest comes, in the lane and after it', async () => {
    for (const pause of [0, 600]) {
      const connection = await connected(server)
      connection.write(EXECUTE.slice(0, -3))
      await delay(pause)
      await handled()
      connection.write(EXECUTE.slice(-3) + EXECUTE)
      await vi.waitFor(() => expect(countOf(connection.received(), /"ADULT"/g)).toBe(2), POLL)
    }
  })

  test('a connection that never sends anything is closed with 408', async () => {
    const connection = await connected(server)
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  })
})

describe('requests that wait for an answer', () => {
  /** Calls that have arrived, each with the function that lets it end. */
  const calls: (() => void)[] = []
  let aborted = 0
  const waiting: CapabilityProvider = {
    name: 'test.wait',
    operations: ['wait'],
    required: [],
    call: ({ signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => aborted++)
        calls.push(() => resolve({ payload: null, metadata: {} }))
      }),
  }
  const call = { action: 'external_call', service: 'test.wait', method: 'wait', params: [], result_variable: 'r' }
  const WAITS = {
    config: { name: 'waits', entry_step: 'call', timeout_ms: 60_000 },
    steps: {
      call: { id: 'call', type: 'action', actions: [call], next_step: 'end' },
      end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '' } },
    },
  }
  const WAIT = head('waits', 12) + '{"input":{}}'
  let server: TestServer

  async function serve(...options: readonly string[]): Promise<void> {
    server = await startHost([waiting], ...options)
    await server.post('/api/v1/rulesets', adultCheck())
    await server.post('/api/v1/rulesets', WAITS)
    calls.length = 0
    aborted = 0
  }
  afterEach(() => server.stop())

  test('are answered in order, before what leaves the lane', async () => {
    await serve()
    const connection = await connected(server)
    connection.write(EXECUTE + WAIT + EXECUTE + LIVE)
    await vi.waitFor(() => expect(calls).toHaveLength(1), POLL)
    connection.write(EXECUTE)
    await handled()
    expect(countOf(connection.received(), /HTTP\/1\.1 200 OK/g)).toBe(1)
    calls[0]?.()
    const text = await connection.reads(/"alive"[^]*"ADULT"/)
    expect(text).toMatch(/"ADULT"[^]*"DONE"[^]*"ADULT"[^]*"alive"[^]*"ADULT"/)
  })

  test('end when their sender resets the connection', async () => {
    await serve()
    const connection = await connected(server)
    connection.write(WAIT)
    await vi.waitFor(() => expect(calls).toHaveLength(1), POLL)
    connection.socket.resetAndDestroy()
    await vi.waitFor(() => expect(aborted).toBe(1), POLL)
    calls[0]?.()
    await vi.waitFor(async () => expect(await countedOf(server, 'none')).toBe(1), POLL)
  })

  test('end after the time of a request with 503; the connection is kept', async () => {
    await serve('--request-timeout-secs', '1')
    const connection = await connected(server)
    connection.write(WAIT)
    await connection.reads(/HTTP\/1\.1 503 Service Unavailable[^]*--request-timeout-secs/)
    expect(aborted).toBe(1)
    calls[0]?.()
    connection.write(EXECUTE)
    const text = await connection.reads(/"ADULT"/)
    expect(text).not.toContain('"DONE"')
  })

  test('are completed at the shutdown, and their connection is closed', async () => {
    await serve()
    const [busy, idle, partial] = [await connected(server), await connected(server), await connected(server)]
    busy.write(WAIT + EXECUTE)
    idle.write(EXECUTE)
    partial.write(EXECUTE.slice(0, -1))
    await idle.reads(/"ADULT"/)
    await vi.waitFor(() => expect(calls).toHaveLength(1), POLL)
    const stopped = server.stop(600_000)
    await idle.ended()
    calls[0]?.()
    partial.write(EXECUTE.slice(-1))
    const last = await busy.ended()
    expect(last).toMatch(/connection: close\r\n[^]*"DONE"/)
    expect(last).not.toContain('"ADULT"')
    expect(await partial.ended()).toMatch(/connection: close\r\n[^]*"ADULT"/)
    await stopped
    expect(server.logged.filter((line) => line.includes('was not done in time'))).toEqual([])
  })
})

describe('memory', () => {
  const LIMIT = 32_768
  let server: TestServer
  beforeAll(async () => {
    const limits = ['--max-request-body-bytes', `${LIMIT}`, '--max-unread-body-bytes', `${3 * LIMIT + 1024}`]
    server = await startServer(...limits, '--request-timeout-secs', '600')
    await server.post('/api/v1/rulesets', adultCheck())
  })
  afterAll(() => server.stop())

  const large = `{"input":{"age":20,"note":"${'n'.repeat(LIMIT - 40)}"}}`

  test('of partial requests is that of unread bodies, in both lanes together', async () => {
    for (let count = 0; count < 3; count++) {
      const connection = await connected(server)
      connection.write(head('adult-check', large.length) + large.slice(0, -1))
    }
    await vi.waitFor(async () => {
      const late = await connected(server)
      late.write(head('adult-check', BODY.length) + BODY.slice(0, 5))
      await delay(500)
      late.write(BODY.slice(5))
      expect(await late.reads(/"code"/)).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    }, POLL)
    const whole = await connected(server)
    whole.write(EXECUTE)
    await whole.reads(/"ADULT"/)
    for (const { socket } of open.splice(0)) socket.destroy()
    await vi.waitFor(async () => {
      const next = await connected(server)
      next.write(head('adult-check', large.length) + large.slice(0, -1))
      await delay(500)
      next.write(large.slice(-1))
      expect(await next.reads(/"code"/)).toContain('"ADULT"')
    }, POLL)
  })

  test('of answers is bounded: a peer that does not read is not answered further, and reads everything later', async () => {
    const count = 2000
    const message = 'x'.repeat(20_000)
    const yes = { id: 'yes', name: 'Large', type: 'terminal', result: { code: 'LARGE', message } }
    await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'large' }, steps: { yes } }))
    const before = await countedOf(server, '200')
    const connection = await connected(server)
    connection.socket.pause()
    connection.write((head('large', BODY.length) + BODY).repeat(count))
    await delay(1000)
    expect((await countedOf(server, '200')) - before).toBeLessThan(count)
    connection.socket.resume()
    await vi.waitFor(async () => expect((await countedOf(server, '200')) - before).toBe(count), POLL)
    await vi.waitFor(() => expect(connection.received().length).toBeGreaterThan(count * message.length), POLL)
  })
})

/** A server in a process of its own, with a ruleset. */
async function startProcess(...options: readonly string[]): Promise<RunningServer> {
  const running = await start(options)
  const { status } = await fetch(`${running.url}/api/v1/rulesets`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(adultCheck()),
  })
  expect(status).toBe(201)
  return running
}

describe('many connections', { timeout: 600_000 }, () => {
  const [idle, slow] = IS_FULL_RUN ? [10_000, 1000] : [1000, 100]
  afterEach(killAll)

  test(`${idle} idle and ${slow} slow ones hold up nobody, and are all answered; more are closed`, async () => {
    const limit = idle + slow + 10
    const server = await startProcess('--max-connections', String(limit), '--request-timeout-secs', '600')
    const sockets: Socket[] = []
    const port = Number(new URL(server.url).port)
    for (let count = 0; count < idle + slow; count++) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      await once(socket, 'connect')
    }
    const answers = sockets.map(async (socket) => {
      const [chunk] = (await once(socket, 'data')) as [Buffer]
      return chunk.toString().includes('"ADULT"')
    })
    const slowOnes = sockets.slice(idle)
    const cuts = [0, 30, 90, 130]
    for (const [index, from] of cuts.slice(0, -1).entries()) {
      for (const socket of slowOnes) socket.write(EXECUTE.slice(from, cuts[index + 1]))
      const quick = await connectRaw(server)
      quick.write(EXECUTE)
      await quick.reads(/"ADULT"/)
      quick.socket.destroy()
      await delay(400)
    }
    for (const socket of slowOnes) socket.write(EXECUTE.slice(cuts.at(-1)))
    for (const socket of sockets.slice(0, idle)) socket.write(EXECUTE)
    expect((await Promise.all(answers)).filter(Boolean)).toHaveLength(idle + slow)
    const more = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await vi.waitFor(() => expect(more.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(5), POLL)
    for (const socket of [...more, ...sockets]) socket.destroy()
    expect(await server.stop()).toBe(0)
  })

  test.each([[], ['--workers', '2']])('SIGTERM under load loses no request (%s)', async (...options) => {
    const server = await startProcess(...options)
    let answered = 0
    /** Sends one request after the other, until an answer announces the end of its connection. */
    async function client(): Promise<string> {
      const connection = await connectRaw(server)
      for (let at = 0; ;) {
        connection.write(EXECUTE)
        while (!connection.received().endsWith('}') || connection.received().length === at)
          await Promise.race([once(connection.socket, 'data'), connection.ended().then(failed)])
        const answer = connection.received().slice(at)
        at += answer.length
        answered++
        if (/^connection: close\r$/m.test(answer)) return connection.ended()
      }
    }
    const failed = () => {
      throw new Error('a connection was closed before its answer')
    }
    const clients = Promise.all(Array.from({ length: 16 }, client))
    await vi.waitFor(() => expect(answered).toBeGreaterThan(200), POLL)
    const stopped = server.stop()
    for (const text of await clients) expect(text).toMatch(/connection: close\r\n[^]*"ADULT"[^]*\}$/)
    expect(await stopped).toBe(0)
  })
})
