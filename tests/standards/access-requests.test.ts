import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { endless, startServer, type TestServer } from '../http/server.testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'engine-access-requests-'))
afterAll(() => rmSync(folder, { recursive: true }))

const written = (name: string, content: unknown) => {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const terminal = (id: string, code: string, output?: readonly (readonly [string, string])[]) => ({
  id,
  type: 'terminal',
  result: { code, message: `is ${code}`, ...(output && { output }) },
})
const ruleset = (
  name: string,
  condition: string,
  config: object = {},
  output?: readonly (readonly [string, string])[],
) => ({
  config: { name, version: '1.0.0', entry_step: 'check', ...config },
  steps: {
    check: { id: 'check', type: 'decision', branches: [{ condition, next_step: 'yes' }], default_next: 'no' },
    yes: terminal('yes', 'PERMIT', output),
    no: terminal('no', 'DENY'),
  },
})

const CONTRACT = {
  mode: 'enforce',
  contract: {
    name: 'door',
    version: '1.0.0',
    input: { fields: [{ name: 'context.floor', type: 'number', required: true }] },
  },
}

const RULESETS = [
  ruleset('owners', 'subject.id == resource.properties.owner', {}, [
    ['obligations', '["log"]'],
    ['by', 'subject.id'],
  ]),
  ruleset('failing', '1 / 0 > context.a'),
  ruleset('partly', 'resource.id == "d1" || 1 / (len(resource.id) - 2) > 0'),
  ruleset('strict', 'context.floor > 1', { contract: CONTRACT }),
  ruleset('exact', 'resource.properties.amount == 0.1 + 0.2 && context.limit == 0.30000000000000000001', {
    numbers: 'decimal',
  }),
  endless('slow', { timeout_ms: 30 }),
]

const rule = (resource: string, name: string) => ({
  resource,
  ruleset: name,
  permit: ['PERMIT'],
  actions: ['read', 'write'],
})
const MAPPING = {
  rules: [
    { action: 'purge', ruleset: 'owners', permit: ['DENY'], actions: ['purge'] },
    { subject: ['robot', 'bot'], resource: '*', ruleset: 'owners', permit: ['PERMIT', 'DENY'] },
    rule('record', 'owners'),
    rule('door', 'failing'),
    rule('drawer', 'partly'),
    rule('lift', 'strict'),
    rule('slow', 'slow'),
    rule('sum', 'exact'),
    rule('gone', 'not-stored'),
  ],
  entities: 'entities.jsonl',
  max_evaluations: 5,
  max_candidates: 30,
  context: ['code', 'reason', 'output'],
}

const ENTITIES = [
  ...['ada', 'bob', 'eve'].map((id) => ({ type: 'user', id })),
  ...Array.from({ length: 25 }, (_, index) => ({
    type: 'record',
    id: `r${String(index).padStart(2, '0')}`,
    properties: { owner: index % 2 === 0 ? 'ada' : 'bob', tag: 'known' },
  })),
  { type: 'drawer', id: 'd1' },
  { type: 'drawer', id: 'd2' },
  { type: 'sum', id: 's', properties: { amount: 0.3 } },
  ...Array.from({ length: 31 }, (_, index) => ({ type: 'crowd', id: String(index) })),
]

const ASKED = {
  subject: { type: 'user', id: 'ada' },
  action: { name: 'read' },
  resource: { type: 'record', id: 'r00' },
}
const about = (type: string, id: string, rest: object = {}) => ({ ...ASKED, resource: { type, id }, ...rest })
const ACCESS = '/access/v1'

let server: TestServer
async function served(...options: readonly string[]): Promise<TestServer> {
  written('entities.jsonl', `${ENTITIES.map((one) => JSON.stringify(one)).join('\n')}\n\n`)
  const own = await startServer('--authzen-config', written('mapping.json', MAPPING), ...options)
  for (const one of RULESETS) {
    const stored = await own.post('/api/v1/rulesets', one)
    expect(stored.status, stored.text).toBe(201)
  }
  return own
}
beforeAll(async () => {
  server = await served()
})
afterAll(() => server.stop())
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  server.post(`${ACCESS}/${path}`, body, headers)

describe('an evaluation', () => {
  test.each<[what: string, body: object, expected: object]>([
    [
      'by known properties',
      ASKED,
      { decision: true, context: { code: 'PERMIT', reason: 'is PERMIT', output: { obligations: ['log'], by: 'ada' } } },
    ],
    [
      'by sent properties, which win',
      about('record', 'r00', { resource: { type: 'record', id: 'r00', properties: { owner: 'bob' } } }),
      { decision: false, context: { code: 'DENY', reason: 'is DENY' } },
    ],
    ['with an unknown code as permission', { ...ASKED, action: { name: 'purge' } }, { decision: false }],
    [
      'by the first rule that fits',
      { ...ASKED, subject: { type: 'bot', id: '1' } },
      { decision: true, context: { code: 'DENY' } },
    ],
    [
      'without a rule',
      about('planet', 'x'),
      { decision: false, context: { reason: 'no rule for subject `user`, action `read`, resource `planet`' } },
    ],
    ['of a prototype member', about('__proto__', 'constructor'), { decision: false }],
    ['with the digits of decimals', about('sum', 's', { context: { limit: 0.3 } }), { decision: false }],
  ])('%s', async (_, body, expected) => {
    const reply = await post('evaluation', body)
    expect([reply.status, reply.body]).toEqual([
      200,
      expect.objectContaining({
        ...expected,
        ...('context' in expected ? { context: expect.objectContaining(expected.context as object) } : {}),
      }),
    ])
  })

  test('with the digits of decimals, known and sent', async () => {
    const body = JSON.stringify(about('sum', 's')).replace(/}$/, ',"context":{"limit":0.30000000000000000001}}')
    expect((await post('evaluation', body)).body.decision).toBe(true)
  })

  test('with the digest of the ruleset that decided, on request', async () => {
    const [with_, without] = [
      await post('evaluation', ASKED, { 'x-engine-report': '1' }),
      await post('evaluation', ASKED),
    ]
    expect(with_.headers.get('x-ruleset-digest')).toMatch(/^[0-9a-f]{64}$/)
    expect(without.headers.get('x-ruleset-digest')).toBeNull()
  })

  test('counts as an execution', async () => {
    const count = async () =>
      / (\d+)$/m.exec(
        (await server.request('GET', '/metrics')).text.match(
          /^engine_executions_total\{[^}]*owners[^}]*success[^}]*\} \d+$/m,
        )?.[0] ?? ' 0',
      )?.[1]
    const before = Number(await count())
    await post('evaluation', ASKED)
    await post('evaluations', { ...ASKED, evaluations: [{}, {}] })
    expect(Number(await count())).toBe(before + 3)
  })
})

describe('a request that is refused', () => {
  const BIG = { ...ASKED, evaluations: Array.from({ length: 6 }, () => ({})) }
  test.each<[what: string, path: string, body: unknown, status: number, message: string]>([
    ['a list', 'evaluation', [ASKED], 400, 'the body must be an object, found a list'],
    ['null', 'evaluation', 'null', 400, 'the body must be an object, found `null`'],
    ['too deep', 'evaluation', '{"a":'.repeat(1000), 400, 'cannot be read as JSON'],
    ['no subject', 'evaluation', { ...ASKED, subject: undefined }, 400, '`/subject` is missing'],
    [
      'a subject that is a text',
      'evaluation',
      { ...ASKED, subject: 'ada' },
      400,
      '`/subject` must be an object, found the string `ada`',
    ],
    [
      'an id that is a number',
      'evaluation',
      { ...ASKED, subject: { type: 'user', id: 7 } },
      400,
      '`/subject/id` must be a string, found `7`',
    ],
    ['no name', 'evaluation', { ...ASKED, action: {} }, 400, '`/action/name` is missing'],
    [
      'properties that are a list',
      'evaluation',
      about('r', 'x', { action: { name: 'a', properties: [] } }),
      400,
      '`/action/properties` must be an object, found a list',
    ],
    [
      'a context that is null',
      'evaluation',
      { ...ASKED, context: null },
      400,
      '`/context` must be an object, found `null`',
    ],
    ['a broken contract', 'evaluation', about('lift', 'x'), 400, 'breaks the contract door'],
    ['rules that fail', 'evaluation', about('door', 'x', { context: { a: 1 } }), 500, 'zero'],
    ['rules that take too long', 'evaluation', about('slow', 'x'), 500, '30 ms'],
    [
      'a ruleset that is not stored',
      'evaluation',
      about('gone', 'x'),
      500,
      'the mapping names the ruleset `not-stored`, which is not stored',
    ],
    [
      'evaluations that are an object',
      'evaluations',
      { ...ASKED, evaluations: {} },
      400,
      '`/evaluations` must be a list',
    ],
    ['too many evaluations', 'evaluations', BIG, 400, '`/evaluations` has 6 items, at most 5 are evaluated'],
    [
      'an unknown semantic',
      'evaluations',
      { ...ASKED, options: { evaluations_semantic: 'any' } },
      400,
      '`/options/evaluations_semantic` must be one of `execute_all`',
    ],
    [
      'a semantic that is an object',
      'evaluations',
      { ...ASKED, options: { evaluations_semantic: {} } },
      400,
      'must be one of',
    ],
    ['options that are a list', 'evaluations', { ...ASKED, options: [] }, 400, '`/options` must be an object'],
    ['a page that is a number', 'search/resource', { ...ASKED, page: 1 }, 400, '`/page` must be an object'],
    [
      'a limit of 0',
      'search/resource',
      { ...ASKED, page: { limit: 0 } },
      400,
      '`/page/limit` must be a whole number from 1 to 10000, found `0`',
    ],
    ['a limit that is too high', 'search/resource', { ...ASKED, page: { limit: 10_001 } }, 400, 'found `10001`'],
    ['a limit that is a text', 'search/resource', { ...ASKED, page: { limit: '5' } }, 400, 'found the string `5`'],
    [
      'a token that is a number',
      'search/resource',
      { ...ASKED, page: { token: 5 } },
      400,
      '`/page/token` must be a string',
    ],
    [
      'a token of nobody',
      'search/resource',
      { ...ASKED, page: { token: 'eyJhZnRlciI6InIwMyJ9.x' } },
      400,
      '`/page/token` is not a token of this query',
    ],
    [
      'a long token',
      'search/resource',
      { ...ASKED, page: { token: 'a'.repeat(10_000) } },
      400,
      '`/page/token` is not a token of this query',
    ],
    [
      'too many candidates',
      'search/resource',
      about('crowd', 'x'),
      400,
      '`/resource/type` has 31 entities, of which at most 30 are searched (`max_candidates`)',
    ],
    ['a search without an action', 'search/subject', { ...ASKED, action: undefined }, 400, '`/action` is missing'],
    ['an unknown search', 'search/context', ASKED, 404, 'there is no path'],
  ])('%s', async (_, path, body, status, message) => {
    const reply = await post(path, body, { 'x-request-id': 'the id' })
    expect([reply.status, Object.keys(reply.body).filter((name) => name !== 'details')]).toEqual([
      status,
      ['error', 'code'],
    ])
    expect(reply.body.error).toContain(message)
    expect(reply.headers.get('x-request-id')).toBe('the id')
  })

  test.each(['x'.repeat(257)])('a request id of 257 characters', async (id) => {
    const reply = await post('evaluation', ASKED, { 'x-request-id': id })
    expect([reply.status, reply.body.error]).toEqual([
      400,
      'the header `x-request-id` must have at most 256 characters, found 257',
    ])
  })

  test.each(['GET', 'PUT', 'DELETE'])('the method %s', async (method) => {
    const reply = await server.request(method, `${ACCESS}/evaluation`)
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('another content type or coding', async () => {
    for (const headers of [{ 'content-type': 'application/xml' }, { 'content-encoding': 'br' }])
      expect((await post('evaluation', ASKED, headers as unknown as Record<string, string>)).status).toBe(400)
  })

  const REPORT = { 'x-engine-report': '1' }
  const BOTH_WAYS: readonly (readonly [title: string, body: unknown, headers?: Record<string, string>])[] = [
    ['a permitted request', ASKED],
    ['a denied one', { ...ASKED, subject: { type: 'user', id: 'eve' } }],
    ['one that no rule is for', about('cake', '1')],
    ['one about decimals', about('sum', 's', { context: { limit: 0.3 } })],
    ['one with a report', ASKED, REPORT],
    ['a failing one with a report', about('door', '1', { context: { a: 1 } }), REPORT],
    ['rules that fail', about('door', '1', { context: { a: 1 } })],
    ['an input that violates the contract', about('lift', '1')],
    ['a ruleset that is not stored', about('gone', '1')],
    ['a body without a subject', { action: { name: 'read' } }],
    ['a list', []],
    ['another content type', ASKED, { 'content-type': 'text/plain' }],
    ['an unknown tenant', ASKED, { 'x-tenant-id': 'nowhere' }],
    ['a request id that is too long', ASKED, { 'x-request-id': 'x'.repeat(257) }],
  ]
  for (const [title, body, headers = {}] of BOTH_WAYS)
    test(`${title} is answered alike before the router and by it`, async () => {
      const answerOf = async (path: string) => {
        const reply = await post(path, body, headers)
        const kept = [...reply.headers].filter(([name]) => name !== 'date')
        return { status: reply.status, text: reply.text, headers: kept }
      }
      const direct = await answerOf('evaluation')
      expect(await answerOf('evaluation?a=1&a=2')).toEqual(direct)
    })

  test('discovery without a base', async () => {
    const reply = await server.request('GET', '/.well-known/authzen-configuration')
    expect([reply.status, reply.body.error]).toEqual([
      404,
      'the mapping has no `base`, the address of this server for its clients',
    ])
  })
})

describe('evaluations', () => {
  test('deny an invalid or failing item, and continue', async () => {
    const { body } = await post('evaluations', {
      ...ASKED,
      evaluations: [7, about('door', 'x', { context: { a: 1 } }), about('lift', 'x'), about('gone', 'x'), {}],
    })
    expect(body.evaluations).toEqual([
      { decision: false, context: { error: { status: 400, message: 'the evaluation must be an object, found `7`' } } },
      { decision: false, context: { error: { status: 500, message: expect.stringContaining('zero') } } },
      { decision: false, context: { error: { status: 400, message: expect.stringContaining('contract door') } } },
      { decision: false, context: { error: { status: 500, message: expect.stringContaining('not stored') } } },
      { decision: true, context: expect.any(Object) },
    ])
  })

  test('stop at a failure as at a denial', async () => {
    const { body } = await post('evaluations', {
      ...ASKED,
      options: { evaluations_semantic: 'deny_on_first_deny' },
      evaluations: [{}, about('door', 'x', { context: { a: 1 } }), {}],
    })
    expect(body.evaluations.map((one: { decision: boolean }) => one.decision)).toEqual([true, false])
  })
})

describe('a search', () => {
  const ids = ({ results }: { results: readonly { id?: string; name?: string }[] }) =>
    results.map(({ id, name }) => id ?? name)
  const OWN = ENTITIES.filter(
    (one) =>
      one.type === 'record' && 'properties' in one && 'owner' in one.properties && one.properties.owner === 'ada',
  ).map(({ id }) => id)

  test('finds exactly what an evaluation permits, in the order of ids', async () => {
    const { body } = await post('search/resource', { ...ASKED, resource: { type: 'record' } })
    expect(ids(body)).toEqual(OWN)
    expect(body.page).toEqual({ next_token: '', count: OWN.length })
    for (const { id } of ENTITIES.filter(({ type }) => type === 'record'))
      expect((await post('evaluation', about('record', id))).body.decision).toBe(OWN.includes(id))
  })

  test('denies a candidate on which the rules fail', async () => {
    expect(ids((await post('search/resource', about('drawer', 'ignored'))).body)).toEqual(['d1'])
  })

  test('lays sent properties over those of each candidate', async () => {
    const { body } = await post('search/resource', {
      ...ASKED,
      resource: { type: 'record', properties: { owner: 'ada' } },
    })
    expect(body.results).toHaveLength(25)
  })

  test('unites the actions of all rules that fit', async () => {
    expect(
      ids((await post('search/action', { subject: ASKED.subject, resource: { type: 'record', id: 'r01' } })).body),
    ).toEqual(['purge'])
    expect(ids((await post('search/action', { subject: ASKED.subject, resource: ASKED.resource })).body)).toEqual([
      'read',
      'write',
    ])
  })

  test('finds nothing for an unknown subject of a known type', async () => {
    const body = {
      ...ASKED,
      subject: { type: 'user', id: 'nobody' },
      resource: { type: 'record', properties: { owner: 'nobody' } },
    }
    expect(ids((await post('search/resource', body)).body)).toEqual([])
  })

  test('takes a token only for the same query', async () => {
    const first = await post('search/resource', { ...ASKED, page: { limit: 3 } })
    const { next_token: token } = first.body.page
    const next = (changes: object, page: object = {}) =>
      post('search/resource', { ...ASKED, ...changes, page: { limit: 3, token, ...page } })
    expect(ids((await next({})).body)).toEqual(OWN.slice(3, 6))
    for (const [changes, page] of [
      [{ subject: { type: 'user', id: 'bob' } }, {}],
      [{ context: { a: 1 } }, {}],
      [{}, { limit: 4 }],
      [{}, { token: `${token}x` }],
      [{}, { token: token.replace(/^./, 'f') }],
    ] as const)
      expect((await next(changes, page)).status).toBe(400)
    expect((await post('search/subject', { ...ASKED, page: { limit: 3, token } })).status).toBe(400)
  })

  test('takes a token of another server only with the same key', async () => {
    const key = written('key', 'a secret of many characters')
    const [one, two, other] = [
      await served('--authzen-token-key', key),
      await served('--authzen-token-key', key),
      await served(),
    ]
    onTestFinished(async () => void (await Promise.all([one.stop(), two.stop(), other.stop()])))
    const page = async (from: TestServer, token?: string) =>
      (await from.post(`${ACCESS}/search/resource`, { ...ASKED, page: { limit: 3, token } })).body
    const {
      page: { next_token: token },
    } = await page(one)
    expect(ids(await page(two, token))).toEqual(OWN.slice(3, 6))
    expect((await page(other, token)).code).toBe('BAD_REQUEST')
  })
})

test.each([
  ['deny', { type: 'ghost', id: 'x' }, 0],
  ['rules', { type: 'user', id: 'nobody' }, 25],
  [undefined, { type: 'ghost', id: 'x' }, 25],
  [undefined, { type: 'user', id: 'nobody' }, 0],
])('`unknown_subject: %s` with %j finds %i', async (choice, subject, count) => {
  const mapping = {
    rules: [{ ruleset: 'owners', permit: ['PERMIT', 'DENY'] }],
    entities: 'entities.jsonl',
    unknown_subject: choice,
  }
  await served().then((own) => own.stop())
  const own = await startServer('--authzen-config', written('unknown.json', mapping))
  onTestFinished(() => own.stop())
  await own.post('/api/v1/rulesets', RULESETS[0])
  const { body } = await own.post(`${ACCESS}/search/resource`, {
    subject,
    action: { name: 'x' },
    resource: { type: 'record' },
  })
  expect(body.results).toHaveLength(count)
})

test('searches that a mapping makes impossible are 404 and not in the discovery document', async () => {
  const mapping = { base: 'https://pdp.example.com/', rules: [{ ruleset: 'owners', permit: ['PERMIT'] }] }
  const own = await startServer('--authzen-config', written('small.yaml', JSON.stringify(mapping)))
  onTestFinished(() => own.stop())
  for (const kind of ['subject', 'resource', 'action'])
    expect((await own.post(`${ACCESS}/search/${kind}`, ASKED)).status).toBe(404)
  const { body } = await own.request('GET', '/.well-known/authzen-configuration')
  expect(Object.keys(body)).toEqual([
    'policy_decision_point',
    'access_evaluation_endpoint',
    'access_evaluations_endpoint',
  ])
  expect(body.access_evaluation_endpoint).toBe('https://pdp.example.com/access/v1/evaluation')
})

test('an answer shows the parts that the mapping names, or the decision alone', async () => {
  for (const [context, expected] of [
    [[], { decision: true }],
    [['code'], { decision: true, context: { code: 'PERMIT' } }],
    [undefined, { decision: true, context: { code: 'PERMIT', reason: 'is PERMIT' } }],
  ]) {
    const rules = [{ ruleset: 'owners', permit: ['PERMIT'] }]
    const own = await startServer('--authzen-config', written('shown.json', { rules, context }))
    await own.post('/api/v1/rulesets', RULESETS[0])
    const body = { ...ASKED, resource: { type: 'record', id: 'x', properties: { owner: 'ada' } } }
    expect((await own.post(`${ACCESS}/evaluation`, body)).body).toEqual(expected)
    await own.stop()
  }
})

test('off by default', async () => {
  const own = await startServer()
  onTestFinished(() => own.stop())
  for (const [method, path] of [
    ['POST', '/access/v1/evaluation'],
    ['GET', '/.well-known/authzen-configuration'],
  ] as const)
    expect((await own.request(method, path)).status).toBe(404)
})

describe('tenants and tokens', () => {
  const digest = (token: string) => createHash('sha256').update(token).digest('hex')
  let own: TestServer
  const decide = (path: string, headers: Record<string, string>) => own.post(path, ASKED, headers)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  beforeAll(async () => {
    const home = join(folder, 'tenants')
    mkdirSync(join(home, 'authzen'), { recursive: true })
    const mapping = (permit: string) =>
      JSON.stringify({ base: 'https://pdp.example.com', rules: [{ ruleset: 'owners', permit: [permit] }] })
    writeFileSync(join(home, 'main.json'), mapping('PERMIT'))
    writeFileSync(join(home, 'authzen', 'a.json'), mapping('DENY'))
    const tokens = written(
      'tokens',
      `root:admin:${digest('root')}\napp-a:execute:${digest('app-a')}:a\nreads:read:${digest('reads')}\n`,
    )
    own = await startServer(
      '--authzen-config',
      join(home, 'main.json'),
      '--multi-tenancy-enabled',
      '--rules-dir',
      join(home, 'rules'),
      '--api-tokens-file',
      tokens,
      '--audit-dir',
      join(home, 'audit'),
      '--audit-sample-rate',
      '100',
    )
    for (const id of ['a', 'b']) await own.post('/api/v1/tenants', { id }, bearer('root'))
    for (const id of ['a', 'default'])
      await own.post('/api/v1/rulesets', RULESETS[0], { ...bearer('root'), 'x-tenant-id': id })
  })
  afterAll(() => own.stop())

  test.each<[path: string, headers: Record<string, string>, status: number, decision?: boolean]>([
    ['/access/v1/evaluation', bearer('root'), 200, false],
    ['/access/v1/evaluation', { ...bearer('root'), 'x-tenant-id': 'a' }, 200, true],
    ['/a/access/v1/evaluation', bearer('root'), 200, true],
    ['/a/access/v1/evaluation', bearer('app-a'), 200, true],
    ['/a/access/v1/evaluation', { ...bearer('app-a'), 'x-tenant-id': 'a' }, 200, true],
    ['/a/access/v1/evaluation', { ...bearer('app-a'), 'x-tenant-id': 'b' }, 400],
    ['/default/access/v1/evaluation', bearer('app-a'), 403],
    ['/access/v1/evaluation', bearer('app-a'), 403],
    ['/access/v1/evaluation', bearer('reads'), 403],
    ['/access/v1/evaluation', bearer('nobody'), 401],
    ['/a/access/v1/search/action', {}, 401],
    ['/b/access/v1/evaluation', bearer('root'), 404],
    ['/c/access/v1/evaluation', bearer('root'), 403],
  ])('%s with %j is %i', async (path, headers, status, decision) => {
    const reply = await decide(path, headers)
    expect([reply.status, reply.body.decision]).toEqual([status, decision])
    if (status === 401) expect(reply.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('discovery needs no token, and knows only tenants with a mapping', async () => {
    const { status, body } = await own.request('GET', '/.well-known/authzen-configuration/a')
    expect([status, body.policy_decision_point]).toEqual([200, 'https://pdp.example.com/a'])
    expect((await own.request('GET', '/.well-known/authzen-configuration/b')).status).toBe(404)
  })

  test('each decision is in the audit of its tenant', async () => {
    const home = join(folder, 'tenants', 'audit')
    const lines = () =>
      readdirSync(home, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl') && /(?:^|\/)a\//.test(name))
        .flatMap((name) => readFileSync(join(home, name), 'utf8').trim().split('\n'))
    const found = () => lines().filter((line) => line.includes('"owners"') && line.includes('app-a')).length
    await expect.poll(found).toBeGreaterThan(0)
  })
})
