import { status } from '@grpc/grpc-js'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  DEBUG_ROUTES,
  METRICS_ROUTE,
  type Route,
  ROUTES,
  TENANT_ROUTES,
} from '../../apps/engine-server/src/http/routes.ts'
import { engineClient, type TestClient } from '../grpc/client.testing.ts'
import { adultCheck, JSON_TYPE, type Reply, startServer, type TestServer } from './server.testing.ts'

/**
 * Who may ask what: every kind of token, with every kind of tenant header, at every route, at the fast way of execute
 * and at every gRPC method. What is let in is recognised by the tenant that it was let in to.
 */

const directory = mkdtempSync(join(tmpdir(), 'engine-matrix-'))
let server: TestServer
let client: TestClient

const TOKENS = ['of-a', 'of-a-and-default', 'unbound', 'none', 'wrong'] as const
type TokenName = (typeof TOKENS)[number]
const HEADERS = [undefined, 'a', 'b'] as const
type Tenant = (typeof HEADERS)[number]

/** Tenants that a token is let in to, as the documents have it; the server as a whole is for the unbound one. */
const GOOD_FOR: Readonly<Record<TokenName, readonly string[]>> = {
  'of-a': ['a'],
  'of-a-and-default': ['a', 'default'],
  unbound: ['a', 'b', 'default'],
  none: [],
  wrong: [],
}

const credentialsOf = (token: TokenName): Record<string, string> =>
  token === 'none' ? {} : { authorization: `Bearer ${token}` }
const tenantHeader = (tenant: Tenant): Record<string, string> => (tenant === undefined ? {} : { 'x-tenant-id': tenant })

type Outcome = 'admitted' | 'unauthorized' | 'forbidden'

/** The expected outcome of a request for rulesets of a tenant. */
function outcomeOf(token: TokenName, tenant: Tenant): Outcome {
  if (token === 'none' || token === 'wrong') return 'unauthorized'
  return GOOD_FOR[token].includes(tenant ?? 'default') ? 'admitted' : 'forbidden'
}

/** The expected outcome of one for the server as a whole. */
function serverOutcomeOf(token: TokenName): Outcome {
  if (token === 'none' || token === 'wrong') return 'unauthorized'
  return token === 'unbound' ? 'admitted' : 'forbidden'
}

const cases = TOKENS.flatMap((token) => HEADERS.map((tenant) => [token, tenant] as const))

beforeAll(async () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  const tokens = join(directory, 'tokens')
  writeFileSync(
    tokens,
    [
      `of-a:admin:${digest('of-a')}:a`,
      `of-a-and-default:admin:${digest('of-a-and-default')}:a,default`,
      `unbound:admin:${digest('unbound')}`,
    ].join('\n'),
  )
  server = await startServer(
    '--multi-tenancy-enabled',
    '--debug-mode',
    '--api-tokens-file',
    tokens,
    '--grpc-addr',
    '127.0.0.1:0',
  )
  client = engineClient(server.grpc)
  for (const id of ['a', 'b']) await server.post('/api/v1/tenants', { id }, credentialsOf('unbound'))
  for (const tenant of HEADERS) {
    const code = `OF-${tenant ?? 'default'}`
    const ruleset = adultCheck({
      config: { name: 'limit' },
      steps: { yes: { id: 'yes', type: 'terminal', result: { code, message: '' } } },
    })
    const stored = await server.post('/api/v1/rulesets', ruleset, {
      ...credentialsOf('unbound'),
      ...tenantHeader(tenant),
    })
    if (stored.status !== 201) throw new Error(stored.text)
  }
})

afterAll(async () => {
  client.close()
  await server.stop()
  rmSync(directory, { recursive: true })
})

const outcome = ({ status: found }: Reply): Outcome =>
  found === 401 ? 'unauthorized' : found === 403 ? 'forbidden' : 'admitted'

/** A request with a body that no route accepts, so that no test changes the state of another. */
function ask({ method, path }: Route, headers: Record<string, string>): Promise<Reply> {
  const hasBody = method === 'POST' || method === 'PUT'
  return server.request(method, path.replace(/:\w+/, 'nobody'), {
    headers: { ...headers, ...(hasBody ? JSON_TYPE : {}) },
    ...(hasBody ? { body: '[]' } : {}),
  })
}

const titled = (route: Route) => [`${route.method} ${route.path}`, route] as const
const ALL = [...ROUTES, ...TENANT_ROUTES, METRICS_ROUTE, ...DEBUG_ROUTES]
const asking = ALL.filter(({ scope }) => scope !== undefined)

describe.each(cases)('with the token %s and the tenant %s', (token, tenant) => {
  const headers = { ...credentialsOf(token), ...tenantHeader(tenant) }

  test.each(asking.filter(({ isServerWide }) => !isServerWide).map(titled))('%s', async (_title, route) => {
    const reply = await ask(route, headers)
    expect([outcome(reply), reply.text]).toEqual([outcomeOf(token, tenant), expect.any(String)])
  })

  test.each(asking.filter(({ isServerWide }) => isServerWide).map(titled))('%s', async (_title, route) => {
    expect(outcome(await ask(route, headers))).toBe(serverOutcomeOf(token))
  })

  test.each(ALL.filter(({ scope }) => scope === undefined).map(titled))('%s needs no token', async (_title, route) => {
    expect((await ask(route, headers)).status).toBe(200)
  })

  const expected = outcomeOf(token, tenant)
  const code = `OF-${tenant ?? 'default'}`

  test.each([
    ['fast', '/api/v1/execute/limit'],
    // A name that has to be decoded goes through the router.
    ['routed', '/api/v1/execute/%6Cimit'],
  ])('execute on the %s way decides by the rules of that tenant', async (_way, path) => {
    const reply = await server.post(path, { input: { age: 20 } }, headers)
    expect([outcome(reply), reply.body.code]).toEqual([
      expected,
      expected === 'admitted' ? code : expected.toUpperCase(),
    ])
  })

  const GRPC = { admitted: undefined, unauthorized: status.UNAUTHENTICATED, forbidden: status.PERMISSION_DENIED }
  const METHODS: readonly (readonly [method: string, request: object, tells: boolean])[] = [
    ['Execute', { name: 'limit', input_json: '{"age": 20}' }, true],
    ['BatchExecute', { name: 'limit', inputs_json: ['{"age": 20}'] }, true],
    ['GetRuleSet', { name: 'limit' }, true],
    ['ListRuleSets', {}, false],
    ['Eval', { expression: '1', context_json: '{}' }, false],
  ]
  test.each(METHODS)('gRPC %s', async (method, request, tells) => {
    const reply = await client.call(method, request, { metadata: headers })
    if ('code' in reply) expect(reply.code).toBe(GRPC[expected])
    else {
      expect(expected).toBe('admitted')
      if (tells) expect(JSON.stringify(reply.message)).toContain(code)
    }
  })

  test('gRPC ExecuteStream', async () => {
    const stream = client.stream('ExecuteStream', headers)
    const ended = new Promise<{ readonly code?: number; readonly text: string }>((resolve) => {
      let text = ''
      stream.on('data', (message) => (text += JSON.stringify(message)))
      stream.on('error', (error: Error & { code: number }) => resolve({ code: error.code, text }))
      stream.on('end', () => resolve({ text }))
    })
    stream.write({ name: 'limit', input_json: '{"age": 20}' })
    stream.end()
    const { code: found, text } = await ended
    if (expected === 'admitted') expect(text).toContain(code)
    else expect([found, text]).toEqual([GRPC[expected], ''])
  })

  test('gRPC Health needs no token', async () => {
    expect(await client.call('Health', {}, { metadata: headers })).toHaveProperty('message')
  })
})

test('every gRPC method is in the table', async () => {
  const { proto } = await import('@engine/api/proto')
  expect(proto.EngineService.methods.map(({ name }) => name).sort()).toEqual([
    'BatchExecute',
    'Eval',
    'Execute',
    'ExecuteStream',
    'GetRuleSet',
    'Health',
    'ListRuleSets',
  ])
})
