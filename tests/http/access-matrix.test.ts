import { loadPackageDefinition, status } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Route, ROUTES } from '../../apps/engine-server/src/http/routes.ts'
import { DEBUG_ROUTES } from '../../apps/engine-server/src/http/routes/debug.ts'
import { METRICS_ROUTE } from '../../apps/engine-server/src/http/routes/operation.ts'
import { TENANT_ROUTES } from '../../apps/engine-server/src/http/routes/tenants.ts'
import { clientOf, engineClient, LOADING, type TestClient } from '../grpc/client.testing.ts'
import { begin, sessionOf } from '../grpc/raw-call.testing.ts'
import { adultCheck, JSON_TYPE, type Reply, startServer, type TestServer } from './server.testing.ts'

/**
 * Which caller may do what: every kind of token, with every kind of tenant header, at every route, at the fast way of execute
 * and at every gRPC method. An accepted request is recognised by the tenant that it reached.
 */

const ORIGIN_PROTO = join(import.meta.dirname, '../../packages/api/proto/ordo/v1/ordo.proto')

const directory = mkdtempSync(join(tmpdir(), 'engine-matrix-'))
let server: TestServer
const clients = new Map<string, TestClient>()
/** Method and route of everything that the server offers, and its methods of gRPC, as its metrics name them. */
let offered: { readonly routes: readonly string[]; readonly methods: readonly string[] }

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
    '--grpc-origin-service',
  )
  clients.set('engine.EngineService', engineClient(server.grpc))
  const origin = loadPackageDefinition(loadSync(ORIGIN_PROTO, LOADING))
  clients.set('ordo.v1.OrdoService', clientOf(origin, 'ordo.v1.OrdoService', server.grpc))
  const { text } = await server.request('GET', '/metrics', { headers: credentialsOf('unbound') })
  const named = (series: RegExp) => [...new Set(Array.from(text.matchAll(series), ([, ...names]) => names.join(' ')))]
  offered = {
    routes: named(/^engine_http_requests_total\{method="(.*?)",route="(\/.*?)"/gm),
    methods: named(/^engine_grpc_calls_total\{method="(.*?)"/gm),
  }
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
  for (const client of clients.values()) client.close()
  await server.stop()
  rmSync(directory, { recursive: true })
})

const GRPC = { admitted: undefined, unauthorized: status.UNAUTHENTICATED, forbidden: status.PERMISSION_DENIED }
const METHODS: readonly (readonly [service: string, method: string, request: object, tells: boolean])[] = [
  ['engine.EngineService', 'Execute', { name: 'limit', input_json: '{"age": 20}' }, true],
  ['engine.EngineService', 'BatchExecute', { name: 'limit', inputs_json: ['{"age": 20}'] }, true],
  ['engine.EngineService', 'GetRuleSet', { name: 'limit' }, true],
  ['engine.EngineService', 'ListRuleSets', {}, false],
  ['engine.EngineService', 'Eval', { expression: '1', context_json: '{}' }, false],
  ['ordo.v1.OrdoService', 'Execute', { ruleset_name: 'limit', input_json: '{"age": 20}' }, true],
  ['ordo.v1.OrdoService', 'BatchExecute', { ruleset_name: 'limit', inputs_json: ['{"age": 20}'] }, true],
  ['ordo.v1.OrdoService', 'GetRuleSet', { name: 'limit' }, true],
  ['ordo.v1.OrdoService', 'ListRuleSets', {}, false],
  ['ordo.v1.OrdoService', 'Eval', { expression: '1', context_json: '{}' }, false],
]
/** `list_services` of reflection, with the empty text. */
const LIST_SERVICES = Buffer.of(0x3a, 0)
/** Methods that need no token, and a request of each. */
const OPEN_METHODS: readonly (readonly [method: string, message: Uint8Array])[] = [
  ['engine.EngineService/Health', Buffer.alloc(0)],
  ['ordo.v1.OrdoService/Health', Buffer.alloc(0)],
  ['grpc.health.v1.Health/Check', Buffer.alloc(0)],
  ['grpc.health.v1.Health/List', Buffer.alloc(0)],
  ['grpc.health.v1.Health/Watch', Buffer.alloc(0)],
  ['grpc.reflection.v1.ServerReflection/ServerReflectionInfo', LIST_SERVICES],
  ['grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', LIST_SERVICES],
]

function clientFor(service: string): TestClient {
  const client = clients.get(service)
  if (client === undefined) throw new Error(`there is no client of ${service}`)
  return client
}

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
    expect([401, 403]).not.toContain((await ask(route, headers)).status)
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

  test.each(METHODS)('gRPC %s/%s', async (service, method, request, tells) => {
    const reply = await clientFor(service).call(method, request, { metadata: headers })
    if ('code' in reply) expect(reply.code).toBe(GRPC[expected])
    else {
      expect(expected).toBe('admitted')
      if (tells) expect(JSON.stringify(reply.message)).toContain(code)
    }
  })

  test('gRPC ExecuteStream', async () => {
    const stream = clientFor('engine.EngineService').stream('ExecuteStream', headers)
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

  test.each(OPEN_METHODS)('gRPC %s needs no token', async (method, message) => {
    const { stream } = begin(sessionOf(server.grpc), `/${method}`, headers)
    const frame = Buffer.concat([Buffer.alloc(5), message])
    frame.writeUInt32BE(message.length, 1)
    stream.end(frame)
    // Some never end by themselves: a first answer is enough.
    const [answer] = (await once(stream, 'data')) as [Buffer]
    expect(answer.length).toBeGreaterThan(4)
    stream.destroy()
  })
})

test('every route that the server offers is in the table', () =>
  expect(offered.routes.toSorted()).toEqual(ALL.map(({ method, path }) => `${method} ${path}`).toSorted()))

test('every method of gRPC that the server offers is in the table', () =>
  expect(offered.methods.toSorted()).toEqual(
    [
      ...METHODS.map(([service, method]) => `${service}/${method}`),
      'engine.EngineService/ExecuteStream',
      ...OPEN_METHODS.map(([method]) => method),
    ].toSorted(),
  ))
