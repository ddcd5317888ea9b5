import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { proto } from '@engine/api'
import { credentials, loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadFileDescriptorSetFromBuffer, loadSync } from '@grpc/proto-loader'
import { protoPath } from 'grpc-health-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startCollector } from '../../apps/engine-server/src/telemetry/collector.testing.ts'
import { adultCheck, endless, startServer, type TestServer } from '../http/server.testing.ts'
import { clientOf, engineClient, LOADING, type Message, PROTO, type TestClient } from './client.testing.ts'

const scratch = mkdtempSync(join(tmpdir(), 'engine-grpc-'))
afterAll(() => rmSync(scratch, { recursive: true }))

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function connected(...options: readonly string[]): Promise<{ server: TestServer; client: TestClient }> {
  const server = await startServer('--network-http-policy', 'open', '--grpc-addr', '127.0.0.1:0', ...options)
  closing.push(() => server.stop())
  const client = engineClient(server.grpc)
  closing.push(() => client.close())
  return { server, client }
}

const adult = { name: 'adult-check', input_json: '{"age": 21}' }

describe('the methods of specification 4.2', () => {
  let server: TestServer
  let client: TestClient
  beforeAll(async () => {
    server = await startServer('--grpc-addr', '127.0.0.1:0')
    client = engineClient(server.grpc)
    await server.post('/api/v1/rulesets', adultCheck({ config: { description: 'who may order' } }))
    await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'other' } }))
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })

  test('Execute', async () => {
    expect(await client.call('Execute', adult)).toEqual({
      message: {
        code: 'ADULT',
        message: 'may order',
        output_json: '{"limit":100}',
        duration_us: expect.any(Number),
        trace: null,
      },
    })
  })

  test('Execute with its trace', async () => {
    const reply = (await client.call('Execute', { ...adult, trace: true })) as { message: Message }
    expect(reply.message.trace).toEqual({
      path: 'check -> yes',
      steps: [
        { id: 'check', name: 'Old enough?', duration_us: expect.any(Number) },
        { id: 'yes', name: 'Adult', duration_us: expect.any(Number) },
      ],
    })
  })

  test('says the same as HTTP', async () => {
    const reply = (await client.call('Execute', { ...adult, input_json: '{"age": 3}' })) as { message: Message }
    const { body } = await server.post('/api/v1/execute/adult-check', { input: { age: 3 } })
    expect(reply.message).toMatchObject({
      code: body.code,
      message: body.message,
      output_json: JSON.stringify(body.output),
    })
  })

  test('ListRuleSets', async () => {
    expect(await client.call('ListRuleSets', {})).toEqual({
      message: {
        rulesets: [
          { name: 'adult-check', version: '1.0.0', description: 'who may order' },
          { name: 'other', version: '1.0.0', description: '' },
        ],
      },
    })
  })

  test('GetRuleSet', async () => {
    const reply = (await client.call('GetRuleSet', { name: 'other' })) as { message: Message }
    expect(JSON.parse(reply.message.ruleset_json)).toEqual(adultCheck({ config: { name: 'other' } }))
  })

  test('Health', async () => {
    expect(await client.call('Health', {})).toEqual({
      message: {
        status: 'healthy',
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
        uptime_seconds: expect.any(Number),
        rules_count: 2,
      },
    })
  })

  test.each([
    ['upper(name)', '{"name": "ada"}', { result_json: '"ADA"', parsed: 'upper(name)' }],
    ['1 + 2', '', { result_json: '3', parsed: '(1 + 2)' }],
    ['n', '{"n": 9007199254740993}', { result_json: '9007199254740993', parsed: 'n' }],
  ])('Eval %s in %s', async (expression, context_json, message) => {
    expect(await client.call('Eval', { expression, context_json })).toEqual({ message })
  })

  test.each<[string, object, number, string | RegExp]>([
    ['Execute', { name: 'nope', input_json: '{}' }, status.NOT_FOUND, 'ruleset `nope` not found'],
    ['Execute', { name: '../x', input_json: '{}' }, status.NOT_FOUND, 'ruleset `../x` not found'],
    ['Execute', { input_json: '{}' }, status.INVALID_ARGUMENT, '`name` is missing: the name of a ruleset'],
    ['Execute', { name: 'other' }, status.INVALID_ARGUMENT, /`input_json` cannot be read as JSON: /],
    [
      'Execute',
      { name: 'other', input_json: '{"a":' },
      status.INVALID_ARGUMENT,
      /`input_json` cannot be read as JSON: .*line 1, column 6/,
    ],
    [
      'Execute',
      { name: 'other', input_json: '[1]' },
      status.INVALID_ARGUMENT,
      '`input` must be an object, found a list',
    ],
    [
      'Execute',
      { name: 'other', input_json: '['.repeat(200_000) },
      status.INVALID_ARGUMENT,
      /cannot be read as JSON: .*128/,
    ],
    [
      'Execute',
      { name: 'other', input_json: '{"age": "x"}' },
      status.INTERNAL,
      /^`>=` is not defined for string and number/,
    ],
    ['GetRuleSet', { name: 'nope' }, status.NOT_FOUND, 'ruleset `nope` not found'],
    ['GetRuleSet', {}, status.INVALID_ARGUMENT, '`name` is missing: the name of a ruleset'],
    ['Eval', { expression: '1 +' }, status.INVALID_ARGUMENT, /line 1, column 4/],
    [
      'Eval',
      { expression: '1', context_json: '[]' },
      status.INVALID_ARGUMENT,
      '`context_json` must be an object, found a list',
    ],
    ['Eval', { expression: '1', context_json: '{' }, status.INVALID_ARGUMENT, /`context_json` cannot be read as JSON/],
    ['BatchExecute', { name: 'nope', inputs_json: ['{}'] }, status.NOT_FOUND, 'ruleset `nope` not found'],
    ['BatchExecute', { name: 'other' }, status.INVALID_ARGUMENT, '`inputs_json` must have 1 to 100000 items, found 0'],
    [
      'BatchExecute',
      { name: 'other', inputs_json: ['{}', 'x'] },
      status.INVALID_ARGUMENT,
      /`inputs_json\[1\]` cannot be read/,
    ],
  ])('%s %j fails with %s: %s', async (method, request, code, details) => {
    const reply = await client.call(method, request)
    expect(reply).toEqual({ code, details: typeof details === 'string' ? details : expect.stringMatching(details) })
  })

  test('BatchExecute: one that fails does not fail the others', async () => {
    const inputs_json = ['{"age": 20}', '{"age": "x"}', '[]', '{}']
    const reply = (await client.call('BatchExecute', { name: 'other', inputs_json })) as { message: Message }
    const { results, summary } = reply.message
    expect(results.map(({ code }: Message) => code)).toEqual(['ADULT', 'error', 'error', 'MINOR'])
    expect(results[1]).toMatchObject({ output_json: '', error: results[1].message, duration_us: expect.any(Number) })
    expect(summary).toEqual({ total: 4, success: 2, failed: 2, total_duration_us: expect.any(Number) })
    const stopped = (await client.call('BatchExecute', { name: 'other', inputs_json, stop_on_error: true })) as {
      message: Message
    }
    expect(stopped.message.results).toHaveLength(2)
    expect(stopped.message.summary).toMatchObject({ total: 4, success: 1, failed: 1 })
  })

  describe('ExecuteStream', () => {
    test('answers in order, names the ruleset once, and goes on after an input that fails', async () => {
      const stream = client.stream('ExecuteStream')
      const answers: Message[] = []
      stream.on('data', (message: Message) => answers.push(message))
      stream.write({ name: 'other', input_json: '{"age": 20}' })
      stream.write({ input_json: 'x' })
      stream.write({ input_json: '{"age": 2}', trace: true })
      stream.write({ name: 'adult-check', input_json: '{"age": 20}' })
      stream.end()
      await once(stream, 'end')
      expect(answers.map(({ index, result }) => [index, result.code, result.trace?.path])).toEqual([
        [0, 'ADULT', undefined],
        [1, 'error', undefined],
        [2, 'MINOR', 'check -> no'],
        [3, 'ADULT', undefined],
      ])
    })

    test('is answered as it goes', async () => {
      const stream = client.stream('ExecuteStream')
      for (let index = 0; index < 3; index++) {
        stream.write({ name: 'other', input_json: `{"age": ${index}}` })
        const [message] = (await once(stream, 'data')) as [Message]
        expect(message.index).toBe(index)
      }
      stream.end()
      stream.resume()
      await once(stream, 'end')
    })

    test('decides with what is stored when the input comes', async () => {
      const stream = client.stream('ExecuteStream')
      const ask = async () => {
        stream.write({ name: 'changes', input_json: '{"age": 20}' })
        const [{ result }] = (await once(stream, 'data')) as [Message]
        return result.code
      }
      const codes: string[] = []
      for (const code of ['FIRST', 'SECOND']) {
        const yes = { id: 'yes', type: 'terminal', result: { code, message: '' } }
        await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'changes' }, steps: { yes } }))
        codes.push(await ask())
      }
      await server.request('DELETE', '/api/v1/rulesets/changes')
      stream.end()
      stream.resume()
      await once(stream, 'end')
      expect(codes).toEqual(['FIRST', 'SECOND'])
    })

    test('ends when the ruleset is not there', async () => {
      const stream = client.stream('ExecuteStream')
      stream.resume()
      const failed = once(stream, 'error')
      stream.write({ name: 'nope', input_json: '{}' })
      expect(await failed).toMatchObject([{ code: status.NOT_FOUND, details: 'ruleset `nope` not found' }])
    })

    test('10,000 inputs that are read late: nothing is lost', async () => {
      const stream = client.stream('ExecuteStream')
      const writing = (async () => {
        for (let index = 0; index < 10_000; index++)
          if (!stream.write({ name: 'other', input_json: `{"age": ${index % 40}}` })) await once(stream, 'drain')
        stream.end()
      })()
      let count = 0
      for await (const { index, result } of stream as AsyncIterable<Message>) {
        if (index !== count || result.code !== (count % 40 >= 18 ? 'ADULT' : 'MINOR')) break
        count++
        if (count % 2500 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await writing
      expect(count).toBe(10_000)
    })
  })
})

describe('limits', () => {
  test('a message as large as a body over HTTP is taken, a larger one is refused', async () => {
    const { server, client } = await connected('--max-request-body-bytes', '20000')
    await server.post('/api/v1/rulesets', adultCheck())
    const sized = (size: number) => ({
      name: 'adult-check',
      input_json: `{"age": 20, "x": "${'x'.repeat(size - 20)}"}`,
    })
    expect(await client.call('Execute', sized(20_000))).toMatchObject({ message: { code: 'ADULT' } })
    expect(await client.call('Execute', sized(30_000))).toMatchObject({ code: status.RESOURCE_EXHAUSTED })
  })

  /** A ruleset that waits for a service which never answers. */
  const waiting = (url: string, config: object = {}) => ({
    config: { name: 'waits', entry_step: 'ask', ...config },
    steps: {
      ask: {
        id: 'ask',
        type: 'action',
        actions: [
          {
            action: 'external_call',
            service: 'network.http',
            method: 'get',
            params: [['url', JSON.stringify(url)]],
            result_variable: 'r',
          },
        ],
        next_step: 'end',
      },
      end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } },
    },
  })

  async function silence(): Promise<string> {
    const peer = createServer(() => undefined)
    peer.listen(0, '127.0.0.1')
    await once(peer, 'listening')
    closing.push(() => {
      peer.closeAllConnections()
      peer.close()
    })
    return `http://127.0.0.1:${(peer.address() as AddressInfo).port}/`
  }

  const failures = async (server: TestServer) =>
    /engine_executions_total\{ruleset="waits",result="error"\} (\d+)/.exec(
      (await server.request('GET', '/metrics')).text,
    )?.[1]

  test('the deadline of the caller ends the call, and the execution with it', async () => {
    const { server, client } = await connected()
    await server.post('/api/v1/rulesets', waiting(await silence()))
    const reply = await client.call('Execute', { name: 'waits', input_json: '{}' }, { deadline: 100 })
    expect(reply).toMatchObject({ code: status.DEADLINE_EXCEEDED })
    await expect.poll(() => failures(server)).toBe('1')
  })

  test('a caller that cancels is not waited for', async () => {
    const { server, client } = await connected()
    await server.post('/api/v1/rulesets', waiting(await silence()))
    const reply = await client.call(
      'Execute',
      { name: 'waits', input_json: '{}' },
      { begun: (call) => setTimeout(() => call.cancel(), 100) },
    )
    expect(reply).toMatchObject({ code: status.CANCELLED })
    await expect.poll(() => failures(server)).toBe('1')
  })

  test('the time limit of the server ends a call', async () => {
    const { server, client } = await connected('--request-timeout-secs', '1')
    await server.post('/api/v1/rulesets', waiting(await silence()))
    expect(await client.call('Execute', { name: 'waits', input_json: '{}' })).toEqual({
      code: status.DEADLINE_EXCEEDED,
      details: 'the call was not answered within 1 s (--request-timeout-secs)',
    })
  })

  test('the time limit of a ruleset is a deadline too, its failure is internal', async () => {
    const { server, client } = await connected()
    const loop = endless('loops', { timeout_ms: 20 })
    expect((await server.post('/api/v1/rulesets', loop)).status).toBe(201)
    expect(await client.call('Execute', { name: 'loops', input_json: '{}' })).toEqual({
      code: status.DEADLINE_EXCEEDED,
      details: expect.stringContaining('longer than 20 ms'),
    })
    await server.post('/api/v1/rulesets', { ...loop, config: { ...loop.config, max_depth: 10 } })
    expect(await client.call('Execute', { name: 'loops', input_json: '{}' })).toMatchObject({ code: status.INTERNAL })
  })
})

test('tokens, in both spellings', async () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  const file = join(scratch, 'tokens')
  writeFileSync(file, `reader:read:${digest('r')}\nrunner:execute:${digest('x')}\n`)
  const { client } = await connected('--api-tokens-file', file)
  const ask = async (method: string, metadata: Record<string, string>) => {
    const reply = await client.call(method, { name: 'nope', input_json: '{}' }, { metadata })
    return 'code' in reply ? reply.code : 0
  }
  expect(await ask('Execute', {})).toBe(status.UNAUTHENTICATED)
  expect(await ask('Execute', { authorization: 'Bearer wrong' })).toBe(status.UNAUTHENTICATED)
  expect(await ask('Execute', { authorization: 'Bearer r' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('Execute', { authorization: 'Bearer x' })).toBe(status.NOT_FOUND)
  expect(await ask('Execute', { 'x-api-key': 'x' })).toBe(status.NOT_FOUND)
  expect(await ask('ListRuleSets', { 'x-api-key': 'r' })).toBe(0)
  expect(await ask('ListRuleSets', { 'x-api-key': 'x' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('Eval', { 'x-api-key': 'r' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('BatchExecute', { 'x-api-key': 'r' })).toBe(status.PERMISSION_DENIED)
  expect(await ask('Health', {})).toBe(0)
})

test('the trace of a caller is continued', async () => {
  const collector = await startCollector()
  closing.push(() => collector.close())
  const { server, client } = await connected('--otlp-endpoint', collector.endpoint)
  await server.post('/api/v1/rulesets', adultCheck())
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await client.call('Execute', adult, { metadata: { traceparent } })
  await expect
    .poll(() => collector.spans.find(({ name }) => name === 'engine.EngineService/Execute'))
    .toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331', kind: 2 })
})

describe('connected', () => {
  test('over TLS, and not in plain text then', async () => {
    const files = { key: join(scratch, 'key.pem'), cert: join(scratch, 'cert.pem') }
    const asked = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
    const names = ['-addext', 'subjectAltName=DNS:localhost']
    execFileSync('openssl', [...`${asked} -keyout ${files.key} -out ${files.cert}`.split(' '), ...names], {
      stdio: 'ignore',
    })
    const { server, client } = await connected('--grpc-tls-cert', files.cert, '--grpc-tls-key', files.key)
    const trusting = credentials.createSsl(readFileSync(files.cert))
    const safe = engineClient(`localhost:${server.grpc.split(':')[1]}`, trusting)
    closing.push(() => safe.close())
    expect(await safe.call('Health', {})).toMatchObject({ message: { status: 'healthy' } })
    expect(await client.call('Health', {}, { deadline: 2000 })).toMatchObject({ code: status.UNAVAILABLE })
  })

  test('over the Unix domain socket, on which HTTP is spoken too', async () => {
    const path = join(scratch, 'engine.sock')
    const server = await startServer('--uds-path', path)
    closing.push(() => server.stop())
    await server.post('/api/v1/rulesets', adultCheck())
    const client = engineClient(`unix:${path}`)
    closing.push(() => client.close())
    const overHttp = async () => {
      const [response] = (await once(httpRequest({ socketPath: path, path: '/health' }).end(), 'response')) as [
        IncomingMessage,
      ]
      response.resume()
      return response.statusCode
    }
    expect(await overHttp()).toBe(200)
    for (let count = 0; count < 3; count++)
      expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
    expect(await overHttp()).toBe(200)
  })

  test('the end of the server waits for a call under way, and refuses new ones', async () => {
    const peer = createServer((_request, response) => setTimeout(() => response.end('{}'), 300))
    peer.listen(0, '127.0.0.1')
    await once(peer, 'listening')
    closing.push(() => void peer.close())
    const server = await startServer('--network-http-policy', 'open', '--grpc-addr', '127.0.0.1:0')
    const client = engineClient(server.grpc)
    closing.push(() => client.close())
    const call = { action: 'external_call', service: 'network.http', method: 'get', result_variable: 'r' }
    const url = `"http://127.0.0.1:${(peer.address() as AddressInfo).port}/"`
    await server.post('/api/v1/rulesets', {
      config: { name: 'asks', entry_step: 'ask' },
      steps: {
        ask: { id: 'ask', type: 'action', actions: [{ ...call, params: [['url', url]] }], next_step: 'end' },
        end: { id: 'end', type: 'terminal', result: { code: 'OK', message: '' } },
      },
    })
    const underWay = client.call('Execute', { name: 'asks', input_json: '{}' })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const stopped = server.stop()
    expect(await underWay).toMatchObject({ message: { code: 'OK' } })
    await stopped
    expect(await client.call('Health', {}, { deadline: 1000 })).toMatchObject({ code: status.UNAVAILABLE })
  })

  test('the standard health service', async () => {
    const { server } = await connected()
    const health = clientOf(loadPackageDefinition(loadSync(protoPath, LOADING)), 'grpc.health.v1.Health', server.grpc)
    closing.push(() => health.close())
    for (const service of ['', 'engine.EngineService'])
      expect(await health.call('Check', { service })).toEqual({ message: { status: 1 } })
    expect(await health.call('Check', { service: 'other' })).toMatchObject({ code: status.NOT_FOUND })
  })
})

describe('what no client would send', () => {
  /** Bytes as the body of a call, and the status that it ends with; undefined: the connection was given up. */
  async function raw(address: string, path: string, body: Buffer, headers: object = {}): Promise<number | undefined> {
    const session = connectHttp2(`http://${address}`)
    closing.push(() => session.destroy())
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
      'a coding that nobody knows',
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

describe('a client that has no file asks by reflection', () => {
  const REFLECTION = `
    syntax = "proto3";
    package grpc.reflection.v1;
    service ServerReflection { rpc ServerReflectionInfo(stream Request) returns (stream Response); }
    message Request { string host = 1; oneof message_request { string file_containing_symbol = 4; string list_services = 7; } }
    message Response {
      oneof message_response { Files file_descriptor_response = 4; Services list_services_response = 6; }
    }
    message Files { repeated bytes file_descriptor_proto = 1; }
    message Services { repeated Service service = 1; }
    message Service { string name = 1; }
  `

  test('lists the services, and calls one that it has only now learned of', async () => {
    const { server } = await connected()
    await server.post('/api/v1/rulesets', adultCheck())
    const file = join(scratch, 'reflection.proto')
    writeFileSync(file, REFLECTION)
    const definition = loadPackageDefinition(loadSync(file, LOADING))
    const reflection = clientOf(definition, 'grpc.reflection.v1.ServerReflection', server.grpc)
    closing.push(() => reflection.close())
    const ask = async (request: object) => {
      const stream = reflection.stream('ServerReflectionInfo')
      stream.write(request)
      const [answer] = (await once(stream, 'data')) as [Message]
      stream.end()
      return answer
    }
    const { list_services_response: listed } = await ask({ list_services: '*' })
    expect(listed.service.map(({ name }: Message) => name)).toEqual(['engine.EngineService', 'grpc.health.v1.Health'])
    const { file_descriptor_response: found } = await ask({ file_containing_symbol: 'engine.EngineService' })
    const files: Buffer[] = found.file_descriptor_proto
    // FileDescriptorSet: repeated FileDescriptorProto file = 1.
    const set = Buffer.concat(files.flatMap((bytes) => [Buffer.from([0x0a, ...varint(bytes.length)]), bytes]))
    const learned = loadPackageDefinition(loadFileDescriptorSetFromBuffer(set, LOADING))
    const client = clientOf(learned, 'engine.EngineService', server.grpc)
    closing.push(() => client.close())
    expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
  })

  function varint(value: number): readonly number[] {
    return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
  }
})

test('the code that is committed was made from the file that is published', () => {
  const published = loadPackageDefinition(loadSync(PROTO, LOADING))['engine'] as Record<string, Message>
  for (const message of proto.file_engine.messages) {
    const fields = message.fields.map(({ name, number }) => [name, number])
    expect(published[message.name].type.field.map(({ name, number }: Message) => [name, number])).toEqual(fields)
  }
  const methods = proto.EngineService.methods.map(({ name, methodKind }) => [name, methodKind === 'bidi_streaming'])
  const service = published['EngineService'].service as Record<string, Message>
  expect(Object.entries(service).map(([name, { requestStream }]) => [name, requestStream])).toEqual(methods)
})
