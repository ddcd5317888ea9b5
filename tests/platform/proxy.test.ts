import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { mkdtempSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isInShare } from '../../apps/platform-server/src/features/proxy/sticky-share.ts'
import { JSON_TYPE, startServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addEngine, digestOf, type Document, engineNamed, startTeam, type Team, want } from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
/** Headers of one connection, and what changes with each answer. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding'])
const named = (code: string, name = 'rule') => answering(code, name) as unknown as Document

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  let connect: string
  let caller: Client
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1'])
    team = await startTeam(platform)
    connect = await team.connectToken()
    caller = await keyed(['decision.execute'])
    for (const name of ['dev', 'staging', 'prod'])
      await want(database(), team.org, await environmentOf(name), [named('A')])
  })
  afterAll(() => platform.stop())

  async function keyed(scopes: readonly string[], more: object = {}): Promise<Client> {
    const { body } = await team.owner.request('POST', `${team.O}/api-keys`, { name: randomUUID(), scopes, ...more })
    return platform.program(body.token)
  }
  const E = () => `${A}/engine/${team.project}`
  const environmentOf = async (name: string) =>
    (await team.owner.request('GET', `${team.P}/environments/${name}`)).body.id as string
  const bind = (environment: string, ids: readonly string[]) =>
    team.owner.request('PUT', `${team.P}/server`, { environment, server_ids: ids })

  /** A real engine that serves an environment. */
  async function serving(
    environment: string,
    documents: readonly Document[],
    release: string | null = null,
    ...options: readonly string[]
  ) {
    const engine = await startServer(
      '--platform-url',
      platform.url,
      '--platform-connect-token',
      connect,
      '--platform-server-name',
      randomUUID(),
      '--multi-tenancy-enabled',
      ...options,
    )
    onTestFinished(() => engine.stop())
    const health = async () => (await engine.request('GET', '/health')).body.platform
    await expect.poll(async () => (await health()).registered).toBe(true)
    const id = (await health()).server_id as string
    await bind(environment, [id])
    onTestFinished(async () => void (await bind(environment, [])))
    await want(database(), team.org, await environmentOf(environment), documents, release)
    await expect
      .poll(async () => (await team.owner.request('GET', `${A}/servers/${id}`)).body.current_rulesets.length)
      .toBe(documents.length)
    return { id, engine }
  }

  /** An engine that tests play, which is healthy and serves an environment. */
  async function played(environment: string, url: string | undefined) {
    const engine = await addEngine(platform, connect, engineNamed(randomUUID(), { url, tenants: true }))
    await engine.beat({ wait_ms: 0 })
    await bind(environment, [engine.id])
    onTestFinished(async () => void (await bind(environment, [])))
    return engine
  }

  interface Seen {
    readonly method: string | undefined
    readonly url: string | undefined
    readonly headers: IncomingMessage['headers']
    readonly body: string
  }
  /** A server at the address of an engine. */
  async function place(answer: (response: ServerResponse, seen: Seen) => void) {
    const seen: Seen[] = []
    const server = createServer((request, response) => {
      text(request).then(
        (body) => {
          // An engine of a version before the proof of identity.
          if (request.url === '/api/v1/identity-proof') return void response.writeHead(404).end()
          const one = { method: request.method, url: request.url, headers: request.headers, body }
          seen.push(one)
          response.setHeader('content-type', 'text/plain')
          answer(response, one)
        },
        () => response.destroy(),
      )
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }
  const fine = (response: ServerResponse) => response.end('{"code":"FINE"}')

  test('a decision passes through, with the names of its engine and its release', async () => {
    const release = randomUUID()
    const { id, engine } = await serving('prod', [named('A')], release)
    const answer = await caller.request('POST', `${E()}/execute/rule`, { input: {} })
    expect([answer.status, answer.body.code]).toEqual([200, 'A'])
    expect([answer.headers.get('x-engine-server'), answer.headers.get('x-release-id')]).toEqual([id, release])
    expect([answer.headers.get('x-ruleset-digest'), answer.headers.get('x-result-code')]).toEqual([null, null])
    const reported = await caller.request('POST', `${E()}/execute/rule`, { input: {} }, { 'x-engine-report': '1' })
    expect(reported.headers.get('x-ruleset-digest')).toBe(digestOf(named('A')))
    const bare = await caller.request('POST', `${E()}/execute`, { input: {} })
    expect(bare.body.code).toBe('A')
    const wrong = await caller.request('POST', `${E()}/execute/none`, { input: {} })
    expect([wrong.status, wrong.body.code, wrong.headers.get('x-engine-server')]).toEqual([404, 'NOT_FOUND', null])
    const batch = await caller.request('POST', `${E()}/execute/rule/batch`, { inputs: [{}, {}] })
    expect(batch.body.summary).toMatchObject({ total: 2, success: 2 })
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const csv = { 'content-type': 'text/csv; header=present', accept: 'text/csv' }
    const lines = await caller.request('POST', `${E()}/execute/rule/batch?key=id`, 'id,n\r\na,1\r\n', csv)
    expect([lines.status, lines.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    // Node warns of a leak when an emitter has more listeners of an event than it expects.
    expect(warnings).toEqual([])
    expect(lines.text).toMatch(/^line,key,code,message,(?:.*,)?error\r\n2,a,A,/)
    const evaluated = await caller.request('POST', `${E()}/eval`, { expression: '1 + 1' })
    expect(evaluated.body.result).toBe(2)
    const seen = (await engine.request('GET', '/metrics')).text
    expect(seen).toContain('engine_http_requests_total')
  })

  test('of several live rulesets one is named, by the query or a header', async () => {
    await serving('prod', [named('A'), named('B', 'second')])
    const bare = await caller.request('POST', `${E()}/execute`, { input: {} })
    expect([bare.status, bare.body.code]).toEqual([400, 'BAD_REQUEST'])
    const byQuery = await caller.request('POST', `${E()}/execute?ruleset=second`, { input: {} })
    const byHeader = await caller.request('POST', `${E()}/execute`, { input: {} }, { 'x-ruleset': 'rule' })
    expect([byQuery.body.code, byHeader.body.code]).toEqual(['B', 'A'])
    expect((await caller.request('POST', `${E()}/execute/rule.r7`, { input: {} })).status).toBe(404)
    expect((await caller.request('POST', `${E()}/execute?ruleset=rule.r7`, { input: {} })).status).toBe(404)
  })

  test('engines with tokens let the proxy in; managers see rulesets, and none changes them', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'platform-proxy-')), 'tokens')
    writeFileSync(file, `ada:admin:${createHash('sha256').update('ada').digest('hex')}\n`)
    const { engine } = await serving('prod', [named('A')], null, '--api-tokens-file', file)
    expect((await engine.post('/api/v1/execute/rule', { input: {} })).status).toBe(401)
    expect((await caller.request('POST', `${E()}/execute/rule`, { input: {} })).body.code).toBe('A')
    const manager = team.owner
    const list = await manager.request('GET', `${E()}/rulesets`)
    expect([list.status, list.body.map(({ name }: { name: string }) => name)]).toEqual([200, ['rule']])
    expect((await manager.request('GET', `${E()}/rulesets/rule`)).body.config.name).toBe('rule')
    const refused = await caller.request('GET', `${E()}/rulesets`)
    expect([refused.status, refused.body.details[0].code]).toEqual([403, 'server.manage'])
    const writes: readonly (readonly [string, string])[] = [
      ['POST', 'rulesets'],
      ['DELETE', 'rulesets/rule'],
      ['POST', 'rulesets/rule/rollback'],
      ['PUT', 'config/audit-sample-rate'],
      ['POST', 'tenants'],
      ['DELETE', 'tenants/x'],
    ]
    for (const [method, path] of writes) {
      const { status } = await manager.request(method, `${E()}/${path}`, {})
      expect([method, path, status]).toEqual([method, path, 403])
    }
    for (const path of ['health', 'metrics', 'debug/eval', 'config'])
      expect([path, (await manager.request('GET', `${E()}/${path}`)).status]).toEqual([path, 404])
  })

  test('bytes pass unchanged; headers pass by a closed list in both directions', async () => {
    const { seen, url } = await place((response) => {
      response.writeHead(418, {
        'content-type': 'text/plain; charset=UTF-8; odd=1',
        'retry-after': '7',
        etag: '"v1"',
        'x-own': 'dropped',
        'set-cookie': 'a=b',
        location: 'https://evil.test',
        'content-security-policy': 'default-src *',
        'access-control-allow-origin': '*',
        'clear-site-data': '"*"',
        'x-frame-options': 'ALLOWALL',
        'cache-control': 'public',
        'x-ruleset-digest': digestOf(named('A')),
      })
      response.end(Buffer.from([0, 255, 1]))
    })
    const engine = await played('prod', url)
    const body = '{"input" : { "n": 1.00, "ü": "\\u0000" } }'
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const headers = {
      'content-type': 'Application/JSON;charset=utf-8',
      'x-own': 'sent',
      'x-tenant-id': 'evil',
      'x-environment': 'prod',
      'x-canary-key': 'k',
      'x-forwarded-for': '10.0.0.1',
      'x-http-method-override': 'DELETE',
      'if-match': '"v0"',
      traceparent: trace,
      cookie: 'a=b',
    }
    const answer = await caller.request('POST', `${E()}/execute/rule`, body, headers)
    expect([answer.status, answer.text]).toEqual([418, new TextDecoder().decode(Buffer.from([0, 255, 1]))])
    expect(Object.fromEntries([...answer.headers].filter(([name]) => !OF_CONNECTION.has(name)))).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'content-type': 'text/plain; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      etag: '"v1"',
      'referrer-policy': 'no-referrer',
      'retry-after': '7',
      'x-content-type-options': 'nosniff',
      'x-engine-server': engine.id,
      'x-frame-options': 'DENY',
      'x-request-id': answer.headers.get('x-request-id'),
    })
    const [one] = seen
    expect(one).toMatchObject({ method: 'POST', url: '/api/v1/execute/rule', body })
    expect(one?.headers).toEqual({
      host: new URL(url).host,
      connection: 'keep-alive',
      'accept-encoding': expect.any(String),
      authorization: `Bearer ${engine.proxyToken}`,
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/json',
      traceparent: trace,
      'x-engine-report': '1',
      'x-request-id': answer.headers.get('x-request-id'),
      'x-tenant-id': await environmentOf('prod'),
    })
  })

  test('large bodies pass in both directions, and too large ones do not', async () => {
    const { seen, url } = await place((response, { body }) => response.end(body))
    await played('prod', url)
    const body = JSON.stringify({ input: { text: 'x'.repeat(5_000_000) } })
    const answer = await caller.request('POST', `${E()}/execute/rule`, body)
    expect(answer.text.length).toBe(body.length)
    const count = seen.length
    const refused = await caller.request('POST', `${E()}/execute/rule`, `"${'x'.repeat(11_000_000)}"`)
    expect([refused.status, refused.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(seen.length).toBe(count)
  })

  test('none bound is 503, none reachable 502, one without an address 502', async () => {
    const unbound = await caller.request('POST', `${E()}/execute/rule`, { input: {} })
    expect([unbound.status, unbound.body.code]).toEqual([503, 'UNAVAILABLE'])
    await played('prod', 'http://127.0.0.1:1')
    const unreached = await caller.request('POST', `${E()}/execute/rule`, { input: {} })
    expect([unreached.status, unreached.body.code]).toEqual([502, 'BAD_GATEWAY'])
    const silent = await addEngine(platform, connect, { ...engineNamed(randomUUID()), url: undefined })
    await bind('prod', [silent.id])
    expect((await caller.request('POST', `${E()}/execute/rule`, { input: {} })).status).toBe(502)
    const metadata = await addEngine(platform, connect, engineNamed(randomUUID(), { url: 'http://169.254.169.254' }))
    await bind('prod', [metadata.id])
    expect((await caller.request('POST', `${E()}/execute/rule`, { input: {} })).status).toBe(502)
  })

  test('a backup answers when the primary cannot be connected to; a batch that was sent is not sent again', async () => {
    const { url } = await place(fine)
    const dead = await played('prod', 'http://127.0.0.1:1')
    const backup = await addEngine(platform, connect, engineNamed(randomUUID(), { url }))
    await backup.beat()
    await dead.beat()
    await bind('prod', [dead.id, backup.id])
    const answer = await caller.request('POST', `${E()}/execute/rule`, { input: { a: 1 } })
    expect([answer.status, answer.headers.get('x-engine-server')]).toEqual([200, backup.id])
    const broken = await place((response) => response.destroy())
    const breaking = await addEngine(platform, connect, engineNamed(randomUUID(), { url: broken.url }))
    await breaking.beat()
    await backup.beat()
    await bind('prod', [breaking.id, backup.id])
    const tried = await caller.request('POST', `${E()}/execute/rule/batch`, { inputs: [{ a: 1 }] })
    expect([tried.status, broken.seen.length]).toEqual([502, 1])
    const { text: metrics } = await platform.browser().request('GET', '/metrics')
    expect(metrics).toMatch(/^engine_platform_proxy_requests_total\{result="retried"\} [1-9]/m)
    expect(metrics).toMatch(/^engine_platform_servers\{status="online"\} [1-9]/m)
  })

  test('an unhealthy engine is tried after a healthy one', async () => {
    const [first, second] = [await place(fine), await place(fine)]
    const sick = await addEngine(platform, connect, engineNamed(randomUUID(), { url: first.url }))
    const well = await addEngine(platform, connect, engineNamed(randomUUID(), { url: second.url }))
    await sick.beat({ health: { status: 'unhealthy', checks: {}, uptime_seconds: 1 } })
    await well.beat()
    await bind('prod', [sick.id, well.id])
    onTestFinished(async () => void (await bind('prod', [])))
    const answer = await caller.request('POST', `${E()}/execute/rule`, { input: {} })
    expect(answer.headers.get('x-engine-server')).toBe(well.id)
  })

  test('the environment is the named one, within the reach of the key', async () => {
    const [dev, prod] = [
      await place((response) => response.end('dev')),
      await place((response) => response.end('prod')),
    ]
    await played('dev', dev.url)
    await played('prod', prod.url)
    const ask = async (client: Client, headers: Record<string, string>) =>
      client.request('POST', `${E()}/execute/rule`, { input: {} }, headers)
    expect((await ask(caller, {})).text).toBe('prod')
    expect((await ask(caller, { 'x-environment': 'dev' })).text).toBe('dev')
    expect((await ask(caller, { 'x-environment': await environmentOf('dev') })).text).toBe('dev')
    expect((await ask(caller, { 'x-environment': 'none' })).status).toBe(404)
    const limited = await keyed(['decision.execute'], { environments: ['dev'] })
    expect((await ask(limited, { 'x-environment': 'dev' })).text).toBe('dev')
    expect((await ask(limited, {})).status).toBe(403)
  })

  test('needs the right, in the organization', async () => {
    const reader = await keyed(['project.read'])
    const refused = await reader.request('POST', `${E()}/execute/rule`, { input: {} })
    expect([refused.status, refused.body.details[0].code]).toEqual([403, 'decision.execute'])
    const stranger = await platform.person()
    expect((await stranger.request('POST', `${E()}/execute/rule`, { input: {} })).status).toBe(404)
    const anonymous = await fetch(`${platform.url}${E()}/execute/rule`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{}',
    })
    expect(anonymous.status).toBe(401)
  })

  test('a standing split sends a share of the keys to another environment, each key to the same', async () => {
    const [stable, other] = [await place((r) => r.end('prod')), await place((r) => r.end('staging'))]
    await played('prod', stable.url)
    await played('staging', other.url)
    const canary = { canary_target_env_id: await environmentOf('staging'), canary_percentage: 30 }
    await team.owner.request('PUT', `${team.P}/environments/prod/canary`, canary)
    onTestFinished(async () => {
      await team.owner.request('PUT', `${team.P}/environments/prod/canary`, { canary_percentage: 0 })
    })
    const salt = await environmentOf('prod')
    for (let key = 0; key < 40; key++) {
      const headers = { 'x-canary-key': `user-${key}` }
      const answer = await caller.request('POST', `${E()}/execute/rule`, { input: {} }, headers)
      expect(answer.text).toBe(isInShare(salt, `user-${key}`, 30) ? 'staging' : 'prod')
    }
  })
})

describe('the split', () => {
  const KEYS = 100_000
  const SHAPES: Readonly<Record<string, (index: number) => string>> = {
    counters: (index) => String(index),
    'user-N': (index) => `user-${index}`,
    addresses: (index) => `a${index}@example.com`,
    'padded counters': (index) => String(index).padStart(12, '0'),
  }

  test.each(Object.entries(SHAPES))('of 100,000 %s is within 0.3 points', (_, keyOf) => {
    for (const percent of [1, 10, 50]) {
      let chosen = 0
      for (let index = 0; index < KEYS; index++) if (isInShare('release-1', keyOf(index), percent)) chosen++
      expect(Math.abs((chosen / KEYS) * 100 - percent)).toBeLessThan(0.3)
    }
  })

  test('keeps every key when the share grows, and chooses again with another salt', () => {
    let both = 0
    for (let index = 0; index < 20_000; index++) {
      const key = `user-${index}`
      if (isInShare('a', key, 10)) {
        expect(isInShare('a', key, 25)).toBe(true)
        if (isInShare('b', key, 10)) both++
      }
    }
    expect(both).toBeGreaterThan(140)
    expect(both).toBeLessThan(260)
    expect([isInShare('a', 'x', 0), isInShare('a', 'x', 100)]).toEqual([false, true])
  })
})
