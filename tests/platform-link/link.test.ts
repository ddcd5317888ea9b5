import { generateKeys } from '@engine/signing'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { JSON_TYPE, startServer, type TestServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { CONNECT_TOKEN, digestOf, type SimulatedPlatform, startPlatform } from './simulated-platform.testing.ts'

/** The engine's side of its registration, against a platform whose faults the tests choose. */

let platform: SimulatedPlatform
let directory: string

beforeEach(async () => {
  platform = await startPlatform()
  directory = mkdtempSync(join(tmpdir(), 'engine-link-'))
})
afterEach(async () => {
  await platform.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Its executions end with an error. */
const FAILING = {
  config: { name: 'rule', version: '1.0.0', entry_step: 'end', field_missing: 'strict' },
  steps: {
    end: {
      id: 'end',
      name: 'End',
      type: 'terminal',
      result: { code: 'F', message: '', output: [['x', 'missing + 1']] },
    },
  },
}

async function linked(...options: readonly string[]): Promise<TestServer> {
  const server = await startServer(
    '--platform-url',
    platform.url,
    '--platform-connect-token',
    CONNECT_TOKEN,
    '--platform-server-name',
    'engine-1',
    '--allow-direct-writes',
    ...options,
  )
  onTestFinished(() => server.stop())
  return server
}

const kept = () => ['--rules-dir', join(directory, 'rules')]
const execute = (server: TestServer, name = 'rule', headers = {}) =>
  server.post(`/api/v1/execute/${name}`, { input: {} }, headers)
const codeOf = async (server: TestServer, name = 'rule') => (await execute(server, name)).body?.code
const revisionOf = async (server: TestServer) => (await server.request('GET', '/health')).body.platform.revision
const reaches = async (server: TestServer, code: string, name = 'rule') => {
  await expect.poll(() => codeOf(server, name)).toBe(code)
}
/** The content of the last heartbeat. */
const heard = (check: (last: NonNullable<ReturnType<SimulatedPlatform['last']>>) => unknown) => () => {
  const last = platform.last()
  return last === undefined ? undefined : check(last)
}
const remove = (server: TestServer, path: string) => server.request('DELETE', path)

describe('registration', () => {
  test('states the identity and the features of the engine', async () => {
    await linked('--platform-region', 'eu', '--instance-id', 'instance-1')
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
    expect(platform.registrations).toEqual([
      {
        name: 'engine-1',
        instance_id: 'instance-1',
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        region: 'eu',
        version: expect.any(String),
        capabilities: ['jit', 'filter', 'metrics.exporter', 'audit.logger', 'network.http'],
        tenants: false,
      },
    ])
  })

  test('names the features of the engine and the capabilities of its rules, also in heartbeats', async () => {
    const features = ['--multi-tenancy-enabled', '--sample-decisions', '50', '--signature-enabled']
    const { publicKey } = generateKeys()
    await linked(...features, '--signature-require', '--signature-trusted-keys', publicKey)
    const capabilities = [
      'jit',
      'filter',
      'tenants',
      'signature',
      'signature-required',
      'recording',
      'metrics.exporter',
      'audit.logger',
      'network.http',
    ]
    await expect.poll(heard((last) => last.capabilities)).toEqual(capabilities)
    expect(platform.registrations).toMatchObject([{ capabilities, tenants: true }])
  })

  test('has the address as its default name, and the address given for the proxy', async () => {
    const server = await startServer(
      '--platform-url',
      platform.url,
      '--platform-connect-token',
      CONNECT_TOKEN,
      '--platform-server-url',
      'HTTPS://Engine.example.com:443/',
    )
    onTestFinished(() => server.stop())
    await expect.poll(() => platform.registrations.length).toBe(1)
    expect(platform.registrations[0]).toMatchObject({
      name: server.url.slice('http://'.length),
      url: 'https://engine.example.com',
    })
  })

  test.each([401, 409, 500])('is retried after %i, and the engine decides meanwhile', async (status) => {
    platform.refuseRegistration = status
    const server = await linked()
    await server.post('/api/v1/rulesets', answering('LOCAL'))
    await expect.poll(() => platform.registrations.length).toBeGreaterThan(1)
    expect(await codeOf(server)).toBe('LOCAL')
    const { body, status: health } = await server.request('GET', '/health')
    expect([health, body.platform]).toEqual([
      503,
      { registered: false, server_id: null, last_contact: null, revision: 0 },
    ])
    platform.refuseRegistration = undefined
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
  })

  test('reads its token from a file each time', async () => {
    const file = join(directory, 'token')
    writeFileSync(file, 'eng_con_old\n')
    const server = await startServer('--platform-url', platform.url, '--platform-connect-token-file', file)
    onTestFinished(() => server.stop())
    await expect.poll(() => platform.registrations.length).toBeGreaterThan(0)
    expect(platform.heartbeats).toEqual([])
    writeFileSync(file, `${CONNECT_TOKEN}\n`)
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(0)
  })

  test('is repeated when the platform no longer knows the token of the server', async () => {
    const server = await linked()
    platform.want(answering('A'))
    await reaches(server, 'A')
    const before = (await server.request('GET', '/health')).body.platform.server_id
    platform.forgetServer()
    await expect.poll(() => platform.registrations.length).toBe(2)
    await expect
      .poll(async () => (await server.request('GET', '/health')).body.platform)
      .toMatchObject({ registered: true, server_id: expect.not.stringMatching(before), revision: 0 })
    await expect.poll(heard(({ applied_revision }) => applied_revision)).toBe(0)
    expect(await codeOf(server), 'a platform that has wanted nothing yet takes nothing away').toBe('A')
    platform.want(answering('OTHER', 'other'))
    await reaches(server, 'OTHER', 'other')
    expect((await execute(server)).status, 'what it does not want goes with the first thing that it wants').toBe(404)
  })
})

describe('delivery', () => {
  test('stores, replaces and deletes rulesets as desired, and reports the digests', async () => {
    const server = await linked(...kept())
    const first = platform.want(answering('A'))
    await reaches(server, 'A')
    await expect
      .poll(heard(({ rulesets, applied_revision }) => [rulesets, applied_revision]))
      .toEqual([[{ tenant: null, name: 'rule', version: '1.0.0', digest: first, delivered: true }], 1])
    const second = platform.want(answering('B'))
    await reaches(server, 'B')
    await expect.poll(heard(({ rulesets }) => rulesets?.[0]?.digest)).toBe(second)
    platform.unwant('rule')
    await expect.poll(async () => (await execute(server)).status).toBe(404)
    await expect.poll(heard(({ rulesets }) => rulesets)).toEqual([])
    expect(await revisionOf(server)).toBe(3)
    expect(platform.fetched).toEqual([first, second])
  })

  test('reports rulesets again only when they differ', async () => {
    const server = await linked()
    platform.want(answering('A'))
    await reaches(server, 'A')
    const count = platform.heartbeats.length
    await expect.poll(() => platform.heartbeats.length).toBeGreaterThan(count + 2)
    const last = platform.last()
    expect(last?.rulesets).toBeUndefined()
    expect(last?.digest).toBe((await server.request('GET', '/health')).body.storage.digest)
  })

  test('stores nothing twice: no version, no fetch of stored content', async () => {
    const server = await linked(...kept())
    await server.post('/api/v1/rulesets', answering('A'))
    platform.want(answering('A'))
    await expect.poll(() => revisionOf(server)).toBe(1)
    expect(platform.fetched).toEqual([])
    expect((await server.request('GET', '/api/v1/rulesets/rule/versions')).body.versions).toEqual([])
  })

  test('a lost answer only costs time', async () => {
    platform.loseAnswers = 3
    const server = await linked()
    const wanted = platform.want(answering('A'))
    await reaches(server, 'A')
    expect(platform.fetched).toEqual([wanted])
  })

  test('content with another digest is not applied, reported, and fetched again', async () => {
    platform.wrongContent = JSON.stringify(answering('WRONG'))
    const server = await linked()
    platform.want(answering('A'))
    platform.want(answering('EXACT', 'exact'))
    await expect
      .poll(heard(({ problems }) => problems))
      .toEqual(
        ['rule', 'exact'].map((name) =>
          expect.objectContaining({ name, tenant: null, retried: true, message: expect.stringContaining('digest') }),
        ),
      )
    expect((await execute(server)).status).toBe(404)
    expect(platform.last()?.applied_revision).toBe(0)
    platform.wrongContent = undefined
    await reaches(server, 'A')
    await expect.poll(heard(({ problems, applied_revision }) => [problems, applied_revision])).toEqual([[], 2])
  })

  test('refused content is reported and not fetched again; the rest is applied', async () => {
    const server = await linked()
    const bad = { config: { name: 'bad', version: '1.0.0', entry_step: 'none' }, steps: {} }
    const digest = platform.want(bad)
    platform.want(answering('A'))
    await reaches(server, 'A')
    await expect
      .poll(heard(({ problems, applied_revision }) => [problems, applied_revision]))
      .toEqual([
        [expect.objectContaining({ name: 'bad', digest, retried: false, message: expect.stringContaining('none') })],
        2,
      ])
    platform.unwant('bad')
    await expect.poll(heard(({ problems }) => problems)).toEqual([])
    expect(platform.fetched.filter((one) => one === digest)).toHaveLength(1)
  })

  test('passes the signature gate', async () => {
    const key = 'I1tVBvyvXxZPZQwzWZGIFLZBG0NAgGwt7yfYMmuHVYU='
    await linked('--signature-enabled', '--signature-require', '--signature-trusted-keys', key)
    platform.want(answering('A'))
    await expect
      .poll(heard(({ problems }) => problems))
      .toEqual([expect.objectContaining({ name: 'rule', retried: false, message: expect.stringMatching(/signature/) })])
  })

  test('a platform that was restored from a backup sends the complete state', async () => {
    const server = await linked()
    platform.want(answering('A'))
    platform.want(answering('GONE', 'gone'))
    await reaches(server, 'GONE', 'gone')
    await expect.poll(heard(({ applied_revision }) => applied_revision)).toBe(2)
    platform.goBackTo(1)
    await expect.poll(async () => (await execute(server, 'gone')).status).toBe(404)
    await expect.poll(heard(({ applied_revision }) => applied_revision)).toBe(1)
    expect(await codeOf(server)).toBe('A')
  })

  test('a platform with a restored database sends the complete state, whatever its revision', async () => {
    platform.databaseId = 'first life'
    platform.want(answering('KEPT', 'kept'))
    const backup = platform.revision
    const server = await linked(...kept())
    platform.want(answering('LOST', 'kept'))
    platform.want(answering('LOST', 'lost'))
    await reaches(server, 'LOST', 'lost')
    await reaches(server, 'LOST', 'kept')
    await server.stop()
    // Restored while the engine is offline, and released again until the earlier revisions are passed.
    platform.goBackTo(backup)
    platform.databaseId = 'second life'
    platform.want(answering('KEPT', 'kept'))
    for (const code of ['1', '2', '3', '4']) platform.want(answering(code, 'other'))
    const again = await linked(...kept())
    await reaches(again, '4', 'other')
    await reaches(again, 'KEPT', 'kept')
    await expect.poll(async () => (await execute(again, 'lost')).status).toBe(404)
    const state = () => JSON.parse(readFileSync(join(directory, 'rules/.platform/state.json'), 'utf8'))
    await expect.poll(state).toMatchObject({ database_id: 'second life', revision: platform.revision })
    // Noticed by the answer of a heartbeat as well, where the connection was never lost.
    platform.databaseId = 'third life'
    const beats = platform.heartbeats.length
    await expect.poll(() => platform.heartbeats.slice(beats).some((one) => one.applied_revision === 0)).toBe(true)
    await expect.poll(() => state().database_id).toBe('third life')
    expect(again.logged).toContain('warn: the database of the platform was restored: requesting the complete state')
  })

  test('a state of an earlier engine, without a database id, is requested once', async () => {
    platform.want(answering('A'))
    const server = await linked(...kept())
    await reaches(server, 'A')
    await server.stop()
    platform.databaseId = 'a life'
    platform.heartbeats.splice(0)
    const again = await linked(...kept())
    await expect.poll(heard((last) => last.applied_revision)).toBe(platform.revision)
    expect(platform.heartbeats[0]?.applied_revision).toBe(0)
    expect(await codeOf(again)).toBe('A')
  })

  test('a repair is applied at an unchanged revision, and the report is sent again on request', async () => {
    platform.want(answering('A'))
    const server = await linked(...kept())
    await reaches(server, 'A')
    await expect.poll(heard((last) => last.rulesets)).toBeUndefined()
    platform.asksForReport = true
    await expect
      .poll(heard((last) => last.rulesets?.map(({ name, delivered }) => [name, delivered])))
      .toEqual([['rule', true]])
  })

  test('tenants are created as rulesets for them arrive', async () => {
    const server = await linked('--multi-tenancy-enabled', ...kept())
    const tenant = '01931e5c-0000-7000-8000-000000000001'
    const digest = platform.want(answering('T'), tenant)
    const headers = { 'x-tenant-id': tenant }
    await expect.poll(async () => (await execute(server, 'rule', headers)).body?.code).toBe('T')
    expect((await execute(server)).status).toBe(404)
    expect(platform.registrations[0]).toMatchObject({ tenants: true })
    await expect
      .poll(heard(({ rulesets }) => rulesets))
      .toEqual([{ tenant, name: 'rule', version: '1.0.0', digest, delivered: true }])
    await expect
      .poll(() => [...platform.statistics().values()])
      .toEqual([expect.objectContaining({ tenant, name: 'rule', digest, codes: { T: expect.any(Number) } })])
  })

  test('a ruleset for a tenant is a problem of an engine without tenants', async () => {
    await linked()
    platform.want(answering('T'), 'tenant-1')
    await expect
      .poll(heard(({ problems }) => problems))
      .toEqual([expect.objectContaining({ name: 'rule', message: expect.stringContaining('--multi-tenancy-enabled') })])
  })

  test('a reader reports its rulesets and applies nothing', async () => {
    const server = await linked('--role', 'reader')
    platform.want(answering('A'))
    await expect.poll(heard(({ applied_revision }) => applied_revision)).toBe(1)
    expect(platform.fetched).toEqual([])
    expect((await execute(server)).status).toBe(404)
  })
})

describe('a delivered ruleset', () => {
  test('answers 409 to every local change, and to its dry run', async () => {
    const server = await linked(...kept())
    await server.post('/api/v1/rulesets', answering('OLD'))
    platform.want(answering('A'))
    await reaches(server, 'A')
    const changes = [
      await server.post('/api/v1/rulesets', answering('B')),
      await server.post('/api/v1/rulesets?dry_run=true', answering('B')),
      await remove(server, '/api/v1/rulesets/rule'),
      await server.post('/api/v1/rulesets/rule/rollback', { seq: 1 }),
    ]
    for (const { status, body } of changes) {
      expect([status, body.code]).toEqual([409, 'CONFLICT'])
      expect(body.error).toContain('`rule` is delivered by the platform')
    }
    expect((await server.post('/api/v1/rulesets', answering('L', 'local'))).status).toBe(201)
    platform.unwant('rule')
    await expect.poll(async () => (await execute(server)).status).toBe(404)
    expect((await server.post('/api/v1/rulesets', answering('MINE'))).status).toBe(201)
  })

  test('stays the platform’s over a restart, even while that is unavailable', async () => {
    const first = await linked(...kept())
    platform.want(answering('A'))
    await reaches(first, 'A')
    await expect.poll(heard(({ applied_revision }) => applied_revision)).toBe(1)
    await first.stop()
    await platform.down()
    const second = await linked(...kept())
    expect(await codeOf(second)).toBe('A')
    expect((await second.post('/api/v1/rulesets', answering('B'))).status).toBe(409)
    expect(await revisionOf(second)).toBe(1)
    await platform.up()
    await expect.poll(() => platform.registrations.length).toBe(2)
    await expect.poll(heard(({ applied_revision }) => applied_revision)).toBe(1)
    expect(platform.fetched).toHaveLength(1)
  })

  test('that was edited while the engine was down is restored', async () => {
    const first = await linked(...kept())
    platform.want(answering('A'))
    await reaches(first, 'A')
    await first.stop()
    writeFileSync(join(directory, 'rules', 'rule.json'), JSON.stringify(answering('EDITED')))
    const second = await linked(...kept())
    await reaches(second, 'A')
  })

  test('whose file is removed while the engine watches is restored; an edited one is not applied', async () => {
    const server = await linked(...kept(), '--watch-rules')
    platform.want(answering('A'))
    await reaches(server, 'A')
    const file = join(directory, 'rules', 'rule.json')
    writeFileSync(file, JSON.stringify(answering('EDITED')))
    await expect
      .poll(async () => (await server.request('GET', '/health')).body.storage.rejected)
      .toEqual([{ file: 'rule.json', reason: expect.stringContaining('delivered by the platform') }])
    expect(await codeOf(server)).toBe('A')
    rmSync(file)
    await expect.poll(() => platform.fetched.length).toBe(2)
    await reaches(server, 'A')
    expect(readFileSync(file, 'utf8')).toContain('"A"')
  })

  test('is free again where the engine has no platform', async () => {
    const first = await linked(...kept())
    platform.want(answering('A'))
    await reaches(first, 'A')
    await first.stop()
    const second = await startServer(...kept())
    onTestFinished(() => second.stop())
    expect((await second.post('/api/v1/rulesets', answering('B'))).status).toBe(200)
  })

  test('is requested again where the state cannot be read', async () => {
    const first = await linked(...kept())
    platform.want(answering('A'))
    await reaches(first, 'A')
    await first.stop()
    writeFileSync(join(directory, 'rules', '.platform', 'state.json'), '{"revision":')
    const second = await linked(...kept())
    expect(second.logged.join()).toContain('cannot read the state of the platform link')
    await expect.poll(() => revisionOf(second)).toBe(1)
    expect((await second.post('/api/v1/rulesets', answering('B'))).status).toBe(409)
  })
})

describe('readiness before the first answer', () => {
  const LONG = ['--platform-ready-secs', '86400']
  const ready = async (server: TestServer) => {
    const { status, body } = await server.request('GET', '/healthz/ready')
    return [status, body.checks.platform]
  }
  const WAITING = [503, expect.stringContaining('--platform-ready-secs')]

  test.each([['in one process'], ['with workers', '--workers', '1']])(
    'of an engine without rulesets waits for it, %s',
    async (_title, ...options) => {
      platform.refuseRegistration = 503
      const server = await linked(...LONG, ...options)
      await expect.poll(() => platform.registrations.length).toBeGreaterThan(0)
      expect(await ready(server)).toEqual(WAITING)
      expect((await server.request('GET', '/health')).body.status).toBe('unhealthy')
      expect((await server.request('GET', '/healthz/live')).status).toBe(200)
      platform.want(answering('A'))
      platform.refuseRegistration = undefined
      await expect.poll(() => ready(server)).toEqual([200, 'ok'])
      expect(await codeOf(server)).toBe('A')
    },
  )

  test('ends with an empty answer, which is not held; heartbeats say `healthy` all the time', async () => {
    const server = await linked(...LONG)
    await expect.poll(() => ready(server)).toEqual([200, 'ok'])
    const [first] = platform.heartbeats
    expect(first).toMatchObject({ wait_ms: 0, health: { status: 'healthy', checks: { sync: 'ok' } } })
    expect(first).not.toHaveProperty('health.checks.platform')
  })

  test('does not end while content is unavailable', async () => {
    platform.wrongContent = '{'
    platform.want(answering('A'))
    const server = await linked(...LONG)
    await expect.poll(heard(({ problems }) => problems.length)).toBe(1)
    expect(await ready(server)).toEqual(WAITING)
    platform.wrongContent = undefined
    await expect.poll(() => ready(server)).toEqual([200, 'ok'])
    expect(await codeOf(server)).toBe('A')
  })

  test('does not wait with the limit 0, nor where there are rulesets', async () => {
    await platform.down()
    expect(await ready(await linked('--platform-ready-secs', '0'))).toEqual([200, 'ok'])
    const alone = await startServer(...kept())
    await alone.post('/api/v1/rulesets', answering('OLD'))
    await alone.stop()
    expect(await ready(await linked(...LONG, ...kept()))).toEqual([200, 'ok'])
  })
})

describe('an unavailable platform', () => {
  test('affects neither decisions nor readiness after its first answer, and is followed as soon as it returns', async () => {
    const server = await linked()
    platform.want(answering('A'))
    await reaches(server, 'A')
    await platform.down()
    platform.want(answering('B'))
    expect(await codeOf(server)).toBe('A')
    expect((await server.request('GET', '/healthz/ready')).status).toBe(200)
    await expect
      .poll(() => server.logged.filter((line) => line.startsWith('warn: no contact with the platform')).length)
      .toBeGreaterThan(0)
    await platform.up()
    await reaches(server, 'B')
    const { text } = await server.request('GET', '/metrics')
    expect(text).toMatch(/^engine_link_registered 1$/m)
    expect(text).toMatch(/^engine_link_deliveries_total\{result="applied"\} 2$/m)
    expect(text).toMatch(/^engine_link_owned_rulesets 1$/m)
    expect(Number(/^engine_link_failures_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
  })

  test('does not delay the shutdown, and gets the last executions', async () => {
    const server = await linked()
    const digest = platform.want(answering('A'))
    await reaches(server, 'A')
    for (let count = 0; count < 5; count++) await execute(server)
    await server.stop()
    const row = platform.statistics().get(`null/rule/${digest}`)
    expect(row?.ok).toBe(row?.codes['A'])
    expect(row?.ok).toBeGreaterThanOrEqual(6)
    expect(row?.duration.counts.reduce((sum, count) => sum + count, 0)).toBe(row?.ok)
    expect(platform.last()?.health.status).toBe('unhealthy')
  })
})

describe('statistics', () => {
  test('count executions by content, with lost answers counted once', async () => {
    const server = await linked()
    const first = platform.want(answering('A'))
    await reaches(server, 'A')
    await expect.poll(() => platform.statistics().get(`null/rule/${first}`)?.ok ?? 0).toBeGreaterThan(0)
    const before = platform.statistics().get(`null/rule/${first}`)?.ok ?? 0
    platform.loseAnswers = 2
    for (let count = 0; count < 10; count++) await execute(server)
    await expect.poll(() => platform.statistics().get(`null/rule/${first}`)?.ok).toBe(before + 10)
    const second = platform.want(FAILING)
    await expect.poll(() => revisionOf(server)).toBe(2)
    for (let count = 0; count < 3; count++) expect((await execute(server)).status).toBe(500)
    await expect
      .poll(() => platform.statistics().get(`null/rule/${second}`))
      .toMatchObject({ ok: 0, error: 3, codes: {} })
    expect(platform.statistics().get(`null/rule/${first}`)?.ok).toBe(before + 10)
  })
})

describe('the proxy', () => {
  const tokensFile = () => {
    const file = join(directory, 'tokens')
    writeFileSync(file, `ada:admin:${createHash('sha256').update('ada').digest('hex')}\n`)
    return file
  }

  test('may decide and read by its token, but change nothing', async () => {
    const server = await linked('--api-tokens-file', tokensFile())
    platform.want(answering('A'))
    await expect.poll(() => revisionOf(server)).toBe(1)
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const proxied = await execute(server, 'rule', bearer(platform.proxyToken))
    expect([proxied.status, proxied.body.code]).toEqual([200, 'A'])
    expect((await execute(server, 'rule', bearer('other'))).status).toBe(401)
    const headers = bearer(platform.proxyToken)
    expect((await server.request('GET', '/api/v1/rulesets', { headers })).status).toBe(200)
    expect((await server.post('/api/v1/rulesets', answering('B', 'b'), headers)).status).toBe(403)
    const old = platform.proxyToken
    platform.forgetServer()
    await expect.poll(async () => (await execute(server, 'rule', bearer(old))).status).toBe(401)
    expect((await execute(server, 'rule', bearer(platform.proxyToken))).status).toBe(200)
    expect((await execute(server, 'rule', bearer('ada'))).status).toBe(200)
  })

  test('gets digest and code of a decision as headers on request', async () => {
    const server = await linked()
    const document = answering('A B/ü')
    await server.post('/api/v1/rulesets', document)
    const asked = { ...JSON_TYPE, 'x-engine-report': '1' }
    const reported = await execute(server, 'rule', asked)
    expect(reported.body).toMatchObject({ code: 'A B/ü', duration_us: expect.any(Number) })
    expect(reported.headers.get('x-ruleset-digest')).toBe(digestOf(document))
    expect(decodeURIComponent(reported.headers.get('x-result-code') ?? '')).toBe('A B/ü')
    const viaRouter = await execute(server, 'rul%65', asked)
    expect(viaRouter.headers.get('x-ruleset-digest')).toBe(digestOf(document))
    const batch = await server.post('/api/v1/execute/rule/batch', { inputs: [{}] }, asked)
    expect(batch.headers.get('x-ruleset-digest')).toBe(digestOf(document))
    const plain = await execute(server)
    expect([plain.headers.get('x-ruleset-digest'), plain.headers.get('x-result-code')]).toEqual([null, null])
    const missing = await execute(server, 'none', asked)
    expect([missing.status, missing.headers.get('x-ruleset-digest')]).toEqual([404, null])
  })

  test('gets the digest of an execution that failed, and no code', async () => {
    const server = await linked()
    await server.post('/api/v1/rulesets', FAILING)
    const { status, headers, body } = await execute(server, 'rule', { ...JSON_TYPE, 'x-engine-report': '1' })
    expect([status, body.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(headers.get('x-ruleset-digest')).toBe(digestOf(FAILING))
    expect(headers.get('x-result-code')).toBeNull()
  })
})
