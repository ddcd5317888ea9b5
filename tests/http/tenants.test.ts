import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync, renameSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { engineClient } from '../grpc/client.testing.ts'
import { adultCheck, endless, type Reply, startServer, type TestServer } from './server.testing.ts'

let directory: string
let server: TestServer | undefined

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'engine-tenants-'))
})

afterEach(async () => {
  await server?.stop()
  server = undefined
  rmSync(directory, { recursive: true })
})

async function started(...options: readonly string[]): Promise<TestServer> {
  server = await startServer('--multi-tenancy-enabled', ...options)
  return server
}

const as = (tenant: string) => ({ 'x-tenant-id': tenant })

/** A ruleset that names its tenant. */
const owned = (owner: string, config: object = {}) =>
  adultCheck({
    config: { name: 'limit', ...config },
    steps: { yes: { id: 'yes', type: 'terminal', result: { code: owner, message: `of ${owner}` } } },
  })

async function withTenants(...options: readonly string[]): Promise<TestServer> {
  const one = await started(...options)
  for (const id of ['a', 'b']) {
    expect((await one.post('/api/v1/tenants', { id })).status).toBe(201)
    expect((await one.post('/api/v1/rulesets', owned(`OF-${id}`), as(id))).status).toBe(201)
  }
  return one
}

const decide = (one: TestServer, tenant: string, name = 'limit') =>
  one.post(`/api/v1/execute/${name}`, { input: { age: 20 } }, as(tenant))
const code = ({ body }: Reply) => body.code as string

describe('isolation', () => {
  test('rulesets of one name live side by side, and each tenant sees its own', async () => {
    const one = await withTenants()
    expect([code(await decide(one, 'a')), code(await decide(one, 'b'))]).toEqual(['OF-a', 'OF-b'])
    expect((await one.request('GET', '/api/v1/rulesets')).body).toEqual([])
    expect((await one.post('/api/v1/rulesets', owned('NEW', { name: 'only-a' }), as('a'))).status).toBe(201)
    for (const [method, path] of [
      ['GET', '/api/v1/rulesets/only-a'],
      ['DELETE', '/api/v1/rulesets/only-a'],
      ['GET', '/api/v1/rulesets/only-a/versions'],
      ['POST', '/api/v1/rulesets/only-a/rollback'],
      ['POST', '/api/v1/rulesets/only-a/filter'],
      ['POST', '/api/v1/rulesets/only-a/sql'],
      ['POST', '/api/v1/rulesets/only-a/analyze'],
      ['POST', '/api/v1/rulesets/only-a/impact'],
      ['POST', '/api/v1/rulesets/only-a/why-not'],
      ['POST', '/api/v1/execute/only-a'],
      ['POST', '/api/v1/execute/only-a/batch'],
    ] as const) {
      const body = {
        seq: 1,
        input: {},
        inputs: [{}],
        known_input: {},
        target_results: ['x'],
        dialect: 'postgres',
        code: 'x',
      }
      const headers = { 'content-type': 'application/json', ...as('b') }
      const reply = await one.request(
        method,
        path,
        method === 'POST' ? { headers, body: JSON.stringify(body) } : { headers },
      )
      expect([path, reply.status], reply.text).toEqual([path, 404])
    }
    expect((await one.request('GET', '/api/v1/rulesets/only-a', { headers: as('a') })).status).toBe(200)
  })

  test('no spelling of a name reaches into another tenant', async () => {
    const one = await withTenants('--rules-dir', directory)
    const names = [
      '../a/limit',
      '..%2fa%2flimit',
      '..%2Fa%2Flimit',
      '%2e%2e%2fa%2flimit',
      '..%5ca%5climit',
      'a/limit',
      'a%2flimit',
      'a%252flimit',
      '%2fa%2flimit',
      './limit/../../a/limit',
      'limit%00',
      'limit%20',
      'LIMIT',
      'ｌimit',
      'a:limit',
      '..;/a/limit',
    ]
    for (const name of names) {
      const replies = [
        await decide(one, 'b', name),
        await one.request('GET', `/api/v1/rulesets/${name}`, { headers: as('b') }),
        await one.request('GET', `/api/v1/rulesets/${name}/versions`, { headers: as('b') }),
        await one.request('DELETE', `/api/v1/rulesets/${name}`, { headers: as('b') }),
      ]
      for (const { status: found, text } of replies) {
        // A URL parser may fold `../a/limit` into another path, which is none of ours or `a`'s.
        expect([400, 404, 405], name).toContain(found)
        expect(text, name).not.toContain('OF-a')
      }
    }
    for (const tenant of ['../a', 'a/../b/../a', 'a%2f..', 'A', 'a ', ' a,b', 'a, a', 'default/../a', '%61']) {
      const reply = await decide(one, tenant)
      // A client or a server may trim blanks around a value; the rest must be a whole id.
      if (tenant.trim() === 'a') expect(code(reply)).toBe('OF-a')
      else expect([tenant, reply.status, reply.body.code]).toEqual([tenant, 403, 'FORBIDDEN'])
    }
    expect(code(await decide(one, 'a'))).toBe('OF-a')
  })

  test('a ruleset calls those of its own tenant only', async () => {
    const one = await withTenants()
    const calling = {
      config: { name: 'calls', entry_step: 'ask' },
      steps: {
        ask: {
          id: 'ask',
          type: 'action',
          actions: [{ action: 'call_ruleset', ruleset_name: 'limit', result_variable: 'r' }],
          next_step: 'end',
        },
        end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '', output: [['r', '$r.code']] } },
      },
    }
    for (const tenant of ['a', 'b']) await one.post('/api/v1/rulesets', calling, as(tenant))
    await one.post('/api/v1/rulesets', calling)
    expect((await decide(one, 'a', 'calls')).body.output).toEqual({ r: 'OF-a' })
    expect((await decide(one, 'b', 'calls')).body.output).toEqual({ r: 'OF-b' })
    expect((await decide(one, 'default', 'calls')).status).toBe(500)
  })

  test('files, versions and audit are in folders of their own', async () => {
    const rules = join(directory, 'rules')
    const audit = join(directory, 'audit')
    const one = await withTenants('--rules-dir', rules, '--audit-dir', audit, '--audit-sample-rate', '100')
    await one.post('/api/v1/rulesets', owned('NEW-a'), as('a'))
    await decide(one, 'b')
    const { body } = await one.request('GET', '/api/v1/rulesets/limit/versions', { headers: as('a') })
    expect(body.versions).toHaveLength(1)
    expect((await one.request('GET', '/api/v1/rulesets/limit/versions', { headers: as('b') })).body.versions).toEqual(
      [],
    )
    await one.stop()
    server = undefined
    expect(readdirSync(rules).sort()).toEqual(['.lock', 'a', 'b', 'default', 'tenants.json'])
    expect(readdirSync(join(rules, 'a', '.versions'))).toEqual(['limit'])
    expect(readdirSync(join(rules, 'b')).sort()).toEqual(['limit.json'])
    const lines = (tenant: string) => {
      const [file = ''] = readdirSync(join(audit, tenant)).filter((name) => name.endsWith('.jsonl'))
      const text = readFileSync(join(audit, tenant, file), 'utf8').trim()
      return text.split('\n').map((line): Record<string, unknown> => JSON.parse(line))
    }
    expect(lines('a').map(({ event, tenant_id }) => [event, tenant_id])).toEqual([
      ['rule_created', 'a'],
      ['rule_updated', 'a'],
    ])
    expect(lines('b').map(({ event, tenant_id }) => [event, tenant_id])).toEqual([
      ['rule_created', 'b'],
      ['rule_executed', 'b'],
    ])
    expect(lines('').map(({ event, tenant_id }) => [event, tenant_id])).toEqual([
      ['server_started', undefined],
      ['tenant_created', 'a'],
      ['tenant_created', 'b'],
      ['server_stopped', undefined],
    ])
    // Everything is there again.
    const again = await started('--rules-dir', rules)
    expect([code(await decide(again, 'a')), code(await decide(again, 'b'))]).toEqual(['NEW-a', 'OF-b'])
    expect((await again.request('GET', '/health')).body.storage).toMatchObject({ rules_dir: rules, rules_count: 2 })
  })

  test('metrics have the tenant', async () => {
    const one = await withTenants()
    await decide(one, 'a')
    const { text } = await one.request('GET', '/metrics')
    expect(text).toContain('engine_executions_total{tenant="a",ruleset="limit",result="success"} 1')
    expect(text).toContain('engine_execution_duration_seconds_count{tenant="a",ruleset="limit"} 1')
    expect(text).not.toContain('tenant="b",ruleset="limit",result="success"} 1')
    expect(text).toContain('engine_rules_total 2')
  })

  test('gRPC takes the tenant from its metadata', async () => {
    const one = await withTenants('--grpc-addr', '127.0.0.1:0')
    const client = engineClient(one.grpc)
    const ask = (metadata: Record<string, string>) =>
      client.call('Execute', { name: 'limit', input_json: '{"age": 20}' }, { metadata })
    try {
      expect(await ask(as('a'))).toMatchObject({ message: { code: 'OF-a' } })
      expect(await ask(as('b'))).toMatchObject({ message: { code: 'OF-b' } })
      expect(await ask({})).toMatchObject({ code: status.NOT_FOUND })
      expect(await ask(as('c'))).toMatchObject({
        code: status.PERMISSION_DENIED,
        details: 'the tenant `c` is unknown',
      })
    } finally {
      client.close()
    }
  })

  test('`config.tenant_id`, where it is given, must be the tenant', async () => {
    const one = await withTenants()
    const { status: refused, body } = await one.post('/api/v1/rulesets', owned('X', { tenant_id: 'a' }), as('b'))
    expect([refused, body.details]).toEqual([
      400,
      [
        expect.objectContaining({
          path: '/config/tenant_id',
          message: 'is `a`, and the ruleset would be one of tenant `b`',
        }),
      ],
    ])
    expect((await one.post('/api/v1/rulesets', owned('X', { tenant_id: 'a' }), as('a'))).status).toBe(200)
  })
})

describe('limits', () => {
  test('requests a second: 429 with the time to wait, and counted; other tenants are unaffected', async () => {
    const one = await withTenants()
    await one.request('PUT', '/api/v1/tenants/a', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ qps_limit: 3 }),
    })
    const replies = await Promise.all(Array.from({ length: 8 }, () => decide(one, 'a')))
    const refused = replies.filter((reply) => reply.status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(4)
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(3)
    expect([refused[0]?.headers.get('retry-after'), refused[0]?.body]).toEqual([
      '1',
      { error: 'the tenant `a` is limited to 3 requests per second', code: 'TOO_MANY_REQUESTS' },
    ])
    expect((await decide(one, 'b')).status).toBe(200)
    const { text } = await one.request('GET', '/metrics')
    expect(text).toContain(`engine_tenant_rate_limited_total{tenant="a"} ${refused.length}`)
  })

  test('rulesets: the one too many is refused, also when several come at once; updates are not', async () => {
    const one = await started('--rules-dir', directory)
    await one.post('/api/v1/tenants', { id: 'a', max_rulesets: 3 })
    const put = (name: string) => one.post('/api/v1/rulesets', owned('X', { name }), as('a'))
    const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => put(`r${index}`)))
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(3)
    const refused = replies.find((reply) => reply.status !== 201)
    expect([refused?.status, refused?.body]).toEqual([
      409,
      { error: 'no more than 3 rulesets may be stored (max_rulesets)', code: 'CONFLICT' },
    ])
    expect((await one.request('GET', '/api/v1/tenants/a')).body.rules_count).toBe(3)
    const [{ name }] = (await one.request('GET', '/api/v1/rulesets', { headers: as('a') })).body
    expect((await put(name)).status).toBe(200)
  })

  test('time: no ruleset may exceed the limit of its tenant, from the change on', async () => {
    const one = await started()
    await one.post('/api/v1/tenants', { id: 'a' })
    const loop = endless('loops', { timeout_ms: 20_000 })
    await one.post('/api/v1/rulesets', loop, as('a'))
    await one.request('PUT', '/api/v1/tenants/a', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ execution_timeout_ms: 15 }),
    })
    expect((await decide(one, 'a', 'loops')).body.error).toContain('exceeded 15 ms')
  })

  test('rules of tenants do not reach private addresses unless the operator says so', async () => {
    const one = await withTenants()
    const call = { action: 'external_call', service: 'network.http', method: 'get', result_variable: 'r' }
    await one.post(
      '/api/v1/rulesets',
      {
        config: { name: 'calls', entry_step: 'ask' },
        steps: {
          ask: {
            id: 'ask',
            type: 'action',
            actions: [{ ...call, params: [['url', '"http://127.0.0.1:1/"']] }],
            next_step: 'end',
          },
          end: { id: 'end', type: 'terminal', result: { code: 'DONE', message: '' } },
        },
      },
      as('a'),
    )
    expect((await decide(one, 'a', 'calls')).body.error).toContain('`127.0.0.1` is a private address')
  })
})

describe('tenants by API', () => {
  const put = (one: TestServer, id: string, body: object) =>
    one.request('PUT', `/api/v1/tenants/${id}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  test('are created, listed, changed, disabled and deleted', async () => {
    const one = await started('--rules-dir', directory)
    const created = await one.post('/api/v1/tenants', { id: 'shop-1', name: 'Shop', metadata: { plan: 'gold' } })
    const shop = {
      id: 'shop-1',
      name: 'Shop',
      enabled: true,
      qps_limit: null,
      max_rulesets: null,
      execution_timeout_ms: null,
      metadata: { plan: 'gold' },
      rules_count: 0,
    }
    expect([created.status, created.body]).toEqual([201, shop])
    expect((await one.request('GET', '/api/v1/tenants/shop-1')).body).toEqual(shop)
    const { body: list } = await one.request('GET', '/api/v1/tenants')
    expect(list.map(({ id }: { id: string }) => id)).toEqual(['default', 'shop-1'])
    expect((await put(one, 'shop-1', { enabled: false })).body).toMatchObject({ name: 'shop-1', enabled: false })
    expect((await decide(one, 'shop-1')).body).toEqual({ error: 'the tenant `shop-1` is disabled', code: 'FORBIDDEN' })
    expect(JSON.parse(readFileSync(join(directory, 'tenants.json'), 'utf8'))).toMatchObject({
      'shop-1': { enabled: false },
    })
    await put(one, 'shop-1', {})
    await one.post('/api/v1/rulesets', owned('X'), as('shop-1'))
    const kept = await one.request('DELETE', '/api/v1/tenants/shop-1')
    expect([kept.status, kept.body.error]).toEqual([409, 'the tenant `shop-1` still has 1 rulesets: delete them first'])
    await one.request('DELETE', '/api/v1/rulesets/limit', { headers: as('shop-1') })
    expect((await one.request('DELETE', '/api/v1/tenants/shop-1')).status).toBe(204)
    expect((await decide(one, 'shop-1')).status).toBe(403)
    expect(JSON.parse(readFileSync(join(directory, 'tenants.json'), 'utf8'))).toEqual({})
  })

  test.each<[string, string, object | undefined, number, string | RegExp]>([
    ['POST', '/api/v1/tenants', {}, 400, '`/id` is missing'],
    ['POST', '/api/v1/tenants', { id: '../x' }, 400, '`/id` must be 1 to 64 letters, digits, `_` or `-`'],
    ['POST', '/api/v1/tenants', { id: 'tenants' }, 400, /`\/id` is reserved/],
    [
      'POST',
      '/api/v1/tenants',
      { id: 'x', qps_limit: 'many', max_rulesets: 0 },
      400,
      '`/qps_limit` must be a whole number, found the string `many`; `/max_rulesets` must be at least 1, found 0',
    ],
    ['POST', '/api/v1/tenants', { id: 'x', enabled: 1 }, 400, '`/enabled` must be `true` or `false`, found `1`'],
    ['POST', '/api/v1/tenants', { id: 'a' }, 409, 'the tenant `a` already exists'],
    ['POST', '/api/v1/tenants', { id: 'A' }, 409, 'the tenant `a` already exists'],
    ['GET', '/api/v1/tenants/nope', undefined, 404, 'tenant `nope` not found'],
    ['PUT', '/api/v1/tenants/nope', {}, 404, 'tenant `nope` not found'],
    ['PUT', '/api/v1/tenants/a', { max_rulesets: -1 }, 400, /\/max_rulesets/],
    ['DELETE', '/api/v1/tenants/nope', undefined, 404, 'tenant `nope` not found'],
    ['DELETE', '/api/v1/tenants/default', undefined, 409, 'the tenant `default` cannot be deleted'],
    ['PATCH', '/api/v1/tenants/a', undefined, 405, /answers GET, HEAD, PUT, DELETE/],
  ])('%s %s %j: %d', async (method, path, body, expected, message) => {
    const one = await started()
    await one.post('/api/v1/tenants', { id: 'a' })
    const reply = await one.request(method, path, {
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    expect([reply.status, reply.body.error]).toEqual([
      expected,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ])
  })

  test('are in the description of the interface, and so is the header', async () => {
    const one = await started()
    const { paths, components } = (await one.request('GET', '/api/v1/openapi.json')).body
    const headers = (path: string, method: string) =>
      (paths[path][method].parameters ?? [])
        .map((found: { $ref?: string }) => components.parameters[found.$ref?.split('/').at(-1) ?? ''] ?? found)
        .filter((parameter: { in: string }) => parameter.in === 'header')
        .map(({ name }: { name: string }) => name)
    expect(headers('/api/v1/execute/{name}', 'post')).toEqual(['x-engine-report', 'x-tenant-id'])
    expect(headers('/api/v1/rulesets', 'post')).toEqual([
      'if-match',
      'if-none-match',
      'x-engine-signature',
      'x-engine-public-key',
      'x-tenant-id',
    ])
    expect(headers('/api/v1/tenants', 'get')).toEqual([])
  })

  test('do not exist without the option, and the header is ignored', async () => {
    server = await startServer()
    expect((await server.request('GET', '/api/v1/tenants')).status).toBe(404)
    await server.post('/api/v1/rulesets', owned('X'), as('a'))
    expect(code(await decide(server, 'b'))).toBe('X')
  })
})

describe('tenants.json', () => {
  const file = () => join(directory, 'tenants.json')
  const replace = (text: string) => {
    writeFileSync(`${file()}.new`, text)
    renameSync(`${file()}.new`, file())
  }

  test('is watched: tenants come, change and go with it', async () => {
    writeFileSync(file(), '{"a": {}}')
    const one = await started('--rules-dir', directory)
    await one.post('/api/v1/rulesets', owned('OF-a'), as('a'))
    expect((await decide(one, 'b')).status).toBe(403)
    replace('{"a": {"enabled": false}, "b": {}}')
    await expect.poll(async () => (await decide(one, 'b')).status).toBe(404)
    expect((await decide(one, 'a')).status).toBe(403)
    replace('{"a": {}}')
    await expect.poll(async () => code(await decide(one, 'a'))).toBe('OF-a')
    expect((await decide(one, 'b')).status).toBe(403)
  })

  test('that is broken later is logged, and changes nothing', async () => {
    writeFileSync(file(), '{"a": {}}')
    const one = await started('--rules-dir', directory)
    replace('{"a": {}, "b"')
    await expect.poll(() => one.logged).toContain('error: tenants.json is invalid: the tenants are unchanged')
    expect((await decide(one, 'a')).status).toBe(404)
  })

  test('that is broken at start ends the start', async () => {
    writeFileSync(file(), '{"a b": {}}')
    await expect(started('--rules-dir', directory)).rejects.toThrow('tenants.json: `a b` must be 1 to 64 letters')
  })

  test('rule files next to the folders cause a warning, and are not served', async () => {
    writeFileSync(join(directory, 'limit.json'), JSON.stringify(owned('OLD')))
    mkdirSync(join(directory, 'default'))
    const one = await started('--rules-dir', directory)
    expect(one.logged).toContain("warn: files outside the tenants' folders are not served: move them into `default/`")
    expect((await one.request('GET', '/api/v1/rulesets')).body).toEqual([])
  })
})

test('a token may be for some tenants only', async () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, `root:admin:${digest('root')}\nteam:admin:${digest('team')}:a,default\n`)
  const one = await started('--api-tokens-file', tokens)
  const root = { authorization: 'Bearer root' }
  const team = { authorization: 'Bearer team' }
  for (const id of ['a', 'b']) expect((await one.post('/api/v1/tenants', { id }, root)).status).toBe(201)
  const list = async (headers: Record<string, string>) => {
    const reply = await one.request('GET', '/api/v1/rulesets', { headers })
    return reply.status === 200 ? 200 : reply.body.error
  }
  expect(await list({ ...root, ...as('b') })).toBe(200)
  expect(await list({ ...team, ...as('a') })).toBe(200)
  expect(await list(team)).toBe(200)
  expect(await list({ ...team, ...as('b') })).toBe('the token `team` is not for the tenant `b`')
  expect((await one.request('GET', '/api/v1/tenants', { headers: team })).body.error).toBe(
    'the token `team` is only for tenants, not for the server',
  )
  await one.stop()
  server = undefined
  await expect(startServer('--api-tokens-file', tokens)).rejects.toThrow(
    'the token `team` is for tenants, and --multi-tenancy-enabled is off',
  )
})
