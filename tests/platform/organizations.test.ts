import { sql } from 'kysely'
import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { startPlatform, type TestPlatform } from './platform.testing.ts'
import { made, newTeam, refusal, teamOf } from './team.testing.ts'

const A = '/api/v1'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform(database())
  })
  afterAll(() => platform.stop())

  describe('organizations', () => {
    test('the person who creates one is its owner, and has all permissions', async () => {
      const owner = await platform.person()
      const { status, body, headers } = await owner.request('POST', `${A}/orgs`, {
        name: ' Acme ',
        description: 'tools',
      })
      expect([status, headers.get('location'), headers.get('etag')]).toEqual([201, `${A}/orgs/${body.id}`, '"1"'])
      expect(body).toMatchObject({
        name: 'Acme',
        description: 'tools',
        parent_org_id: null,
        depth: 0,
        member_count: 1,
        child_count: 0,
        project_count: 0,
        my_roles: ['owner'],
        created_by: owner.userId,
        rev: 1,
      })
      expect(body.my_permissions).toContain('org.manage')
      expect((await owner.request('GET', `${A}/orgs/${body.id}`)).body).toEqual(body)
    })

    test('each person sees their own, in pages', async () => {
      const owner = await platform.person()
      const names = ['c', 'A', 'b', 'ä', '50%']
      for (const name of names) await made(owner.request('POST', `${A}/orgs`, { name }))
      await newTeam(platform)
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const from: string = cursor === '' ? '' : `&cursor=${cursor}`
        const { body } = await owner.request('GET', `${A}/orgs?limit=2&sort=name${from}`)
        seen.push(...body.items.map(({ name }: { name: string }) => name))
        cursor = body.next_cursor
      }
      expect(seen).toEqual(['50%', 'A', 'b', 'c', 'ä'])
      const { body } = await owner.request('GET', `${A}/orgs?q=%25`)
      expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['50%'])
    })

    test('names are unique among a person’s own, not among those of others', async () => {
      const first = await newTeam(platform, 'Taken')
      expect(await refusal(first.owner.request('POST', `${A}/orgs`, { name: 'Taken' }))).toEqual([409, 'duplicate'])
      await newTeam(platform, 'Taken')
    })

    test('of two simultaneous requests for one name one succeeds', async () => {
      const owner = await platform.person()
      const answers = await Promise.all([1, 2].map(() => owner.request('POST', `${A}/orgs`, { name: 'Twin' })))
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([201, 409])
    })

    test('a change keeps omitted members, raises the revision, and must match its entity tag', async () => {
      const { owner, path } = await newTeam(platform)
      const { body } = await owner.request('PUT', path, { description: 'new' })
      expect(body).toMatchObject({ name: 'Acme', description: 'new', rev: 2 })
      const stale = await owner.request('PUT', path, { name: 'x' }, { 'if-match': '"1"' })
      expect([stale.status, stale.body.details[0].code, stale.body.current.rev]).toEqual([409, 'stale', 2])
      expect((await owner.request('PUT', path, { name: 'x' }, { 'if-match': '"2"' })).body.rev).toBe(3)
    })

    test('an unknown one, a foreign one and an invalid id are alike', async () => {
      const { path } = await newTeam(platform)
      const stranger = await platform.person()
      const foreign = await stranger.request('GET', path)
      expect(foreign.status).toBe(404)
      for (const id of [randomUUIDv7(), 'nonsense', '..%2f', "'%20or%201=1"]) {
        const unknown = await stranger.request('GET', `${A}/orgs/${id}`)
        expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND'])
      }
    })

    test('an empty one can be deleted, by its owner alone', async () => {
      const team = await newTeam(platform)
      const admin = await team.join(['admin'])
      expect(await refusal(admin.request('DELETE', team.path))).toEqual([403, 'org.manage'])
      await made(team.owner.request('POST', `${team.path}/roles`, { name: 'own', permissions: ['test.run'] }))
      expect((await team.owner.request('DELETE', team.path)).status).toBe(204)
      expect((await team.owner.request('GET', team.path)).status).toBe(404)
      expect((await admin.request('GET', `${A}/orgs`)).body.items).toEqual([])
    })
  })

  describe('sub-organizations', () => {
    test('owners and admins of the parent keep their role there, others do not', async () => {
      const team = await newTeam(platform)
      const [admin, editor] = [await team.join(['admin', 'viewer']), await team.join(['editor'])]
      const below = await made(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'Below' }))
      expect(below).toMatchObject({ parent_org_id: team.id, depth: 1, member_count: 1 })
      const seen = await admin.request('GET', `${A}/orgs/${below.id}`)
      expect([seen.status, seen.body.my_roles]).toEqual([200, ['admin']])
      expect((await editor.request('GET', `${A}/orgs/${below.id}`)).status).toBe(404)
      expect((await admin.request('GET', `${A}/orgs`)).body.items).toHaveLength(2)
      expect((await editor.request('GET', `${A}/orgs`)).body.items).toHaveLength(1)
      const { body } = await admin.request('GET', `${A}/orgs/${below.id}/members`)
      const inherited = body.items.map((one: { inherited_from: string | null; roles: string[] }) => [
        one.inherited_from,
        one.roles,
      ])
      expect(inherited).toHaveLength(3)
      expect(inherited).toEqual(
        expect.arrayContaining([
          [team.id, ['owner']],
          [team.id, ['admin']],
          [null, ['owner']],
        ]),
      )
      // Invited, and not there yet.
      await made(team.owner.request('POST', `${team.path}/members`, { email: `${team.id}@example.com`, role: 'owner' }))
      expect((await admin.request('GET', `${A}/orgs/${below.id}/members`)).body.items).toHaveLength(3)
      // The membership is in the parent: it is changed there.
      expect((await team.owner.request('DELETE', `${A}/orgs/${below.id}/members/${admin.memberId}`)).status).toBe(404)
    })

    test('members of a sub-organization are not members of its parent', async () => {
      const team = await newTeam(platform)
      const below = await made(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'Below' }))
      const person = await teamOf(platform, team.owner, below).join(['owner'])
      expect((await person.request('GET', `${A}/orgs/${below.id}`)).status).toBe(200)
      expect((await person.request('GET', team.path)).status).toBe(404)
    })

    test('there is no third level, and no second one of a name', async () => {
      const team = await newTeam(platform)
      const below = await made(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'Below' }))
      const third = team.owner.request('POST', `${A}/orgs/${below.id}/sub-orgs`, { name: 'Third' })
      expect(await refusal(third)).toEqual([400, 'depth'])
      expect(await refusal(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'Below' }))).toEqual([
        409,
        'duplicate',
      ])
    })

    test('members of the parent see that there are some; the parent cannot be deleted before them', async () => {
      const team = await newTeam(platform)
      const viewer = await team.join(['viewer'])
      const below = await made(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'Below' }))
      const { body } = await viewer.request('GET', `${team.path}/sub-orgs`)
      expect(body.items).toMatchObject([{ id: below.id, name: 'Below', my_roles: [], my_permissions: [] }])
      expect(await refusal(viewer.request('POST', `${team.path}/sub-orgs`, { name: 'x' }))).toEqual([403, 'org.manage'])
      expect(await refusal(team.owner.request('DELETE', team.path))).toEqual([409, 'in_use'])
      expect((await team.owner.request('DELETE', `${A}/orgs/${below.id}`)).status).toBe(204)
      expect((await team.owner.request('DELETE', team.path)).status).toBe(204)
    })

    test('their members are also available below the parent, whose id must match', async () => {
      const team = await newTeam(platform)
      const other = await made(team.owner.request('POST', `${A}/orgs`, { name: 'Other' }))
      const below = await made(team.owner.request('POST', `${team.path}/sub-orgs`, { name: 'Below' }))
      const path = `${team.path}/sub-orgs/${below.id}/members`
      const invited = await made(team.owner.request('POST', path, { email: 'new@example.com', role: 'viewer' }))
      expect(invited.roles).toEqual(['viewer'])
      expect((await team.owner.request('GET', path)).body.items).toHaveLength(3)
      expect((await team.owner.request('GET', `${A}/orgs/${other.id}/sub-orgs/${below.id}/members`)).status).toBe(404)
    })
  })

  describe('roles', () => {
    test('each organization has the four, which cannot be changed', async () => {
      const { owner, path } = await newTeam(platform)
      const { body } = await owner.request('GET', `${path}/roles`)
      expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['admin', 'editor', 'owner', 'viewer'])
      expect(body.items.every((role: { is_system: boolean }) => role.is_system)).toBe(true)
      for (const { id } of body.items) {
        expect(await refusal(owner.request('PUT', `${path}/roles/${id}`, { name: 'x' }))).toEqual([403, 'system-role'])
        expect(await refusal(owner.request('DELETE', `${path}/roles/${id}`))).toEqual([403, 'system-role'])
      }
    })

    test('a role of actions can be created, read, changed and deleted', async () => {
      const { owner, path } = await newTeam(platform)
      const request = { name: 'tester', description: 'tests', permissions: ['test.run', 'test.run', 'project.read'] }
      const role = await made(owner.request('POST', `${path}/roles`, request))
      expect(role).toMatchObject({
        name: 'tester',
        permissions: ['test.run', 'project.read'],
        is_system: false,
        rev: 1,
      })
      expect((await owner.request('GET', `${path}/roles/${role.id}`)).body).toEqual(role)
      const changed = await owner.request('PUT', `${path}/roles/${role.id}`, { permissions: ['audit.read'] })
      expect(changed.body).toMatchObject({ name: 'tester', description: 'tests', permissions: ['audit.read'], rev: 2 })
      const stale = owner.request('PUT', `${path}/roles/${role.id}`, { name: 'x' }, { 'if-match': '"1"' })
      expect(await refusal(stale)).toEqual([409, 'stale'])
      expect((await owner.request('DELETE', `${path}/roles/${role.id}`)).status).toBe(204)
      expect((await owner.request('GET', `${path}/roles/${role.id}`)).status).toBe(404)
    })

    test.runIf(kind === 'postgres')('a role that is changed while it is deleted stays', async () => {
      const { owner, path, id: org } = await newTeam(platform)
      const role = await made(owner.request('POST', `${path}/roles`, { name: 'tester', permissions: [] }))
      const isWaiting = async () => {
        const { rows } = await sql<{ waits: boolean }>`select exists (select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(database().unscoped.tables)
        return rows[0]?.waits === true
      }
      let deleting: Promise<{ status: number }> | undefined
      await database().unscoped.transaction(async ({ tables }) => {
        await tables
          .selectFrom('organizations')
          .select('org_id')
          .where(sql<boolean>`org_id = ${org}`)
          .forUpdate()
          .execute()
        await tables.updateTable('roles').set({ rev: 2 }).where('id', '=', role.id).execute()
        deleting = owner.request('DELETE', `${path}/roles/${role.id}`, undefined, { 'if-match': '"1"' })
        await expect.poll(isWaiting).toBe(true)
      })
      expect((await deleting)?.status).toBe(409)
      expect((await owner.request('GET', `${path}/roles/${role.id}`)).body.rev).toBe(2)
    })

    test.each<[string, object, number]>([
      ['an unknown action', { name: 'a', permissions: ['everything'] }, 400],
      ['no name', { permissions: [] }, 400],
      ['an empty name', { name: ' ', permissions: [] }, 400],
      ['the name of a built-in role', { name: 'owner', permissions: [] }, 400],
      ['an unknown field', { name: 'a', permissions: [], is_system: true }, 400],
    ])('%s is refused', async (_name, body, status) => {
      const { owner, path } = await newTeam(platform)
      expect((await owner.request('POST', `${path}/roles`, body)).status).toBe(status)
    })

    test('a role never grants what its author does not hold', async () => {
      const team = await newTeam(platform)
      const roles = `${team.path}/roles`
      const maker = await made(
        team.owner.request('POST', roles, { name: 'maker', permissions: ['role.manage', 'test.run', 'member.manage'] }),
      )
      const strong = await made(team.owner.request('POST', roles, { name: 'strong', permissions: ['server.manage'] }))
      const person = await team.join(['maker'])
      expect(await refusal(person.request('POST', roles, { name: 'up', permissions: ['audit.read'] }))).toEqual([
        403,
        'audit.read',
      ])
      expect(await refusal(person.request('PUT', `${roles}/${maker.id}`, { permissions: ['org.manage'] }))).toEqual([
        403,
        'org.manage',
      ])
      expect(await refusal(person.request('PUT', `${roles}/${strong.id}`, { name: 'weak' }))).toEqual([
        403,
        'server.manage',
      ])
      expect(await refusal(person.request('DELETE', `${roles}/${strong.id}`))).toEqual([403, 'server.manage'])
      await made(person.request('POST', roles, { name: 'same', permissions: ['test.run'] }))
      const invite = (role: string) => person.request('POST', `${team.path}/members`, { email: 'a@example.com', role })
      expect(await refusal(invite('strong'))).toEqual([403, 'server.manage'])
      expect((await invite('admin')).status).toBe(403)
    })

    test('a role in use cannot be deleted; other organizations do not see it', async () => {
      const [team, other] = [await newTeam(platform), await newTeam(platform)]
      const role = await made(
        team.owner.request('POST', `${team.path}/roles`, { name: 'held', permissions: ['test.run'] }),
      )
      const person = await team.join(['held'])
      expect(await refusal(team.owner.request('DELETE', `${team.path}/roles/${role.id}`))).toEqual([409, 'in_use'])
      expect((await other.owner.request('GET', `${other.path}/roles/${role.id}`)).status).toBe(404)
      const foreign = other.owner.request('POST', `${other.path}/members`, { email: 'b@example.com', roles: [role.id] })
      expect(await refusal(foreign)).toEqual([400, 'unknown-role'])
      const { body } = await person.request('GET', team.path)
      expect(body).toMatchObject({ my_roles: ['held'], my_permissions: ['project.read', 'test.run'] })
      // A change of the role counts with the next request.
      await team.owner.request('PUT', `${team.path}/roles/${role.id}`, { permissions: ['audit.read'] })
      expect((await person.request('GET', `${team.path}/audit`)).status).toBe(200)
    })
  })

  describe('the audit', () => {
    test('has each change with who, what, before, after, from where and by which request', async () => {
      const { owner, path, id } = await newTeam(platform)
      const role = await made(
        owner.request('POST', `${path}/roles`, { name: 'r', permissions: [] }, { 'x-request-id': 'made-here' }),
      )
      await owner.request('PUT', `${path}/roles/${role.id}`, { name: 's' })
      await owner.request('DELETE', `${path}/roles/${role.id}`)
      const { body } = await owner.request('GET', `${path}/audit`)
      expect(body.items.map(({ action }: { action: string }) => action)).toEqual([
        'role.deleted',
        'role.updated',
        'role.created',
        'organization.created',
      ])
      expect(body.items[1]).toMatchObject({ before: { name: 'r' }, after: { name: 's', rev: 2 }, project_id: null })
      expect(body.items[2]).toMatchObject({
        actor: { type: 'user', id: owner.userId, name: owner.email },
        object: { type: 'role', id: role.id, name: 'r' },
        before: null,
        after: { id: role.id, name: 'r', rev: 1 },
        ip: '127.0.0.1',
        request_id: 'made-here',
      })
      expect(body.items[3]).toMatchObject({ object: { id, name: 'Acme' } })
    })

    test('is searched by actor, action, object and time, and read in pages', async () => {
      const team = await newTeam(platform)
      const admin = await team.join(['admin'])
      const role = await made(admin.request('POST', `${team.path}/roles`, { name: 'r', permissions: [] }))
      const find = async (query: string) => {
        const { body } = await team.owner.request('GET', `${team.path}/audit?${query}`)
        return body.items.map(({ action }: { action: string }) => action)
      }
      expect(await find(`object_id=${role.id}`)).toEqual(['role.created'])
      expect(await find('action=role.created&object_type=role')).toEqual(['role.created'])
      expect(await find(`actor=${admin.userId}&object_type=role`)).toEqual(['role.created'])
      expect(await find(`actor=${encodeURIComponent(admin.email)}&object_type=role`)).toEqual(['role.created'])
      expect(await find('q=R&action=role.created')).toEqual(['role.created'])
      expect(await find('to=2020-01-01T00:00:00Z')).toEqual([])
      expect(await find('from=2020-01-01&object_type=role')).toEqual(['role.created'])
      expect(await find(`project_id=${randomUUIDv7()}`)).toEqual([])
      const all = await find('')
      const paged: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const from: string = cursor === '' ? '' : `&cursor=${cursor}`
        const { body } = await team.owner.request('GET', `${team.path}/audit?limit=2${from}`)
        paged.push(...body.items.map(({ action }: { action: string }) => action))
        cursor = body.next_cursor
      }
      expect(paged).toEqual(all)
      expect(all.length).toBeGreaterThan(4)
    })

    test.each(['from=yesterday', 'project_id=1', 'nonsense=1', 'to=2026-13-01', 'limit=0', 'cursor=x'])(
      '%s is refused',
      async (query) => {
        const { owner, path } = await newTeam(platform)
        expect((await owner.request('GET', `${path}/audit?${query}`)).status).toBe(400)
      },
    )

    test('can be read as lines, all of it', async () => {
      const { owner, path, id } = await newTeam(platform)
      await database()
        .unscoped.tables.insertInto('audit_entries')
        .values(
          Array.from({ length: 1200 }, (_, index) => ({
            org_id: database().scope(id as never).org,
            id: randomUUIDv7(),
            actor_type: 'system' as const,
            actor_id: 'system',
            actor_name: 'engine-platform',
            action: 'server.updated',
            object_type: 'server',
            object_id: String(index),
            object_name: `line\n${index}`,
          })),
        )
        .execute()
      const { status, text, headers } = await owner.request('GET', `${path}/audit`, undefined, {
        accept: 'application/x-ndjson',
      })
      expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines).toHaveLength(1201)
      expect(new Set(lines.map((line) => line.id)).size).toBe(1201)
      expect(lines[0].object.name).toMatch(/^line\n\d+$/)
      expect(lines.at(-1).action).toBe('organization.created')
    })

    test('is limited to callers with the permission, in their organization', async () => {
      const [team, other] = [await newTeam(platform), await newTeam(platform)]
      const editor = await team.join(['editor'])
      expect(await refusal(editor.request('GET', `${team.path}/audit`))).toEqual([403, 'audit.read'])
      expect((await other.owner.request('GET', `${team.path}/audit`)).status).toBe(404)
      const { body } = await other.owner.request('GET', `${other.path}/audit`)
      expect(body.items).toHaveLength(1)
    })
  })
})
