import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunk, chunkedHead, connectRaw, LAST_CHUNK } from './raw.testing.ts'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

/** Requirements of RFC 9110 and 9112: HEAD, absolute targets, persistent connections, expectations. */

const EXECUTE = '/api/v1/execute/adult-check'
const LIMIT = 100_000
const TOKEN = 'authorization: Bearer secret\r\n'
const GOOD = JSON.stringify({ input: { age: 20 } })

const directory = mkdtempSync(join(tmpdir(), 'engine-rfc-'))
let server: TestServer

beforeAll(async () => {
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, `ada:admin:${createHash('sha256').update('secret').digest('hex')}\n`)
  server = await startServer(
    '--api-tokens-file',
    tokens,
    '--rules-dir',
    join(directory, 'rules'),
    '--max-request-body-bytes',
    String(LIMIT),
    '--metrics-enabled',
  )
  await server.post('/api/v1/rulesets', adultCheck(), { authorization: 'Bearer secret' })
})
afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

const head = (method: string, path: string, more = '') => `${method} ${path} HTTP/1.1\r\nhost: a\r\n${more}\r\n`
const JSON_HEAD = 'content-type: application/json\r\n'
const sized = (length: number) => `content-length: ${length}\r\n`

describe('HEAD has the headers of GET and no body', () => {
  test.each([
    '/api/v1/rulesets',
    '/api/v1/rulesets/adult-check',
    '/api/v1/rulesets/nope',
    '/api/v1/rulesets/adult-check/versions',
    '/api/v1/config/audit-sample-rate',
    '/api/v1/openapi.json',
    '/docs/',
    '/health',
    '/healthz/live',
    '/healthz/ready',
    '/metrics',
    '/nowhere',
  ])('%s', async (path) => {
    const headers = { authorization: 'Bearer secret' }
    const [get, same] = [
      await server.request('GET', path, { headers }),
      await server.request('HEAD', path, { headers }),
    ]
    expect([same.status, same.text]).toEqual([get.status, ''])
    for (const name of ['content-type', 'cache-control', 'x-content-type-options', 'allow'])
      expect([name, same.headers.get(name)]).toEqual([name, get.headers.get(name)])
    expect(same.headers.get('content-length')).not.toBe('0')
  })

  test('without a token it is refused as GET is', async () => {
    expect((await server.request('HEAD', '/api/v1/rulesets')).status).toBe(401)
  })
})

test.each([
  ['GET', 'http://other/healthz/live', '', /200 OK[^]*alive/],
  ['HEAD', 'https://other:80/healthz/live', '', /200 OK/],
  ['POST', `http://other${EXECUTE}`, TOKEN + JSON_HEAD + sized(GOOD.length), /200 OK[^]*ADULT/],
  ['GET', 'http://other', '', /302 Found[^]*location: \/docs/i],
])('%s with the target %s', async (method, target, headers, expected) => {
  const connection = await connectRaw(server)
  connection.write(head(method, target, headers) + (method === 'POST' ? GOOD : ''))
  await connection.reads(expected)
  connection.socket.destroy()
})

describe('a refused request leaves its connection as it was', () => {
  test.each<[what: string, request: string, status: number]>([
    ['no route', head('GET', '/nowhere'), 404],
    ['no token', head('GET', '/api/v1/rulesets'), 401],
    ['another method', head('PATCH', '/api/v1/eval'), 405],
    ['an empty body', head('POST', '/nowhere', sized(0)), 404],
    ['a small body without a token', head('POST', EXECUTE, JSON_HEAD + sized(GOOD.length)) + GOOD, 401],
    ['a small body of another type', head('POST', EXECUTE, `${TOKEN}${sized(GOOD.length)}`) + GOOD, 415],
    ['a small body for no route', head('POST', '/nowhere', sized(60_000)) + ' '.repeat(60_000), 404],
    ['a body that is not JSON', head('POST', EXECUTE, TOKEN + JSON_HEAD + sized(1)) + '{', 400],
    ['two hosts', head('GET', '/healthz/live', 'host: b\r\n'), 400],
  ])('%s', async (_what, request, status) => {
    const connection = await connectRaw(server)
    connection.write(request)
    const answer = await connection.reads(/\r\n\r\n\{.*\}$/s)
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).not.toMatch(/^connection: close\r?$/im)
    connection.write(head('GET', '/healthz/live'))
    await connection.reads(/"alive"/)
    connection.socket.destroy()
  })

  test('a small body that comes after the answer', async () => {
    const connection = await connectRaw(server)
    connection.write(head('POST', EXECUTE, JSON_HEAD + sized(GOOD.length)))
    await connection.reads(/"UNAUTHORIZED"/)
    connection.write(GOOD + head('GET', '/healthz/live'))
    await connection.reads(/"alive"/)
    connection.socket.destroy()
  })

  test('a small body that never comes: the connection is closed', async () => {
    const connection = await connectRaw(server)
    connection.write(head('POST', EXECUTE, JSON_HEAD + sized(10)))
    expect(await connection.ended()).toMatch(/^HTTP\/1\.1 401 [^]*"UNAUTHORIZED"\}$/)
  })
})

describe('`expect: 100-continue`', () => {
  const EXPECT = 'expect: 100-continue\r\n'
  test.each<[what: string, request: string, status: number]>([
    ['no token', head('POST', EXECUTE, JSON_HEAD + sized(10) + EXPECT), 401],
    ['too large', head('POST', EXECUTE, TOKEN + JSON_HEAD + sized(LIMIT + 1) + EXPECT), 413],
    ['too large for a route', head('POST', '/api/v1/eval', TOKEN + JSON_HEAD + sized(LIMIT + 1) + EXPECT), 413],
    ['another type', head('POST', EXECUTE, TOKEN + sized(10) + EXPECT), 415],
    ['a coding', head('POST', EXECUTE, `${TOKEN}${JSON_HEAD}content-encoding: br\r\n${sized(10)}${EXPECT}`), 415],
    ['no route', head('POST', '/nowhere', sized(10) + EXPECT), 404],
    ['no ruleset', head('POST', '/api/v1/execute/nope', TOKEN + JSON_HEAD + sized(10) + EXPECT), 404],
    ['another method', head('PATCH', EXECUTE, sized(10) + EXPECT), 405],
  ])('%s: the final status alone', async (_what, request, status) => {
    const connection = await connectRaw(server)
    connection.write(request)
    const answer = await connection.ended()
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(answer).not.toContain('100 Continue')
  })

  test.each([
    ['execute', EXECUTE, JSON_HEAD, GOOD, /"ADULT"/],
    ['eval', '/api/v1/eval', JSON_HEAD, '{"expression":"1 + 1"}', /"result":2/],
    ['a stream', `${EXECUTE}/batch`, 'content-type: application/x-ndjson\r\n', '{"age":20}\n', /"ADULT"/],
  ])('%s: 100, and then the answer', async (_what, path, type, body, expected) => {
    const connection = await connectRaw(server)
    connection.write(head('POST', path, TOKEN + type + sized(body.length) + EXPECT))
    await connection.reads(/^HTTP\/1\.1 100 Continue\r\n\r\n/)
    connection.write(body)
    await connection.reads(expected)
    connection.socket.destroy()
  })
})

test('a body in chunks that is refused early ends its connection', async () => {
  const connection = await connectRaw(server)
  connection.write(chunkedHead('/nowhere') + chunk('x') + LAST_CHUNK)
  expect(await connection.ended()).toMatch(/^HTTP\/1\.1 404 [^]*\r\nconnection: close\r\n/i)
})

test('415 for a coding names the ones that are understood', async () => {
  const reply = await server.post(EXECUTE, GOOD, { authorization: 'Bearer secret', 'content-encoding': 'br' })
  expect([reply.status, reply.headers.get('accept-encoding')]).toEqual([415, 'gzip, zstd, identity'])
})

test('201 has the location of the ruleset', async () => {
  const headers = { authorization: 'Bearer secret' }
  const created = await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'a.new-one' } }), headers)
  expect([created.status, created.headers.get('location')]).toEqual([201, '/api/v1/rulesets/a.new-one'])
  expect((await server.request('GET', created.headers.get('location') ?? '', { headers })).status).toBe(200)
  const updated = await server.post('/api/v1/rulesets', adultCheck(), headers)
  expect([updated.status, updated.headers.get('location')]).toEqual([200, null])
})

describe('a member that is optional may be null', () => {
  test.each([
    [EXECUTE, { input: { age: 20 }, trace: null }],
    [`${EXECUTE}/batch`, { inputs: [{}], options: null }],
    [`${EXECUTE}/batch`, { inputs: [{}], options: { trace: null, stop_on_error: null, parallel: null } }],
    ['/api/v1/eval', { expression: '1', context: null }],
    [
      '/api/v1/rulesets/adult-check/filter',
      {
        known_input: {},
        target_results: ['ADULT'],
        format: null,
        field_mapping: null,
        max_paths: null,
        nulls: null,
        not_null: null,
        columns: null,
        dialect: null,
        parameters: null,
      },
    ],
    [
      '/api/v1/rulesets/adult-check/filter',
      { known_input: {}, target_results: ['ADULT'], format: 'mongo', dialect: 'ansi', parameters: false },
    ],
    [
      '/api/v1/rulesets/adult-check/sql',
      { dialect: 'postgres', table: null, field_mapping: null, known_input: null, columns: null },
    ],
    [
      '/api/v1/rulesets',
      adultCheck({
        config: {
          version: null,
          description: null,
          field_missing: null,
          defaults: null,
          timeout_ms: null,
          max_depth: null,
          enable_trace: null,
          message_templates: null,
          metadata: null,
          tenant_id: null,
        },
        steps: {
          check: { id: 'check', name: null, type: 'decision', branches: null, default_next: 'act' },
          act: { id: 'act', name: null, type: 'action', actions: null, next_step: 'no' },
        },
      }),
    ],
  ])('%s %j', async (path, body) => {
    const reply = await server.post(path, body, { authorization: 'Bearer secret' })
    expect([reply.status, reply.text]).toEqual([200, expect.any(String)])
  })

  test('one that is required may not', async () => {
    const reply = await server.post('/api/v1/eval', { expression: null }, { authorization: 'Bearer secret' })
    expect([reply.status, reply.body.error]).toEqual([400, '`/expression` must be a string, found `null`'])
  })
})

describe('one number, one answer', () => {
  test.each([
    ['/api/v1/rulesets/adult-check/rollback', '{"seq":#}', ['1e16', '10000000000000000', '10000000000000000.0']],
    ['/api/v1/rulesets/adult-check/rollback', '{"seq":#}', ['99', '99.0', '9.9e1', '990e-1']],
    [
      '/api/v1/rulesets/adult-check/filter',
      '{"known_input":{},"target_results":["ADULT"],"max_paths":#}',
      ['1e16', '10000000000000000'],
    ],
    [
      '/api/v1/rulesets/adult-check/filter',
      '{"known_input":{},"target_results":["ADULT"],"max_paths":#}',
      ['7', '7.0', '70e-1'],
    ],
  ])('%s %s: %j', async (path, body, numbers) => {
    const replies = await Promise.all(
      numbers.map((number) => server.post(path, body.replace('#', number), { authorization: 'Bearer secret' })),
    )
    for (const { status, text } of replies) expect([status, text]).toEqual([replies[0]?.status, replies[0]?.text])
  })
})
