import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import {
  addEngine,
  asEngine,
  digestOf,
  type Document,
  engineNamed,
  heartbeat,
  startTeam,
  type Team,
  want,
} from './engines.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'
const SECRET = 'a-secret-of-the-platform'
const named = (code: string, name = 'rule') => answering(code, name) as unknown as Document

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  let connect: string
  beforeAll(async () => {
    platform = await startPlatform(database(), [
      '--registration-secret',
      `${SECRET},${SECRET}-2`,
      '--heartbeat-interval-secs',
      '1',
    ])
    team = await startTeam(platform)
    connect = await team.connectToken()
  })
  afterAll(() => platform.stop())

  const register = (headers: Readonly<Record<string, string>>, body: object = engineNamed(randomUUID())) =>
    asEngine(platform, 'POST', '/internal/register', body, headers)
  const environmentOf = async (name = 'prod', at = team) =>
    (await at.owner.request('GET', `${at.P}/environments/${name}`)).body.id as string
  const bind = (ids: readonly string[], environment = 'prod', at = team) =>
    at.owner.request('PUT', `${at.P}/server`, { environment, server_ids: ids })
  const server = async (id: string, at = team) => (await at.owner.request('GET', `${A}/servers/${id}`)).body

  describe('connect tokens', () => {
    test('are shown once, listed with prefix and last use, and end', async () => {
      const { owner, O } = team
      const made = await owner.request('POST', `${O}/connect-tokens`, { label: 'first' })
      expect([made.status, made.body]).toEqual([
        201,
        expect.objectContaining({ label: 'first', last_used_at: null, token: expect.stringMatching(/^eng_con_/) }),
      ])
      const { token, ...shown } = made.body
      const listed = async () => (await owner.request('GET', `${O}/connect-tokens`)).body.items[0]
      expect(await listed()).toEqual(shown)
      expect(token.startsWith(shown.prefix)).toBe(true)
      expect((await register({ 'x-connect-token': token })).status).toBe(200)
      expect((await listed()).last_used_at).not.toBeNull()
      const search = (q: string) => owner.request('GET', `${O}/connect-tokens?q=${q}`)
      expect((await search('FIRST')).body.items).toHaveLength(1)
      // Random text matches by chance.
      expect((await search(shown.prefix)).body.items).toEqual([])
      const path = `${O}/connect-tokens/${shown.id}`
      expect((await owner.request('DELETE', path)).status).toBe(204)
      expect((await owner.request('DELETE', path)).status).toBe(404)
      expect((await register({ 'x-connect-token': token })).status).toBe(401)
      const audit = await database()
        .unscoped.tables.selectFrom('audit_entries')
        .selectAll()
        .where('object_id', '=', shown.id)
        .execute()
      expect(audit.map(({ action }) => action).sort()).toEqual(['connect_token.created', 'connect_token.revoked'])
      expect(JSON.stringify(audit)).not.toContain(token)
    })
  })

  describe('registration', () => {
    test.each<[string, Record<string, string>]>([
      ['no credential', {}],
      ['an unknown token', { 'x-connect-token': `eng_con_${'x'.repeat(43)}` }],
      ['a token of another form', { 'x-connect-token': 'x' }],
      ['a wrong secret', { 'x-registration-secret': `${SECRET}-3` }],
      ['an unknown token with a valid secret', { 'x-connect-token': 'x', 'x-registration-secret': SECRET }],
    ])('with %s is 401, also with a wrong body', async (_, headers) => {
      expect((await register(headers)).status).toBe(401)
      expect((await register(headers, { wrong: true })).status).toBe(401)
    })

    test('of a browser is refused', async () => {
      for (const headers of [{ cookie: 'session=x' }, { origin: platform.url }]) {
        const { status, body } = await register({ 'x-connect-token': connect, ...headers })
        expect([status, body.details[0].code]).toEqual([403, 'origin'])
      }
    })

    test('gives id and tokens, and the record to the organization alone', async () => {
      const name = randomUUID()
      const { status, body } = await register({ 'x-connect-token': connect }, engineNamed(name, { region: 'eu' }))
      expect([status, body]).toEqual([
        200,
        {
          server_id: expect.any(String),
          server_token: expect.stringMatching(/^eng_srv_[\w-]{43}$/),
          heartbeat_interval_secs: 1,
          proxy_token: expect.stringMatching(/^eng_prx_[\w-]{43}$/),
          database_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ])
      expect(await server(body.server_id)).toMatchObject({
        org_id: team.org,
        name,
        region: 'eu',
        version: '1.0.0',
        capabilities: ['network.http'],
        tenants: false,
        healthy: false,
        status: 'offline',
        last_heartbeat: null,
        current_rulesets: [],
        desired_revision: 0,
        applied_revision: 0,
      })
      const other = await startTeam(platform)
      for (const path of ['', '/health', '/metrics']) {
        const foreign = await other.owner.request('GET', `${A}/servers/${body.server_id}${path}`)
        const unknown = await other.owner.request('GET', `${A}/servers/${randomUUID()}${path}`)
        expect([foreign.status, foreign.body.code]).toEqual([404, unknown.body.code])
      }
      expect((await other.owner.request('GET', `${A}/servers`)).body.items).toEqual([])
      expect((await other.owner.request('GET', `${A}/servers?org_id=${team.org}`)).status).toBe(404)
      const own = await team.owner.request('GET', `${A}/servers?org_id=${team.org}&q=${name}`)
      expect(own.body.items).toHaveLength(1)
    })

    test('by either secret belongs to no organization', async () => {
      const made = [SECRET, `${SECRET}-2`].map((secret) => register({ 'x-registration-secret': secret }))
      for (const { status, body } of await Promise.all(made)) {
        expect(status).toBe(200)
        expect((await team.owner.request('GET', `${A}/servers/${body.server_id}`)).status).toBe(404)
        expect((await bind([body.server_id])).status).toBe(400)
      }
    })

    test('of the same name is the same record with new tokens', async () => {
      const body = engineNamed(randomUUID())
      const first = await addEngine(platform, connect, body)
      await first.beat()
      const second = await addEngine(platform, connect, { ...body, version: '2.0.0' })
      expect(second.id).toBe(first.id)
      expect(second.proxyToken).not.toBe(first.proxyToken)
      expect((await first.beat()).status).toBe(401)
      expect((await second.beat()).status).toBe(200)
      expect((await server(second.id)).version).toBe('1.0.0')
    })

    test('of another instance is 409 while one is connected', async () => {
      const body = engineNamed(randomUUID())
      const first = await addEngine(platform, connect, body)
      const leave = new AbortController()
      const held = asEngine(
        platform,
        'POST',
        '/internal/heartbeat',
        heartbeat({ wait_ms: 25_000 }),
        { authorization: `Bearer ${first.token}` },
        leave.signal,
      ).catch(() => 'left')
      await expect.poll(async () => (await server(first.id)).status).toBe('online')
      const other = { ...body, instance_id: 'another' }
      const refused = await register({ 'x-connect-token': connect }, other)
      expect([refused.status, refused.body.details[0].code]).toEqual([409, 'busy'])
      leave.abort()
      expect(await held).toBe('left')
      await expect.poll(async () => (await register({ 'x-connect-token': connect }, other)).status).toBe(200)
    })
  })

  describe('heartbeats', () => {
    test('need the token of the server', async () => {
      for (const token of ['', 'x', `eng_srv_${'x'.repeat(43)}`, connect])
        expect(
          (await asEngine(platform, 'POST', '/internal/heartbeat', { wrong: 1 }, { authorization: `Bearer ${token}` }))
            .status,
        ).toBe(401)
    })

    test('are refused when invalid, and accepted with members of a newer engine', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      for (const wrong of [{ wait_ms: 25_001 }, { applied_revision: -1 }, { session: '' }, { stats: {} }])
        expect((await engine.beat(wrong)).status).toBe(400)
      const { status, body } = await engine.beat({ later: { a: 1 }, stats: [{ other: true }], problems: ['text'] })
      expect([status, body]).toEqual([200, { revision: 0, changes: [], database_id: expect.any(String) }])
      expect((await server(engine.id)).problems).toEqual(['text'])
    })

    test('keep an engine healthy while they arrive, and while one is held', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      await engine.beat({ health: { status: 'unhealthy', checks: { disk_writable: 'full' }, uptime_seconds: 1 } })
      const health = async () => (await team.owner.request('GET', `${A}/servers/${engine.id}/health`)).body
      expect(await health()).toMatchObject({
        online: true,
        healthy: false,
        health: { checks: { disk_writable: 'full' } },
      })
      expect((await server(engine.id)).status).toBe('degraded')
      await engine.beat()
      expect((await server(engine.id)).status).toBe('online')
      // Does not wait for three intervals of a second: the last contact is moved back.
      const seconds = async (ago: number) => {
        const at = new Date(Date.now() - ago * 1000)
        await database()
          .unscoped.tables.updateTable('servers')
          .set({ last_heartbeat: at, held_until: at })
          .where('id', '=', engine.id)
          .execute()
        return (await server(engine.id)).status
      }
      expect(await seconds(2)).toBe('online')
      expect(await seconds(5)).toBe('degraded')
      expect(await seconds(601)).toBe('offline')
    })

    test('are held until the desired state changes, and answered with the change', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      const environment = await environmentOf()
      await bind([engine.id])
      const held = engine.beat({ wait_ms: 25_000 })
      await expect.poll(async () => (await server(engine.id)).healthy).toBe(true)
      await want(database(), team.org, environment, [named('A'), named('B', 'second')])
      const first = (await held).body
      expect(first.changes).toEqual([
        { tenant: null, name: 'rule', digest: digestOf(named('A')) },
        { tenant: null, name: 'second', digest: digestOf(named('B', 'second')) },
      ])
      await want(database(), team.org, environment, [named('A2')])
      const second = (await engine.beat({ applied_revision: first.revision })).body
      expect(second.revision).toBeGreaterThan(first.revision)
      expect(second.changes).toEqual([
        { tenant: null, name: 'rule', digest: digestOf(named('A2')) },
        { tenant: null, name: 'second', deleted: true },
      ])
      expect((await engine.beat({ applied_revision: 0 })).body.changes).toEqual([second.changes[0]])
      await want(database(), team.org, environment, [named('A2')])
      expect((await engine.beat({ applied_revision: second.revision })).body).toEqual({
        revision: second.revision,
        changes: [],
        database_id: expect.any(String),
      })
      await bind([])
      expect((await engine.beat({ applied_revision: second.revision })).body.changes).toEqual([
        { tenant: null, name: 'rule', deleted: true },
      ])
    })

    test('of a deleted engine end, held or not', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      await bind([engine.id], 'staging')
      const held = engine.beat({ wait_ms: 25_000 })
      await expect.poll(async () => (await server(engine.id)).healthy).toBe(true)
      const path = `${A}/servers/${engine.id}`
      const kept = await team.owner.request('DELETE', path)
      expect([kept.status, kept.body.details[0].code]).toEqual([409, 'in_use'])
      expect((await team.owner.request('DELETE', `${path}?force=true`)).status).toBe(204)
      expect((await held).status).toBe(401)
      expect((await engine.beat()).status).toBe(401)
      expect((await team.owner.request('GET', path)).status).toBe(404)
    })

    test('carry counts, which become a history', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      const counted = (ok: number, error: number) => ({
        stats: [
          {
            tenant: null,
            name: 'rule',
            digest: 'a'.repeat(64),
            ok,
            error,
            codes: { A: ok },
            duration: { counts: [ok + error], sum_seconds: 0.1 },
          },
        ],
      })
      // A heartbeat that comes twice counts once.
      for (const stats of [counted(10, 0), counted(10, 0), counted(25, 5)]) await engine.beat(stats)
      await engine.beat({ ...counted(3, 0), session: 'after a restart' })
      const { body } = await team.owner.request('GET', `${A}/servers/${engine.id}/metrics?step=3600`)
      const sum = (name: string) =>
        body.series
          .filter((one: { name: string }) => one.name === name)
          .flatMap(({ points }: { points: readonly { value: number }[] }) => points)
          .reduce((total: number, { value }: { value: number }) => total + value, 0)
      expect([body.step_seconds, sum('executions'), sum('errors')]).toEqual([3600, 33, 5])
      expect(body.series[0].labels).toEqual({ ruleset: 'rule' })
      // Rows that name one content twice count by the last one.
      const [first, last] = [counted(4, 0), counted(6, 0)]
      expect((await engine.beat({ stats: [...first.stats, ...last.stats], session: 'twice' })).status).toBe(200)
      const again = await team.owner.request('GET', `${A}/servers/${engine.id}/metrics?step=3600`)
      const executions = again.body.series.find((one: { name: string }) => one.name === 'executions')
      expect(executions.points.reduce((total: number, { value }: { value: number }) => total + value, 0)).toBe(39)
      for (const query of ['step=1', 'from=x', 'from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z'])
        expect((await team.owner.request('GET', `${A}/servers/${engine.id}/metrics?${query}`)).status).toBe(400)
    })
  })

  test('pages of engines with many rulesets are shorter, and complete together', async () => {
    const other = await startTeam(platform)
    const token = await other.connectToken()
    const rulesets = Array.from({ length: 10_000 }, (_, index) => ({
      name: `${index} `.padEnd(120, 'x'),
      version: '1'.padEnd(250, '0'),
      digest: index.toString(16).padStart(64, '0'),
    }))
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      const engine = await addEngine(platform, token, engineNamed(randomUUID()))
      expect((await engine.beat({ rulesets })).status).toBe(200)
      ids.push(engine.id)
    }
    const listed: string[] = []
    const lengths: number[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await other.owner.request('GET', `${A}/servers?org_id=${other.org}&limit=200${query}`)
      listed.push(...body.items.map((one: { id: string }) => one.id))
      lengths.push(body.items.length)
      cursor = body.next_cursor
    }
    expect(listed.toSorted()).toEqual(ids.toSorted())
    // 4.8 MB each: the fourth one is beyond 16 MiB.
    expect(lengths).toEqual([3, 2])
  })

  describe('contents', () => {
    test('are given to engines that should have them, and to no other', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      const stranger = await addEngine(platform, connect, engineNamed(randomUUID()))
      const document = named(randomUUID())
      await bind([engine.id], 'dev')
      await want(database(), team.org, await environmentOf('dev'), [document])
      const get = (digest: string, token: string) =>
        asEngine(platform, 'GET', `/internal/rulesets/${digest}`, undefined, { authorization: `Bearer ${token}` })
      expect((await get(digestOf(document), engine.token)).body).toEqual(document)
      expect((await get(digestOf(document), stranger.token)).status).toBe(404)
      expect((await get('b'.repeat(64), engine.token)).status).toBe(404)
      expect((await get('none', engine.token)).status).toBe(404)
      expect((await get(digestOf(document), 'x')).status).toBe(401)
      await bind([], 'dev')
      expect((await get(digestOf(document), engine.token)).status).toBe(404)
    })
  })

  describe('bindings', () => {
    test('are those of the organization, in their order', async () => {
      const engines = [await addEngine(platform, connect, engineNamed(randomUUID()))]
      engines.push(await addEngine(platform, connect, engineNamed(randomUUID())))
      const ids = engines.map(({ id }) => id)
      expect((await bind(ids, 'staging')).body).toEqual({ environment: 'staging', server_ids: ids })
      const { owner, P, project } = team
      const path = `${A}/projects/${project}/server?environment=staging`
      expect((await owner.request('GET', path)).body.server_ids).toEqual(ids)
      expect((await owner.request('GET', `${P}/environments/staging`)).body.server_ids).toEqual(ids)
      const other = await startTeam(platform)
      const foreign = await addEngine(platform, await other.connectToken(), engineNamed(randomUUID()))
      for (const wrong of [[foreign.id], [randomUUID()], ['none'], [ids[0], ids[0]]])
        expect((await bind(wrong as string[], 'staging')).status).toBe(400)
      expect((await bind(ids, 'none')).status).toBe(400)
      expect((await bind(ids.toReversed(), 'staging')).body.server_ids).toEqual(ids.toReversed())
      await bind([], 'staging')
    })

    test('of one engine without tenants to two environments with one name are refused', async () => {
      const engine = await addEngine(platform, connect, engineNamed(randomUUID()))
      const [dev, staging] = [await environmentOf('dev'), await environmentOf('staging')]
      await want(database(), team.org, dev, [named('A')])
      await want(database(), team.org, staging, [named('B')])
      expect((await bind([engine.id], 'dev')).status).toBe(200)
      const refused = await bind([engine.id], 'staging')
      expect([refused.status, refused.body.details[0].code]).toEqual([409, 'name_taken'])
      const withTenants = await addEngine(platform, connect, engineNamed(randomUUID(), { tenants: true }))
      expect((await bind([withTenants.id], 'dev')).status).toBe(200)
      expect((await bind([withTenants.id], 'staging')).status).toBe(200)
      const { changes } = (await withTenants.beat()).body
      expect(changes).toEqual(
        [
          { tenant: dev, name: 'rule', digest: digestOf(named('A')) },
          { tenant: staging, name: 'rule', digest: digestOf(named('B')) },
        ].sort((left, right) => (left.tenant < right.tenant ? -1 : 1)),
      )
      await bind([], 'dev')
      await bind([], 'staging')
    })
  })

  test('a real engine registers, serves the desired rulesets, reports them and drops them', async () => {
    const environment = await environmentOf('dev')
    const engine = await startServer(
      '--platform-url',
      platform.url,
      '--platform-connect-token',
      connect,
      '--platform-server-name',
      randomUUID(),
      '--multi-tenancy-enabled',
    )
    onTestFinished(() => engine.stop())
    const health = async () => (await engine.request('GET', '/health')).body.platform
    await expect.poll(async () => (await health()).registered).toBe(true)
    const id = (await health()).server_id as string
    await bind([id], 'dev')
    await want(database(), team.org, environment, [named('LIVE')])
    const code = async () => {
      const headers = { 'x-tenant-id': environment }
      return (await engine.post('/api/v1/execute/rule', { input: {} }, headers)).body?.code
    }
    await expect.poll(code).toBe('LIVE')
    const wanted = {
      tenant: environment,
      name: 'rule',
      version: '1.0.0',
      digest: digestOf(named('LIVE')),
      delivered: true,
    }
    await expect.poll(async () => (await server(id)).current_rulesets).toEqual([wanted])
    const reported = await server(id)
    expect(reported).toMatchObject({ status: 'online', tenants: true, problems: [] })
    expect(reported.applied_revision).toBe(reported.desired_revision)
    await bind([], 'dev')
    await expect.poll(async () => (await server(id)).current_rulesets).toEqual([])
  })
})
