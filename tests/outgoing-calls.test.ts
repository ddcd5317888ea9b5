import { once } from 'node:events'
import { createServer, type IncomingMessage, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { engineClient } from './grpc/client.testing.ts'
import { adultCheck, startServer, type TestServer } from './http/server.testing.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function started(...options: readonly string[]): Promise<TestServer> {
  const server = await startServer('--network-http-policy', 'open', '--grpc-addr', '127.0.0.1:0', ...options)
  closing.push(() => server.stop())
  return server
}

async function client(server: TestServer) {
  const made = engineClient(server.grpc)
  closing.push(() => made.close())
  return made
}

interface CallOf {
  readonly url: string
  readonly method?: string
  readonly body?: object
  readonly headers?: object
  readonly variable?: string
}

/** Calls of these rules may take 20 s: ones that are over before were aborted. */
const BEFORE_ITS_LIMIT = { timeout: 15_000 }

const external = ({ url, method = 'post', body = { input: {} }, headers, variable }: CallOf) => ({
  action: 'external_call',
  service: 'network.http',
  method,
  params: [
    ['url', { Literal: url }],
    ...(method === 'get' ? [] : [['json_body', { Literal: body }]]),
    ...(headers === undefined ? [] : [['headers', { Literal: headers }]]),
  ],
  ...(variable === undefined ? {} : { result_variable: variable }),
  timeout_ms: 20_000,
})

const RESULT = {
  code: 'OK',
  message: '',
  output: [
    ['status', '$r.payload.status'],
    ['answer', '$r.payload.json_body'],
    ['callee', '$c.output'],
  ],
}

const ruleset = (name: string, actions: readonly object[]) => ({
  config: { name, entry_step: 'ask', timeout_ms: 20_000 },
  steps: {
    ask: { id: 'ask', type: 'action', actions, next_step: 'end' },
    end: { id: 'end', type: 'terminal', result: RESULT },
  },
})

async function store(server: TestServer, document: object): Promise<void> {
  const { status, text } = await server.post('/api/v1/rulesets', document)
  expect(status, text).toBeLessThan(300)
}

/** Every number of a key in an answer, outermost first. */
function valuesOf(key: string, answer: unknown): number[] {
  if (typeof answer !== 'object' || answer === null) return []
  return Object.entries(answer).flatMap(([name, value]) =>
    name === key && typeof value === 'number' ? [value] : valuesOf(key, value),
  )
}

describe('a ruleset that calls its own engine', () => {
  const calls = (server: TestServer) => `${server.url}/api/v1`
  /** Ways on which a request can come back. */
  const WAYS: Record<string, (server: TestServer) => readonly object[]> = {
    'by execute': (server) => [ruleset('loop', [external({ url: `${calls(server)}/execute/loop`, variable: 'r' })])],
    'by a path that is not plain': (server) => [
      ruleset('loop', [external({ url: `${calls(server)}/execute/l%6Fop`, variable: 'r' })]),
    ],
    'by a batch': (server) => [
      ruleset('loop', [
        external({ url: `${calls(server)}/execute/loop/batch`, body: { inputs: [{}] }, variable: 'r' }),
      ]),
    ],
    'by another ruleset': (server) => [
      ruleset('inner', [external({ url: `${calls(server)}/execute/loop`, variable: 'r' })]),
      ruleset('loop', [{ action: 'call_ruleset', ruleset_name: 'inner', result_variable: 'c' }]),
    ],
  }
  test.each(Object.keys(WAYS))('ends after eight requests: %s', async (way) => {
    const server = await started()
    for (const document of WAYS[way]?.(server) ?? []) await store(server, document)
    const { status, body } = await server.post('/api/v1/execute/loop', { input: {} })
    expect([status, body.code]).toEqual([200, 'OK'])
    expect(valuesOf('status', body).toSorted((one, other) => one - other)).toEqual([...Array<number>(8).fill(200), 508])
  })

  test('ends by lines of NDJSON as well', async () => {
    const server = await started()
    const headers = { 'content-type': 'application/x-ndjson' }
    const url = `${calls(server)}/execute/loop/batch`
    await store(server, ruleset('loop', [external({ url, body: {}, headers, variable: 'r' })]))
    const { body } = await server.post('/api/v1/execute/loop', { input: {} })
    expect(valuesOf('status', body)).toHaveLength(9)
    expect(JSON.stringify(body)).toContain('508')
  })

  test('ends though it waits for nothing and calls twice', async () => {
    const server = await started()
    const url = `${calls(server)}/execute/fork`
    await store(server, ruleset('fork', [external({ url }), external({ url })]))
    await server.post('/api/v1/execute/fork', { input: {} })
    const count = async () =>
      Number(
        /engine_executions_total\{ruleset="fork",result="success"\} (\d+)/.exec(
          (await server.request('GET', '/metrics')).text,
        )?.[1] ?? 0,
      )
    // f(n) = 1 + f(n - 1) + f(n - 2): a first call is one hop further, a second one two.
    await expect.poll(count).toBe(88)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await count()).toBe(88)
  })

  test('cannot pass as a first request', async () => {
    const server = await started()
    const url = `${calls(server)}/execute/loop`
    for (const name of ['x-engine-hops', 'X-ENGINE-HOPS', 'connection']) {
      await store(server, ruleset('loop', [external({ url, headers: { [name]: '0' }, variable: 'r' })]))
      const { status, body } = await server.post('/api/v1/execute/loop', { input: {} })
      expect([status, body.error]).toEqual([500, expect.stringContaining('is set by the engine')])
    }
  })
})

test.each([
  ['8', 200, undefined],
  ['9', 508, 'LOOP_DETECTED'],
  ['x', 400, 'BAD_REQUEST'],
  ['1, 1', 400, 'BAD_REQUEST'],
])('a request with the hops %j is answered with %i', async (hops, status, code) => {
  const server = await started()
  await store(server, adultCheck())
  for (const path of ['/api/v1/execute/adult-check', '/api/v1/execute/adult%2dcheck']) {
    const reply = await server.post(path, { input: { age: 20 } }, { 'x-engine-hops': hops })
    expect([reply.status, status === 200 ? undefined : reply.body.code]).toEqual([status, code])
  }
  const grpc = await client(server)
  const call = { name: 'adult-check', input_json: '{"age": 20}' }
  const reply = await grpc.call('Execute', call, { metadata: { 'x-engine-hops': hops } })
  const codes = { 200: undefined, 400: 3, 508: 9 } as Record<number, number | undefined>
  expect('code' in reply ? reply.code : undefined).toBe(codes[status])
})

/** A service that answers nothing under `/`, and notes who is waiting. */
async function silence() {
  const waiting = new Set<IncomingMessage>()
  const seen: (string | undefined)[] = []
  const peer = createServer((request, response) => {
    seen.push(request.headers['x-engine-hops'] as string | undefined)
    if (request.url === '/quick') return void response.end('{}')
    waiting.add(request)
    response.once('close', () => waiting.delete(request))
  })
  peer.listen(0, '127.0.0.1')
  await once(peer, 'listening')
  closing.push(() => {
    peer.closeAllConnections()
    peer.close()
  })
  return { url: `http://127.0.0.1:${(peer.address() as AddressInfo).port}`, waiting, seen }
}

describe('a caller that is gone ends the call of its rule', () => {
  /** Begins a request over HTTP; the returned function aborts it. */
  function begin(server: TestServer, path: string, body: string, type = 'application/json', isWhole = true) {
    const request = ask(`${server.url}${path}`, { method: 'POST', headers: { 'content-type': type } })
    request.on('error', () => undefined)
    if (isWhole) request.end(body)
    else request.write(body)
    return () => void request.destroy()
  }
  const inputs = JSON.stringify({ inputs: [{}, {}, {}] })
  const WAYS: Record<string, (server: TestServer) => Promise<() => void>> = {
    execute: async (server) => begin(server, '/api/v1/execute/outer', '{"input":{}}'),
    'a batch': async (server) => begin(server, '/api/v1/execute/outer/batch', inputs),
    NDJSON: async (server) => begin(server, '/api/v1/execute/outer/batch', '{}\n{}\n', 'application/x-ndjson', false),
    debug: async (server) => begin(server, '/api/v1/debug/execute/outer', '{"input":{}}'),
    'gRPC Execute': async (server) => {
      const grpc = await client(server)
      let cancel = () => {}
      void grpc.call(
        'Execute',
        { name: 'outer', input_json: '{}' },
        { begun: (call) => (cancel = () => call.cancel()) },
      )
      return () => cancel()
    },
    'gRPC BatchExecute': async (server) => {
      const grpc = await client(server)
      let cancel = () => {}
      const call = { name: 'outer', inputs_json: ['{}', '{}'] }
      void grpc.call('BatchExecute', call, { begun: (made) => (cancel = () => made.cancel()) })
      return () => cancel()
    },
    'gRPC ExecuteStream': async (server) => {
      const stream = (await client(server)).stream('ExecuteStream')
      stream.on('error', () => undefined)
      stream.write({ name: 'outer', input_json: '{}' })
      return () => stream.cancel()
    },
  }
  test.each(Object.keys(WAYS))('%s, in a ruleset that another one calls', async (way) => {
    const server = await started('--debug-mode')
    const { url, waiting } = await silence()
    await store(server, ruleset('inner', [external({ url: `${url}/`, method: 'get', variable: 'r' })]))
    await store(server, ruleset('outer', [{ action: 'call_ruleset', ruleset_name: 'inner', result_variable: 'c' }]))
    const giveUp = (await WAYS[way]?.(server)) ?? expect.unreachable()
    await expect.poll(() => waiting.size).toBeGreaterThan(0)
    giveUp()
    await expect.poll(() => waiting.size, BEFORE_ITS_LIMIT).toBe(0)
  })

  test('a deadline that passed does it too, and leaves the queue to others', async () => {
    const server = await started()
    const { url, waiting } = await silence()
    await store(server, ruleset('slow', [external({ url: `${url}/`, method: 'get', variable: 'r' })]))
    await store(server, ruleset('quick', [external({ url: `${url}/quick`, method: 'get', variable: 'r' })]))
    const grpc = await client(server)
    const late = Array.from({ length: 90 }, () =>
      grpc.call('Execute', { name: 'slow', input_json: '{}' }, { deadline: 300 }),
    )
    expect((await Promise.all(late)).every((reply) => 'code' in reply && reply.code === 4)).toBe(true)
    const { message } = (await grpc.call('Execute', { name: 'quick', input_json: '{}' }, { deadline: 10_000 })) as {
      message: { code: string }
    }
    expect(message.code).toBe('OK')
    await expect.poll(() => waiting.size, BEFORE_ITS_LIMIT).toBe(0)
  })

  test('a request that timed out does it too', async () => {
    const server = await started('--request-timeout-secs', '1')
    const { url, waiting } = await silence()
    await store(server, ruleset('slow', [external({ url: `${url}/`, method: 'get', variable: 'r' })]))
    expect((await server.post('/api/v1/execute/slow', { input: {} })).status).toBe(503)
    await expect.poll(() => waiting.size, BEFORE_ITS_LIMIT).toBe(0)
  })

  test('a call that is not waited for continues', async () => {
    const server = await started()
    const { url, waiting } = await silence()
    await store(server, ruleset('tells', [external({ url: `${url}/`, method: 'get' })]))
    expect((await server.post('/api/v1/execute/tells', { input: {} })).status).toBe(200)
    await expect.poll(() => waiting.size).toBe(1)
  })
})

test('the hops of a request continue in the calls of its rules, over HTTP and gRPC', async () => {
  const server = await started('--debug-mode')
  const { url, seen } = await silence()
  await store(server, ruleset('quick', [external({ url: `${url}/quick`, method: 'get', variable: 'r' })]))
  const inputs = ['{}', '{}', '{}']
  const batch = { inputs: inputs.map(() => ({})), options: { parallel: false } }
  await server.post('/api/v1/execute/quick', { input: {} })
  await server.post('/api/v1/execute/quick/batch', batch)
  await server.post('/api/v1/execute/quick/batch', batch, { 'x-engine-hops': '2' })
  const inline = ruleset('inline', [external({ url: `${url}/quick`, method: 'get', variable: 'r' })])
  await server.post('/api/v1/debug/execute/quick', { input: {} }, { 'x-engine-hops': '5' })
  await server.post('/api/v1/debug/execute-inline', { ruleset: inline, input: {} }, { 'x-engine-hops': '6' })
  const grpc = await client(server)
  const metadata = { 'x-engine-hops': '4' }
  await grpc.call('Execute', { name: 'quick', input_json: '{}' }, { metadata })
  await grpc.call('BatchExecute', { name: 'quick', inputs_json: inputs, sequential: true }, { metadata })
  expect(seen).toEqual(['1', '1', '1', '1', '3', '4', '4', '6', '7', '5', '5', '6', '6'])
})
