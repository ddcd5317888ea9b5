import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, ClientError, type ClientOptions, type EngineClient } from '@engine/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { adultCheck, startServer, type TestServer } from '../http/server.testing.ts'
import { creditLimit } from './credit-limit.contract.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-client-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

function client(options: ClientOptions): EngineClient {
  const made = createClient(options)
  closing.push(() => made.close())
  return made
}

/** The error that a call rejects with. */
async function failure(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ClientError)
  return error as ClientError
}

const limitRules = {
  config: { name: 'credit-limit', entry_step: 'check' },
  steps: {
    check: {
      id: 'check',
      type: 'decision',
      branches: [{ condition: 'customer.age >= 18 && amount < 5000', next_step: 'yes' }],
      default_next: 'no',
    },
    yes: {
      id: 'yes',
      type: 'terminal',
      result: { code: 'APPROVED', message: 'ok', output: [['limit', 'amount * 2']] },
    },
    no: { id: 'no', type: 'terminal', result: { code: 'DECLINED', message: 'no' } },
  },
}

describe.for(['http', 'grpc'] as const)('over %s', (kind) => {
  let server: TestServer
  let engine: EngineClient
  beforeAll(async () => {
    server = await startServer('--grpc-addr', '127.0.0.1:0')
    await server.post('/api/v1/rulesets', adultCheck())
    await server.post('/api/v1/rulesets', limitRules)
    engine = createClient({ url: kind === 'http' ? server.url : `grpc://${server.grpc}` })
  })
  afterAll(async () => {
    await engine.close()
    await server.stop()
  })

  test('a decision, with its trace on request', async () => {
    expect(await engine.execute('adult-check', { age: 20 })).toEqual({
      code: 'ADULT',
      message: 'may order',
      output: { limit: 100 },
      duration_us: expect.any(Number),
      source: 'engine',
    })
    const { trace } = await engine.execute('adult-check', { age: 2 }, { trace: true })
    expect(trace).toMatchObject({ path: 'check -> no', steps: [{ id: 'check', name: 'Old enough?' }, { id: 'no' }] })
  })

  test('the types of a contract', async () => {
    const decision = await engine.execute(creditLimit, { customer: { age: 30 }, amount: 100 })
    if (decision.code === 'APPROVED') {
      const limit: number = decision.output.limit
      expect(limit).toBe(200)
    } else expect.unreachable(decision.code)
    // @ts-expect-error -- the contract asks for an amount
    expect((await engine.execute(creditLimit, { customer: { age: 30 } })).code).toBe('DECLINED')
  })

  test('a batch, of which one fails', async () => {
    const { results, summary } = await engine.executeBatch('adult-check', [{ age: 20 }, { age: 'x' }, { age: 3 }])
    expect(results.map((item) => (item.error === undefined ? item.code : item.error))).toEqual([
      'ADULT',
      '`>=` is not defined for string and number (step `check`)',
      'MINOR',
    ])
    expect(summary).toMatchObject({ total: 3, success: 2, failed: 1 })
  })

  test('an expression, integers exact', async () => {
    expect(await engine.evaluate('n + 0', { n: 9007199254740993n })).toEqual({
      result: 9007199254740993n,
      parsed: '(n + 0)',
    })
  })

  test.each<[string, () => Promise<unknown>, Partial<ClientError>]>([
    ['no such ruleset', () => engine.execute('nope', {}), { kind: 'not-found', message: 'ruleset `nope` not found' }],
    ['rules that fail', () => engine.execute('adult-check', { age: 'x' }), { kind: 'execution' }],
    ['an invalid input', () => engine.execute('adult-check', [1]), { kind: 'invalid' }],
    ['an invalid expression', () => engine.evaluate('1 +'), { kind: 'invalid' }],
    [
      'a call that was given up before it began',
      () => engine.execute('adult-check', { age: 20 }, { signal: AbortSignal.abort() }),
      { kind: 'closed' },
    ],
  ])('%s', async (_what, call, expected) => {
    expect(await failure(call())).toMatchObject({ ...expected, repeatable: 'never' })
  })

  test('concurrent decisions go in one request', async () => {
    const batching = client({ url: kind === 'http' ? server.url : `grpc://${server.grpc}`, batching: { most: 50 } })
    const ages = Array.from({ length: 120 }, (_, age) => age)
    const decisions = await Promise.all(ages.map((age) => batching.execute('adult-check', { age })))
    expect(decisions.map(({ code }) => code)).toEqual(ages.map((age) => (age >= 18 ? 'ADULT' : 'MINOR')))
    expect((await failure(batching.execute('adult-check', { age: 'x' }))).kind).toBe('execution')
    expect((await failure(batching.execute('nope', {}))).kind).toBe('not-found')
  })
})

test('a request that is too large is an invalid one, not overload', async () => {
  const server = await startServer('--grpc-addr', '127.0.0.1:0', '--max-request-body-bytes', '2000')
  closing.push(() => server.stop())
  for (const url of [server.url, `grpc://${server.grpc}`]) {
    const error = await failure(client({ url }).execute('x', { text: 'x'.repeat(10_000) }))
    expect([error.kind, error.repeatable, error.message]).toEqual([
      'invalid',
      'never',
      expect.stringContaining('larger'),
    ])
  }
})

/** A server that answers as a test wants, and counts. */
async function peer(answer: (request: IncomingMessage, response: ServerResponse, count: number) => void) {
  let count = 0
  const server: Server = createServer((request, response) => {
    request.resume()
    answer(request, response, ++count)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count, server }
}

const DECIDED = '{"code":"OK","message":"","output":{},"duration_us":1}'
const retry = { firstDelayMs: 1 }

describe('a failed call is retried', () => {
  const answering = (status: number, body: object, headers: Record<string, string> = {}) =>
    peer((_request, response, count) => {
      if (count < 3) response.writeHead(status, headers).end(JSON.stringify(body))
      else response.end(DECIDED)
    })

  test.each([
    ['was refused for its rate', 429, { error: 'too often', code: 'TOO_MANY_REQUESTS' }],
    ['came while the engine shuts down', 503, { error: 'shutting down', code: 'UNAVAILABLE' }],
  ])('when it %s', async (_what, status, body) => {
    const { url, count } = await answering(status, body)
    expect(await client({ url, retry }).execute('x', {})).toMatchObject({ code: 'OK' })
    expect(count()).toBe(3)
  })

  test('after the `retry-after` of the engine', async () => {
    const { url } = await answering(429, { error: 'too often' }, { 'retry-after': '1' })
    const begin = performance.now()
    const error = await failure(client({ url, retry: { ...retry, attempts: 2 } }).execute('x', {}, { timeoutMs: 1500 }))
    expect([error.kind, error.retryAfterMs]).toEqual(['too-many-requests', 1000])
    expect(performance.now() - begin).toBeGreaterThan(990)
  })

  test('when the connection was refused', async () => {
    const { url, server } = await peer((_request, response) => response.end(DECIDED))
    const { port } = new URL(url)
    server.close()
    await once(server, 'close')
    const call = client({ url, retry: { firstDelayMs: 200, attempts: 5 } }).execute('x', {})
    await sleep(100)
    server.listen(Number(port), '127.0.0.1')
    expect(await call).toMatchObject({ code: 'OK' })
  })

  test('but not when it may have been executed, unless `ambiguous` allows it', async () => {
    const broken = await peer((request) => request.socket.destroy())
    const error = await failure(client({ url: broken.url, retry }).execute('x', {}))
    expect([error.kind, error.repeatable, broken.count()]).toEqual(['unavailable', 'ambiguous', 1])
    const again = await peer((request, response, count) => {
      if (count < 3) request.socket.destroy()
      else response.end(DECIDED)
    })
    const patient = client({ url: again.url, retry: { ...retry, ambiguous: true } })
    expect(await patient.execute('x', {})).toMatchObject({ code: 'OK' })
  })

  test.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [413, 'invalid'],
    [500, 'execution'],
  ])('and not after status %d', async (status, kind) => {
    const { url, count } = await peer((_request, response) => response.writeHead(status).end('{"error": "no"}'))
    const error = await failure(client({ url, retry }).execute('x', {}))
    expect([error.kind, error.status, error.message, count()]).toEqual([kind, status, 'no', 1])
  })
})

describe('failures of a call', () => {
  test('also while it waits for its retry', async () => {
    const { url, count } = await peer((_request, response) =>
      response.writeHead(429, { 'retry-after': '3600' }).end('{"error":"too often"}'),
    )
    const error = await failure(client({ url, timeoutMs: 100 }).execute('x', {}))
    expect([error.kind, count()]).toEqual(['too-many-requests', 1])
  })

  test('its deadline, over all attempts', async () => {
    const { url } = await peer(() => undefined)
    const error = await failure(client({ url, timeoutMs: 80 }).execute('x', {}))
    expect([error.kind, error.message]).toEqual(['timeout', 'no answer within 80 ms'])
  })

  test('the client is closed', async () => {
    const { url } = await peer(() => undefined)
    const engine = createClient({ url })
    const call = failure(engine.execute('x', {}))
    await sleep(20)
    await engine.close()
    expect((await call).kind).toBe('closed')
    expect((await failure(engine.execute('x', {}))).kind).toBe('closed')
  })

  test('an answer that is not JSON', async () => {
    const { url } = await peer((_request, response) => response.end('<html>'))
    expect((await failure(client({ url }).execute('x', {}))).message).toMatch(/^the answer is not JSON/)
  })

  test.each(['ftp://x', 'localhost:8080', ''])('an invalid address: %j', (url) => {
    expect(() => createClient({ url })).toThrow(`\`${url}\` is not an engine address: expected http:`)
  })
})

test('token and tenant are sent, connections are kept alive', async () => {
  const seen: IncomingMessage['headers'][] = []
  const { url, server } = await peer((request, response) => {
    seen.push(request.headers)
    response.end(DECIDED)
  })
  let connections = 0
  server.on('connection', () => connections++)
  const engine = client({ url, token: 't', tenant: 'shop' })
  for (let count = 0; count < 10; count++) await engine.execute('x', {})
  expect(seen[0]).toMatchObject({ authorization: 'Bearer t', 'x-tenant-id': 'shop' })
  expect(connections).toBeLessThan(4)
})

describe('while the engine is unreachable', () => {
  const version = (code: string) => ({
    ...limitRules,
    steps: { ...limitRules.steps, no: { ...limitRules.steps.no, result: { code, message: '' } } },
  })
  const declined = { customer: { age: 3 }, amount: 1 }

  test('the client decides with the last known rulesets, and marks the result', async () => {
    const server = await startServer('--grpc-addr', '127.0.0.1:0')
    await server.post('/api/v1/rulesets', version('OLD'))
    const urls = [server.url, `grpc://${server.grpc}`]
    const caches = urls.map((_url, index) => join(scratch, `seen-${index}`))
    const clients = urls.map((url, index) =>
      client({
        url,
        retry: { attempts: 1 },
        fallback: { rulesets: ['credit-limit'], refreshMs: 50, directory: caches[index] ?? '' },
      }),
    )
    for (const engine of clients) {
      await engine.ready
      expect(await engine.execute('credit-limit', declined)).toMatchObject({ code: 'OLD', source: 'engine' })
    }
    // The change is noticed with the next decisions.
    await server.post('/api/v1/rulesets', version('NEW'))
    for (const [index, engine] of clients.entries())
      await expect
        .poll(async () => {
          await engine.execute('credit-limit', declined)
          return readFileSync(join(caches[index] ?? '', 'credit-limit.json'), 'utf8')
        })
        .toContain('NEW')
    await server.stop()
    for (const engine of clients) {
      const decision = await engine.execute('credit-limit', declined, { trace: true })
      expect(decision).toMatchObject({ code: 'NEW', source: 'local', trace: { path: 'check -> no' } })
      expect((await failure(engine.execute('credit-limit', { customer: { age: 'x' } }))).kind).toBe('execution')
      expect((await failure(engine.execute('other', {}))).kind).toBe('unavailable')
    }
  })

  test('called rulesets are fetched too, and all are kept for the next start', async () => {
    const directory = join(scratch, 'cache')
    const server = await startServer()
    await server.post('/api/v1/rulesets', version('INNER'))
    await server.post('/api/v1/rulesets', {
      config: { name: 'outer', entry_step: 'ask' },
      steps: {
        ask: {
          id: 'ask',
          type: 'action',
          actions: [{ action: 'call_ruleset', ruleset_name: 'credit-limit', result_variable: 'r' }],
          next_step: 'end',
        },
        end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '', output: [['r', '$r.code']] } },
      },
    })
    const first = client({ url: server.url, fallback: { directory } })
    await first.execute('outer', declined)
    await expect.poll(() => readdirSync(directory).sort()).toEqual(['credit-limit.json', 'outer.json'])
    await server.stop()
    // The same address, without a server.
    const second = client({ url: server.url, retry: { attempts: 1 }, fallback: { directory, rulesets: ['outer'] } })
    await second.ready
    await expect
      .poll(async () => (await second.execute('outer', declined).catch(() => undefined))?.output)
      .toEqual({ r: 'INNER' })
  })

  test('a ruleset that was deleted from the engine is forgotten, also on disk', async () => {
    const directory = join(scratch, 'forgetful')
    const server = await startServer()
    await server.post('/api/v1/rulesets', version('OLD'))
    const engine = client({
      url: server.url,
      retry: { attempts: 1 },
      fallback: { rulesets: ['credit-limit'], refreshMs: 10, directory },
    })
    await engine.ready
    expect(readdirSync(directory)).toEqual(['credit-limit.json'])
    await server.request('DELETE', '/api/v1/rulesets/credit-limit')
    await sleep(20)
    expect((await failure(engine.execute('credit-limit', declined))).kind).toBe('not-found')
    // The client looks again after that call.
    await expect.poll(() => readdirSync(directory)).toEqual([])
    await server.stop()
    expect((await failure(engine.execute('credit-limit', declined))).kind).toBe('unavailable')
  })

  /** An engine that has a ruleset, and answers each execution in this way. */
  async function answering(status: number, body: string, retryAmbiguous: boolean) {
    let executions = 0
    const { url } = await peer((request, response) => {
      if (request.method === 'GET') return void response.end(JSON.stringify(version('LOCAL')))
      executions++
      response.writeHead(status, { location: '/api/v1/execute/other' }).end(body)
    })
    const engine = client({
      url,
      retry: { ...retry, ambiguous: retryAmbiguous },
      fallback: { rulesets: ['credit-limit'] },
    })
    await engine.ready
    return { engine, executions: () => executions }
  }

  test.each([
    [500, '{"error":"failed","code":"INTERNAL_ERROR"}', 'execution'],
    [500, 'failed', 'execution'],
    [503, '{"error":"late","code":"TIMEOUT"}', 'timeout'],
    [508, '{"error":"loop","code":"LOOP_DETECTED"}', 'server'],
    [302, '', 'invalid'],
    [307, '', 'invalid'],
    [403, '{"error":"no","code":"FORBIDDEN"}', 'forbidden'],
  ])('the answer %i %s is final: executed once, and not locally', async (status, body, kind) => {
    for (const ambiguous of [false, true]) {
      const { engine, executions } = await answering(status, body, ambiguous)
      const error = await failure(engine.execute('credit-limit', declined))
      expect([error.kind, error.status, executions()]).toEqual([kind, status, 1])
    }
  })

  test.each([502, 503, 504])(
    'a status %i that is not the engine’s own: executed again only where that is safe',
    async (status) => {
      const careful = await answering(status, 'no upstream', false)
      const error = await failure(careful.engine.execute('credit-limit', declined))
      expect([error.status, error.repeatable, careful.executions()]).toEqual([status, 'ambiguous', 1])
      const bold = await answering(status, 'no upstream', true)
      expect(await bold.engine.execute('credit-limit', declined)).toMatchObject({ code: 'LOCAL', source: 'local' })
      expect(bold.executions()).toBe(3)
    },
  )

  test('an engine that shuts down counts as unreachable', async () => {
    const { engine, executions } = await answering(503, '{"error":"stops","code":"UNAVAILABLE"}', false)
    expect(await engine.execute('credit-limit', declined)).toMatchObject({ code: 'LOCAL', source: 'local' })
    expect(executions()).toBe(3)
  })

  test('a rule decides without calls that need no answer, but not without those that do', async () => {
    const call = { action: 'external_call', service: 'network.http', method: 'post', params: [['url', '"http://x/"']] }
    const rules = (more: object) => ({
      config: { name: 'credit-limit', entry_step: 'tell' },
      steps: {
        tell: { id: 'tell', type: 'action', actions: [{ ...call, ...more }], next_step: 'end' },
        end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '' } },
      },
    })
    for (const [more, outcome] of [
      [{}, { code: 'DONE', source: 'local' }],
      [{ result_variable: 'r' }, { kind: 'execution', message: expect.stringContaining('fallback.capabilities') }],
    ] as const) {
      const { url } = await peer((request, response) => {
        if (request.method === 'GET') response.end(JSON.stringify(rules(more)))
        else request.socket.destroy()
      })
      const engine = client({ url, retry: { attempts: 1 }, fallback: { rulesets: ['credit-limit'] } })
      await engine.ready
      expect(await engine.execute('credit-limit', {}).catch((error: unknown) => error)).toMatchObject(outcome)
    }
  })
})
