import { status } from '@grpc/grpc-js'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { adultCheck, startServer, type TestServer } from './server.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-trace-values-'))
const tokens = join(directory, 'tokens')
const line = (name: string, scopes: string) =>
  `${name}:${scopes}:${createHash('sha256').update(`${name}-token`).digest('hex')}`
writeFileSync(tokens, [line('runs', 'execute'), line('traces', 'execute,trace'), line('ops', 'admin')].join('\n'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const EXECUTE = '/api/v1/execute/adult-check'
const NDJSON = { 'content-type': 'application/x-ndjson' }
const STEP = { id: 'check', branch: 0, condition: 'age >= 18', values: { age: 20 } }

/** The same request in each of its forms, and the first step of its trace. */
const FORMS: readonly (readonly [
  string,
  (server: TestServer, headers: Record<string, string>) => Promise<{ status: number; step: unknown; body: unknown }>,
])[] = [
  ['one input', (server, headers) => send(server, EXECUTE, { input: { age: 20 }, ...TRACED }, headers)],
  [
    'one input, with its report',
    (server, headers) =>
      send(server, EXECUTE, { input: { age: 20 }, ...TRACED }, { ...headers, 'x-engine-report': '1' }),
  ],
  [
    'one input by an encoded name',
    (server, headers) => send(server, EXECUTE.replace('-', '%2d'), { input: { age: 20 }, ...TRACED }, headers),
  ],
  [
    'a batch',
    (server, headers) => send(server, `${EXECUTE}/batch`, { inputs: [{ age: 20 }], options: TRACED }, headers),
  ],
  [
    'a batch by its query',
    (server, headers) =>
      send(server, `${EXECUTE}/batch?trace=true&trace_values=true`, { inputs: [{ age: 20 }] }, headers),
  ],
  [
    'lines',
    async (server, headers) => {
      const path = `${EXECUTE}/batch?trace=true&trace_values=true`
      const answer = await server.request('POST', path, { body: '{"age": 20}\n', headers: { ...NDJSON, ...headers } })
      return { status: answer.status, step: answer.body?.trace?.steps[0], body: answer.body }
    },
  ],
]

const TRACED = { trace: true, trace_values: true }

async function send(server: TestServer, path: string, body: object, headers: Record<string, string>) {
  const answer = await server.post(path, body, headers)
  const result = answer.body?.results?.[0] ?? answer.body
  return { status: answer.status, step: result?.trace?.steps[0], body: answer.body }
}

describe('without tokens', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
    await server.post('/api/v1/rulesets', adultCheck())
  })
  afterAll(() => server.stop())

  test.each(FORMS)('%s shows values on request', async (_form, run) => {
    expect(await run(server, {})).toMatchObject({ status: 200, step: STEP })
  })

  test('a trace alone shows none', async () => {
    const { body } = await server.post(EXECUTE, { input: { age: 20 }, trace: true })
    expect(body.trace.steps[0]).toEqual({
      id: 'check',
      name: 'Old enough?',
      duration_us: expect.any(Number),
      branch: 0,
      condition: 'age >= 18',
    })
  })

  test.each([
    [
      `${EXECUTE}/batch`,
      { inputs: [{}], options: { trace_values: true } },
      '`/options/trace_values` adds values to a trace',
    ],
    [`${EXECUTE}/batch?trace_values=true`, { inputs: [{}] }, '`/options/trace_values` adds values to a trace'],
  ])('values without a trace are refused: %s', async (path, body, message) => {
    const answer = await server.post(path, body)
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(message)])
  })

  test('so they are of lines', async () => {
    const answer = await server.request('POST', `${EXECUTE}/batch?trace_values=true`, { body: '{}\n', headers: NDJSON })
    expect([answer.status, answer.body.error]).toEqual([
      400,
      'the query parameter `trace_values` adds values to a trace: it needs `trace` to be `true`',
    ])
  })
})

describe('with tokens', () => {
  let server: TestServer
  let client: TestClient
  beforeAll(async () => {
    server = await startServer('--api-tokens-file', tokens, '--grpc-addr', '127.0.0.1:0')
    client = engineClient(server.grpc)
    await server.post('/api/v1/rulesets', adultCheck(), bearer('ops'))
  })
  afterAll(async () => {
    client.close()
    await server.stop()
  })
  const bearer = (name: string) => ({ authorization: `Bearer ${name}-token` })

  test.each(FORMS)('%s needs the scope `trace`', async (_form, run) => {
    expect(await run(server, bearer('runs'))).toMatchObject({
      status: 403,
      body: { error: 'the token `runs` does not have the scope `trace`' },
    })
    for (const name of ['traces', 'ops'])
      expect(await run(server, bearer(name))).toMatchObject({ status: 200, step: STEP })
  })

  test.each([
    ['Execute', { name: 'adult-check', input_json: '{"age": 20}', ...TRACED }],
    ['BatchExecute', { name: 'adult-check', inputs_json: ['{"age": 20}'], ...TRACED }],
  ])('%s of gRPC needs it too', async (method, message) => {
    const refused = { code: status.PERMISSION_DENIED, details: 'the token `runs` does not have the scope `trace`' }
    expect(await client.call(method, message, { metadata: bearer('runs') })).toEqual(refused)
    expect(await client.call(method, message, { metadata: bearer('traces') })).toHaveProperty('message')
  })
})
