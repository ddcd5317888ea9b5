import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administratorToken } from '../../apps/platform-server/src/features/identity/first-start.ts'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addOrganization } from './organization.testing.ts'
import { PASSWORD, startPlatform, type TestPlatform } from './platform.testing.ts'

const A = '/api/v1'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform(database())
  })
  afterAll(() => platform.stop())

  const login = (email: string, password: string, client = platform.browser()) =>
    client.request('POST', `${A}/auth/login`, { email, password })

  describe('the first start', () => {
    test('writes a link for the administrator, which only its user can read and which works once', async () => {
      const file = join(platform.dataDir, 'first-sign-in.url')
      expect(readFileSync(file, 'utf8')).toBe(`${platform.firstLink}\n`)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const token = platform.firstLink?.split('#token=')[1] ?? ''
      expect(token).toMatch(/^eng_otl_[\w-]{43}$/)
      const client = platform.browser()
      const preview = await platform.browser().request('POST', `${A}/auth/token/preview`, { token })
      expect([preview.status, preview.body.purpose]).toEqual([200, 'sign-in'])
      const { status, body } = await client.request('POST', `${A}/auth/token`, { token, password: PASSWORD })
      expect(preview.body.email).toBe(body.user.email)
      expect((await platform.browser().request('POST', `${A}/auth/token/preview`, { token })).status).toBe(401)
      expect([status, body.user.email]).toEqual([200, 'owner@localhost'])
      const again = await platform.browser().request('POST', `${A}/auth/token`, { token })
      expect([again.status, again.body.code]).toEqual([401, 'UNAUTHORIZED'])
    })

    test('of a platform that is in use makes no link, and removes the file', async () => {
      await platform.person()
      const second = await startPlatform(database(), ['--data-dir', platform.dataDir])
      expect(second.firstLink).toBeUndefined()
      expect(existsSync(join(platform.dataDir, 'first-sign-in.url'))).toBe(false)
      await second.stop()
    })

    test('no part of it is in the log', async () => {
      const token = await administratorToken(database(), 'log@example.com')
      await platform.browser().request('POST', `${A}/auth/token`, { token, password: PASSWORD })
      const log = JSON.stringify(platform.lines)
      expect(log).toContain('/api/v1/auth/token')
      expect(log).not.toContain('eng_')
      expect(log).not.toContain(PASSWORD)
    })
  })

  test('a one-time link sets the missing parts of the account', async () => {
    const token = await administratorToken(database(), 'before@example.com')
    const client = platform.browser()
    const change = { token, password: PASSWORD, email: 'After@Example.com', display_name: 'Ann' }
    const { body } = await client.request('POST', `${A}/auth/token`, change)
    expect(body.user).toMatchObject({ email: 'after@example.com', display_name: 'Ann' })
    expect((await login('after@example.com', PASSWORD)).status).toBe(200)
    expect((await login('before@example.com', PASSWORD)).status).toBe(401)
  })

  test('a link whose request is refused is still good', async () => {
    const { email } = await platform.person()
    const token = await administratorToken(database(), 'keeps@example.com')
    const send = (body: object) => platform.browser().request('POST', `${A}/auth/token`, { token, ...body })
    expect((await send({ password: 'short' })).status).toBe(400)
    expect((await send({ email })).body.details[0].code).toBe('duplicate')
    expect((await send({ password: PASSWORD })).status).toBe(200)
  })

  test('a new link voids the one before', async () => {
    const first = await administratorToken(database(), 'twice@example.com')
    const second = await administratorToken(database(), 'twice@example.com')
    const use = async (token: string) => (await platform.browser().request('POST', `${A}/auth/token`, { token })).status
    expect([await use(first), await use(second)]).toEqual([401, 200])
  })

  test('of two simultaneous uses of a link one succeeds', async () => {
    const token = await administratorToken(database(), 'race@example.com')
    const uses = Array.from({ length: 4 }, () => platform.browser().request('POST', `${A}/auth/token`, { token }))
    const statuses = (await Promise.all(uses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(3)
  })

  test('signing in sets a cookie that scripts cannot read, and answers with the account', async () => {
    const { email } = await platform.person()
    const client = platform.browser()
    const answer = await login(email.toUpperCase(), PASSWORD, client)
    expect(answer.status).toBe(200)
    const [session = ''] = answer.headers.getSetCookie()
    expect(session).toMatch(/^session=eng_ses_[\w-]{43}; HttpOnly; SameSite=Lax; Path=\/; Max-Age=604800$/)
    expect((await client.request('GET', `${A}/me`)).body).toMatchObject({
      user: { email },
      key: null,
      organizations: [],
    })
    expect((await client.request('GET', `${A}/auth/me`)).body.user.email).toBe(email)
  })

  describe('attacks', () => {
    test('fixation: a session that the browser brings along is not adopted, and ends', async () => {
      const { email, cookies } = await platform.person()
      const planted = cookies.get('session') ?? ''
      const client = platform.browser()
      client.cookies.set('session', 'eng_ses_planted')
      expect((await client.request('GET', `${A}/me`)).status).toBe(401)
      client.cookies.set('session', planted)
      await login(email, PASSWORD, client)
      expect(client.cookies.get('session')).not.toBe(planted)
      const old = platform.browser()
      old.cookies.set('session', planted)
      expect((await old.request('GET', `${A}/me`)).status).toBe(401)
    })

    test.each([
      ['before the own one', (own: string) => `session=eng_ses_planted; session=${own}`],
      ['behind the own one', (own: string) => `session=${own}; session=eng_ses_planted`],
      ['with the same value', (own: string) => `session=${own}; session=${own}`],
    ])('two cookies of one name count as none: one planted %s', async (_, cookie) => {
      const person = await platform.person()
      const headers = { cookie: cookie(person.cookies.get('session') ?? '') }
      expect((await platform.browser().request('GET', `${A}/me`, undefined, headers)).status).toBe(401)
    })

    const forged: readonly (readonly [string, Record<string, string>])[] = [
      ['a foreign origin', { origin: 'https://evil.example' }],
      ['the origin null', { origin: 'null' }],
      ['an origin that only begins alike', { origin: 'http://localhost.evil.example' }],
      ['a page of a sibling host', { 'sec-fetch-site': 'same-site' }],
      ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ]
    test.each(forged)('forgery by %s', async (_name, headers) => {
      const person = await platform.person()
      const { status, body } = await person.request('PUT', `${A}/me`, { display_name: 'Eve' }, headers)
      expect([status, body.details[0].code]).toEqual([403, 'origin'])
      expect((await person.request('GET', `${A}/me`)).body.user.display_name).not.toBe('Eve')
    })

    test('forgery without an origin, also when the host header is foreign', async () => {
      const person = await platform.person()
      const cookie = `session=${person.cookies.get('session')}`
      const headers = { cookie, 'content-type': 'application/json' }
      const send = (more: Record<string, string>) =>
        fetch(`${platform.url}${A}/me`, {
          method: 'PUT',
          headers: { ...headers, ...more },
          body: '{"display_name":"Eve"}',
        })
      expect((await send({})).status).toBe(403)
      expect((await send({ origin: 'http://evil.example', host: 'evil.example' })).status).toBe(403)
    })

    test('a foreign page cannot sign a browser in', async () => {
      const { email } = await platform.person()
      const foreign = platform.browser({ origin: 'https://evil.example' })
      expect((await login(email, PASSWORD, foreign)).status).toBe(403)
      expect((await foreign.request('POST', `${A}/auth/token`, { token: 'eng_otl_x' })).status).toBe(403)
    })

    test('enumeration: unknown and wrong are alike in status and body', async () => {
      const { email } = await platform.person()
      const wrong = await login(email, 'wrong phrase')
      const unknown = await login('unknown@example.com', 'wrong phrase')
      const { request_id: _one, ...first } = wrong.body
      const { request_id: _other, ...second } = unknown.body
      expect([unknown.status, second]).toEqual([wrong.status, first])
      const asked = async (address: string) =>
        (await platform.browser().request('POST', `${A}/auth/reset`, { email: address })).text
      expect(await asked(email)).toBe(await asked('unknown@example.com'))
    })

    test('an account without a password has none that fits', async () => {
      await administratorToken(database(), 'none@example.com')
      for (const password of ['null', 'undefined', ' '])
        expect((await login('none@example.com', password)).status).toBe(401)
    })
  })

  describe('attempts', () => {
    test('of strangers end after ten, and a browser that has signed in before still gets in', async () => {
      const person = await platform.person()
      const statuses: number[] = []
      for (let attempt = 0; attempt < 11; attempt++) statuses.push((await login(person.email, 'wrong phrase')).status)
      expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
      const refused = await login(person.email, PASSWORD)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      await person.request('POST', `${A}/auth/logout`)
      expect((await login(person.email, PASSWORD, person)).status).toBe(200)
    })

    test('that are simultaneous are counted before they are checked', async () => {
      const { email } = await platform.person()
      const answers = await Promise.all(Array.from({ length: 20 }, () => login(email, 'wrong phrase')))
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(10)
    })

    test('start over after a successful one', async () => {
      const { email } = await platform.person()
      for (let round = 0; round < 2; round++) {
        for (let attempt = 0; attempt < 9; attempt++) await login(email, 'wrong phrase')
        expect((await login(email, PASSWORD)).status).toBe(200)
      }
    })

    test('of an address end after a hundred, for strangers only, and behind a proxy each address counts for itself', async () => {
      const behind = await startPlatform(database(), ['--trusted-proxies', '127.0.0.1'])
      const { email, cookies } = await platform.person()
      const from = (address: string) => behind.browser({ 'x-forwarded-for': address })
      const [stranger, known, elsewhere] = [from('192.0.2.1'), from('192.0.2.1'), from('192.0.2.2')]
      known.cookies.set('device', cookies.get('device') ?? '')
      await login(email, 'wrong phrase', stranger)
      const { tables } = database().unscoped
      const counted = await tables
        .updateTable('sign_in_attempts')
        .set({ attempts: 100 })
        .where('subject', '=', 'address:192.0.2.1')
        .returning('subject')
        .execute()
      expect(counted).toHaveLength(1)
      expect((await login(email, PASSWORD, stranger)).status).toBe(429)
      expect((await login(email, PASSWORD, known)).status).toBe(200)
      expect((await login(email, PASSWORD, elsewhere)).status).toBe(200)
      await behind.stop()
    })

    test("another account's browser is a stranger", async () => {
      const [victim, other] = [await platform.person(), await platform.person()]
      for (let attempt = 0; attempt < 10; attempt++) await login(victim.email, 'wrong phrase')
      expect((await login(victim.email, PASSWORD, other)).status).toBe(429)
    })
  })

  describe('a password', () => {
    test('that changes ends all other sessions, and this one continues under a new token', async () => {
      const person = await platform.person()
      const other = platform.browser()
      await login(person.email, PASSWORD, other)
      const before = person.cookies.get('session')
      const change = { current: PASSWORD, next: 'another phrase' }
      expect((await person.request('POST', `${A}/auth/change-password`, change)).status).toBe(204)
      expect(person.cookies.get('session')).not.toBe(before)
      expect((await person.request('GET', `${A}/me`)).status).toBe(200)
      expect((await other.request('GET', `${A}/me`)).status).toBe(401)
      expect((await login(person.email, PASSWORD)).status).toBe(401)
      expect((await login(person.email, 'another phrase')).status).toBe(200)
    })

    test('is not changed without knowing it', async () => {
      const person = await platform.person()
      const change = { current: 'wrong phrase', next: 'another phrase' }
      expect((await person.request('POST', `${A}/auth/change-password`, change)).status).toBe(403)
      expect((await login(person.email, PASSWORD)).status).toBe(200)
    })

    test('that is lost is reset by a link in a file of the administrator, once, which ends all sessions', async () => {
      const person = await platform.person()
      expect((await platform.browser().request('POST', `${A}/auth/reset`, { email: person.email })).status).toBe(202)
      const folder = join(platform.dataDir, 'reset-links')
      const file = join(folder, `${person.userId}.url`)
      await expect.poll(() => existsSync(folder) && readdirSync(folder).includes(`${person.userId}.url`)).toBe(true)
      await expect.poll(() => readFileSync(file, 'utf8')).toMatch(/#token=eng_otl_[\w-]{43}\n$/)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const token = readFileSync(file, 'utf8').split('#token=')[1]?.trim()
      const client = platform.browser()
      const { status } = await client.request('POST', `${A}/auth/token`, { token, password: 'another phrase' })
      expect(status).toBe(200)
      expect((await person.request('GET', `${A}/me`)).status).toBe(401)
      expect((await login(person.email, 'another phrase')).status).toBe(200)
      expect(JSON.stringify(platform.lines)).not.toContain(token)
    })
  })

  describe('sessions', () => {
    test('are listed, and ended one by one or all others', async () => {
      const person = await platform.person()
      const [second, third] = [platform.browser({ 'user-agent': 'second' }), platform.browser()]
      await login(person.email, PASSWORD, second)
      await login(person.email, PASSWORD, third)
      const list = async () => (await person.request('GET', `${A}/me/sessions`)).body.items
      const items = await list()
      expect(items.map((one: { current: boolean }) => one.current)).toEqual([false, false, true])
      const own = items.find((one: { user_agent: string }) => one.user_agent === 'second')
      expect((await person.request('GET', `${A}/me/sessions/${own.id}`)).body).toEqual(own)
      expect((await person.request('DELETE', `${A}/me/sessions/${own.id}`)).status).toBe(204)
      expect((await second.request('GET', `${A}/me`)).status).toBe(401)
      expect((await person.request('DELETE', `${A}/me/sessions`)).status).toBe(204)
      expect((await third.request('GET', `${A}/me`)).status).toBe(401)
      expect(await list()).toHaveLength(1)
    })

    test('of others are unknown', async () => {
      const [one, other] = [await platform.person(), await platform.person()]
      const [session] = (await other.request('GET', `${A}/me/sessions`)).body.items
      for (const id of [session.id, 'x', '00000000-0000-7000-8000-000000000000'])
        expect((await one.request('DELETE', `${A}/me/sessions/${id}`)).status).toBe(404)
      expect((await other.request('GET', `${A}/me`)).status).toBe(200)
    })

    test('end by signing out', async () => {
      const person = await platform.person()
      const session = person.cookies.get('session') ?? ''
      expect((await person.request('POST', `${A}/auth/logout`)).status).toBe(204)
      expect(person.cookies.has('session')).toBe(false)
      person.cookies.set('session', session)
      expect((await person.request('GET', `${A}/me`)).status).toBe(401)
    })

    test.each([
      ['unused for 12 h', { last_used_at: new Date(Date.now() - 12 * 3600_000 - 60_000) }],
      ['older than 7 days', { expires_at: new Date(Date.now() - 1000) }],
    ])('end when they are %s', async (_name, change) => {
      const person = await platform.person()
      const { tables } = database().unscoped
      await tables.updateTable('sessions').set(change).where('user_id', '=', person.userId).execute()
      expect((await person.request('GET', `${A}/me`)).status).toBe(401)
    })

    test('are kept as hashes', async () => {
      const person = await platform.person()
      const token = person.cookies.get('session') ?? ''
      const rows = await database()
        .unscoped.tables.selectFrom('sessions')
        .selectAll()
        .where('user_id', '=', person.userId)
        .execute()
      expect(rows).toHaveLength(1)
      expect(JSON.stringify(rows)).not.toContain(token)
      expect(rows[0]?.token_hash.toString()).not.toContain(token)
    })
  })

  test('actions of an account are in the audit of its organizations, without passwords and tokens', async () => {
    const org = await addOrganization(database())
    const person = await platform.person()
    await database().change(org, SYSTEM, async ({ scope, audit }) => {
      const [id, email] = [randomUUIDv7(), person.email]
      await scope
        .insert('members', { id, user_id: person.userId, email, status: 'active', created_by: 'system' })
        .execute()
      await audit({ action: 'member.created', object: { id, name: email } })
    })
    const other = platform.browser()
    await login(person.email, PASSWORD, other)
    await login(person.email, 'wrong phrase')
    await person.request('PUT', `${A}/me`, { display_name: 'Ann' })
    await person.request('POST', `${A}/auth/change-password`, { current: PASSWORD, next: 'another phrase' })
    await login(person.email, 'another phrase', other)
    await person.request('DELETE', `${A}/me/sessions`)
    await person.request('POST', `${A}/auth/logout`)
    const entries = () =>
      database()
        .scope(org)
        .read('audit_entries')
        .selectFrom('audit_entries')
        .selectAll()
        .where('object_id', '=', person.userId)
        .orderBy('id')
        .execute()
    // The refused one is written after its answer.
    await expect
      .poll(async () => (await entries()).map(({ action }) => action).toSorted((a, b) => (a < b ? -1 : 1)))
      .toEqual([
        'session.deleted',
        'session.deleted',
        'session.signed_in',
        'session.signed_in',
        'session.signed_in',
        'session.signed_in_failed',
        'session.updated',
        'session.updated',
      ])
    const all = await entries()
    expect(
      all.every(({ actor_id, ip, request_id }) => actor_id === person.userId && ip === '127.0.0.1' && request_id),
    ).toBe(true)
    expect(all.find(({ action }) => action === 'session.updated')).toMatchObject({ after: { display_name: 'Ann' } })
    expect(JSON.stringify(all)).not.toMatch(/eng_|phrase/)
  })

  test('accounts are created by invitation only, unless the option allows registration', async () => {
    const request = { email: 'new@example.com', password: PASSWORD, display_name: 'New' }
    expect((await platform.browser().request('POST', `${A}/auth/register`, request)).status).toBe(403)
    expect((await platform.browser().request('GET', `${A}/auth/options`)).body).toEqual({
      password: true,
      registration: false,
      sso: false,
    })
  })

  test('where anyone may register, an address that has an account looks like any other', async () => {
    const open = await startPlatform(database(), ['--allow-registration'])
    const { email } = await platform.person()
    const register = (address: string) =>
      open
        .browser()
        .request('POST', `${A}/auth/register`, { email: address, password: 'another phrase', display_name: 'New' })
    const [fresh, taken] = [await register(`fresh-${kind}@example.com`), await register(email)]
    expect([fresh.status, taken.status]).toEqual([201, 201])
    expect(taken.body).toEqual({ ...fresh.body, email })
    expect((await login(`fresh-${kind}@example.com`, 'another phrase')).status).toBe(200)
    expect((await login(email, 'another phrase')).status).toBe(401)
    await open.stop()
  })
})
