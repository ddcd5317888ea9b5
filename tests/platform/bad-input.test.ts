import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { BAD_DRAFTS } from './bad-input.drafts.testing.ts'
import { BAD_REQUESTS, type BadRequest } from './bad-input.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'
import { addCast, addWorld, signIn, type World } from './world.testing.ts'

const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
}

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let world: World
  let owner: Client
  let known: Readonly<Record<string, string>>
  beforeAll(async () => {
    platform = await startPlatform(database())
    const cast = await addCast(database())
    const parts = {
      hasSub: true,
      hasProject: true,
      hasCatalog: true,
      hasDrafts: true,
      hasServer: true,
      hasRelease: true,
    }
    world = await addWorld(database(), cast, 'project.read', parts)
    owner = platform.browser()
    const { token } = await signIn(database(), cast.owner)
    owner.cookies.set('session', token)
    known = { ...(await idsOf(world)), session: token }
  })
  afterAll(() => platform.stop())

  describe.each([...BAD_REQUESTS, ...BAD_DRAFTS])('%s', (_subject, rows) => {
    test.each(rows.map((row) => [row.title, row] as const))('%s', async (_title, row) => {
      const before = await state()
      const { status, body, text } = await send(row)
      expect([status, body?.code], text).toEqual([row.status, CODES[row.status]])
      if (row.at !== undefined) expect(body.details?.[0]?.path, text).toBe(row.at)
      if (row.kind !== undefined) expect(body.details?.[0]?.code, text).toBe(row.kind)
      if (row.says !== undefined) expect(body.error).toContain(row.says)
      expect(body.request_id).toMatch(/^[0-9a-f-]{36}$/)
      // The message about a long text does not repeat it.
      expect(text.length).toBeLessThan(5000)
      expect(await state()).toEqual(before)
    })
  })

  test('an idempotency key with another body is refused, and its first answer stays', async () => {
    const make = (name: string) =>
      owner.request('POST', '/api/v1/orgs', { name }, { 'idempotency-key': `of-${world.org}` })
    const first = await make('first')
    const before = await state()
    const other = await make('other')
    expect([other.status, other.body.details[0].code]).toEqual([409, 'duplicate'])
    const again = await make('first')
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(await state()).toEqual(before)
  })

  const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole)

  function send({ route, body, headers }: BadRequest) {
    const [method = '', path = ''] = route.split(' ')
    const text = body === undefined || typeof body === 'string' ? body : filled(JSON.stringify(body))
    return owner.request(method, filled(path), text, headers)
  }

  /** Everything that a request could have changed, by one query: it runs twice for each of a thousand requests. */
  async function state() {
    const { rows } = await sql`
      select (select count(*) from audit_entries where org_id = ${world.org}) as entries,
        (select count(*) from organizations) as organizations,
        (select count(*) from users) as users,
        (select count(*) from members) as members,
        (select count(*) from roles) as roles,
        (select count(*) from api_keys) as api_keys,
        (select count(*) from invitations) as invitations`.execute(database().unscoped.tables)
    return rows
  }

  async function idsOf({ org, foreignOrg, sub, cast, keys, invitation, ...rest }: World) {
    const role = async (of: OrgId, name: string) => {
      const { tables } = database().unscoped
      const row = await tables
        .selectFrom('roles')
        .select('id')
        .where('org_id', '=', of)
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      return row.id
    }
    return {
      org,
      sub: sub ?? '',
      foreign: foreignOrg,
      role: rest.spareRole,
      guestRole: rest.guestRole,
      viewer: await role(org, 'viewer'),
      foreignRole: await role(foreignOrg, 'viewer'),
      webhook: rest.webhook,
      guest: rest.guest.id,
      self: cast.owner.id,
      viewerEmail: cast.viewer.email,
      VIEWEREMAIL: cast.viewer.email.toUpperCase(),
      invitedEmail: invitation.email,
      invitation: invitation.token,
      key: keys.target.id,
      project: rest.project,
      suite: rest.suite,
      testCase: rest.testCase,
      policy: rest.policy,
      release: rest.release,
      replay: rest.replay,
      execution: rest.execution,
      entry: rest.entry,
      keyToken: keys.target.token,
    }
  }
})
