import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACTIONS, type Action, ROLE_ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addOrganization } from './organization.testing.ts'
import { type Client, startPlatform, type TestPlatform } from './platform.testing.ts'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  let org: OrgId
  let owner: Client
  beforeAll(async () => {
    platform = await startPlatform(database())
    org = await addOrganization(database())
    owner = await memberOf(org, 'owner')
  })
  afterAll(() => platform.stop())

  /** A member with a built-in role, or with a role of these actions. */
  async function memberOf(where: OrgId, role: keyof typeof ROLE_ACTIONS | readonly Action[]): Promise<Client> {
    const person = await platform.person()
    const isSystem = typeof role === 'string'
    const [id, role_id] = [randomUUIDv7(), randomUUIDv7()]
    await database().change(where, SYSTEM, async ({ scope, audit }) => {
      const name = isSystem ? role : role_id
      const known = await scope
        .read('roles')
        .selectFrom('roles')
        .select('id')
        .where('name', '=', name)
        .executeTakeFirst()
      if (known === undefined)
        await scope
          .insert('roles', {
            id: role_id,
            name,
            permissions: isSystem ? [] : [...role],
            is_system: isSystem,
            created_by: 'system',
          })
          .execute()
      await scope
        .insert('members', { id, user_id: person.userId, email: person.email, status: 'active', created_by: 'system' })
        .execute()
      await scope.insert('member_roles', { member_id: id, role_id: known?.id ?? role_id }).execute()
      await audit({ action: 'member.created', object: { id, name: person.email } })
    })
    return person
  }

  const path = (id = '', where: string = org) => `/api/v1/orgs/${where}/api-keys${id}`
  const create = (client: Client, body: object = {}, where: string = org) =>
    client.request('POST', path('', where), { name: randomUUIDv7(), scopes: ['decision.execute'], ...body })
  const audited = async () =>
    database()
      .scope(org)
      .read('audit_entries')
      .selectFrom('audit_entries')
      .selectAll()
      .where('object_type', '=', 'api_key')
      .orderBy('id', 'desc')
      .execute()

  test('a key is shown once, listed without itself, used, and ended', async () => {
    const made = await create(owner, { name: 'shop', scopes: ['project.read', 'decision.execute'] })
    expect(made.status).toBe(201)
    const { token, ...key } = made.body
    expect(token).toMatch(/^eng_key_[\w-]{43}$/)
    expect(token.startsWith(key.prefix)).toBe(true)
    expect(made.headers.get('location')).toBe(path(`/${key.id}`))
    expect(key).toMatchObject({ project_ids: null, environments: null, expires_at: null, last_used_at: null, rev: 1 })
    expect((await owner.request('GET', path('?q=SHOP'))).body).toEqual({ items: [key], next_cursor: null })
    const program = platform.program(token)
    const me = await program.request('GET', '/api/v1/me')
    expect(me.body).toMatchObject({
      user: null,
      key: { id: key.id, name: 'shop', org_id: org, scopes: ['project.read', 'decision.execute'] },
      organizations: [{ id: org, my_roles: [], my_permissions: ['project.read', 'decision.execute'] }],
    })
    const byHeader = await platform.browser().request('GET', '/api/v1/me', undefined, { 'x-api-key': token })
    expect(byHeader.body).toEqual(me.body)
    expect((await owner.request('GET', path(`/${key.id}`))).body.last_used_at).not.toBeNull()
    expect((await owner.request('DELETE', path(`/${key.id}`))).status).toBe(204)
    expect((await program.request('GET', '/api/v1/me')).status).toBe(401)
    expect((await owner.request('DELETE', path(`/${key.id}`))).status).toBe(404)
  })

  test('its creation and end are in the audit, and the key is nowhere', async () => {
    const { body } = await create(owner, { name: 'audited' })
    await owner.request('DELETE', path(`/${body.id}`))
    const [revoked, created] = await audited()
    expect([created?.action, revoked?.action]).toEqual(['api_key.created', 'api_key.revoked'])
    expect(created).toMatchObject({ actor_type: 'user', object_name: 'audited', ip: '127.0.0.1', before: null })
    expect(created?.after).toMatchObject({ name: 'audited', prefix: body.prefix })
    expect(revoked?.request_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.stringify([await audited(), platform.lines])).not.toContain(body.token)
  })

  test('a key wins over a session, and an unknown one is refused although the session is good', async () => {
    const { body } = await create(owner)
    const both = { authorization: `Bearer ${body.token}` }
    expect((await owner.request('GET', '/api/v1/me', undefined, both)).body.user).toBeNull()
    const wrong = { authorization: 'Bearer eng_key_wrong' }
    expect((await owner.request('GET', '/api/v1/me', undefined, wrong)).status).toBe(401)
    expect((await owner.request('GET', '/api/v1/me', undefined, { authorization: 'Basic eA==' })).status).toBe(401)
  })

  test('a token of another kind is no key', async () => {
    const session = owner.cookies.get('session') ?? ''
    expect((await platform.program(session).request('GET', '/api/v1/me')).status).toBe(401)
  })

  test('an expired key is unknown', async () => {
    const { body } = await create(owner, { expires_at: new Date(Date.now() + 3600_000).toISOString() })
    const program = platform.program(body.token)
    expect((await program.request('GET', '/api/v1/me')).status).toBe(200)
    await database()
      .unscoped.tables.updateTable('api_keys')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('id', '=', body.id)
      .execute()
    expect((await program.request('GET', '/api/v1/me')).status).toBe(401)
  })

  test('a key is no person', async () => {
    const { body } = await create(owner, { scopes: ['token.manage'] })
    const program = platform.program(body.token)
    for (const [method, route] of [
      ['GET', '/api/v1/me/sessions'],
      ['PUT', '/api/v1/me'],
      ['POST', '/api/v1/auth/logout'],
    ] as const) {
      const answer = await program.request(method, route, method === 'PUT' ? {} : undefined)
      expect([answer.status, answer.body.details[0].code]).toEqual([403, 'person'])
    }
  })

  describe('rights', () => {
    const expected = { owner: 201, admin: 201, editor: 403, viewer: 403 } as const
    test.each(Object.entries(expected))('%s: %i', async (role, status) => {
      const client = await memberOf(org, role as keyof typeof expected)
      const answer = await create(client)
      expect(answer.status).toBe(status)
      if (status === 403) expect(answer.body.details[0].code).toBe('token.manage')
      expect((await client.request('GET', path())).status).toBe(status === 201 ? 200 : 403)
    })

    test('of a custom role count, and no key has more than its author', async () => {
      const client = await memberOf(org, ['token.manage', 'decision.execute'])
      expect((await create(client)).status).toBe(201)
      const answer = await create(client, { scopes: ['decision.execute', 'member.manage'] })
      expect([answer.status, answer.body.details[0].code]).toEqual([403, 'member.manage'])
      const admin = await memberOf(org, 'admin')
      expect((await create(admin, { scopes: ['org.manage'] })).status).toBe(403)
      expect((await create(owner, { scopes: [...ACTIONS] })).status).toBe(201)
    })

    test('a key makes keys that reach no further than itself', async () => {
      const scopes = ['token.manage', 'decision.execute']
      const narrow = (await create(owner, { scopes, environments: ['prod', 'staging'] })).body.token
      const program = platform.program(narrow)
      expect((await create(program, { environments: ['prod'] })).status).toBe(201)
      expect((await create(program, { environments: ['dev'] })).status).toBe(403)
      expect((await create(program)).status).toBe(403)
      expect((await create(program, { scopes: ['org.manage'], environments: ['prod'] })).status).toBe(403)
    })

    test('in another organization there is nothing', async () => {
      const other = await addOrganization(database())
      const stranger = await memberOf(other, 'owner')
      const { body } = await create(owner)
      const key = platform.program((await create(stranger, { scopes: ['token.manage'] }, other)).body.token)
      for (const client of [stranger, key]) {
        expect((await client.request('GET', path())).status).toBe(404)
        expect((await client.request('GET', path(`/${body.id}`))).status).toBe(404)
        expect((await client.request('DELETE', path(`/${body.id}`, other))).status).toBe(404)
        expect((await create(client)).status).toBe(404)
      }
      expect((await owner.request('GET', path(`/${body.id}`))).status).toBe(200)
    })

    test('an unknown key is 404 before the right is looked at', async () => {
      const viewer = await memberOf(org, 'viewer')
      expect((await viewer.request('DELETE', path(`/${randomUUIDv7()}`))).status).toBe(404)
      const { body } = await create(owner)
      expect((await viewer.request('DELETE', path(`/${body.id}`))).status).toBe(403)
    })
  })

  test('a key that only decides belongs to the organization, any other to its author', async () => {
    const ownerOf = async (scopes: readonly string[]) => {
      const { body } = await create(owner, { scopes })
      const keys = database().scope(org).read('api_keys').selectFrom('api_keys')
      return (await keys.select('user_id').where('id', '=', body.id).executeTakeFirstOrThrow()).user_id
    }
    expect(await ownerOf(['decision.execute'])).toBeNull()
    expect(await ownerOf(['decision.execute', 'project.read'])).not.toBeNull()
  })

  const bad: readonly (readonly [string, object, RegExp])[] = [
    ['no scope', { scopes: [] }, /`\/scopes`/],
    ['an unknown scope', { scopes: ['everything'] }, /scopes/],
    ['an empty name', { name: '' }, /`\/name`/],
    ['a project of others', { project_ids: [randomUUIDv7()] }, /`\/project_ids\/0`/],
    ['a project that is not an id', { project_ids: ['x'] }, /`\/project_ids\/0`/],
    ['a time that is over', { expires_at: '2020-01-01T00:00:00Z' }, /is over/],
    ['an invalid time', { expires_at: 'tomorrow' }, /must be a time/],
    ['a date without a time', { expires_at: '2099-01-01' }, /must be a time/],
    ['an unknown field', { scope: 'x' }, /did you mean `scopes`/],
  ]
  test.each(bad)('%s is 400', async (_name, change, message) => {
    const { status, body } = await create(owner, change)
    expect(status).toBe(400)
    expect(body.error).toMatch(message)
  })

  test('a duplicate name is 409', async () => {
    await create(owner, { name: 'twin' })
    const { status, body } = await create(owner, { name: 'twin' })
    expect([status, body.details[0].code]).toEqual([409, 'duplicate'])
  })

  test('the list is paged and sorted', async () => {
    const where = await addOrganization(database())
    const client = await memberOf(where, 'owner')
    for (const name of ['b', 'A', 'c', 'a']) await create(client, { name }, where)
    const names = async (query: string) => {
      const found: string[] = []
      for (let more: string | null = ''; more !== null;) {
        const { body } = await client.request('GET', path(`?limit=3${query}${more}`, where))
        found.push(...body.items.map(({ name }: { name: string }) => name))
        more = body.next_cursor === null ? null : `&cursor=${body.next_cursor}`
      }
      return found.join('')
    }
    expect(await names('')).toBe('acAb')
    expect(await names('&sort=name')).toBe('Aabc')
    expect(await names('&sort=-name')).toBe('cbaA')
    expect(await names('&q=A')).toBe('aA')
  })
})
