import { ERROR_CODES } from '@engine/api'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Check, Errors } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../apps/engine-server/src/access/tokens.ts'
import { type Route, ROUTES } from '../../apps/engine-server/src/http/routes.ts'
import { DEBUG_ROUTES } from '../../apps/engine-server/src/http/routes/debug.ts'
import { METRICS_ROUTE } from '../../apps/engine-server/src/http/routes/operation.ts'
import { patternOf } from '@engine/http-server'
import { adultCheck, JSON_TYPE, startServer, type TestServer } from './server.testing.ts'

const ALL: readonly Route[] = [...ROUTES, METRICS_ROUTE, ...DEBUG_ROUTES]
const keyOf = ({ method, path }: Route) => `${method} ${path}`
const ROWS = ALL.map((route) => [keyOf(route), route] as const)

const directory = mkdtempSync(join(tmpdir(), 'engine-routes-'))
const digest = (token: string) => createHash('sha256').update(token).digest('hex')
const token = (scope: string) => ({ authorization: `Bearer ${scope}-token` })
const pathOf = ({ path }: Route, name = 'adult-check') => path.replace(':name', name).replace(':seq', '1')

let server: TestServer

beforeAll(async () => {
  const tokens = join(directory, 'tokens')
  writeFileSync(tokens, SCOPES.map((scope) => `${scope}-only:${scope}:${digest(`${scope}-token`)}\n`).join(''))
  const rules = join(directory, 'rules')
  server = await startServer('--debug-mode', '--rules-dir', rules, '--api-tokens-file', tokens)
  for (const version of ['1.0.0', '2.0.0'])
    await server.post('/api/v1/rulesets', adultCheck({ config: { version } }), token('write'))
  await server.post('/api/v1/rulesets', adultCheck({ config: { name: 'spare' } }), token('write'))
})

afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

const INPUT = { age: 20 }

/** One good request of each route; of those without a row there is nothing to send. */
interface Good {
  readonly body?: unknown
  readonly name?: string
  readonly status?: number
  /** Default: JSON. */
  readonly type?: string
  readonly query?: string
}

const GOOD: Readonly<Record<string, Good>> = {
  'POST /api/v1/rulesets': { body: adultCheck({ config: { name: 'another', descripton: '' } }), status: 201 },
  'POST /api/v1/rulesets/validate': { body: adultCheck() },
  'DELETE /api/v1/rulesets/:name': { name: 'spare', status: 204 },
  'POST /api/v1/rulesets/:name/rollback': { body: { seq: 1 } },
  'POST /api/v1/rulesets/:name/filter': { body: { known_input: {}, target_results: ['ADULT'], parameters: true } },
  'POST /api/v1/rulesets/:name/sql': { body: { dialect: 'postgres' } },
  'POST /api/v1/rulesets/:name/analyze': { body: { seeds: [INPUT] } },
  'POST /api/v1/rulesets/:name/impact': { body: { seq: 1, forbid: ['MINOR->ADULT'] } },
  'POST /api/v1/rulesets/:name/why-not': { body: { input: { age: 3 }, code: 'ADULT' } },
  'POST /api/v1/rulesets/:name/replay': { body: { input: INPUT }, type: 'application/x-ndjson', query: '?seq=1' },
  'POST /api/v1/execute/:name': { body: { input: INPUT, trace: true } },
  'POST /api/v1/execute/:name/batch': { body: { inputs: [INPUT, 7], options: { trace: true } } },
  'POST /api/v1/eval': { body: { expression: 'age + 1', context: INPUT } },
  'PUT /api/v1/config/audit-sample-rate': { body: { sample_rate: 5 } },
  'POST /api/v1/debug/execute/:name': { body: { input: INPUT } },
  'POST /api/v1/debug/execute-inline': { body: { ruleset: adultCheck(), input: INPUT } },
  'POST /api/v1/identity-proof': { body: { nonce: 'n'.repeat(43) }, status: 409 },
  'POST /api/v1/debug/eval': { body: { expression: 'age + 1', context: INPUT } },
}

function good(route: Route, headers: Record<string, string>) {
  const { body, name, type, query = '' } = GOOD[keyOf(route)] ?? {}
  return server.request(route.method, `${pathOf(route, name)}${query}`, {
    headers: { ...(body === undefined ? {} : JSON_TYPE), ...(type && { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

describe('access', () => {
  test.each(ROWS)('%s', async (key, route) => {
    const { scope } = route
    if (scope === undefined) {
      expect((await good(route, {})).status).toBe(GOOD[key]?.status ?? 200)
      return
    }
    for (const headers of [{}, token('unknown'), { authorization: `Basic ${scope}-token` }, { 'x-api-key': '' }]) {
      const refused = await good(route, headers)
      expect([refused.status, refused.body]).toEqual([401, { error: expect.any(String), code: 'UNAUTHORIZED' }])
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    }
    for (const other of SCOPES.filter((one) => one !== scope && one !== 'admin')) {
      const refused = await good(route, token(other))
      expect([refused.status, refused.body]).toEqual([
        403,
        { error: `the token \`${other}-only\` does not have the scope \`${scope}\``, code: 'FORBIDDEN' },
      ])
    }
    // `admin` includes the others; a name that is not there shows that access was given.
    const missing = await server.request(route.method, pathOf(route, 'nope'), {
      headers: { ...JSON_TYPE, ...token('admin') },
      ...(route.body === undefined ? {} : { body: '{}' }),
    })
    expect([401, 403]).not.toContain(missing.status)
  })
})

describe('a good request is answered as the description says', () => {
  test.each(ROWS)('%s', async (key, route) => {
    const reply = await good(route, route.scope === undefined ? {} : token(route.scope))
    expect(reply.status, reply.text).toBe(GOOD[key]?.status ?? 200)
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.get('cache-control')).toBe('no-store')
    const schema = route.answers[reply.status]
    if (schema === undefined) throw new Error(`the description has no answer ${reply.status}`)
    const body: unknown = reply.status === 204 ? null : (reply.body ?? reply.text)
    expect(Check(schema, body), JSON.stringify(Errors(schema, body))).toBe(true)
  })
})

describe('another method is 405 with the allowed ones', () => {
  test.each([...new Set(ALL.map(({ path }) => path))])('%s', async (path) => {
    const at = path.replace(':name', 'adult-check').replace(':seq', '1')
    const right = ALL.filter((route) => patternOf(route).test(at)).flatMap(({ method }): string[] =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    )
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (one) => !right.includes(one),
    )) {
      const reply = await server.request(method, at)
      expect([method, reply.status, reply.headers.get('allow')]).toEqual([method, 405, right.join(', ')])
      if (method !== 'HEAD') expect(reply.body.code).toBe('METHOD_NOT_ALLOWED')
    }
  })
})

describe('a route with a body', () => {
  test.each(
    ROWS.filter(([, { body, consumes }]) => body !== undefined && consumes?.includes('application/json') !== false),
  )('%s', async (_key, route) => {
    const headers = token('admin')
    const send = (body: string | Uint8Array, more: Record<string, string> = JSON_TYPE) =>
      server.request(route.method, pathOf(route), { body, headers: { ...headers, ...more } })
    for (const [reply, status, code] of [
      [await send('{}', { 'content-type': 'text/plain' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [await send('{}', { ...JSON_TYPE, 'content-encoding': 'br' }), 415, 'UNSUPPORTED_MEDIA_TYPE'],
      [await send(' '.repeat(10_485_761)), 413, 'PAYLOAD_TOO_LARGE'],
      [await send(''), 400, 'BAD_REQUEST'],
      [await send('{"a": }'), 400, 'BAD_REQUEST'],
      // To be no ruleset is an answer of that route, and not a fault of the request.
      ...(route.path.endsWith('/validate') ? [] : [[await send('[]'), 400, 'BAD_REQUEST'] as const]),
      [await send(new Uint8Array([0x22, 0xc3, 0x28, 0x22])), 400, 'BAD_REQUEST'],
      [await send('[1,'.repeat(10_000)), 400, 'BAD_REQUEST'],
    ] as const)
      expect([reply.status, reply.body?.code]).toEqual([status, code])
  })
})

describe('the description', () => {
  test('has each route with its summary, group, body and answers, and no other', async () => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    const described = Object.entries(body.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, operations]) =>
        Object.entries(operations).map(([method, { summary, tags, requestBody, responses }]) => ({
          key: `${method.toUpperCase()} ${path}`,
          summary,
          tags,
          hasBody: requestBody !== undefined,
          answers: Object.keys(responses).filter((status) => status < '400'),
        })),
    )
    const expected = ALL.map((route) => ({
      key: `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`,
      summary: route.summary,
      tags: [route.group],
      hasBody: route.body !== undefined,
      answers: Object.keys(route.answers).filter((status) => status < '400'),
    }))
    const byKey = (a: { key: string }, b: { key: string }) => a.key.localeCompare(b.key)
    expect(described.sort(byKey)).toEqual(expected.sort(byKey))
  })

  test('names the server, and each operation uniquely', async () => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    expect(body.servers).toEqual([{ url: '/', description: 'this server' }])
    const operations = Object.values(body.paths as Record<string, Record<string, Operation>>).flatMap(Object.values)
    const ids = operations.map(({ operationId }) => operationId as string)
    expect(new Set(ids).size).toBe(ALL.length)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
  })

  test.each([
    ['/metrics', 'get', ['text/plain']],
    ['/api/v1/execute/{name}/batch', 'post', ['application/json', 'application/x-ndjson', 'text/csv']],
    ['/api/v1/rulesets', 'get', ['application/json']],
  ])('%s answers %s in %j', async (path, method, types) => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    expect(Object.keys(body.paths[path][method].responses['200'].content)).toEqual(types)
  })

  test.each([
    ['/healthz/live', 'get', '400'],
    ['/health', 'get', '400 503'],
    ['/api/v1/rulesets', 'get', '400 401 403 500 503'],
    ['/api/v1/rulesets', 'post', '400 401 403 408 409 412 413 415 422 500 503'],
    ['/api/v1/rulesets/{name}', 'delete', '400 401 403 404 412 500 503'],
    ['/api/v1/execute/{name}', 'post', '400 401 403 404 408 413 415 500 503 508'],
  ])('%s %s names the statuses of its refusals: %s', async (path, method, statuses) => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    const { responses } = body.paths[path][method]
    expect(Object.keys(responses).filter((status) => status >= '400')).toEqual(statuses.split(' '))
  })

  test('gives each shared refusal headers and an example that its schema allows', async () => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    const { responses } = body.components
    expect(Object.keys(responses.Unauthorized.headers)).toEqual(['WWW-Authenticate'])
    expect(Object.keys(responses.UnsupportedMediaType.headers)).toEqual(['Accept-Encoding'])
    for (const { content } of Object.values(responses) as { readonly content: Readonly<Record<string, Example>> }[])
      expect(content['application/json']?.example).toEqual({
        error: expect.any(String),
        code: expect.toBeOneOf([...ERROR_CODES]),
      })
  })

  test('describes rulesets whole: steps and actions by their kind, and fields without a meaning as kept', async () => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    const { Step, Action, Ruleset, RulesetConfig } = body.components.schemas
    expect(Object.keys(Step.discriminator.mapping)).toEqual(['decision', 'action', 'terminal', 'sub_rule'])
    expect(Object.keys(Action.discriminator.mapping)).toEqual([
      'set_variable',
      'log',
      'metric',
      'external_call',
      'call_ruleset',
    ])
    expect([Ruleset.additionalProperties, RulesetConfig.additionalProperties]).toEqual([true, true])
  })

  test('is smaller than 75 kB with every route', async () => {
    const { text } = await server.request('GET', '/api/v1/openapi.json')
    expect(text.length).toBeLessThan(75_000)
  })

  test('has every part that it refers to, and refers to every part', async () => {
    const { text, body } = await server.request('GET', '/api/v1/openapi.json')
    const named = new Set(Array.from(text.matchAll(/"#\/components\/(\w+\/\w+)"/g), ([, name]) => name))
    const there = ['schemas', 'responses'].flatMap((kind) =>
      Object.keys(body.components[kind]).map((name) => `${kind}/${name}`),
    )
    expect(named).toEqual(new Set(there))
  })

  test('shows the routes that need a token', async () => {
    const { body } = await server.request('GET', '/api/v1/openapi.json')
    expect(body.components.securitySchemes).toEqual({
      token: { type: 'http', scheme: 'bearer', description: 'a line of `--api-tokens-file`' },
      apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'the same token' },
    })
    expect(body.security).toEqual([{ token: [] }, { apiKey: [] }])
    expect(body.paths['/healthz/live'].get.security).toEqual([])
  })
})

interface Example {
  readonly example: unknown
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly tags?: readonly string[]
  readonly requestBody?: object
  readonly responses: object
}
