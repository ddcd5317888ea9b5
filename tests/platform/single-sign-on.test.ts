import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useDatabase } from './databases.testing.ts'
import { CLIENT, createProvider, type TestProvider } from './oidc-provider.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

const SSO = '/api/v1/auth/sso'

const database = useDatabase('postgres')
let platform: TestPlatform
let server: Awaited<ReturnType<typeof createProvider>>
let provider: TestProvider

beforeAll(async () => {
  const secret = join(mkdtempSync(join(tmpdir(), 'platform-')), 'secret')
  writeFileSync(secret, `${CLIENT.secret}\n`)
  server = await createProvider()
  const options = ['--oidc-client-id', CLIENT.id, '--oidc-client-secret-file', secret]
  platform = await startPlatform(database(), ['--oidc-issuer', server.issuer, ...options])
})
afterAll(async () => {
  await platform.stop()
  await server.stop()
})

/** From the page of the platform to the address with which the browser comes back. */
async function signedInThere(client: Client, name: string, query = ''): Promise<string> {
  const { status, headers } = await client.request('GET', SSO + query)
  expect(status).toBe(302)
  const url = new URL(await provider.signIn(headers.get('location') ?? '', name))
  return url.pathname + url.search
}

test('an unavailable provider is 503, affects nothing else, and recovers', async () => {
  const client = platform.browser()
  expect((await client.request('GET', '/api/v1/auth/options')).body.sso).toBe(true)
  expect((await client.request('GET', '/healthz/ready')).status).toBe(200)
  const away = await client.request('GET', SSO)
  expect([away.status, away.headers.get('retry-after')]).toEqual([503, '5'])
  provider = server.begin(`http://localhost:${new URL(platform.url).port}${SSO}/callback`)
  const begun = await client.request('GET', SSO)
  expect([begun.status, begun.headers.getSetCookie()]).toEqual([
    302,
    [expect.stringMatching(/^sso=eng_sso_.*; Max-Age=600$/)],
  ])
  const flow = await database()
    .unscoped.tables.selectFrom('sign_in_flows')
    .select('expires_at')
    .executeTakeFirstOrThrow()
  expect(Math.round((flow.expires_at.getTime() - Date.now()) / 60_000)).toBe(10)
})

describe('with an available provider', () => {
  test('a person signs in, is given an account, and finds it again', async () => {
    const [first, second] = [platform.browser(), platform.browser()]
    const back = await first.request('GET', await signedInThere(first, 'bob'))
    expect([back.status, back.headers.get('location')]).toEqual([
      302,
      `http://localhost:${new URL(platform.url).port}/`,
    ])
    expect(first.cookies.has('sso')).toBe(false)
    const { user } = (await first.request('GET', '/api/v1/me')).body
    expect(user).toMatchObject({ email: 'bob@corp.example', display_name: 'bob of the provider' })
    await second.request('GET', await signedInThere(second, 'bob'))
    expect((await second.request('GET', '/api/v1/me')).body.user.id).toBe(user.id)
  })

  test('the browser goes on to the page it came from, if that is one of ours', async () => {
    const shown = async (page: string) => {
      const client = platform.browser()
      const path = await signedInThere(client, 'paula', `?return_to=${encodeURIComponent(page)}`)
      const { headers } = await client.request('GET', path)
      return headers.get('location')?.replace(/^http:\/\/localhost:\d+/, '')
    }
    expect(await shown('/projects/7?tab=tests')).toBe('/projects/7?tab=tests')
    for (const page of ['//evil.example', String.raw`/\evil.example`, 'https://evil.example', '/a\r\nset-cookie: x=y'])
      expect(await shown(page), page).toBe('/')
  })

  test('an answer is accepted once', async () => {
    const client = platform.browser()
    const path = await signedInThere(client, 'carol')
    const binding = client.cookies.get('sso') ?? ''
    expect((await client.request('GET', path)).status).toBe(302)
    client.cookies.set('sso', binding)
    const refused = await client.request('GET', path)
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'the sign-in was not started in this browser, or has expired',
    ])
  })

  test('another browser cannot be signed in by it', async () => {
    const [attacker, victim] = [platform.browser(), platform.browser()]
    const path = await signedInThere(attacker, 'mallory')
    await victim.request('GET', SSO)
    expect((await victim.request('GET', path)).status).toBe(400)
    expect(victim.cookies.has('session')).toBe(false)
    // The attempt has used the answer up.
    expect((await attacker.request('GET', path)).status).toBe(400)
  })

  test.each([
    ['code', 'stolen'],
    ['iss', 'https://evil.example'],
    ['state', 'another'],
  ])('a foreign %s is refused', async (name, value) => {
    const client = platform.browser()
    const url = new URL(await signedInThere(client, 'dave'), platform.url)
    url.searchParams.set(name, value)
    expect((await client.request('GET', url.pathname + url.search)).status).toBe(400)
    expect(client.cookies.has('session')).toBe(false)
  })

  test('an existing account is not taken over by its address', async () => {
    const person = await platform.person('erin@corp.example')
    const client = platform.browser()
    const { status, body } = await client.request('GET', await signedInThere(client, 'erin'))
    expect([status, body.details[0].code]).toEqual([409, 'duplicate'])
    expect(client.cookies.has('session')).toBe(false)
    expect((await person.request('GET', '/api/v1/me')).status).toBe(200)
  })

  test('an address that the provider has not checked is not used', async () => {
    const client = platform.browser()
    await client.request('GET', await signedInThere(client, 'unchecked'))
    const { email } = (await client.request('GET', '/api/v1/me')).body.user
    const hex = createHash('sha256').update(`${server.issuer}\0unchecked`).digest('hex')
    expect(email).toBe(`${hex.slice(0, 24)}@sso.invalid`)
  })

  test('a long name is cut', async () => {
    const client = platform.browser()
    await client.request('GET', await signedInThere(client, 'long'))
    expect((await client.request('GET', '/api/v1/me')).body.user.display_name).toBe('x'.repeat(200))
  })

  test('a subject of another issuer is another person', async () => {
    const before = await platform.person()
    await database()
      .unscoped.tables.insertInto('external_identities')
      .values({ issuer: 'https://other.example', subject: 'heidi', user_id: before.userId })
      .execute()
    const client = platform.browser()
    await client.request('GET', await signedInThere(client, 'heidi'))
    expect((await client.request('GET', '/api/v1/me')).body.user.email).toBe('heidi@corp.example')
    const known = await database().unscoped.tables.selectFrom('external_identities').selectAll().execute()
    // One identity for each issuer: the subject of the provider is the name that signs in.
    expect(known.filter(({ subject }) => subject === 'heidi').map(({ issuer }) => issuer)).toHaveLength(2)
  })

  test('a session that the browser has is replaced', async () => {
    const person = await platform.person()
    const old = person.cookies.get('session') ?? ''
    await person.request('GET', await signedInThere(person, 'frank'))
    expect((await person.request('GET', '/api/v1/me')).body.user.email).toBe('frank@corp.example')
    person.cookies.set('session', old)
    expect((await person.request('GET', '/api/v1/me')).status).toBe(401)
  })

  test('a sign-in that takes too long starts over', async () => {
    const client = platform.browser()
    const path = await signedInThere(client, 'grace')
    await database()
      .unscoped.tables.updateTable('sign_in_flows')
      .set({ expires_at: new Date(0) })
      .execute()
    expect((await client.request('GET', path)).status).toBe(400)
  })
})
