import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { describedBy } from '../../apps/engine-server/src/compose/transports.ts'
import { readConfiguration } from '../../apps/engine-server/src/config/config.ts'
import { openApiOf } from '../../apps/engine-server/src/http/openapi.ts'
import { routesOf } from '../../apps/engine-server/src/http/routes.ts'
import { adultCheck, type Reply, startServer, type TestServer } from './server.testing.ts'

const directory = mkdtempSync(join(tmpdir(), 'engine-description-'))
afterAll(() => rmSync(directory, { recursive: true }))

const tokens = join(directory, 'tokens')
writeFileSync(tokens, `a:read:${'0'.repeat(64)}\n`)
const TOKENS = ['--api-tokens-file', tokens]
const TENANTS = ['--multi-tenancy-enabled']
const SIGNATURES = ['--signature-enabled']
const READER = ['--role', 'reader']
const WRITER = ['--role', 'writer', '--broker-url', 'nats://127.0.0.1:4222', '--rules-dir', directory]
const PLATFORM = ['--platform-url', 'http://127.0.0.1:3001', '--platform-connect-token', 'x']
const WORKERS = ['--workers', '2']

/** The description of a server with these options; it is not started. */
function described(options: readonly string[]) {
  const start = readConfiguration(options, {})
  if (start.kind === 'end') throw new Error(start.output)
  const { metricsEnabled: hasMetrics, debugMode, apiTokensFile, authzenConfig, ofrep, receipts } = start.configuration
  const by = describedBy(start.configuration, { hasTokens: apiTokensFile !== undefined })
  const routes = routesOf({
    hasTenants: by.hasTenants,
    hasMetrics,
    debugMode,
    hasAuthzen: authzenConfig !== undefined,
    hasFlags: ofrep !== 'off',
    hasReceipts: receipts !== 'off',
  })
  return openApiOf(routes, by) as unknown as Description
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}

interface Operation {
  readonly summary: string
  readonly description: string
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>
}

interface Response {
  readonly description: string
  readonly headers?: object
  readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example: unknown }>>
}

interface Schema {
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

const refusalsOf = ({ paths }: Description, path: string, method: string) =>
  Object.keys(paths[path]?.[method]?.responses ?? {})
    .filter((status) => status >= '400')
    .join(' ')

describe('names the refusals that the options of the server allow, and no other', () => {
  test.each<[name: string, options: readonly string[], post: string, remove: string, list: string, rate: string]>([
    ['no option', [], '400 408 409 412 413 415 422', '400 404 412', '400', '400 408 413 415'],
    [
      'tokens',
      TOKENS,
      '400 401 403 408 409 412 413 415 422',
      '400 401 403 404 412',
      '400 401 403',
      '400 401 403 408 413 415',
    ],
    [
      'tenants',
      TENANTS,
      '400 403 408 409 412 413 415 422 429',
      '400 403 404 409 412 429',
      '400 403 429',
      '400 408 413 415',
    ],
    ['signatures', SIGNATURES, '400 403 408 409 412 413 415 422', '400 404 412', '400', '400 408 413 415'],
    ['a reader', READER, '400 408 409 412 413 415 422', '400 404 409 412', '400', '400 408 409 413 415'],
    ['a broker', WRITER, '400 408 409 412 413 415 422', '400 404 409 412', '400', '400 408 413 415'],
    ['a platform', PLATFORM, '400 403 408 409 412 413 415 422', '400 403 404 409 412', '400', '400 403 408 413 415'],
    [
      'a platform and direct writes',
      [...PLATFORM, '--allow-direct-writes'],
      '400 408 409 412 413 415 422',
      '400 404 409 412',
      '400',
      '400 408 413 415',
    ],
    ['workers', WORKERS, '400 408 409 412 413 415 422', '400 404 412', '400', '400 408 413 415'],
    [
      'many',
      [...TOKENS, ...TENANTS, ...SIGNATURES],
      '400 401 403 408 409 412 413 415 422 429',
      '400 401 403 404 409 412 429',
      '400 401 403 429',
      '400 401 403 408 413 415',
    ],
  ])('with %s', (_name, options, post, remove, list, rate) => {
    const description = described(options)
    const whatever = ' 500 503'
    expect([
      refusalsOf(description, '/api/v1/rulesets', 'post'),
      refusalsOf(description, '/api/v1/rulesets/{name}', 'delete'),
      refusalsOf(description, '/api/v1/rulesets', 'get'),
      refusalsOf(description, '/api/v1/config/audit-sample-rate', 'put'),
    ]).toEqual([post, remove, list, rate].map((statuses) => statuses + whatever))
  })
})

test.each<[name: string, options: readonly string[], forbidden: string | undefined, conflict: string]>([
  ['no option', [], undefined, 'Error'],
  ['tokens', TOKENS, 'Error', 'Error'],
  ['signatures', SIGNATURES, 'SignatureRejection', 'Error'],
  ['tenants and signatures', [...TENANTS, ...SIGNATURES], 'Error SignatureRejection', 'Error'],
  ['a reader', READER, undefined, 'ReadOnlyRejection'],
])('the bodies of 403 and 409 with %s', (_name, options, forbidden, conflict) => {
  const { responses, schemas } = described(options).components
  const bodies = (name: string) => {
    const schema = responses[name]?.content['application/json']?.schema
    return schema && (schema.anyOf ?? [schema]).map(({ $ref }) => $ref?.split('/').at(-1)).join(' ')
  }
  expect([bodies('Forbidden'), bodies('Conflict')]).toEqual([forbidden, conflict])
  expect(Object.hasOwn(schemas, 'SignatureRejection')).toBe(forbidden?.includes('SignatureRejection') === true)
  expect(Object.hasOwn(schemas, 'ReadOnlyRejection')).toBe(conflict === 'ReadOnlyRejection')
  for (const { content } of Object.values(responses))
    expect(content['application/json']?.example).toMatchObject({ error: expect.any(String) })
})

test('the proof of identity of a reader conflicts as on other engines, not as its writes do', () => {
  const { paths, components } = described(READER)
  const { $ref = '' } = paths['/api/v1/identity-proof']?.['post']?.responses['409'] ?? {}
  const { content } = components.responses[$ref.split('/').at(-1) ?? ''] ?? {}
  expect(content?.['application/json']?.schema).toEqual({ $ref: '#/components/schemas/Error' })
})

test.each<[name: string, options: readonly string[], cause: string]>([
  ['tokens', TOKENS, 'Refused, since the token does not allow it.'],
  ['tenants', TENANTS, 'Refused, since the tenant is not known or disabled.'],
  [
    'both and signatures',
    [...TOKENS, ...TENANTS, ...SIGNATURES],
    'Refused, since the token does not allow it, or the tenant is not known or disabled, or the signature is not accepted.',
  ],
])('a 403 has the causes that are possible with %s', (_name, options, cause) => {
  expect(described(options).components.responses['Forbidden']?.description).toBe(cause)
})

test.each<[name: string, options: readonly string[], members: readonly string[], hasWriter: boolean]>([
  ['no option', [], [], false],
  ['workers', WORKERS, ['workers'], false],
  ['a platform', PLATFORM, ['platform'], false],
  ['a broker', WRITER, [], true],
])('the health record with %s', (_name, options, members, hasWriter) => {
  const { properties = {} } = described(options).components.schemas['Health'] ?? {}
  expect(['workers', 'platform'].filter((name) => Object.hasOwn(properties, name))).toEqual(members)
  expect(Object.hasOwn(properties['sync']?.properties ?? {}, 'writer_digest')).toBe(hasWriter)
  expect(Object.hasOwn(properties['sync']?.properties ?? {}, 'connected')).toBe(true)
})

test('is smaller than 82 kB with every option that adds to it and is meant for production', () => {
  const all = [...TOKENS, ...TENANTS, ...SIGNATURES, ...WRITER, ...PLATFORM, ...WORKERS]
  expect(JSON.stringify(described(all)).length).toBeLessThan(82_000)
})

test('scopes are described where there are tokens', () => {
  const list = (options: readonly string[]) => described(options).paths['/api/v1/rulesets']?.['get']
  expect(list([])?.description).toBe(list([])?.summary)
  expect(list(TOKENS)?.description).toBe('Needs the scope `read`.')
})

test('a 503 to a request with a body may say when to come back, and no other', () => {
  const { paths, components } = described(['--debug-mode', ...TENANTS])
  const operations = Object.values(paths).flatMap((path) => Object.values(path)) as (Operation & {
    readonly requestBody?: object
  })[]
  for (const { responses, requestBody } of operations) {
    const { $ref } = responses['503'] ?? {}
    if ($ref === undefined) continue
    const headers = components.responses[$ref.split('/').at(-1) ?? '']?.headers ?? {}
    expect(Object.keys(headers)).toEqual(requestBody === undefined ? [] : ['Retry-After'])
  }
})

describe('matches the behaviour of the server', () => {
  let server: TestServer
  afterEach(() => server.stop())
  const PAIR = { 'x-engine-signature': 'eA==', 'x-engine-public-key': 'eA==' }
  const upper = adultCheck({ config: { name: 'ADULT-check' } })

  test.each<[name: string, options: readonly string[], status: number, body: object]>([
    ['stored as they are', [], 201, { status: 'created' }],
    ['refused by a server that verifies', SIGNATURES, 403, { error: 'Forbidden' }],
  ])('headers of a signature are %s', async (_name, options, status, body) => {
    server = await startServer(...options)
    const reply = await server.post('/api/v1/rulesets', adultCheck(), PAIR)
    expect([reply.status, reply.body]).toEqual([status, expect.objectContaining(body)])
    if (status !== 201) return
    const stored = await server.request('GET', '/api/v1/rulesets/adult-check')
    expect(stored.body['_signature']).toMatchObject({ public_key: 'eA==', signature: 'eA==' })
  })

  test.each<[name: string, change: (server: TestServer) => Promise<Reply>]>([
    ['stored', (one) => one.post('/api/v1/rulesets', upper)],
    ['tried', (one) => one.post('/api/v1/rulesets?dry_run=true', upper)],
  ])('a ruleset whose name differs by case is not %s', async (_name, change) => {
    server = await startServer()
    await server.post('/api/v1/rulesets', adultCheck())
    const { status, body } = await change(server)
    expect([status, body.code]).toEqual([409, 'CONFLICT'])
  })

  test('a deleted ruleset is not restored, even where another has its name in another case', async () => {
    server = await startServer('--rules-dir', join(directory, 'rollback'))
    for (const version of ['1.0.0', '2.0.0']) await server.post('/api/v1/rulesets', adultCheck({ config: { version } }))
    await server.request('DELETE', '/api/v1/rulesets/adult-check')
    await server.post('/api/v1/rulesets', upper)
    const { status, body } = await server.post('/api/v1/rulesets/adult-check/rollback', { seq: 1 })
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect(refusalsOf(described([]), '/api/v1/rulesets/{name}/rollback', 'post')).not.toContain('409')
  })
})
