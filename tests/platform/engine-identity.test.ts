import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startServer } from '../http/server.testing.ts'
import { answering } from '../workers.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import {
  addEngine,
  asEngine,
  decidingProgram,
  type Engine,
  engineNamed,
  startLinked,
  startTeam,
  type Team,
  want,
} from './engines.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

/** Which address an engine may have, and how it proves that it is its own (docs/platform/engines.md). */

const A = '/api/v1'
const PROOF = '/api/v1/identity-proof'

interface Place {
  readonly url: string
  /** Everything but challenges. */
  readonly seen: IncomingMessage[]
  readonly challenges: { readonly headers: IncomingMessage['headers']; readonly nonce: string }[]
  /** Who stands there: how challenges are answered. */
  answer: (response: ServerResponse, nonce: string) => void
}

/** An engine that proves a registration, as the documentation describes it, without our code. */
const proving =
  (engine: () => Pick<Engine, 'id' | 'proxyToken'>, origin: () => string): Place['answer'] =>
  (response, nonce) => {
    const { id, proxyToken } = engine()
    const message = `["engine-identity-proof/1","${id}","${origin()}","${nonce}"]`
    const proof = createHmac('sha256', proxyToken).update(message).digest('base64url')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ server_id: id, proof }))
  }
const status =
  (code: number, headers = {}): Place['answer'] =>
  (response) =>
    void response.writeHead(code, headers).end('{}')

async function place(answer: Place['answer'] = status(404)): Promise<Place> {
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        if (request.url === PROOF) {
          const { nonce } = JSON.parse(body) as { readonly nonce: string }
          found.challenges.push({ headers: request.headers, nonce })
          return found.answer(response, nonce)
        }
        found.seen.push(request)
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"code":"FINE"}')
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
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const found: Place = { url, seen: [], challenges: [], answer }
  return found
}

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let team: Team
  let caller: Client
  let connect: string
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--heartbeat-interval-secs', '1'])
    team = await startTeam(platform)
    caller = await decidingProgram(platform, team)
    connect = await team.connectToken()
  })
  afterAll(() => platform.stop())

  const bind = (ids: readonly string[], { owner, P } = team) =>
    owner.request('PUT', `${P}/server`, { environment: 'prod', server_ids: ids })
  const decide = (client = caller, { project } = team) =>
    client.request('POST', `${A}/engine/${project}/execute/rule`, { input: {} })
  const serverOf = async (id: string, { owner } = team) => (await owner.request('GET', `${A}/servers/${id}`)).body
  const environmentOf = async ({ owner, P } = team) => (await owner.request('GET', `${P}/environments/prod`)).body.id
  const wanted = async (of = team) => want(database(), of.org, await environmentOf(of), [answering('FINE', 'rule')])
  const register = (body: object, token = connect, headers = {}) =>
    asEngine(platform, 'POST', '/internal/register', engineNamed(randomUUID(), body), {
      'x-connect-token': token,
      ...headers,
    })
  const entries = async (action: string, { owner, O } = team) =>
    (await owner.request('GET', `${O}/audit?action=${action}&limit=200`)).body.items as {
      readonly after: Readonly<Record<string, unknown>>
      readonly object: { readonly name: string }
    }[]

  /** An engine that tests play at a place, bound and in contact. */
  async function played(at: Place, prove = true): Promise<Engine> {
    await wanted()
    const engine = await addEngine(platform, connect, engineNamed(randomUUID(), { url: at.url, tenants: true }))
    if (prove)
      at.answer = proving(
        () => engine,
        () => at.url,
      )
    await bind([engine.id])
    onTestFinished(async () => void (await bind([])))
    return engine
  }

  test('a real engine proves its identity, and decides', async () => {
    await wanted()
    const { id, engine } = await startLinked(platform, connect, '--multi-tenancy-enabled')
    onTestFinished(() => engine.stop())
    await bind([id])
    onTestFinished(async () => void (await bind([])))
    await expect.poll(async () => (await decide()).body.code).toBe('FINE')
    expect(await serverOf(id)).toMatchObject({ identity: 'proved', url: engine.url, problems: [] })
  })

  test('nothing but a nonce is sent before the proof, and one proof serves all', async () => {
    const at = await place()
    const engine = await played(at)
    const answers = await Promise.all(Array.from({ length: 20 }, () => decide()))
    expect(answers.map((answer) => answer.status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(at.challenges).toHaveLength(1)
    const [{ headers, nonce } = { headers: {}, nonce: '' }] = at.challenges
    expect(Buffer.from(nonce, 'base64url')).toHaveLength(32)
    expect(headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(headers)).not.toContain('eng_')
    expect(at.seen[0]?.headers.authorization).toBe(`Bearer ${engine.proxyToken}`)
    expect((await serverOf(engine.id)).identity).toBe('proved')
  })

  test('a heartbeat is enough for a proof', async () => {
    const at = await place()
    const engine = await played(at)
    expect((await serverOf(engine.id)).identity).toBe('pending')
    await engine.beat()
    await expect.poll(async () => (await serverOf(engine.id)).identity).toBe('proved')
    expect(at.seen).toHaveLength(0)
  })

  const someone = { id: randomUUID(), proxyToken: 'eng_prx_other' }
  test.each<[what: string, answer: (at: Place) => Place['answer']]>([
    [
      'another registration',
      (at) =>
        proving(
          () => someone,
          () => at.url,
        ),
    ],
    ['another address', () => () => undefined],
    ['no JSON', () => (response) => void response.writeHead(200).end('fine')],
    [
      'an empty proof',
      () => (response) => void response.writeHead(200).end(`{"server_id":"${someone.id}","proof":""}`),
    ],
    ['a long answer', () => (response) => void response.writeHead(200).end('x'.repeat(100_000))],
    ['a redirect', () => status(307, { location: 'http://127.0.0.1:1/' })],
    ['401', () => status(401)],
    ['409', () => status(409)],
    ['204', () => status(204)],
  ])('an engine that answers with %s gets no decisions', async (what, answer) => {
    const at = await place()
    const engine = await played(at, false)
    at.answer =
      what === 'another address'
        ? proving(
            () => engine,
            () => 'http://127.0.0.1:1',
          )
        : answer(at)
    // The time in which an engine may not have its token yet is over.
    await database()
      .unscoped.tables.updateTable('servers')
      .set({ updated_at: new Date(0) })
      .where('id', '=', engine.id)
      .execute()
    await bind([engine.id])
    const refused = await decide()
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      502,
      'BAD_GATEWAY',
      expect.stringContaining('has not proved its identity'),
    ])
    expect(at.seen).toHaveLength(0)
    const { identity, problems, name } = await serverOf(engine.id)
    expect([identity, problems[0]]).toEqual([
      'failed',
      { code: 'identity_not_proved', message: expect.stringContaining('identity not proved') },
    ])
    const [entry] = await entries('server.identity_refused')
    expect([entry?.object.name, entry?.after]).toMatchObject([name, { url: at.url, reason: expect.any(String) }])
    // It is challenged again, and may have become the right one.
    at.answer = proving(
      () => engine,
      () => at.url,
    )
    await expect.poll(async () => (await decide()).status).toBe(200)
    expect(await serverOf(engine.id)).toMatchObject({ identity: 'proved', problems: [] })
  })

  test('an engine that has registered again proves the new registration', async () => {
    const at = await place()
    let engine = await played(at)
    expect((await decide()).status).toBe(200)
    const { name } = await serverOf(engine.id)
    const elsewhere = await place(
      proving(
        () => engine,
        () => elsewhere.url,
      ),
    )
    engine = await addEngine(platform, connect, engineNamed(name, { url: elsewhere.url, tenants: true }))
    expect((await serverOf(engine.id)).identity).toBe('pending')
    const before = at.seen.length
    expect((await decide()).status).toBe(200)
    expect([at.seen.length, elsewhere.challenges.length, elsewhere.seen.length]).toEqual([before, 1, 1])
  })

  test('a proof of one registration does not count for the next', async () => {
    const at = await place()
    const first = await played(at)
    const { name } = await serverOf(first.id)
    let answer = () => {}
    at.answer = (response, nonce) =>
      void (answer = () =>
        proving(
          () => first,
          () => at.url,
        )(response, nonce))
    const waiting = decide()
    await expect.poll(() => at.challenges.length).toBe(1)
    const second = await addEngine(platform, connect, engineNamed(name, { url: at.url, tenants: true }))
    at.answer = proving(
      () => second,
      () => at.url,
    )
    answer()
    expect((await waiting).status).toBe(502)
    expect(at.seen).toHaveLength(0)
    expect((await serverOf(second.id)).identity).toBe('pending')
    expect((await decide()).status).toBe(200)
    expect(at.seen[0]?.headers.authorization).toBe(`Bearer ${second.proxyToken}`)
  })

  test('behind a load balancer any engine of the organization proves the address', async () => {
    const at = await place()
    const first = await played(at)
    const second = await addEngine(platform, connect, engineNamed(randomUUID(), { url: at.url, tenants: true }))
    at.answer = proving(
      () => second,
      () => at.url,
    )
    expect((await decide()).status).toBe(200)
    expect((await serverOf(first.id)).identity).toBe('proved')
  })

  test('an engine version without proofs causes a warning with its name, or is refused', async () => {
    const at = await place()
    const engine = await played(at, false)
    expect((await decide()).status).toBe(200)
    const { identity, name } = await serverOf(engine.id)
    expect(identity).toBe('unsupported')
    expect(platform.lines.filter((line) => JSON.stringify(line).includes(name))).toHaveLength(1)

    const strict = await startPlatform(database(), ['--require-identity-proof'])
    onTestFinished(() => strict.stop())
    const asking = strict.program(
      (await team.owner.request('POST', `${team.O}/api-keys`, { name: 'strict', scopes: ['decision.execute'] })).body
        .token,
    )
    const before = at.seen.length
    const refused = await decide(asking)
    expect([refused.status, refused.body.error]).toEqual([502, expect.stringContaining('upgrade the engine')])
    expect(at.seen).toHaveLength(before)
  })

  test('an engine that answers no challenge at this moment leaves the decision to a backup', async () => {
    const away = await place(status(503))
    await played(away, false)
    const at = await place()
    const backup = await addEngine(platform, connect, engineNamed(randomUUID(), { url: at.url, tenants: true }))
    at.answer = proving(
      () => backup,
      () => at.url,
    )
    const [bound] = (await team.owner.request('GET', `${team.P}/server?environment=prod`)).body.server_ids
    await bind([bound, backup.id])
    const answer = await decide()
    expect([answer.status, answer.headers.get('x-engine-server')]).toEqual([200, backup.id])
    expect([away.seen.length, (await serverOf(bound)).identity]).toEqual([0, 'pending'])
  })

  test('the engine of another organization proves nothing for a caller that registers its address', async () => {
    const victim = await startTeam(platform)
    const engine = await startServer(
      '--platform-url',
      platform.url,
      '--platform-connect-token',
      await victim.connectToken(),
      '--allow-direct-writes',
    )
    onTestFinished(() => engine.stop())
    await engine.post('/api/v1/rulesets', answering('SECRET'))
    // Before the victim's engine has proved anything, its address can be registered by anyone; and gets nothing.
    const { body } = await register({ url: engine.url })
    const id = body.server_id as string | undefined
    if (id !== undefined) {
      await bind([id])
      onTestFinished(async () => void (await bind([])))
      const { status: code } = await decide()
      expect(code).toBe(502)
      expect((await team.owner.request('GET', `${A}/engine/${team.project}/rulesets`)).text).not.toContain('SECRET')
    }
    await expect
      .poll(async () => (await victim.owner.request('GET', `${A}/servers?org_id=${victim.org}`)).body.items[0].identity)
      .toBe('proved')
    for (const url of [engine.url, `${engine.url.replace('http', 'HTTP')}/`]) {
      const taken = await register({ url })
      expect([taken.status, taken.body.code, taken.body.details[0].code]).toEqual([409, 'CONFLICT', 'in_use'])
    }
    const [entry] = await entries('server.registration_refused')
    expect(entry?.after).toMatchObject({ url: `${engine.url.replace('http', 'HTTP')}/` })
    // Its own organization may register it, as behind a load balancer.
    expect((await register({ url: engine.url }, await victim.connectToken())).status).toBe(200)
  })

  test.each([
    'http://127.0.0.1:34081/admin?x=',
    'http://127.0.0.1:34081#',
    'http://user:pw@127.0.0.1',
    'http://127.0.0.1\\@10.0.0.1',
    'http:/127.0.0.1',
    'file:///etc/passwd',
    'http://127.1',
    'http://[::ffff:127.0.0.1]',
    'http://127.0.0.1:0',
    'http://169.254.169.254',
    'http://10.0.0.7:8080',
    'http://8.8.8.8',
    '',
  ])('a registration of %j is 400, audited, and leaves no record', async (url) => {
    const { status: code, body } = await register({ url, name: `refused-${url}`.slice(0, 100) })
    expect([code, body.code, body.details]).toEqual([
      400,
      'BAD_REQUEST',
      [{ path: '/url', message: expect.any(String), code: 'address_refused' }],
    ])
    const [entry] = await entries('server.registration_refused')
    expect(entry?.after['url']).toBe(url)
    const { items } = (await team.owner.request('GET', `${A}/servers?org_id=${team.org}&q=refused-&limit=200`)).body
    expect(items).toEqual([])
  })

  test('behind a proxy that is not trusted an engine may have no address of its own', async () => {
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    const { status: code, body } = await register({ url: 'http://127.0.0.1:8080' }, connect, headers)
    expect([code, body.error]).toEqual([400, expect.stringContaining('--trusted-proxies')])
    expect((await register({ url: undefined }, connect, headers)).status).toBe(200)
  })

  test('an address that was stored earlier is held to the same rules', async () => {
    const at = await place()
    const engine = await played(at)
    const store = (url: string, peer: string | null) =>
      database()
        .unscoped.tables.updateTable('servers')
        .set({ url, peer_address: peer })
        .where('id', '=', engine.id)
        .execute()
    for (const [url, peer] of [
      [`${at.url}/base`, '127.0.0.1'],
      [`${at.url}/?x=`, '127.0.0.1'],
      [at.url.replace('//', '//a@'), '127.0.0.1'],
      [at.url, null],
      [at.url, '10.0.0.9'],
    ] as const) {
      await store(url, peer)
      await bind([engine.id])
      expect([url, peer, (await decide()).status]).toEqual([url, peer, 502])
    }
    expect([at.seen.length, at.challenges.length]).toEqual([0, 0])
    await store(`${at.url}/base`, '127.0.0.1')
    expect((await serverOf(engine.id)).problems).toEqual([
      { code: 'identity_not_proved', message: expect.stringContaining('origin') },
    ])
    // The next heartbeat contains the address of the engine.
    await store(at.url, null)
    await engine.beat()
    await bind([engine.id])
    expect((await decide()).status).toBe(200)
  })

  test('refused writes are audited, 20 a second, and 404s are not', async () => {
    const E = `${A}/engine/${team.project}`
    const before = (await entries('project.engine_write_refused')).length
    for (const path of ['rulesets', 'tenants', 'rulesets/rule/rollback'])
      expect((await caller.request('POST', `${E}/${path}`, {})).status).toBe(403)
    expect((await caller.request('POST', `${E}/nothing`, {})).status).toBe(404)
    const after = await entries('project.engine_write_refused')
    expect(after).toHaveLength(before + 3)
    expect(after[0]?.after).toMatchObject({ method: 'POST', path: 'rulesets/:name/rollback' })
  })
})
