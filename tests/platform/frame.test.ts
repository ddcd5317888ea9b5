import { Ajv2020 } from 'ajv/dist/2020.js'
import { request as httpRequest } from 'node:http'
import { Type } from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createIdempotency } from '../../apps/platform-server/src/http/idempotency.ts'
import { type UncheckedRequest, callerRoute } from '../../apps/platform-server/src/http/route.ts'
import { addOrganization } from './organization.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
/** Bodies of bytes, of which a description has no example. */
const BINARY: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/octet-stream',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
])

/** The schemas of a description. */
interface Components {
  readonly schemas: Readonly<Record<string, { readonly examples?: readonly unknown[] }>>
}

const database = useDatabase('postgres')
let platform: TestPlatform
let person: Client

beforeAll(async () => {
  platform = await startPlatform(database())
  person = await platform.person()
})
afterAll(() => platform.stop())

describe('an answer', () => {
  test('carries the id of the request, given or generated', async () => {
    const own = await platform.browser().request('GET', '/health')
    expect(own.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const given = await platform.browser().request('GET', `${A}/me`, undefined, { 'x-request-id': 'order-7' })
    expect(given.headers.get('x-request-id')).toBe('order-7')
    expect(given.body).toMatchObject({ code: 'UNAUTHORIZED', request_id: 'order-7' })
    const odd = await platform.browser().request('GET', '/health', undefined, { 'x-request-id': 'a"b' })
    expect(odd.headers.get('x-request-id')).not.toBe('a"b')
  })

  test('to a failed request is a problem of RFC 9457 for clients that accept one', async () => {
    const headers = { accept: 'application/problem+json', 'x-request-id': 'order-8' }
    const { status, headers: sent, text } = await platform.browser().request('GET', `${A}/me`, undefined, headers)
    expect([status, sent.get('content-type'), sent.get('vary')]).toEqual([
      401,
      'application/problem+json',
      'accept, origin',
    ])
    expect(JSON.parse(text)).toMatchObject({
      type: '/docs/errors#UNAUTHORIZED',
      title: 'Unauthorized',
      status: 401,
      detail: expect.any(String),
      instance: 'order-8',
      code: 'UNAUTHORIZED',
      request_id: 'order-8',
    })
  })

  test.each(['/health', '/docs', '/docs/errors', `${A}/me`, `${A}/openapi.json`, '/nothing'])(
    'at %s cannot be framed',
    async (path) => {
      const { headers } = await platform.browser().request('GET', path)
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    },
  )

  test('under https has cookies that need it', async () => {
    const secure = await startPlatform(database(), ['--public-url', 'https://platform.example'])
    const client = await secure.person()
    expect([...client.cookies.keys()].toSorted()).toEqual(['__Host-device', '__Host-session'])
    const { headers } = await client.request('GET', '/health')
    expect(headers.get('strict-transport-security')).toContain('max-age=')
    client.cookies.set('session', client.cookies.get('__Host-session') ?? '')
    client.cookies.delete('__Host-session')
    expect((await client.request('GET', `${A}/me`)).status).toBe(401)
    await secure.stop()
  })
})

test('ids are those of UUID version 7, times are of UTC', async () => {
  const { body } = await person.request('POST', `${A}/orgs`, { name: 'Of ids and times' })
  expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const time of [body.created_at, body.updated_at]) expect(new Date(time).toISOString()).toBe(time)
})

describe('a path', () => {
  test('that does not exist is 404, one of another method 405 with those that it has', async () => {
    expect((await person.request('GET', `${A}/nothing`)).body.code).toBe('NOT_FOUND')
    const { status, headers, body } = await person.request('DELETE', `${A}/me`)
    expect([status, headers.get('allow'), body.code]).toEqual([405, 'GET, HEAD, PUT', 'METHOD_NOT_ALLOWED'])
  })

  test('of GET answers HEAD', async () => {
    const { status, text, headers } = await person.request('HEAD', `${A}/me`)
    expect([status, text]).toEqual([200, ''])
    expect(Number(headers.get('content-length'))).toBeGreaterThan(10)
  })

  test('with the character NUL is 404', async () => {
    expect((await person.request('GET', `${A}/me/sessions/a%00b`)).status).toBe(404)
  })

  test('behind a base path is found there, probes also without it', async () => {
    const behind = await startPlatform(database(), ['--base-path', '/platform/'])
    const status = async (path: string) => (await behind.browser().request('GET', path)).status
    expect(await status('/platform/api/v1/auth/options')).toBe(200)
    expect(await status('/platform/healthz/live')).toBe(200)
    expect(await status('/healthz/live')).toBe(200)
    expect(await status('/api/v1/auth/options')).toBe(404)
    expect(await status('/platformapi/v1/auth/options')).toBe(404)
    const page = await behind.browser().request('GET', '/platform/docs')
    expect([page.status, page.headers.get('location')]).toEqual([301, '/platform/docs/'])
    expect((await behind.browser().request('GET', '/platform/docs/')).text).toContain('"/platform/api/v1/openapi.json"')
    const { body } = await behind.browser().request('GET', '/platform/api/v1/openapi.json')
    expect(body.servers[0].url).toBe('/platform')
    await behind.stop()
  })
})

describe('the order of checks', () => {
  const keys = (org: string) => `${A}/orgs/${org}/api-keys`

  test('credentials come before the organization, that before the right, that before the body', async () => {
    const org = await addOrganization(database())
    expect((await platform.browser().request('POST', keys(org), '{')).status).toBe(401)
    const foreign = await person.request('POST', keys(org), '{')
    const unknown = await person.request('POST', keys('00000000-0000-7000-8000-000000000000'), '{')
    const strange = await person.request('POST', keys('x'), '{')
    expect([foreign.status, unknown.status, strange.status]).toEqual([404, 404, 404])
    const shape = ({ body }: typeof foreign) => ({ ...body, request_id: '', error: body.error.replace(/`.*`/, '``') })
    expect(shape(foreign)).toEqual(shape(unknown))
  })
})

describe('a body', () => {
  const put = (body: string, headers: Record<string, string> = {}) => person.request('PUT', `${A}/me`, body, headers)
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['no JSON', '{', /cannot be read as JSON/],
    ['a list', '[]', /must be an object/],
    ['text', '"x"', /must be an object/],
    ['null', 'null', /must be an object/],
    ['an unknown field', '{"display_nam":"x"}', /did you mean `display_name`/],
    ['a field twice', '{"display_name":"x","display_name":"y"}', /twice|duplicate/],
    ['a number for a text', '{"display_name":7}', /must be a string/],
    ['an empty name', '{"display_name":""}', /at least 1 character/],
    ['a name of blanks', '{"display_name":"  "}', /must have characters/],
    ['a long name', JSON.stringify({ display_name: 'x'.repeat(201) }), /at most 200 characters/],
    ['NUL', String.raw`{"display_name":"a\u0000b"}`, /NUL/],
    ['a line break', String.raw`{"display_name":"a\nb"}`, /control characters/],
    ['nesting', `{"display_name":${'['.repeat(200)}${']'.repeat(200)}}`, /nested|depth|deep/],
    ['__proto__', '{"__proto__":{"display_name":"x"}}', /is unknown/],
  ]
  test.each(rows)('of %s is 400', async (_name, body, message) => {
    const answer = await put(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST'])
    expect(answer.body.error).toMatch(message)
  })

  test('with null in an optional field equals one without it', async () => {
    expect((await put('{"display_name":null}')).status).toBe(200)
  })

  test('beyond the limit of the route is 413, of another type 415', async () => {
    const large = await put(JSON.stringify({ display_name: 'x'.repeat(1024 * 1024) }))
    expect([large.status, large.body.error]).toEqual([413, expect.stringContaining('larger than 1048576 bytes')])
    expect(large.body.error).not.toContain('--max')
    expect((await put('{}', { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('a query', () => {
  test.each([
    ['limit=0', /from 1 to 200/],
    ['limit=201', /from 1 to 200/],
    ['limit=1.5', /from 1 to 200/],
    ['limit=1&limit=2', /must be given once/],
    ['sort=color', /must be one of/],
    ['cursor=x', /not one of this list/],
    ['cursor=WyItY3JlYXRlZF9hdCIsIngiLCJ5Il0', /not one of this list/],
    ['limits=1', /did you mean `limit`/],
    ['q=a%00b', /NUL/],
  ])('%s is 400', async (query, message) => {
    const { status, body } = await person.request('GET', `${A}/me/sessions?${query}`)
    expect(status).toBe(400)
    expect(body.error).toMatch(message)
  })

  test('pages through a list, in both directions', async () => {
    const one = await platform.person()
    const login = { email: one.email, password: 'a long phrase' }
    for (let count = 0; count < 4; count++) await platform.browser().request('POST', `${A}/auth/login`, login)
    const all = (await one.request('GET', `${A}/me/sessions`)).body.items
    expect(all).toHaveLength(5)
    const paged = async (sort: string) => {
      const found: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const more = cursor === '' ? '' : `&cursor=${cursor}`
        const { body } = await one.request('GET', `${A}/me/sessions?limit=2&sort=${sort}${more}`)
        expect(body.items.length).toBeLessThanOrEqual(2)
        found.push(...body.items)
        cursor = body.next_cursor
      }
      return found
    }
    expect(await paged('-created_at')).toEqual(all)
    expect(await paged('created_at')).toEqual(all.toReversed())
  })
})

describe('the description', () => {
  test('names every route with its right, its statuses and an id of its own, and every reference leads somewhere', async () => {
    const { body, text } = await platform.browser().request('GET', `${A}/openapi.json`)
    const operations = Object.values<Record<string, { operationId: string; tags: string[] }>>(body.paths).flatMap(
      (one) => Object.values(one),
    )
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(operations.length).toBeGreaterThan(20)
    const groups = new Map<string, string>(
      body.tags.map((tag: { name: string; description: string }) => [tag.name, tag.description]),
    )
    for (const { tags } of operations) for (const tag of tags) expect(groups.get(tag), tag).toBeTypeOf('string')
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g))
      expect(body.components[kind], name).toHaveProperty(name)
    expect(Object.keys(body.paths['/api/v1/me'].put.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '413', '415', '429', '500', '503']),
    )
  })

  interface Described {
    readonly description: string
    readonly parameters?: readonly Parameter[]
    readonly requestBody?: {
      readonly content: Readonly<Record<string, { readonly schema: object; example?: unknown }>>
    }
    readonly responses: Readonly<Record<string, DescribedAnswer>>
  }
  interface Parameter {
    readonly $ref?: string
    readonly name?: string
    readonly description?: string
    readonly schema?: { readonly enum?: readonly string[] }
  }
  interface DescribedAnswer {
    readonly headers?: object
    readonly content?: Readonly<Record<string, { readonly schema: object }>>
  }
  /** Each operation as `[path, method, operation]`. */
  const operations = async () => {
    const { body } = await platform.browser().request('GET', `${A}/openapi.json`)
    const of = <Found extends object>(one: Found): Found => {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(\w+)$/.exec('$ref' in one ? String(one.$ref) : '') ?? []
      return kind === '' ? one : of(body.components[kind][name])
    }
    const all = Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    const named = ({ parameters = [] }: Described) => parameters.map((one) => of(one).name)
    const schemaOf = ({ responses }: Described, status: string) => {
      const { schema } = of(responses[status] ?? {}).content?.['application/json'] ?? {}
      return schema && (of(schema) as { readonly type?: string; readonly properties?: object })
    }
    return { all, of, named, schemaOf, components: body.components as object }
  }

  test('has every route of a project once, and names its other path', async () => {
    const { all } = await operations()
    expect(all.filter(({ path }) => path.startsWith(`${A}/projects/`))).toEqual([])
    const long = `${A}/orgs/{oid}/projects/{pid}`
    const inProjects = all.filter(({ path }) => path.startsWith(long))
    expect(inProjects.length).toBeGreaterThan(80)
    for (const { path, operation } of inProjects)
      expect(operation.description, path).toContain(` Alias: \`${A}/projects/{pid}${path.slice(long.length)}\`.`)
  })

  test('has an example of every body, which its schema allows', async () => {
    const { all, components } = await operations()
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'http://platform/openapi.json', components })
    const schemas = new Set<string>()
    for (const { path, operation } of all)
      for (const [type, { schema, example }] of Object.entries(operation.requestBody?.content ?? {})) {
        if (BINARY.has(type)) continue
        if (type !== 'application/json') {
          expect(example, `${path} ${type}`).toEqual(expect.any(String))
          continue
        }
        const ref = '$ref' in schema ? String(schema.$ref) : expect.fail(`${path} has a body without a name`)
        if (schemas.has(ref)) continue
        schemas.add(ref)
        const [, , , name = ''] = ref.split('/')
        const { examples = [] } = (components as Components).schemas[name] ?? {}
        expect(examples.length, name).toBeGreaterThan(0)
        const validate = ajv.getSchema(`http://platform/openapi.json${ref}`) ?? expect.fail(`${ref} is unknown`)
        for (const one of examples) expect([name, validate(one), validate.errors]).toEqual([name, true, null])
      }
    expect(schemas.size).toBeGreaterThan(60)
  })

  test('says what every parameter means, and enumerates orders', async () => {
    const { all, of } = await operations()
    const parameters = all.flatMap(({ path, operation }) =>
      (operation.parameters ?? []).map((one) => ({ path, ...of(one) })),
    )
    const unclear = parameters.filter(
      ({ name, description = '' }) =>
        description.length < 5 || description === name || /^(?:Its name|Id)\.$/.test(description),
    )
    expect(unclear).toEqual([])
    const sorts = parameters.filter(({ name }) => name === 'sort')
    expect(sorts.length).toBeGreaterThan(30)
    for (const { path, schema } of sorts) expect(schema?.enum?.length, path).toBeGreaterThan(1)
  })

  test('has the answers and bodies of engines', async () => {
    const { all } = await operations()
    const proxied = all.filter(({ path }) => path.startsWith(`${A}/engine/`))
    expect(proxied.length).toBeGreaterThan(10)
    for (const { path, operation } of proxied) {
      const contents = Object.values(operation.responses['200']?.content ?? {})
      expect(contents.length, path).toBeGreaterThan(0)
      for (const { schema } of contents) expect(Object.keys(schema), path).not.toEqual([])
    }
  })

  test('answers lists as pages, and nothing as a bare list', async () => {
    const { all, named, schemaOf } = await operations()
    const lists: string[] = []
    const unpaged: string[] = []
    for (const { path, method, operation } of all) {
      const schema = schemaOf(operation, '200')
      // Answers of engines pass as they are.
      if (!path.startsWith(`${A}/engine/`)) expect(schema?.type, path).not.toBe('array')
      if (schema?.properties === undefined || !('items' in schema.properties)) continue
      lists.push(path)
      expect(schema.properties, path).toHaveProperty('next_cursor')
      const names = named(operation)
      if (method === 'get' && !(names.includes('limit') && names.includes('cursor'))) unpaged.push(path)
    }
    // A constant of the program, the rulesets of one release, its canaries, and the freeze windows of a range: in one page.
    const whole = ['freeze-windows', 'releases/{rid}/executions/{eid}/canaries', 'releases/{rid}/signatures']
    expect(unpaged.toSorted()).toEqual([
      ...whole.map((path) => `${A}/orgs/{oid}/projects/{pid}/${path}`),
      `${A}/templates`,
    ])
    expect(lists.length).toBeGreaterThan(30)
  })

  test('has a location wherever a resource is created', async () => {
    const { all, of } = await operations()
    const making = all.filter(({ operation }) => '201' in operation.responses)
    expect(making.length).toBeGreaterThan(20)
    const without = making.filter(({ operation }) => {
      const { headers = {} } = of(operation.responses['201'] ?? {})
      return !('location' in headers)
    })
    // Its answer is the same where the address has an account already.
    expect(without.map(({ path }) => path)).toEqual([`${A}/auth/register`])
  })

  test('accepts an idempotency key wherever a repetition does harm', async () => {
    const { all, named } = await operations()
    const taking = new Set(
      all.flatMap(({ path, operation }) => (named(operation).includes('idempotency-key') ? [path] : [])),
    )
    const O = `${A}/orgs/{oid}`
    const P = `${O}/projects/{pid}`
    for (const path of [
      `${A}/orgs`,
      `${O}/projects`,
      `${O}/projects/from-template`,
      `${O}/projects/import`,
      `${P}/import`,
      `${P}/imports`,
      `${P}/releases`,
      `${P}/releases/{rid}/execute`,
      `${P}/releases/{rid}/rollback`,
      `${P}/rulesets/{name}/publish`,
    ])
      expect(taking).toContain(path)
  })

  test('is shown as a page from our own origin', async () => {
    const { status, text } = await platform.browser().request('GET', '/docs/')
    expect(status).toBe(200)
    expect(text).toContain('openapi.json')
    expect(text).not.toMatch(/(?:src|href)="https?:/)
  })
})

describe('probes and metrics', () => {
  test('need no credentials', async () => {
    const { status, body } = await platform.browser().request('GET', '/health')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'healthy',
      checks: { database: 'ok', migrations: 'ok', jobs: 'ok', storage: 'ok' },
      database: { mode: 'postgres' },
      servers: { total: 0, healthy: 0 },
    })
    expect((await platform.browser().request('GET', '/healthz/live')).body).toEqual({ status: 'alive' })
  })

  test('count requests by route, and no path of a user', async () => {
    await person.request('GET', `${A}/me/sessions/secret-path`)
    const { text } = await platform.browser().request('GET', '/metrics')
    expect(text).toMatch(/^engine_platform_info\{version="[^"]+"\} 1$/m)
    expect(text).toMatch(
      /engine_platform_http_requests_total\{method="GET",route="\/api\/v1\/me\/sessions\/:id",status="404"\} \d/,
    )
    expect(text).toMatch(/engine_platform_http_request_duration_seconds_bucket/)
    expect(text).not.toContain('secret-path')
  })
})

test('beyond the rate limit a caller is refused, others and probes are not', async () => {
  const limited = await startPlatform(database(), ['--rate-limit', '3'])
  const client = await limited.person()
  const statuses: number[] = []
  for (let count = 0; count < 4; count++) statuses.push((await client.request('GET', `${A}/me`)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const { headers } = await client.request('GET', `${A}/me`)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await limited.browser().request('GET', '/health')).status).toBe(200)
  expect((await limited.browser().request('GET', `${A}/auth/options`)).status).toBe(200)
  await limited.stop()
})

describe('an idempotency key', () => {
  const Body = Type.Object({ name: Type.String() })
  let runs = 0
  /** The run that waits. */
  let held: { readonly run: number; readonly until: Promise<void> } = { run: 0, until: Promise.resolve() }
  const CLAIM_MS = 30_000
  const route = callerRoute({
    method: 'POST',
    path: '/things',
    right: 'any',
    summary: '',
    group: '',
    body: Body,
    answers: {},
    isIdempotent: true,
    async handle({ body }) {
      const run = ++runs
      if (body.name === 'held' && run === held.run) await held.until
      if (body.name === 'wrong') throw new Error('no such thing')
      return { status: 201, body: `made ${body.name} in run ${run}`, headers: { location: '/things/1' } }
    },
  })
  const send = (key: string, name: string, id = 'one') =>
    createIdempotency(database(), CLAIM_MS).answer(route, {
      raw: { headers: { 'idempotency-key': key }, url: '/things' },
      caller: async () => ({ kind: 'user', id }),
      query: () => new URLSearchParams(),
      body: async () => ({ name }),
    } as unknown as UncheckedRequest)

  test('repeats the first answer to its caller', async () => {
    const first = await send('a', 'x')
    const again = await send('a', 'x')
    expect([again?.status, String(again?.body), again?.headers?.['location']]).toEqual([201, first?.body, '/things/1'])
    expect(String((await send('a', 'x', 'another'))?.body)).not.toBe(first?.body)
  })

  test('with another body is refused', async () => {
    await send('b', 'x')
    await expect(send('b', 'y')).rejects.toMatchObject({ code: 'conflict', details: [{ code: 'duplicate' }] })
  })

  test('of a failed request is free again', async () => {
    await expect(send('c', 'wrong')).rejects.toThrow('no such thing')
    expect((await send('c', 'right'))?.status).toBe(201)
  })

  test('of several simultaneous requests creates one resource', async () => {
    const before = runs
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => send('d', 'x')))
    expect(runs - before).toBe(1)
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ details: [{ code: 'busy' }] })
  })

  test('of a dead process is free after the time limit of a request, and the next answer counts', async () => {
    const gate = Promise.withResolvers<void>()
    held = { run: runs + 1, until: gate.promise }
    const begun = Date.now()
    const gone = send('e', 'held')
    const { tables } = database().unscoped
    const rowOf = () =>
      tables.selectFrom('idempotency_keys').select('expires_at').where('key', '=', 'e').executeTakeFirst()
    await expect.poll(async () => (await rowOf()) === undefined, { timeout: 30_000 }).toBe(false)
    await expect(send('e', 'held')).rejects.toMatchObject({ details: [{ code: 'busy' }] })
    const claimed = (await rowOf())?.expires_at.getTime() ?? 0
    expect(claimed - begun).toBeLessThan(CLAIM_MS * 4)
    // As if nothing had renewed the claim for that time.
    await tables
      .updateTable('idempotency_keys')
      .set({ expires_at: new Date(0) })
      .where('key', '=', 'e')
      .execute()
    const next = await send('e', 'held')
    expect(next?.status).toBe(201)
    gate.resolve()
    await gone
    expect(String((await send('e', 'held'))?.body)).toBe(next?.body)
    expect((await rowOf())?.expires_at.getTime()).toBeGreaterThan(begun + 23 * 3600_000)
  })

  test('is held as long as its request is being answered', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    try {
      const gate = Promise.withResolvers<void>()
      held = { run: runs + 1, until: gate.promise }
      const slow = send('f', 'held')
      const { tables } = database().unscoped
      const expiry = async () => {
        const row = await tables
          .selectFrom('idempotency_keys')
          .select('expires_at')
          .where('key', '=', 'f')
          .executeTakeFirst()
        return row?.expires_at.getTime() ?? 0
      }
      await expect.poll(expiry, { timeout: 30_000 }).toBeGreaterThan(0)
      const before = await expiry()
      vi.advanceTimersByTime(CLAIM_MS / 2)
      await expect.poll(expiry, { timeout: 30_000 }).toBeGreaterThan(before)
      gate.resolve()
      expect((await slow)?.status).toBe(201)
    } finally {
      vi.useRealTimers()
    }
  })
})

test('a request that is not HTTP is answered in the same form', async () => {
  const { port } = new URL(platform.url)
  const text = await new Promise<string>((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', path: '/health', headers: { expect: 'a miracle' } },
      (response) => {
        let all = ''
        response.on('data', (piece: Buffer) => (all += piece.toString()))
        response.on('end', () => resolve(all))
      },
    )
    request.on('error', reject)
    request.end()
  })
  expect(JSON.parse(text)).toMatchObject({ code: 'BAD_REQUEST', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
})
