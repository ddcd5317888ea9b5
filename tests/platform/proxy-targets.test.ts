import fc from 'fast-check'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { messageCheck } from '../../packages/http-server/src/protocol-errors.ts'
import type { Router } from '../../packages/http-server/src/router.ts'
import { createCircuit } from '../../packages/process/src/circuit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import type { Action } from '../../apps/platform-server/src/access/actions.ts'
import type { Caller } from '../../apps/platform-server/src/access/caller.ts'
import { failures } from '../../apps/platform-server/src/errors.ts'
import type { Destinations } from '../../apps/platform-server/src/features/proxy/destinations.ts'
import type { Forwarded } from '../../apps/platform-server/src/features/proxy/forwarder.ts'
import { routesOf } from '../../apps/platform-server/src/features/proxy/routes.ts'
import { FORWARDED_PARAMETERS, UPSTREAM_ROUTES } from '../../apps/platform-server/src/features/proxy/upstream-routes.ts'
import type { ProxyPlace } from '../../apps/platform-server/src/features/proxy/proxied-project.ts'
import { NO_CANARY } from '../../apps/platform-server/src/features/projects/model.ts'
import { createRoutes } from '../../apps/platform-server/src/http/router.ts'
import { failure } from '../../apps/platform-server/src/http/error-mapping.ts'
import { MemoryBudget } from '../../apps/platform-server/src/memory/memory-budget.ts'
import { SharedBytes } from '../../apps/platform-server/src/memory/shared-bytes.ts'

/** Raw targets of each right. */
const TARGETS = 55_000

const PROJECT = '01a20657-8ae8-7c4d-9d2e-0f5b6c7d8e9f'
const ENGINE = 'http://engine.test:8080'
const LIVE = ['fee', 'fee.v2', 'Fee_3-x'] as const

const destinations: Destinations = {
  id: 'e',
  name: 'prod',
  canary: NO_CANARY,
  split: undefined,
  shadows: new Map(),
  engines: [
    {
      id: 's',
      name: 'engine',
      claimant: {
        id: 's',
        name: 'engine',
        org: 'o' as OrgId,
        generation: 1,
        origin: ENGINE,
        peer: null,
        registeredAt: new Date(0),
      },
      tenants: true,
      token: 'proxy-token',
      isHealthy: () => true,
      holds: () => true,
    },
  ],
  canaries: [],
  live: new Set(LIVE),
  owned: undefined,
  releases: new Map(),
  isRepeatable: () => false,
}

const seen: Forwarded[] = []
let permissions: readonly Action[] = []
let router: Router
const refuseMessage = messageCheck({ identity: ['authorization'], examplePath: '/' })

beforeAll(async () => {
  const caller: Caller = { kind: 'user', id: 'u', email: '', displayName: '', sessionId: '' }
  const project = { id: PROJECT, current_environment: 'prod' }
  const routes = routesOf({
    within: (_caller, { pid }) => {
      if (pid !== PROJECT) throw failures.notFound('project', pid ?? '')
      const member = { permissions: new Set(permissions), withheld: new Map() }
      return Promise.resolve({ member, project, environments: [destinations] } as unknown as ProxyPlace)
    },
    streams: { opened: () => {} },
    chain: () => Promise.resolve('s'),
    refusals: { record: () => Promise.resolve() },
    proxy: {
      forwarder: {
        send(forwarded) {
          seen.push(forwarded)
          const body = Buffer.from('[]')
          const headers = { 'content-type': 'application/json', 'content-length': '2' }
          return Promise.resolve({ statusCode: 200, headers, body })
        },
      },
      circuit: createCircuit(() => 0),
      liveness: { isOut: () => false, suspect: () => {} },
      engineAnswerMs: 1000,
      metrics: { ended: () => {} },
      tally: { count: () => {} },
      comparison: { dropped: () => {}, offer: () => {} } as never,
    },
  })
  router = await createRoutes({
    routes,
    identification: () => Promise.resolve(caller),
    idempotency: { answer: (route, arrived) => route.run(arrived) },
    basePath: '',
    state: { draining: false },
    deadline: () => undefined,
    addressOf: () => '127.0.0.1',
    found: () => {},
    readLarge: () => Promise.reject(new Error('no body is read')),
    failed: (error) => {
      throw error
    },
    studio: undefined,
    maxBytes: 1024,
    arrivingBodies: new SharedBytes(1024 * 1024),
    memory: new MemoryBudget(),
  })
})

interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

const socket = new Socket()

/** Resolves with the status of the answer. */
function ask({ method, target, headers }: Sent): Promise<number> {
  const request = new IncomingMessage(socket)
  request.method = method
  request.url = target
  request.httpVersion = '1.1'
  const all = { host: 'platform.test', ...headers }
  request.headers = all
  request.rawHeaders = Object.entries(all).flat()
  request.complete = true
  request.push(null)
  const response = new ServerResponse(request)
  const refusal = refuseMessage(request)
  if (refusal !== undefined) return Promise.resolve(failure(refusal, '').status)
  return new Promise((resolve) => {
    const { end } = response
    response.end = ((...parts: Parameters<typeof end>) => {
      resolve(response.statusCode)
      return end.apply(response, parts)
    }) as typeof end
    router.routing(request, response)
  })
}

const NAME = '(?<name>[^/]*)'
const CHAIN = '[\\w-]{1,64}(?:\\.w2)?%2F01a20657-8ae8-7c4d-9d2e-0f5b6c7d8e9f'
const ROWS = UPSTREAM_ROUTES.map((row) => {
  const path = row.upstreamPath
    .replaceAll('.', String.raw`\.`)
    .replace(':name', NAME)
    .replace(':instance', CHAIN)
    .replace(':seq', String.raw`\d+`)
  return { ...row, pattern: new RegExp(`^${path}$`) }
})

/** The name in a target, by another parser than the router's: the segment after `execute` or `rulesets`. */
function askedName({ target, headers }: Sent): string | undefined {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  // A target has no fragment; the router ignores everything after the character.
  const [segments = ''] = path.split(/[?#]/)
  const [, , , , , , name] = segments.split('/')
  if (name !== undefined) return decodeURIComponent(name)
  const [, ...query] = path.split('?')
  return new URLSearchParams(query.join('?')).get('ruleset') ?? headers['x-ruleset']
}

function checkForwarded(sent: Sent, { path, method, headers, body }: Forwarded, hits: Map<string, number>): void {
  const url = new URL(ENGINE + path)
  expect(url.href).toBe(ENGINE + path)
  const row = ROWS.find(
    (one) => one.method === method && one.pattern.test(url.pathname) && permissions.includes(one.right),
  )
  if (row === undefined) throw new Error(`${method} ${url.href} is no row of the table for ${permissions.join()}`)
  hits.set(row.upstreamPath, (hits.get(row.upstreamPath) ?? 0) + 1)
  const name = row.pattern.exec(url.pathname)?.groups?.['name']
  if (name !== undefined) {
    expect(LIVE).toContain(name)
    expect(name).toBe(askedName(sent))
  }
  for (const [parameter, value] of url.searchParams) {
    expect(FORWARDED_PARAMETERS).toContain(parameter)
    expect([parameter, value]).toEqual([parameter, expect.stringMatching(/^[\w.-]*$/)])
  }
  expect(body).toBeUndefined()
  expect(Object.keys(headers).filter((header) => !SENT.has(header))).toEqual([])
  expect(headers['x-tenant-id']).toBe('e')
  expect(headers['authorization']).toBe('Bearer proxy-token')
}

const SENT: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'content-type',
  'if-none-match',
  'x-engine-report',
  'x-request-id',
  'x-tenant-id',
])

const idOf = fc.oneof(
  { weight: 8, arbitrary: fc.constant(PROJECT) },
  fc.constantFrom(
    PROJECT.toUpperCase(),
    PROJECT.replace('6', '%36'),
    PROJECT.replace('a', '%61'),
    `${PROJECT}%2fexecute`,
    `${PROJECT}/${PROJECT}`,
    `x/../${PROJECT}`,
    `${PROJECT}\\..`,
    `%7b${PROJECT}%7d`,
    '..',
  ),
)
const valid = fc.constantFrom(
  'execute/fee',
  'execute/fee.v2',
  'execute/Fee_3-x/batch',
  'execute',
  'eval',
  'rulesets',
  'rulesets/fee',
  'rulesets/f%65e/versions',
  'rulesets/fee/versions/12',
  'rulesets/fee/filter',
  'rulesets/fee/sql',
  'rulesets/fee/analyze',
  'rulesets/fee/impact',
  'rulesets/fee/why-not',
  'rulesets/fee/replay',
  `receipts/eu-1%2F${PROJECT}/12`,
  `receipts/eu-1.w2%2f${PROJECT}/0`,
)
const hostile = fc.constantFrom(
  '..',
  '.',
  '%2e%2e',
  '%2E.',
  '%252e%252e',
  '..\\rulesets',
  '..%5crulesets',
  '..\\..\\..\\metrics',
  '..;',
  '%2f',
  '%5C',
  '\\',
  '/',
  '//',
  '%00',
  '%0d%0a',
  '%',
  '%zz',
  '#',
  ';a=b',
  ':80',
  '@evil.test',
  'fee',
  'FEE',
  'other',
  'fee.r7',
  'fee%20',
  'fee%e2%80%8b',
  '\u00e9',
  '%ef%bd%86ee',
  'tenants',
  'rulesets',
  'execute',
  'batch',
  'config',
  'metrics',
  'validate',
  'rollback',
  'identity-proof',
  'versions',
  '1e3',
  '-1',
  PROJECT,
)
const rest = fc.oneof(
  { weight: 3, arbitrary: valid },
  {
    weight: 3,
    arbitrary: fc.tuple(valid, fc.nat(40), hostile).map(([path, at, piece]) => {
      const index = Math.min(at, path.length)
      return path.slice(0, index) + piece + path.slice(index)
    }),
  },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom('/', '', '\\', '//', '/./'), fc.oneof(hostile, valid)), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.map((part) => part.join('')).join('')),
  },
)
const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom(
    '?ruleset=fee',
    '?ruleset=..',
    '?ruleset=../tenants',
    '?ruleset=fee%2fbatch',
    '?ruleset=fee&ruleset=other',
    '?ruleset=fee.r7',
    '?trace=true',
    '?trace=1',
    '?seq=3',
    '?seq=0',
    '?seq=1&seq=../2',
    '?trace=true&trace=false',
    '?limit=5&cursor=fee&q=x',
    '?limit=5&cursor=..%2f..&q=x',
    '?limit=-1',
    '?limit=1e9',
    '?cursor=%00',
    '?x=1',
    '?',
    '??',
    '?#',
    `?${PROJECT}/rulesets`,
    `?/${PROJECT}/tenants?`,
    '?dry_run=true',
    '?%72uleset=fee',
  ),
)
const before = fc.oneof(
  { weight: 12, arbitrary: fc.constant('/api/v1/engine/') },
  fc.constantFrom(
    'http://evil.test/api/v1/engine/',
    `https://platform.test/api/v1/engine/`,
    `http://user@evil.test/api/v1/engine/`,
    '//evil.test/api/v1/engine/',
    '/api/v1/%65ngine/',
    '/API/v1/engine/',
    '/x/../api/v1/engine/',
    '\\api\\v1\\engine\\',
    `/api/v1/engine/${PROJECT}/../`,
    '*',
  ),
)
const after = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom('/', '//', '/.', '/..', '%2f', ' ', '%20'),
)
const method = fc.oneof(
  { weight: 8, arbitrary: fc.constant('POST') },
  { weight: 6, arbitrary: fc.constant('GET') },
  fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE'),
)
const headersOf = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  // A replay takes lines alone.
  { weight: 2, arbitrary: fc.constant({ 'content-type': 'application/x-ndjson' }) },
  fc.constantFrom<Readonly<Record<string, string>>[]>(
    { 'x-ruleset': 'fee' },
    { 'x-ruleset': '..' },
    { 'x-ruleset': '../rulesets' },
    { 'x-http-method-override': 'DELETE', 'x-method-override': 'PUT' },
    { 'x-original-url': '/api/v1/tenants', 'x-rewrite-url': '/metrics' },
    { 'x-tenant-id': 'other', connection: 'x-tenant-id, authorization' },
    { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test', origin: 'http://evil.test' },
    { 'if-none-match': '"a"', 'accept-encoding': 'gzip' },
    { trailer: 'x-tenant-id', te: 'trailers', upgrade: 'h2c' },
  ),
)
const sentOf = fc
  .tuple(method, before, idOf, rest, after, query, headersOf)
  .map(([verb, start, id, path, end, search, headers]): Sent => ({
    method: verb,
    target: `${start}${id}${path.startsWith('/') || path.startsWith('\\') ? '' : '/'}${path}${end}${search}`,
    headers: verb === 'POST' ? { 'content-type': 'application/json', ...headers } : headers,
  }))

test.each([
  ['decides', ['decision.execute']],
  ['manages servers', ['server.manage']],
  ['reads audits', ['audit.read']],
] as const)(
  'whatever target a caller who %s sends, an engine sees rows of the table that this right allows, with the name of the request',
  async (_, right) => {
    permissions = right
    const hits = new Map<string, number>()
    let count = 0
    const property = fc.asyncProperty(sentOf, async (sent) => {
      seen.length = 0
      const status = await ask(sent)
      count++
      if (seen.length === 0) expect(status).toBeGreaterThanOrEqual(400)
      else expect(seen.length).toBe(1)
      for (const forwarded of seen) checkForwarded(sent, forwarded, hits)
    })
    await fc.assert(property, { numRuns: TARGETS })
    expect(count).toBeGreaterThanOrEqual(TARGETS)
    // Every row of the right was reached, so the property is not vacuous.
    const expected = ROWS.filter((row) => permissions.includes(row.right)).map((row) => row.upstreamPath)
    expect([...hits.keys()].toSorted()).toEqual([...new Set(expected)].toSorted())
  },
  120_000,
)
