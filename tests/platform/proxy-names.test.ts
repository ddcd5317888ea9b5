import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { isInShare } from '../../apps/platform-server/src/features/proxy/sticky-share.ts'
import { answering } from '../workers.testing.ts'
import { useDatabase } from './databases.testing.ts'
import { addEngine, type Document, type Engine, engineNamed, startTeam, type Team, want } from './engines.testing.ts'
import { type FakeEngine, type SeenRequest, startFakeEngine } from './fake-engine.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
const named = (name: string) => answering('DONE', name) as unknown as Document
const database = useDatabase('postgres')
let platform: TestPlatform
let team: Team
let other: Team
let caller: Client
let bank: string
const environments = new Map<string, string>()

beforeAll(async () => {
  platform = await startPlatform(database(), ['--heartbeat-interval-secs', '60'])
  team = await startTeam(platform)
  other = await startTeam(platform)
  bank = (await team.owner.request('POST', `${team.O}/projects`, { name: 'Bank' })).body.id
  const key = { name: 'caller', scopes: ['decision.execute', 'server.manage', 'project.read'] }
  caller = platform.program((await team.owner.request('POST', `${team.O}/api-keys`, key)).body.token)
  for (const [name, { owner }, path] of [
    ['shop', team, team.P],
    ['bank', team, `${team.O}/projects/${bank}`],
    ['foreign', other, other.P],
  ] as const)
    for (const { id, name: environment } of (await owner.request('GET', `${path}/environments`)).body.items)
      environments.set(`${name}/${environment}`, id)
})
afterAll(() => platform.stop())

const environmentOf = (place: string) => environments.get(place) ?? ''

/** The names on the shared engine, whose they are, and how the engine lists them. */
const OWN = 'shop-fee'
const OF_DEV = 'dev-fee'
const OF_BANK = 'bank-limit'
const FOREIGN = 'foreign-price'
const LOCAL = 'by-hand'
const ALL = [OF_BANK, LOCAL, OF_DEV, FOREIGN, OWN].toSorted()

const rowOf = (name: string) => ({ name, version: '1', description: null, step_count: 1, digest: 'sha256:0' })

/** The list as engines answer it. */
function answerList(response: ServerResponse, url: string, names: readonly string[]): void {
  const query = new URL(url, 'http://engine.test').searchParams
  const [after, q] = [query.get('cursor') ?? '', query.get('q') ?? '']
  const rows = names.filter((name) => name > after && name.includes(q)).slice(0, Number(query.get('limit') ?? '10000'))
  response.end(JSON.stringify(rows.map(rowOf)))
}

let fake: FakeEngine
let engine: Engine
let listed: readonly string[]
/** Serves `staging` alone, and answers as a test wants. */
let odd: FakeEngine
let answerOdd: (response: ServerResponse) => void

const wantEach = async (wanted: Readonly<Record<string, readonly string[]>>) => {
  for (const [place, names] of Object.entries(wanted))
    await want(database(), (place.startsWith('foreign') ? other : team).org, environmentOf(place), names.map(named))
}

/** Engines without tenants. One serves environments of two projects; another organization has one of the same address. */
beforeAll(async () => {
  fake = await startFakeEngine((response, { url }) =>
    url.startsWith('/api/v1/rulesets?') ? answerList(response, url, listed) : response.end(JSON.stringify({ url })),
  )
  odd = await startFakeEngine((response) => answerOdd(response))
  engine = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID(), { url: fake.url }))
  const second = await addEngine(platform, await team.connectToken(), engineNamed(randomUUID(), { url: odd.url }))
  const foreign = await addEngine(platform, await other.connectToken(), engineNamed(randomUUID(), { url: fake.url }))
  for (const [{ owner }, path, environment, { id, beat }] of [
    [team, team.P, 'prod', engine],
    [team, team.P, 'dev', engine],
    [team, team.P, 'staging', second],
    [team, `${team.O}/projects/${bank}`, 'prod', engine],
    [other, other.P, 'prod', foreign],
  ] as const) {
    await beat()
    await owner.request('PUT', `${path}/server`, { environment, server_ids: [id] })
  }
  await wantEach({ 'shop/dev': [OF_DEV], 'shop/staging': [OWN], 'foreign/prod': [FOREIGN] })
})
afterAll(() => {
  fake.stop()
  odd.stop()
})
beforeEach(async () => {
  listed = ALL
  answerOdd = (response) => response.end('{"at":"staging"}')
  await wantEach({ 'shop/prod': [OWN], 'bank/prod': [OF_BANK] })
  await allowLocal(false)
  for (const { seen } of [fake, odd]) seen.length = 0
})

/** The proxy is notified of the change and reads the project again. */
const allowLocal = (allow: boolean) =>
  team.owner.request('PUT', `${team.P}/environments/prod`, { allow_local_rulesets: allow })

const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  caller.request(method, `${A}/engine/${team.project}/${path}`, method === 'POST' ? { input: {} } : undefined, headers)

/** Every way to name a ruleset. */
const DOORS: readonly (readonly [
  title: string,
  ask: (name: string, headers?: Record<string, string>) => ReturnType<typeof ask>,
])[] = [
  ['execute', (name, headers) => ask('POST', `execute/${name}`, headers)],
  ['batch', (name, headers) => ask('POST', `execute/${name}/batch`, headers)],
  [
    'batch of lines',
    (name, headers) => ask('POST', `execute/${name}/batch`, { ...headers, 'content-type': 'application/x-ndjson' }),
  ],
  ['bare execute by the query', (name, headers) => ask('POST', `execute?ruleset=${name}`, headers)],
  ['bare execute by the header', (name, headers) => ask('POST', 'execute', { ...headers, 'x-ruleset': name })],
  ['read', (name, headers) => ask('GET', `rulesets/${name}`, headers)],
  ['HEAD', (name, headers) => ask('HEAD', `rulesets/${name}`, headers)],
  ['versions', (name, headers) => ask('GET', `rulesets/${name}/versions`, headers)],
  ['one version', (name, headers) => ask('GET', `rulesets/${name}/versions/1`, headers)],
  ['filter', (name, headers) => ask('POST', `rulesets/${name}/filter`, headers)],
  ['sql', (name, headers) => ask('POST', `rulesets/${name}/sql`, headers)],
  ['analyze', (name, headers) => ask('POST', `rulesets/${name}/analyze`, headers)],
  ['impact', (name, headers) => ask('POST', `rulesets/${name}/impact`, headers)],
  ['why-not', (name, headers) => ask('POST', `rulesets/${name}/why-not`, headers)],
  [
    'replay',
    (name, headers) =>
      ask('POST', `rulesets/${name}/replay?seq=1`, { ...headers, 'content-type': 'application/x-ndjson' }),
  ],
]

/** The names as they appear in a path. */
const NO_NAMES = [
  '..',
  '.fee',
  'a..b',
  'tenants',
  'Tenants',
  'a%2Fb',
  'a%5Cb',
  '..%5Crulesets',
  '%2561',
  'f%C3%A9e',
  '%EF%BD%86ee',
  'a%20b',
  'a;b',
  'a'.repeat(129),
]

describe.each(DOORS)('by %s', (_, through) => {
  test('a name passes where it is live, and is 404 everywhere else, although the engine has it', async () => {
    for (const [name, headers, status] of [
      [OWN, {}, 200],
      [OF_DEV, {}, 404],
      [OF_BANK, {}, 404],
      [FOREIGN, {}, 404],
      [LOCAL, {}, 404],
      [OWN.toUpperCase(), {}, 404],
      [`${OWN}.r7`, {}, 404],
      [OF_DEV, { 'x-environment': 'dev' }, 200],
      [OWN, { 'x-environment': 'dev' }, 404],
      [OWN, { 'x-environment': 'DEV' }, 404],
      [OF_DEV, { 'x-environment': 'prod,dev' }, 404],
    ] as const) {
      fake.seen.length = 0
      expect([name, headers, (await through(name, headers)).status]).toEqual([name, headers, status])
      expect(fake.seen.map(({ url }) => url.includes(`/${name}`))).toEqual(status === 200 ? [true] : [])
    }
  })

  test('with allow_local_rulesets a name passes that has no owner on the engine', async () => {
    await allowLocal(true)
    for (const [name, status] of [
      [OWN, 200],
      [LOCAL, 200],
      [OF_DEV, 404],
      [OF_BANK, 404],
      [FOREIGN, 404],
      [`${LOCAL}.r1`, 404],
    ] as const)
      expect([name, (await through(name)).status]).toEqual([name, status])
    // The setting is one of the environment.
    expect((await through(LOCAL, { 'x-environment': 'dev' })).status).toBe(404)
  })

  test('an invalid name is 400 or 404, and reaches no engine', async () => {
    await allowLocal(true)
    for (const name of NO_NAMES) {
      const { status } = await through(name)
      expect([name, [400, 404].includes(status), fake.seen]).toEqual([name, true, []])
    }
  })
})

test('a name of another organization stays reachable unless its engine may have the address', async () => {
  const identified = async (identity: 'pending' | 'proved' | 'unsupported' | 'failed') => {
    await database()
      .unscoped.tables.updateTable('servers')
      .set({ identity })
      .where('org_id', '=', other.org as OrgId)
      .execute()
    await allowLocal(true)
    return (await ask('POST', `execute/${FOREIGN}`)).status
  }
  for (const [identity, status] of [
    ['failed', 200],
    ['pending', 200],
    ['proved', 404],
    ['unsupported', 404],
  ] as const)
    expect([identity, await identified(identity)]).toEqual([identity, status])
})

test('a name that was removed from another environment stays its own until the engine has deleted it', async () => {
  await wantEach({ 'bank/prod': [] })
  await allowLocal(true)
  expect((await ask('POST', `execute/${OF_BANK}`)).status).toBe(404)
  const { body } = await engine.beat()
  await engine.beat({ applied_revision: body.revision })
  await allowLocal(true)
  expect((await ask('POST', `execute/${OF_BANK}`)).status).toBe(200)
})

test('404 leaves nothing in the audit', async () => {
  const count = async () => (await team.owner.request('GET', `${team.O}/audit?limit=200`)).body.items.length
  const before = await count()
  for (const [, through] of DOORS) expect((await through(OF_BANK)).status).toBe(404)
  expect(await count()).toBe(before)
})

test('eval has no name and passes', async () => {
  expect((await ask('POST', 'eval')).body).toEqual({ url: '/api/v1/eval' })
})

test.each([
  ['an unknown parameter', 'POST', `execute/${OWN}?dry_run=true`],
  ['a parameter of another path', 'POST', `execute/${OWN}?limit=1`],
  ['the id of the project', 'POST', `execute/${OWN}?${'0'.repeat(8)}/rulesets`],
  ['a ruleset twice', 'POST', `execute?ruleset=${OWN}&ruleset=${LOCAL}`],
  ['trace that is not a truth value', 'POST', `execute/${OWN}/batch?trace=1`],
  ['a limit of 0', 'GET', 'rulesets?limit=0'],
  ['a limit in another notation', 'GET', 'rulesets?limit=1e2'],
  ['a cursor that is not a name', 'GET', 'rulesets?cursor=..%2F..'],
  ['a long search', 'GET', `rulesets?q=${'x'.repeat(201)}`],
  ['a replay of no number', 'POST', `rulesets/${OWN}/replay?seq=one`],
  ['a replay of version 0', 'POST', `rulesets/${OWN}/replay?seq=0`],
  ['a version that is not a number', 'GET', `rulesets/${OWN}/versions/1e3`],
])('%s in a query is 400, and reaches no engine', async (_title, method, path) => {
  const { status, body } = await ask(method, path)
  expect([status, body.code]).toEqual([400, 'BAD_REQUEST'])
  expect(fake.seen).toEqual([])
})

test.each([
  ['text/plain', `execute/${OWN}`],
  ['application/x-www-form-urlencoded', `execute/${OWN}`],
  ['application/x-ndjson', `execute/${OWN}`],
  ['text/csv', `execute/${OWN}`],
  ['text/csv; charset=latin1', `execute/${OWN}/batch`],
  ['text/csv; header=absent', `execute/${OWN}/batch`],
  ['application/json, application/x-ndjson', `execute/${OWN}/batch`],
  ['application/yaml', `rulesets/${OWN}/sql`],
  ['application/yaml', `rulesets/${OWN}/analyze`],
  ['application/json', `rulesets/${OWN}/replay?seq=1`],
])('a body of the type %s to %s is 415, and reaches no engine', async (type, path) => {
  expect((await ask('POST', path, { 'content-type': type })).status).toBe(415)
  expect(fake.seen).toEqual([])
})

test('the closed list of request headers is all that an engine gets', async () => {
  await ask('GET', `rulesets/${OWN}`, {
    'if-none-match': '"a"',
    'accept-encoding': 'gzip',
    'x-tenant-id': 'evil',
    'x-engine-peer-address': '10.0.0.1',
    'x-engine-signature': 'c2ln',
    'x-forwarded-for': '10.0.0.1',
    'x-original-url': '/metrics',
    'x-http-method-override': 'DELETE',
    accept: 'text/html',
    via: '1.1 other',
    range: 'bytes=0-1',
  })
  const [{ method, headers }] = fake.seen as [SeenRequest]
  expect(method).toBe('GET')
  expect(Object.keys(headers).toSorted()).toEqual([
    'accept-encoding',
    'authorization',
    'connection',
    'host',
    'if-none-match',
    'x-engine-report',
    'x-request-id',
  ])
})

test('the hops of rules that call engines pass, and anything but one number is 400', async () => {
  await ask('POST', `execute/${OWN}`, { 'x-engine-hops': '3' })
  expect(fake.seen[0]?.headers['x-engine-hops']).toBe('3')
  for (const hops of ['1, 2', '-1', 'x'])
    expect((await ask('POST', `execute/${OWN}`, { 'x-engine-hops': hops })).status).toBe(400)
  expect(fake.seen.length).toBe(1)
})

test('a standing split sends a share of the decisions where the ruleset is live, and no reads', async () => {
  const both = 'in-both'
  await wantEach({ 'shop/staging': [both, 'in-staging'], 'shop/prod': [both, OWN] })
  const split = { canary_target_env_id: environmentOf('shop/staging'), canary_percentage: 50 }
  await team.owner.request('PUT', `${team.P}/environments/prod/canary`, split)
  try {
    for (let index = 0; index < 12; index++) {
      const key = { 'x-canary-key': `user-${index}` }
      const isOther = isInShare(environmentOf('shop/prod'), `user-${index}`, 50)
      expect((await ask('POST', `execute/${both}`, key)).body.at).toBe(isOther ? 'staging' : undefined)
      expect((await ask('POST', `execute/${OWN}`, key)).body.at).toBeUndefined()
      expect((await ask('POST', 'execute/in-staging', key)).status).toBe(404)
      expect((await ask('GET', `rulesets/${both}`, key)).body.at).toBeUndefined()
    }
  } finally {
    await team.owner.request('PUT', `${team.P}/environments/prod/canary`, { canary_percentage: 0 })
    await wantEach({ 'shop/staging': [OWN] })
  }
})

describe('the list of rulesets', () => {
  const names = async (query = '') => {
    const { status, body, headers } = await ask('GET', `rulesets${query}`)
    expect(status).toBe(200)
    return { names: body.map(({ name }: { name: string }) => name), next: headers.get('x-next-cursor') }
  }

  test('has the rulesets that callers reach', async () => {
    expect(await names()).toEqual({ names: [OWN], next: null })
    listed = [...ALL, `${OWN}.r3`].toSorted()
    await allowLocal(true)
    expect(await names()).toEqual({ names: [LOCAL, OWN], next: null })
    expect(await names('?q=hand')).toEqual({ names: [LOCAL], next: null })
    expect((await ask('GET', 'rulesets')).body[0]).toEqual(rowOf(LOCAL))
  })

  test('pages over an engine with hundreds of rulesets of others, and names none of them in a cursor', async () => {
    const own = Array.from({ length: 7 }, (_, index) => `m-${index}`)
    const others = Array.from({ length: 1100 }, (_, index) => [`a-${index}`, `m-0-${index}`, `z-${index}`]).flat()
    listed = [...own, ...others].toSorted()
    await wantEach({ 'shop/prod': own })
    await allowLocal(false)
    const found: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const page: Awaited<ReturnType<typeof names>> = await names(`?limit=3${next === '' ? '' : `&cursor=${next}`}`)
      expect(page.names.length).toBeLessThanOrEqual(3)
      found.push(...page.names)
      next = page.next
      if (next !== null) expect(own).toContain(next)
    }
    expect(found).toEqual(own)
    expect((await names()).names).toEqual(own)
  })

  test.each<readonly [string, (response: ServerResponse) => void]>([
    ['is not JSON', (response) => response.end('[')],
    ['is not an array', (response) => response.end('{}')],
    ['has a row without a name', (response) => response.end('[{}]')],
    ['has a row that is not an object', (response) => response.end('[1]')],
    ['has a name twice', (response) => response.end(JSON.stringify([rowOf('a'), rowOf('a')]))],
    [
      'goes in circles',
      (response) => response.end(JSON.stringify(Array.from({ length: 200 }, (_, index) => rowOf(`a${1000 + index}`)))),
    ],
    ['is compressed', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('[]')],
    ['breaks off', (response) => void response.write('[', () => response.destroy())],
    ['is a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['is refused', (response) => response.writeHead(401).end('{}')],
  ])('of an engine that %s is 502', async (_, answer) => {
    answerOdd = answer
    const { status, body } = await ask('GET', 'rulesets', { 'x-environment': 'staging' })
    expect([status, body.code]).toEqual([502, 'BAD_GATEWAY'])
  })
})

describe('an answer of an engine', () => {
  const answeredBy = async (
    answer: (response: ServerResponse) => void,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    answerOdd = answer
    const response = await fetch(`${platform.url}${A}/engine/${team.project}/rulesets/${OWN}`, {
      headers: { ...headers, 'x-api-key': await keyOf(), 'x-environment': 'staging' },
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  let key: string | undefined
  const keyOf = async () => {
    const request = { name: 'reader', scopes: ['server.manage'] }
    key ??= (await team.owner.request('POST', `${team.O}/api-keys`, request)).body.token as string
    return key
  }

  test.each([
    ['application/json', 'application/json'],
    ['Application/JSON; Charset="UTF-8"', 'application/json; charset=utf-8'],
    ['application/problem+json', 'application/problem+json'],
    ['application/x-ndjson; charset=utf-8', 'application/x-ndjson; charset=utf-8'],
    ['text/csv; charset=utf-8; header=present', 'text/csv; charset=utf-8'],
    ['text/plain; version=0.0.4', 'text/plain'],
  ])('of the type %s passes as %s', async (type, shown) => {
    const { status, headers, text } = await answeredBy((response) =>
      response.writeHead(200, { 'content-type': type }).end('1'),
    )
    expect([status, headers.get('content-type'), text]).toEqual([200, shown, '1'])
  })

  test.each([
    'text/html',
    'text/html;application/json',
    'application/json, text/html',
    'application/json+html',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/javascript',
    'text/plain, text/html',
    'multipart/mixed',
    '',
    'x',
  ])('of the type %j is 502 and shows nothing of it', async (type) => {
    const { status, headers, text } = await answeredBy((response) =>
      response.writeHead(200, { 'content-type': type }).end('<script>secret</script>'),
    )
    expect([status, headers.get('content-type')]).toEqual([502, 'application/json; charset=utf-8'])
    expect(text).not.toContain('secret')
  })

  test('without a content type is 502, with two as well; an empty one passes', async () => {
    const without = await answeredBy((response) => {
      response.removeHeader('content-type')
      response.end('<p>')
    })
    const two = await answeredBy((response) => {
      response.writeHead(200, { 'content-type': ['application/json', 'text/html'] as unknown as string }).end('<p>')
    })
    const empty = await answeredBy((response) => response.writeHead(204).end())
    expect([without.status, two.status, empty.status]).toEqual([502, 502, 204])
  })

  test.each([300, 301, 302, 303, 307, 308, 399])('of the status %d is 502, and is not followed', async (status) => {
    const answer = await answeredBy((response) => response.writeHead(status, { location: fake.url }).end('{}'))
    expect([answer.status, answer.headers.get('location'), fake.seen.length]).toEqual([502, null, 0])
  })

  test('of the status 304 passes with its tag', async () => {
    const { status, headers } = await answeredBy((response) => response.writeHead(304, { etag: '"a"' }).end(), {
      'if-none-match': '"a"',
    })
    expect([status, headers.get('etag')]).toEqual([304, '"a"'])
  })

  test.each([
    ['content-security-policy', "default-src * 'unsafe-inline'", "default-src 'none'; frame-ancestors 'none'"],
    ['x-frame-options', 'ALLOWALL', 'DENY'],
    ['referrer-policy', 'unsafe-url', 'no-referrer'],
    ['cross-origin-resource-policy', 'cross-origin', 'same-origin'],
    ['x-content-type-options', 'sniff', 'nosniff'],
    ['cache-control', 'public, max-age=9', 'no-store'],
    ['access-control-allow-origin', '*', null],
    ['access-control-allow-credentials', 'true', null],
    ['clear-site-data', '"*"', null],
    ['strict-transport-security', 'max-age=0', null],
    ['set-cookie', 'session=evil', null],
    ['link', '</x>; rel=preload', null],
    ['refresh', '0;url=//evil.test', null],
    ['content-disposition', 'inline', null],
    ['www-authenticate', 'Basic', null],
    ['service-worker-allowed', '/', null],
    ['x-engine-server', 'evil', 'the own'],
    ['x-release-id', 'evil', null],
    ['x-request-id', 'evil', 'the own'],
    ['x-result-code', 'A', null],
    ['x-ruleset-digest', 'a'.repeat(64), null],
    ['retry-after', '9', '9'],
    ['etag', '"a"', '"a"'],
    ['etag', 'a\tb', null],
    ['x-next-cursor', 'fee', 'fee'],
    ['x-next-cursor', '../x', null],
  ])('has %s of the platform or none, where it says %j', async (name, value, shown) => {
    const { status, headers } = await answeredBy((response) => response.writeHead(200, { [name]: value }).end('{}'))
    expect(status).toBe(200)
    if (shown === 'the own') expect(headers.get(name)).not.toBe(value)
    else expect(headers.get(name)).toBe(shown)
  })

  test('shows the deciding version on request', async () => {
    const report = { 'x-ruleset-digest': 'a'.repeat(64), 'x-result-code': 'A%20B' }
    const { headers } = await answeredBy((response) => response.writeHead(200, report).end('{}'), {
      'x-engine-report': '1',
    })
    expect([headers.get('x-ruleset-digest'), headers.get('x-result-code')]).toEqual(Object.values(report))
  })

  test('with trailers that its headers may not contain has them dropped', async () => {
    const { status, headers } = await answeredBy((response) => {
      response.writeHead(200, { trailer: 'set-cookie' })
      response.write('{}')
      response.addTrailers({ 'set-cookie': 'a=b' })
      response.end()
    })
    expect([status, headers.get('trailer'), headers.get('set-cookie')]).toEqual([200, null, null])
  })
})
