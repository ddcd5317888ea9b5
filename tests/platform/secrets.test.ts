import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { engineNamed } from './engines.testing.ts'
import { type Answered, PASSWORD, startPlatform, type TestPlatform } from './platform.testing.ts'
import { actionOf, type MatrixRow, partsOf, pathOf, ROWS, worldPartsOf } from './rights.testing.ts'
import { addCast, addWorld, type Cast, linkFor, sharedWorlds, signIn } from './world.testing.ts'

/** What no log and no audit may have: tokens in full, passwords, and their hashes. */
const SECRET = /eng_[a-z]{3}_[\w-]{43}|whsec_[\w+/]{40}|a long phrase|\$argon2|hunter2/

/** The answers that show a token, each of them once. */
const SHOWING: Readonly<Record<string, RegExp>> = {
  'POST /api/v1/orgs/{oid}/api-keys': /"token":"eng_key_/,
  'POST /api/v1/orgs/{oid}/connect-tokens': /"token":"eng_con_/,
  'POST /api/v1/orgs/{oid}/projects/{pid}/webhooks': /"secret":"whsec_/,
  'POST /api/v1/projects/{pid}/webhooks': /"secret":"whsec_/,
  'POST /api/v1/orgs/{oid}/members': /#token=eng_inv_/,
  'POST /api/v1/orgs/{parent_id}/sub-orgs/{sub_id}/members': /#token=eng_inv_/,
}

/** Credentials where they do not belong, and requests with some that are refused for another reason. */
const MISPLACED: readonly (readonly [string, unknown])[] = [
  ['POST /api/v1/auth/login', { email: 'a@b.example', password: 'hunter2' }],
  ['POST /api/v1/auth/login', { email: 'hunter2', password: ['hunter2'] }],
  ['POST /api/v1/auth/login', { email: 'a@b.example', password: 'hunter2'.repeat(100) }],
  ['POST /api/v1/auth/login', '{"email":"a@b.example","password":"hunter2'],
  ['POST /api/v1/auth/login', '{"password":"hunter2","password":"hunter2"}'],
  ['POST /api/v1/auth/change-password', { current: 'hunter2', next: 'hunter2hunter2' }],
  ['POST /api/v1/auth/change-password', { current: 'hunter2', next: 'hunter2' }],
  ['POST /api/v1/auth/change-password', { current: { hunter2: 1 }, next: 2 }],
  ['POST /api/v1/auth/register', { email: 'none', password: 'hunter2', display_name: '' }],
  ['POST /api/v1/auth/token', { token: `eng_otl_${'h'.repeat(43)}`, password: 'hunter2hunter2' }],
  ['POST /api/v1/invitations/accept', { token: `eng_inv_${'h'.repeat(43)}`, password: 'hunter2hunter2' }],
  ['POST /api/v1/invitations/accept', { token: `eng_inv_${'h'.repeat(43)}`, password: 'hunter2' }],
  ['GET /api/v1/orgs?q=hunter2', undefined],
]

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let cast: Cast
  beforeAll(async () => {
    platform = await startPlatform(database(), ['--allow-registration', '--rate-limit', '0'])
    cast = await addCast(database())
  })
  afterAll(() => platform.stop())

  test('no token, password or hash is in an answer but the one that shows it, in the log or in the audit', async () => {
    for (const row of ROWS.filter(({ path }) => !path.includes('/auth/sso'))) {
      const { text, headers } = await askAsOwner(row)
      const shown = SHOWING[row.route]
      if (shown === undefined) expect(text, row.route).not.toMatch(SECRET)
      else {
        expect(text, row.route).toMatch(shown)
        expect(text.match(new RegExp(SECRET, 'g')), row.route).toHaveLength(1)
      }
      const others = [...headers].filter(([name]) => name !== 'set-cookie')
      expect(JSON.stringify(others), row.route).not.toMatch(SECRET)
    }
    await registerAndBeat()
    for (const [route, body] of MISPLACED) {
      const [method = '', path = ''] = route.split(' ')
      const owner = await browserOfOwner()
      const { text } = await owner.request(method, path, body)
      expect(text, route).not.toMatch(SECRET)
    }
    const tokens = await platform.browser().request('GET', `/api/v1/me?token=eng_key_${'h'.repeat(43)}`)
    expect(tokens.text).not.toMatch(SECRET)

    const log = inspect(platform.lines, { depth: 20, maxArrayLength: null, maxStringLength: null })
    expect(log).toContain('/api/v1/auth/login')
    expect(SECRET.exec(log)).toBeNull()
    const entries = await database().unscoped.tables.selectFrom('audit_entries').selectAll().execute()
    const actions = new Set(entries.map(({ action }) => action))
    for (const action of ['api_key.created', 'connect_token.created', 'invitation.created', 'server.registered'])
      expect(actions).toContain(action)
    expect(SECRET.exec(JSON.stringify(entries))).toBeNull()
    // A request to each route.
  }, 600_000)

  test('no token is in the database', async () => {
    const { tables } = database().unscoped
    const rows = await Promise.all([
      tables.selectFrom('api_keys').selectAll().execute(),
      tables.selectFrom('connect_tokens').selectAll().execute(),
      tables.selectFrom('servers').selectAll().execute(),
      tables.selectFrom('invitations').selectAll().execute(),
      tables.selectFrom('sessions').selectAll().execute(),
      tables.selectFrom('one_time_tokens').selectAll().execute(),
      tables.selectFrom('known_devices').selectAll().execute(),
      tables.selectFrom('notifications').selectAll().execute(),
    ])
    for (const table of rows) {
      // Bytes as the text that they may be.
      const text = JSON.stringify(table, (_name, value: unknown) => asText(value))
      expect(/eng_[a-z]{3}_[\w-]{43}/.exec(text)).toBeNull()
    }
  })

  async function browserOfOwner() {
    const browser = platform.browser()
    browser.cookies.set('session', (await signIn(database(), cast.owner)).token)
    return browser
  }

  const shared = sharedWorlds(database)
  async function askAsOwner(row: MatrixRow): Promise<Answered> {
    const add = row.method === 'GET' ? shared : (...made: Parameters<typeof shared>) => addWorld(database(), ...made)
    const world = await add(cast, actionOf(row), worldPartsOf(row))
    const session = await signIn(database(), cast.owner)
    const place = { database: database(), world, userId: cast.owner.id, sessionId: session.id }
    const { params, body } = await partsOf(row, place)
    const browser = platform.browser({ cookie: `session=${session.token}` })
    return browser.request(row.method, pathOf(row, params), body)
  }

  /** An engine has its tokens from one answer, and no other repeats them. */
  async function registerAndBeat(): Promise<void> {
    const owner = await browserOfOwner()
    const { org } = await addWorld(database(), cast, 'project.read')
    const { body: connect } = await owner.request('POST', `/api/v1/orgs/${org}/connect-tokens`, { label: 'x' })
    const ask = (path: string, headers: Record<string, string>, body: object) =>
      platform.program(undefined, headers).request('POST', `/api/v1/internal/${path}`, body)
    const registered = await ask('register', { 'x-connect-token': connect.token }, engineNamed('secretive'))
    expect([registered.status, registered.text.match(new RegExp(SECRET, 'g'))?.length]).toEqual([200, 2])
    const beat = { session: 's', applied_revision: 0, wait_ms: 0 }
    const beaten = await ask('heartbeat', { authorization: `Bearer ${registered.body.server_token}` }, beat)
    expect([beaten.status, SECRET.test(beaten.text)]).toEqual([200, false])
    for (const path of ['', `/${registered.body.server_id}`, `/${registered.body.server_id}/health`])
      expect((await owner.request('GET', `/api/v1/servers${path}`)).text).not.toMatch(SECRET)
    const link = await linkFor(database(), cast.spare)
    const used = await platform.browser().request('POST', '/api/v1/auth/token', { token: link, password: PASSWORD })
    expect([used.status, SECRET.test(used.text)]).toEqual([200, false])
  }
})

const asText = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer' && 'data' in value
    ? Buffer.from(value.data as readonly number[]).toString('latin1')
    : value
