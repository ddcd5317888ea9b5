import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startCollector } from '../packages/process/src/collector.testing.ts'
import { killAll, runHost } from './engine-server.testing.ts'
import { engineClient } from './grpc/client.testing.ts'
import { startHost, startServer, type TestServer } from './http/server.testing.ts'

let directory: string
let server: TestServer | undefined
const closing: (() => void)[] = []

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'engine-capabilities-'))
})

afterEach(async () => {
  await server?.stop()
  server = undefined
  await killAll()
  for (const close of closing.splice(0)) close()
  await rm(directory, { recursive: true })
})

/** A ruleset with one external call, whose result becomes the output when there is a variable for it. */
const calling = (call: object) => ({
  config: { name: 'calls', entry_step: 'ask' },
  steps: {
    ask: { id: 'ask', type: 'action', actions: [{ action: 'external_call', ...call }], next_step: 'end' },
    end: {
      id: 'end',
      type: 'terminal',
      result: {
        code: 'DONE',
        message: 'asked',
        output: [
          ['capability', '$r.capability'],
          ['operation', '$r.operation'],
          ['payload', '$r.payload'],
          ['metadata', '$r.metadata'],
        ],
      },
    },
  },
})

/** Peers of tests are on loopback. */
const OPEN = ['--network-http-policy', 'open'] as const

async function asked(call: object, input: object = {}, options: readonly string[] = OPEN) {
  server = await startServer(...options)
  const saved = await server.post('/api/v1/rulesets', calling(call))
  expect(saved.status, saved.text).toBe(201)
  return server.post('/api/v1/execute/calls', { input })
}

const metrics = async () => (await server?.request('GET', '/metrics'))?.text ?? ''

/** A service that rules call; it echoes the request. */
async function scoring() {
  const peer = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => response.end(JSON.stringify({ method: request.method, sent: JSON.parse(body || 'null') })))
  })
  peer.listen(0, '127.0.0.1')
  await once(peer, 'listening')
  closing.push(() => {
    peer.closeAllConnections()
    peer.close()
  })
  return `http://127.0.0.1:${(peer.address() as AddressInfo).port}/score`
}

describe('network.http', () => {
  test('parameters in all forms of expressions, and the variable with its four fields', async () => {
    const url = await scoring()
    const params = [
      ['url', { Literal: url }],
      [
        'json_body',
        {
          Object: [
            ['field', { Field: 'customer.id' }],
            ['dollar', { Field: '$.customer.id' }],
            ['literal', { Literal: [1, null] }],
            ['list', { Array: [{ Literal: 1 }, { Field: 'customer.age' }] }],
            ['sum', { Binary: { op: 'Add', left: { Field: 'customer.age' }, right: { Literal: 1 } } }],
            ['not', { Unary: { op: 'Not', operand: { Field: 'customer.vip' } } }],
            [
              'either',
              {
                Conditional: {
                  condition: { Field: 'customer.vip' },
                  then_branch: { Literal: 'vip' },
                  else_branch: { Literal: 'plain' },
                },
              },
            ],
            ['call', { Call: { name: 'upper', args: [{ Field: 'customer.id' }] } }],
            ['text', 'customer.age * 2'],
          ],
        },
      ],
    ]
    const call = { service: 'network.http', method: 'post', params, result_variable: 'r', timeout_ms: 2000 }
    const { status, body } = await asked(call, { customer: { id: 'c7', age: 30, vip: true } })
    const sent = {
      field: 'c7',
      dollar: 'c7',
      literal: [1, null],
      list: [1, 30],
      sum: 31,
      not: false,
      either: 'vip',
      call: 'C7',
      text: 60,
    }
    expect([status, body.code]).toEqual([200, 'DONE'])
    expect(body.output).toMatchObject({
      capability: 'network.http',
      operation: 'post',
      payload: { status: 200, json_body: { method: 'POST', sent } },
      metadata: { status: '200' },
    })
    expect(await metrics()).toContain(
      'engine_capability_calls_total{capability="network.http",operation="post",result="success"} 1',
    )
  })

  const refused = { service: 'network.http', method: 'get', params: [['url', '"http://127.0.0.1:1/"']] }
  test('a failure is an execution error that names service, method and cause when a variable wants the answer', async () => {
    const { status, body } = await asked({ ...refused, result_variable: 'r' })
    expect([status, body]).toEqual([
      500,
      expect.objectContaining({
        code: 'INTERNAL_ERROR',
        error: '`network.http.get` failed: the connection was refused',
      }),
    ])
  })

  test('without a variable the decision continues, and the failure is counted', async () => {
    const { status, body } = await asked(refused)
    expect([status, body.code]).toEqual([200, 'DONE'])
    await expect.poll(metrics).toContain('engine_external_calls_failed_total{service="network.http"} 1')
  })

  test('private addresses are closed unless the operator opens them', async () => {
    const { body } = await asked({ ...refused, result_variable: 'r' }, {}, [])
    expect(body.error).toMatch(/`127\.0\.0\.1` is a private address, and not among the hosts of --network-http-allow/)
  })

  test('a call that can never be made is a warning when stored, and an error also without a variable', async () => {
    server = await startServer()
    const call = { service: 'network.htpp', method: 'psot', params: [] }
    const saved = await server.post('/api/v1/rulesets', calling(call))
    expect([saved.status, saved.body.warnings]).toEqual([
      201,
      [
        expect.objectContaining({
          path: '/steps/ask/actions/0/service',
          code: 'unknown-capability',
          suggestion: 'network.http',
          line: 1,
        }),
        expect.objectContaining({ code: 'unset-variable' }),
      ],
    ])
    const { status, body } = await server.post('/api/v1/execute/calls', { input: {} })
    expect([status, body.error]).toEqual([500, '`network.htpp.psot` failed: there is no capability `network.htpp`'])
  })

  test.each([
    [
      'network.http',
      'get',
      [],
      'params',
      '`network.http` needs the parameter `url`',
      '`url` must be a text, found null',
    ],
    ['metrics.exporter', 'gauge', [], 'params', '`metrics.exporter` needs the parameter `name`', '`name` must be 1 to'],
    ['audit.logger', 'write', [], 'method', '`audit.logger` has no operation `write`', 'it has no operation `write`'],
  ])('%s.%s without what it needs', async (service, method, params, place, warning, cause) => {
    server = await startServer()
    const saved = await server.post('/api/v1/rulesets', calling({ service, method, params }))
    expect(saved.body.warnings).toContainEqual(
      expect.objectContaining({ path: `/steps/ask/actions/0/${place}`, message: expect.stringContaining(warning) }),
    )
    const { status, body } = await server.post('/api/v1/execute/calls', { input: {} })
    expect([status, body.error]).toEqual([500, expect.stringContaining(`\`${service}.${method}\` failed: ${cause}`)])
  })

  test.each([
    ['nobody.knows', 'get', 'there is no capability `nobody.knows`'],
    ['network.http', 'steal', 'it has no operation `steal`, only get, post, put, patch, delete, head, options'],
  ])('%s.%s', async (service, method, cause) => {
    const { status, body } = await asked({ service, method, params: [], result_variable: 'r' })
    expect([status, body.error]).toEqual([500, `\`${service}.${method}\` failed: ${cause}`])
  })
})

test.each([
  ['timed out', 503],
  ['was given up by its sender', undefined],
])('an execution that waits ends when its request %s', async (_what, status) => {
  const sender = new AbortController()
  const silent = createServer(() => {
    if (status === undefined) sender.abort()
  })
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  closing.push(() => {
    silent.closeAllConnections()
    silent.close()
  })
  server = await startServer(...OPEN, '--request-timeout-secs', '1')
  const url = `"http://127.0.0.1:${(silent.address() as AddressInfo).port}/"`
  const call = {
    service: 'network.http',
    method: 'get',
    params: [['url', url]],
    result_variable: 'r',
    timeout_ms: 20_000,
  }
  await server.post('/api/v1/rulesets', calling(call))
  const reply = await fetch(`${server.url}/api/v1/execute/calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"input": {}}',
    signal: sender.signal,
  }).catch(() => undefined)
  expect(reply?.status).toBe(status)
  // Before the call itself would have ended.
  await expect.poll(metrics, { timeout: 15_000 }).toContain('engine_executions_total{ruleset="calls",result="error"} 1')
})

describe('metrics.exporter', () => {
  test.each([
    ['gauge', 'engine_rule_metric{ruleset="calls",name="open_cases",tags="region=eu"} 4'],
    ['counter', 'engine_rule_counter_total{ruleset="calls",name="open_cases",tags="region=eu"} 4'],
  ])('%s', async (method, series) => {
    const params = [
      ['name', '"open_cases"'],
      ['value', 'n'],
      ['tags', '{"region": "eu"}'],
    ]
    const { body } = await asked({ service: 'metrics.exporter', method, params, result_variable: 'r' }, { n: 4 })
    expect(body.output).toMatchObject({ payload: {}, metadata: { metric: 'open_cases', operation: method } })
    expect(await metrics()).toContain(series)
  })

  test.each([
    [[['value', '1']], '`name` must be 1 to 120 letters'],
    [[['name', '"a b"']], '`name` must be 1 to 120 letters'],
    [
      [
        ['name', '"a"'],
        ['value', '"x"'],
      ],
      '`value` must be a number',
    ],
    [
      [
        ['name', '"a"'],
        ['value', '-1'],
      ],
      '`value` of a counter must not be negative',
    ],
  ])('%j is refused', async (params, cause) => {
    const { body } = await asked({ service: 'metrics.exporter', method: 'counter', params, result_variable: 'r' })
    expect(body.error).toContain(`\`metrics.exporter.counter\` failed: ${cause}`)
  })
})

test('the trace of a request is passed on to the peer, the spans and the audit', async () => {
  const collector = await startCollector()
  const seen: (string | undefined)[] = []
  const peer = createServer((request, response) => {
    seen.push(request.headers['traceparent'] as string | undefined)
    response.end('{}')
  })
  peer.listen(0, '127.0.0.1')
  await once(peer, 'listening')
  closing.push(
    () => void peer.close(),
    () => void collector.close(),
  )
  const url = `"http://127.0.0.1:${(peer.address() as AddressInfo).port}/"`
  server = await startServer(
    ...OPEN,
    '--otlp-endpoint',
    collector.endpoint,
    '--audit-dir',
    directory,
    '--audit-sample-rate',
    '100',
  )
  const call = { service: 'network.http', method: 'get', params: [['url', url]], result_variable: 'r' }
  await server.post('/api/v1/rulesets', calling(call))
  const trace = '0af7651916cd43dd8448eb211c80319c'
  await server.post('/api/v1/execute/calls', { input: {} }, { traceparent: `00-${trace}-b7ad6b7169203331-01` })
  await server.stop()
  server = undefined
  const span = collector.spans.find(({ name }) => name === 'GET')
  expect(span).toMatchObject({
    traceId: trace,
    kind: 3,
    attributes: {
      'engine.ruleset': 'calls',
      'engine.step': 'ask',
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': (peer.address() as AddressInfo).port,
    },
  })
  expect(seen).toEqual([`00-${trace}-${span?.spanId}-01`])
  const [file = ''] = await readdir(directory)
  expect(await readFile(join(directory, file), 'utf8')).toContain(`"trace_id":"${trace}"`)
})

test('audit.logger writes an event of the rule, whatever the sampling', async () => {
  const params = [
    ['result', '"DECLINED"'],
    ['reason', 'why'],
  ]
  const call = { service: 'audit.logger', method: 'rule_executed', params }
  await asked(call, { why: 'score' }, ['--audit-dir', directory, '--audit-sample-rate', '0'])
  await server?.stop()
  server = undefined
  const [file = ''] = await readdir(directory)
  const lines = (await readFile(join(directory, file), 'utf8')).trim().split('\n')
  const events = lines.map((line): Record<string, unknown> => JSON.parse(line))
  expect(events.filter(({ event }) => event === 'rule_executed')).toMatchObject([
    { source: 'audit.logger', rule_name: 'calls', step: 'ask', payload: { result: 'DECLINED', reason: 'score' } },
  ])
})

describe('capabilities of a host program', () => {
  const scores = {
    name: 'team.scores',
    operations: ['lookup'],
    call: async ({ payload, timeoutMs }: { payload: object; timeoutMs: number | undefined }) => {
      await sleep(timeoutMs === 20 ? 1000 : 1)
      return { payload: { ...payload, score: 720 }, metadata: { from: 'cache' } }
    },
  }
  const call = { service: 'team.scores', method: 'lookup', params: [['id', 'id']], result_variable: 'r' }

  test('are called like the built-in ones, and counted', async () => {
    server = await startHost([scores])
    await server.post('/api/v1/rulesets', calling(call))
    const { body } = await server.post('/api/v1/execute/calls', { input: { id: 7 } })
    expect(body.output).toMatchObject({ payload: { id: 7, score: 720 }, metadata: { from: 'cache' } })
    expect(await metrics()).toMatch(/engine_capability_calls_total\{capability="team\.scores".*\} 1/)
  })

  test('come with a program of a few lines that starts the server', async () => {
    const place = ['--http-addr', '127.0.0.1:0', '--grpc-addr', '127.0.0.1:0']
    const program = runHost(join(import.meta.dirname, 'host-program.testing.ts'), place)
    const [, url = '', grpc = ''] = await program.says(/listens on (http:\/\/\S+) and (\S+) \(gRPC\)/)
    const post = (path: string, body: object) =>
      fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await post('/rulesets', calling(call))).status).toBe(201)
    expect(await (await post('/execute/calls', { input: { id: 7 } })).json()).toMatchObject({
      output: { payload: { id: 7, score: 720 }, metadata: { from: 'host program' } },
    })
    const client = engineClient(grpc)
    const reply = await client.call('Execute', { name: 'calls', input_json: '{"id": 8}' })
    client.close()
    expect(reply).toMatchObject({ message: { code: 'DONE' } })
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })

  test('are not waited for longer than `timeout_ms`', async () => {
    server = await startHost([scores])
    await server.post('/api/v1/rulesets', calling({ ...call, timeout_ms: 20 }))
    const { status, body } = await server.post('/api/v1/execute/calls', { input: { id: 7 } })
    expect([status, body.error]).toEqual([500, '`team.scores.lookup` failed: no answer within 20 ms'])
  })

  test('cannot take the name of another', async () => {
    await expect(startHost([{ ...scores, name: 'network.http' }])).rejects.toThrow(
      'capability `network.http` is registered twice',
    )
  })
})
