import { status } from '@grpc/grpc-js'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { engineClient } from '../grpc/client.testing.ts'
import { connectRaw } from './raw.testing.ts'
import { adultCheck, JSON_TYPE, startServer, type TestServer } from './server.testing.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const directory = mkdtempSync(join(tmpdir(), 'engine-sender-'))
const tokens = join(directory, 'tokens')
const digest = (token: string) => createHash('sha256').update(token).digest('hex')
writeFileSync(
  tokens,
  [
    `root:admin:${digest('root')}`,
    `reads:read:${digest('reads')}`,
    `runs:execute:${digest('runs')}`,
    `of-acme:admin:${digest('of-acme')}:acme`,
  ].join('\n'),
)
writeFileSync(join(directory, 'plain-tokens'), `root:admin:${digest('root')}`)
afterAll(() => rmSync(directory, { recursive: true }))

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const WITH_TOKENS = ['--multi-tenancy-enabled', '--api-tokens-file', tokens, '--grpc-addr', '127.0.0.1:0'] as const

describe('the identity is given once', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer(...WITH_TOKENS)
    await server.post('/api/v1/tenants', { id: 'acme' }, bearer('root'))
  })
  afterAll(() => server.stop())

  test.each<[lines: readonly string[], header: string]>([
    [['Authorization: Bearer root', 'Authorization: Bearer acme'], 'authorization'],
    [['authorization: Bearer root', 'AUTHORIZATION: Bearer root'], 'authorization'],
    [['x-api-key: root', 'X-API-Key: acme'], 'x-api-key'],
    [['authorization: Bearer root', 'x-tenant-id: acme', 'x-tenant-id: default'], 'x-tenant-id'],
    [['authorization: Bearer root', 'x-tenant-id: acme', 'accept: a', 'X-Tenant-Id: acme'], 'x-tenant-id'],
  ])('%j: 400, on every way', async (lines, header) => {
    for (const target of [
      'GET /api/v1/rulesets',
      'POST /api/v1/execute/limit',
      'GET /health',
      'DELETE /api/v1/rulesets/limit',
    ]) {
      const raw = await connectRaw(server)
      raw.write(`${target} HTTP/1.1\r\nhost: h\r\n${lines.join('\r\n')}\r\nconnection: close\r\n\r\n`)
      const answer = await raw.ended()
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toContain(`the header \`${header}\` must be given once, found 2`)
    }
  })

  test.each([
    ['x-api-key', 'root'],
    ['x-tenant-id', 'acme'],
  ])('metadata %s over gRPC as well', async (name, value) => {
    const client = engineClient(server.grpc)
    try {
      for (const [method, request] of [
        ['Execute', { name: 'limit', input_json: '{}' }],
        ['ListRuleSets', {}],
      ] as const)
        expect(
          await client.call(method, request, { metadata: { ...bearer('root'), [name]: [value, value] } }),
        ).toMatchObject({
          code: status.INVALID_ARGUMENT,
          details: `the metadata \`${name}\` must be given once`,
        })
    } finally {
      client.close()
    }
  })
})

describe('/health shows files', () => {
  const rules = join(directory, 'rules')
  let server: TestServer | undefined
  afterEach(() => server?.stop())

  const told = async (one: TestServer, headers: Record<string, string>) => {
    const { body } = await one.request('GET', '/health', { headers })
    const { rules_dir, rejected, rejected_count } = body.storage
    return [body.status, rules_dir, rejected.length, rejected_count]
  }

  beforeAll(async () => {
    const one = await startServer('--rules-dir', rules, '--multi-tenancy-enabled')
    await one.stop()
    writeFileSync(join(rules, 'default', 'secret-plan.json'), '{')
  })

  test('with authentication disabled', async () => {
    server = await startServer('--rules-dir', rules, '--multi-tenancy-enabled')
    expect(await told(server, {})).toEqual(['healthy', rules, 1, 1])
  })

  test.each<[sender: string, headers: Record<string, string>, isTold: boolean]>([
    ['a probe without a token', {}, false],
    ['an unknown token', bearer('nobody'), false],
    ['a token without the scope `read`', bearer('runs'), false],
    ['a token for some tenants', bearer('of-acme'), false],
    ['a token with the scope `read`', bearer('reads'), true],
    ['an admin', bearer('root'), true],
  ])('to %s only as far as it may know: %s', async (_sender, headers, isTold) => {
    server = await startServer(...WITH_TOKENS, '--rules-dir', rules)
    expect(await told(server, headers)).toEqual(['healthy', isTold ? rules : '', isTold ? 1 : 0, 1])
    const { text } = await server.request('GET', '/healthz/ready', { headers })
    expect(text.includes('secret-plan')).toBe(isTold)
  })
})

describe('the audit names the sender', () => {
  const audit = join(directory, 'audit')
  let server: TestServer
  /** The id that the server made for a request whose own was not sane. */
  let made = ''
  beforeAll(async () => {
    server = await startServer(...WITH_TOKENS, '--audit-dir', audit, '--audit-sample-rate', '100')
    const change = (method: string, path: string, token: string, body?: unknown, id?: string, tenant?: string) =>
      server.request(method, path, {
        headers: {
          ...JSON_TYPE,
          ...(token === '' ? {} : bearer(token)),
          ...(id === undefined ? {} : { 'x-request-id': id }),
          ...(tenant === undefined ? {} : { 'x-tenant-id': tenant }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    const ruleset = (version: string) => adultCheck({ config: { name: 'limit', version } })
    await change('POST', '/api/v1/tenants', 'root', { id: 'acme', max_rulesets: 1 }, 'create-acme')
    await change('PUT', '/api/v1/tenants/acme', 'root', { max_rulesets: 2 }, 'change-acme')
    await change('POST', '/api/v1/rulesets', 'of-acme', ruleset('1.0.0'), 'create', 'acme')
    const answered = await change('POST', '/api/v1/rulesets', 'of-acme', ruleset('1.1.0'), 'not sane: \u00e9', 'acme')
    made = answered.headers.get('x-request-id') ?? ''
    await change('POST', '/api/v1/execute/limit', 'of-acme', { input: { age: 20 } }, 'fast', 'acme')
    await change('POST', '/api/v1/execute/%6Cimit', 'root', { input: { age: 20 } }, 'routed', 'acme')
    await change('POST', '/api/v1/execute/limit/batch', 'root', { inputs: [{ age: 20 }] }, 'batch', 'acme')
    const client = engineClient(server.grpc)
    const call = { ...bearer('root'), 'x-tenant-id': 'acme' }
    for (const [method, request] of [
      ['Execute', { name: 'limit', input_json: '{"age": 20}' }],
      ['BatchExecute', { name: 'limit', inputs_json: ['{"age": 20}'] }],
    ] as const)
      await client.call(method, request, { metadata: { ...call, 'x-request-id': `grpc-${method}` } })
    client.close()
    await change('PUT', '/api/v1/config/audit-sample-rate', 'root', { sample_rate: 50 }, 'rate')
    await change('DELETE', '/api/v1/rulesets/limit', 'of-acme', undefined, 'delete', 'acme')
    // Refused: no token, an unknown one, a scope too few, another tenant, an unknown one, and a conflict.
    await change('POST', '/api/v1/rulesets', '', ruleset('2.0.0'), 'no-token')
    await change('POST', '/api/v1/rulesets', 'nobody', ruleset('2.0.0'), 'unknown-token')
    await change('DELETE', '/api/v1/rulesets/limit?x=1', 'reads', undefined, 'no-scope')
    await change('DELETE', '/api/v1/rulesets/limit', 'of-acme', undefined, 'other-tenant')
    await change('POST', '/api/v1/rulesets', 'root', ruleset('2.0.0'), 'unknown-tenant', 'nope')
    await change('DELETE', '/api/v1/tenants/default', 'root', undefined, 'conflict')
    // Invalid requests and reads are not refused for their sender.
    await change('POST', '/api/v1/rulesets', 'root', {}, 'wrong')
    await change('GET', '/api/v1/rulesets', 'nobody', undefined, 'reading')
    await change('DELETE', '/api/v1/tenants/acme', 'root', undefined, 'delete-acme')
    await server.stop()
  })

  type Line = Readonly<Record<string, unknown>>
  const lines = (tenant: string): readonly Line[] => {
    const [file = ''] = readdirSync(join(audit, tenant)).filter((name) => name.endsWith('.jsonl'))
    const text = readFileSync(join(audit, tenant, file), 'utf8').trim()
    return text.split('\n').map((line) => JSON.parse(line) as Line)
  }
  const senders = (tenant: string, of: RegExp) =>
    lines(tenant)
      .filter(({ event }) => of.test(String(event)))
      .map(({ event, token, address, request_id }) => [event, token, address, request_id])

  test('of changes of rulesets', () => {
    expect(made).toMatch(UUID)
    expect(senders('acme', /created|updated|deleted/)).toEqual([
      ['rule_created', 'of-acme', '127.0.0.1', 'create'],
      ['rule_updated', 'of-acme', '127.0.0.1', made],
      ['rule_deleted', 'of-acme', '127.0.0.1', 'delete'],
    ])
  })

  test('of executions, over HTTP and gRPC', () => {
    expect(senders('acme', /executed/)).toEqual([
      ['rule_executed', 'of-acme', '127.0.0.1', 'fast'],
      ['rule_executed', 'root', '127.0.0.1', 'routed'],
      ['rule_executed', 'root', '127.0.0.1', 'batch'],
      ['rule_executed', 'root', '127.0.0.1', 'grpc-Execute'],
      ['rule_executed', 'root', '127.0.0.1', 'grpc-BatchExecute'],
    ])
  })

  test('of changes of tenants and settings, with what changed', () => {
    const sender = (id: string) => ({ token: 'root', address: '127.0.0.1', request_id: id })
    expect(lines('').filter(({ event }) => /tenant|config/.test(String(event)))).toMatchObject([
      {
        event: 'tenant_created',
        tenant_id: 'acme',
        settings: { max_rulesets: 1, enabled: true },
        origin: 'api',
        ...sender('create-acme'),
      },
      {
        event: 'tenant_updated',
        tenant_id: 'acme',
        from: { max_rulesets: 1 },
        to: { max_rulesets: 2 },
        ...sender('change-acme'),
      },
      { event: 'config_changed', setting: 'audit_sample_rate', from: 100, to: 50, ...sender('rate') },
      { event: 'tenant_deleted', tenant_id: 'acme', ...sender('delete-acme') },
    ])
  })

  test('of changes that were refused', () => {
    const refused = lines('').filter(({ event }) => event === 'change_refused')
    expect(refused.map(({ request_id, status: found, token }) => [request_id, found, token])).toEqual([
      ['no-token', 401, undefined],
      ['unknown-token', 401, undefined],
      ['no-scope', 403, 'reads'],
      ['other-tenant', 403, 'of-acme'],
      ['unknown-tenant', 403, 'root'],
      ['conflict', 409, 'root'],
    ])
    expect(refused[2]).toMatchObject({
      method: 'DELETE',
      path: '/api/v1/rulesets/limit?x=1',
      reason: 'the token `reads` does not have the scope `write`',
      address: '127.0.0.1',
    })
    expect(refused[4]).toMatchObject({ tenant_id: 'nope', reason: 'the tenant `nope` is unknown' })
  })
})

test('over a Unix domain socket the address is `unix`', async () => {
  const audit = join(directory, 'audit-of-socket')
  const socketPath = join(directory, 'engine.sock')
  const server = await startServer('--audit-dir', audit, '--uds-path', socketPath, '--disable-http')
  const answered = await new Promise<number | undefined>((resolve, reject) => {
    const sent = ask({ socketPath, path: '/api/v1/rulesets', method: 'POST', headers: JSON_TYPE }, ({ statusCode }) =>
      resolve(statusCode),
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(adultCheck()))
  })
  await server.stop()
  const [file = ''] = readdirSync(audit)
  expect([answered, readFileSync(join(audit, file), 'utf8')]).toEqual([
    201,
    expect.stringMatching(/"rule_created".*"address":"unix"/),
  ])
})

test('refused changes beyond the limit of lines are counted in the next line', async () => {
  const audit = join(directory, 'audit-of-many')
  const server = await startServer('--audit-dir', audit, '--api-tokens-file', join(directory, 'plain-tokens'))
  const refuse = () => server.request('DELETE', '/api/v1/rulesets/limit')
  for (let round = 0; round < 4; round++) await Promise.all(Array.from({ length: 100 }, refuse))
  // Another second.
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await refuse()
  await server.stop()
  const [file = ''] = readdirSync(audit)
  const refused = readFileSync(join(audit, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'change_refused')
  const unlisted = refused.reduce((sum, { refused_without_line: count = 0 }) => sum + count, 0)
  expect(refused.length + unlisted).toBe(401)
  expect(refused.length).toBeLessThan(401)
})
