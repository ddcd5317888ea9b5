import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { PASSWORD, startPlatform, type TestPlatform } from './platform.testing.ts'
import { acceptAs, made, newTeam, refusal } from './team.testing.ts'

const A = '/api/v1'

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  let platform: TestPlatform
  beforeAll(async () => {
    platform = await startPlatform(database())
  })
  afterAll(() => platform.stop())

  const address = () => `${randomUUIDv7()}@example.com`

  describe('an invitation', () => {
    test('creates an account for a new address, signs it in, and works once', async () => {
      const { owner, path, id } = await newTeam(platform)
      const email = address()
      const member = await made(
        owner.request('POST', `${path}/members`, { email: email.toUpperCase(), roles: ['editor'] }),
      )
      expect(member).toMatchObject({ email, user_id: null, roles: ['editor'], status: 'invited', inherited_from: null })
      const { expires_at, sent, url } = member.invitation
      expect(Math.round((Date.parse(expires_at) - Date.now()) / 3_600_000)).toBe(7 * 24)
      expect(sent).toBe(false)
      expect(url).toMatch(/\/invitation#token=eng_inv_[\w-]{43}$/)

      const browser = platform.browser()
      for (const body of [{}, { display_name: 'Eve' }])
        expect((await acceptAs(browser, url, body)).body.details[0].path).toBe('/password')
      const accepted = await acceptAs(browser, url, { password: PASSWORD, display_name: 'Eve' })
      expect([accepted.status, accepted.body.org_id]).toEqual([200, id])
      expect(accepted.body.user).toMatchObject({ email, display_name: 'Eve' })
      expect((await browser.request('GET', path)).body.my_roles).toEqual(['editor'])
      const login = await platform.browser().request('POST', `${A}/auth/login`, { email, password: PASSWORD })
      expect(login.status).toBe(200)
      expect((await acceptAs(platform.browser(), url, { password: PASSWORD })).status).toBe(401)
      expect((await owner.request('GET', `${path}/invitations`)).body.items).toEqual([])
      const { body: audit } = await owner.request('GET', `${path}/audit?action=member.updated`)
      expect(audit.items).toMatchObject([
        {
          actor: { type: 'user', id: accepted.body.user.id },
          object: { id: member.id },
          before: { user_id: null, status: 'invited', roles: ['editor'] },
          after: { user_id: accepted.body.user.id, status: 'active', roles: ['editor'] },
        },
      ])
    })

    test('names its organization, address and inviter, and stays valid until it is accepted', async () => {
      const { owner, path } = await newTeam(platform)
      const [email, person] = [address(), await platform.person()]
      const tokenOf = async (invited: string) => {
        const { invitation } = await made(owner.request('POST', `${path}/members`, { email: invited, role: 'viewer' }))
        return new URL(invitation.url).hash.slice('#token='.length)
      }
      const preview = (token: string) => platform.browser().request('POST', `${A}/invitations/preview`, { token })
      const token = await tokenOf(email)
      const { name: organization } = (await owner.request('GET', path)).body
      const { display_name: invited_by } = (await owner.request('GET', `${A}/me`)).body.user
      const expected = { email, organization, invited_by, has_account: false }
      for (let time = 0; time < 2; time++) expect((await preview(token)).body).toEqual(expected)
      expect((await preview(await tokenOf(person.email))).body.has_account).toBe(true)
      const accept = { token, password: PASSWORD }
      expect((await platform.browser().request('POST', `${A}/invitations/accept`, accept)).status).toBe(200)
      expect((await preview(token)).status).toBe(401)
    })

    test('of two simultaneous uses one succeeds', async () => {
      const { owner, path } = await newTeam(platform)
      const { invitation } = await made(owner.request('POST', `${path}/members`, { email: address(), role: 'viewer' }))
      const uses = await Promise.all(
        [1, 2, 3].map(() => acceptAs(platform.browser(), invitation.url, { password: PASSWORD })),
      )
      expect(uses.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([200, 401, 401])
    })

    test('of a known address needs the person signed in; the link alone does not suffice', async () => {
      const { owner, path } = await newTeam(platform)
      const person = await platform.person()
      const { invitation } = await made(
        owner.request('POST', `${path}/members`, { email: person.email, role: 'viewer' }),
      )
      expect((await acceptAs(platform.browser(), invitation.url, { password: 'another phrase' })).status).toBe(401)
      expect(await refusal(acceptAs(await platform.person(), invitation.url))).toEqual([403, 'address'])
      expect((await acceptAs(person, invitation.url)).status).toBe(200)
      const again = await platform
        .browser()
        .request('POST', `${A}/auth/login`, { email: person.email, password: PASSWORD })
      expect(again.status).toBe(200)
    })

    test('ends after 7 days, and when it is withdrawn', async () => {
      const { owner, path, id } = await newTeam(platform)
      const late = await made(owner.request('POST', `${path}/members`, { email: address(), role: 'viewer' }))
      const { tables } = database().unscoped
      await tables
        .updateTable('invitations')
        .set({ expires_at: new Date(Date.now() - 1) })
        .where('member_id', '=', late.id)
        .execute()
      expect((await acceptAs(platform.browser(), late.invitation.url, { password: PASSWORD })).status).toBe(401)
      const token = new URL(late.invitation.url).hash.slice('#token='.length)
      expect((await platform.browser().request('POST', `${A}/invitations/preview`, { token })).status).toBe(401)

      const withdrawn = await made(owner.request('POST', `${path}/members`, { email: address(), role: 'viewer' }))
      const { body } = await owner.request('GET', `${path}/invitations?sort=created_at`)
      expect(body.items).toHaveLength(2)
      const invitation = body.items.find((one: { member_id: string }) => one.member_id === withdrawn.id)
      expect(invitation).toMatchObject({
        email: withdrawn.email,
        roles: ['viewer'],
        sent: false,
        created_by: owner.userId,
      })
      expect(JSON.stringify(body)).not.toContain(withdrawn.invitation.url.split('#token=')[1])
      expect((await owner.request('DELETE', `${path}/invitations/${invitation.id}`)).status).toBe(204)
      expect((await owner.request('DELETE', `${path}/invitations/${invitation.id}`)).status).toBe(404)
      const revoked = await owner.request('GET', `${path}/audit?action=invitation.revoked`)
      expect(revoked.body.items).toMatchObject([{ object: { id: invitation.id, name: withdrawn.email } }])
      expect((await acceptAs(platform.browser(), withdrawn.invitation.url, { password: PASSWORD })).status).toBe(401)
      expect((await owner.request('GET', `${A}/orgs/${id}/members`)).body.items).toHaveLength(2)
    })

    test('of an owner is withdrawn by an owner alone', async () => {
      const { owner, path, join } = await newTeam(platform)
      const admin = await join(['admin'])
      const invite = (role: string) => made(owner.request('POST', `${path}/members`, { email: address(), role }))
      const invited = await invite('owner')
      const pathOf = async (memberId: string) => {
        const { items } = (await owner.request('GET', `${path}/invitations`)).body
        const found = items.find(({ member_id }: { member_id: string }) => member_id === memberId)
        return `${path}/invitations/${found.id}`
      }
      const at = await pathOf(invited.id)
      expect((await admin.request('DELETE', at)).status).toBe(403)
      expect((await admin.request('DELETE', `${path}/members/${invited.id}`)).status).toBe(403)
      expect((await owner.request('GET', `${path}/invitations`)).body.items).toHaveLength(1)
      expect((await owner.request('DELETE', at)).status).toBe(204)
      const editor = await invite('editor')
      expect((await admin.request('DELETE', await pathOf(editor.id))).status).toBe(204)
    })

    test('of a member, or an address that is invited already, is refused', async () => {
      const team = await newTeam(platform)
      const person = await team.join(['viewer'])
      const invite = (email: string) => team.owner.request('POST', `${team.path}/members`, { email, role: 'viewer' })
      expect(await refusal(invite(person.email))).toEqual([409, 'duplicate'])
      const email = address()
      await made(invite(email))
      expect(await refusal(invite(email.toUpperCase()))).toEqual([409, 'duplicate'])
    })

    test.each<[string, object]>([
      ['no role', { email: 'a@example.com' }],
      ['no roles', { email: 'a@example.com', roles: [] }],
      ['both forms of roles', { email: 'a@example.com', roles: ['viewer'], role: 'viewer' }],
      ['an unknown role', { email: 'a@example.com', role: 'king' }],
      ['a text that is not an address', { email: 'nonsense', role: 'viewer' }],
    ])('with %s is refused', async (_name, body) => {
      const { owner, path } = await newTeam(platform)
      expect((await owner.request('POST', `${path}/members`, body)).status).toBe(400)
    })

    test('neither its token nor a password is in the audit or the log', async () => {
      const { owner, path } = await newTeam(platform)
      const { invitation } = await made(owner.request('POST', `${path}/members`, { email: address(), role: 'viewer' }))
      await acceptAs(platform.browser(), invitation.url, { password: PASSWORD })
      const token = invitation.url.split('#token=')[1]
      const { text } = await owner.request('GET', `${path}/audit`)
      for (const secret of [token, PASSWORD]) {
        expect(text).not.toContain(secret)
        expect(JSON.stringify(platform.lines)).not.toContain(secret)
      }
      const actions = JSON.parse(text).items.map(({ action }: { action: string }) => action)
      expect(actions).toEqual(expect.arrayContaining(['member.created', 'invitation.created', 'member.updated']))
    })
  })

  describe('members', () => {
    test('are listed in pages by address or time', async () => {
      const team = await newTeam(platform)
      for (const name of ['c', 'a', 'b'])
        await made(
          team.owner.request('POST', `${team.path}/members`, { email: `${name}@list.example`, role: 'viewer' }),
        )
      const { body } = await team.owner.request('GET', `${team.path}/members?sort=name&limit=2&q=list`)
      expect(body.items.map(({ email }: { email: string }) => email)).toEqual(['a@list.example', 'b@list.example'])
      const rest = await team.owner.request(
        'GET',
        `${team.path}/members?sort=name&limit=2&q=list&cursor=${body.next_cursor}`,
      )
      expect(rest.body.items.map(({ email }: { email: string }) => email)).toEqual(['c@list.example'])
      expect(rest.body.next_cursor).toBeNull()
    })

    test('are found by their names', async () => {
      const team = await newTeam(platform)
      const person = await team.join(['viewer'])
      await person.request('PUT', `${A}/me`, { display_name: 'Zoe Quill' })
      const { body } = await team.owner.request('GET', `${team.path}/members?q=quill`)
      expect(body.items.map(({ email }: { email: string }) => email)).toEqual([person.email])
    })

    test('get other roles by their id or that of their user, effective immediately', async () => {
      const team = await newTeam(platform)
      const person = await team.join(['viewer'])
      const set = (id: string, roles: readonly string[]) =>
        team.owner.request('PUT', `${team.path}/members/${id}/roles`, { roles })
      const { body } = await set(person.userId, ['editor', 'viewer'])
      expect(body).toMatchObject({
        id: person.memberId,
        user_id: person.userId,
        roles: ['editor', 'viewer'],
        status: 'active',
      })
      expect((await person.request('GET', team.path)).body.my_permissions).toContain('ruleset.edit')
      expect((await set(person.memberId, ['viewer'])).body.roles).toEqual(['viewer'])
      expect(await refusal(set(person.memberId, ['king']))).toEqual([400, 'unknown-role'])
      expect((await set(randomUUIDv7(), ['viewer'])).status).toBe(404)
    })

    test('are changed by those above them only, and never by themselves', async () => {
      const team = await newTeam(platform)
      const [admin, other] = [await team.join(['admin']), await team.join(['viewer'])]
      const set = (id: string, roles: readonly string[], by: Pick<typeof admin, 'request'> = admin) =>
        by.request('PUT', `${team.path}/members/${id}/roles`, { roles })
      expect(await refusal(set(admin.userId, ['owner']))).toEqual([403, 'own-roles'])
      expect((await set(other.userId, ['owner'])).status).toBe(403)
      expect((await set(team.owner.userId, ['viewer'])).status).toBe(403)
      expect((await admin.request('DELETE', `${team.path}/members/${team.owner.userId}`)).status).toBe(403)
      expect(await refusal(set(other.userId, ['admin'], other))).toEqual([403, 'member.manage'])
      expect((await set(other.userId, ['admin'])).status).toBe(200)
    })

    test('with all actions but not the role are not owners', async () => {
      const team = await newTeam(platform)
      const { body } = await team.owner.request('GET', team.path)
      await made(team.owner.request('POST', `${team.path}/roles`, { name: 'all', permissions: body.my_permissions }))
      const person = await team.join(['all'])
      const invited = person.request('POST', `${team.path}/members`, { email: address(), role: 'owner' })
      expect(await refusal(invited)).toEqual([403, 'org.manage'])
    })

    test('the last owner stays, and stays an owner', async () => {
      const team = await newTeam(platform)
      const second = await team.join(['owner'])
      const demote = (by: typeof team.owner, who: typeof team.owner) =>
        by.request('PUT', `${team.path}/members/${who.userId}/roles`, { roles: ['viewer'] })
      expect((await demote(second, team.owner)).status).toBe(200)
      expect(await refusal(second.request('DELETE', `${team.path}/members/${second.userId}`))).toEqual([
        409,
        'last_owner',
      ])
      // An invited owner is none yet.
      await made(second.request('POST', `${team.path}/members`, { email: address(), role: 'owner' }))
      expect(await refusal(second.request('DELETE', `${team.path}/members/${second.userId}`))).toEqual([
        409,
        'last_owner',
      ])
    })

    test('of two owners who demote each other at the same time one remains', async () => {
      const team = await newTeam(platform)
      const second = await team.join(['owner'])
      const demote = (by: typeof team.owner, who: typeof team.owner) =>
        by.request('PUT', `${team.path}/members/${who.userId}/roles`, { roles: ['viewer'] })
      await Promise.all([demote(second, team.owner), demote(team.owner, second)])
      const { body } = await second.request('GET', `${team.path}/members`)
      const owners = body.items.filter(({ roles }: { roles: string[] }) => roles.includes('owner'))
      expect(owners).toHaveLength(1)
    })

    test('of two owners who leave at the same time one remains', async () => {
      const team = await newTeam(platform)
      const second = await team.join(['owner'])
      const leave = (who: typeof team.owner) => who.request('DELETE', `${team.path}/members/${who.userId}`)
      const answers = await Promise.all([leave(team.owner), leave(second)])
      expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([204, 409])
    })

    test('may leave, are removed, and then see nothing; their keys end, those of the organization do not', async () => {
      const team = await newTeam(platform)
      const [admin, leaver] = [await team.join(['admin']), await team.join(['viewer'])]
      const key = (scopes: readonly string[], name: string) =>
        made(admin.request('POST', `${team.path}/api-keys`, { name, scopes }))
      const [own, shared] = [await key(['audit.read'], 'own'), await key(['decision.execute'], 'shared')]
      expect((await leaver.request('DELETE', `${team.path}/members/${leaver.userId}`)).status).toBe(204)
      expect((await leaver.request('GET', team.path)).status).toBe(404)
      expect((await team.owner.request('DELETE', `${team.path}/members/${admin.memberId}`)).status).toBe(204)
      expect((await platform.program(own.token).request('GET', `${A}/me`)).status).toBe(401)
      expect((await platform.program(shared.token).request('GET', `${A}/me`)).status).toBe(200)
      const { body } = await team.owner.request('GET', `${team.path}/audit?action=api_key.revoked`)
      expect(body.items).toMatchObject([{ object: { name: 'own' } }])
    })
  })

  describe('notifications', () => {
    test('reach a member and those who manage members, and are read one by one or all', async () => {
      const team = await newTeam(platform)
      const person = await team.join(['viewer'])
      await team.owner.request('PUT', `${team.path}/members/${person.userId}/roles`, { roles: ['editor'] })
      const own = `${team.path}/notifications`
      const { body } = await person.request('GET', own)
      expect(body.items[0]).toMatchObject({
        kind: 'member_changed',
        ref_type: 'member',
        ref_id: person.memberId,
        payload: { event: 'roles', email: person.email, roles: ['editor'] },
        read_at: null,
      })
      const events = async (query = '') => {
        const { items } = (await team.owner.request('GET', own + query)).body
        return items.map(({ payload }: { payload: { event: string } }) => payload.event)
      }
      expect(await events()).toEqual(['roles', 'joined', 'invited'])
      const { items } = (await team.owner.request('GET', `${own}?limit=1`)).body
      expect((await team.owner.request('POST', `${own}/${items[0].id}/read`)).status).toBe(204)
      expect(await events('?unread_only=true')).toEqual(['joined', 'invited'])
      expect((await team.owner.request('GET', `${own}/count`)).body).toEqual({ unread: 2, total: 3 })
      expect((await team.owner.request('POST', `${own}/read-all`)).status).toBe(204)
      expect((await team.owner.request('GET', `${own}/count`)).body).toEqual({ unread: 0, total: 3 })
      // Another person's is unknown, and stays unread.
      expect((await team.owner.request('POST', `${own}/${body.items[0].id}/read`)).status).toBe(404)
      expect((await person.request('GET', `${own}/count`)).body.unread).toBe(2)
    })

    test('are for people', async () => {
      const team = await newTeam(platform)
      const { token } = await made(
        team.owner.request('POST', `${team.path}/api-keys`, { name: 'k', scopes: ['project.read'] }),
      )
      expect(await refusal(platform.program(token).request('GET', `${team.path}/notifications`))).toEqual([
        403,
        'person',
      ])
      expect((await team.owner.request('GET', `${team.path}/notifications?unread_only=maybe`)).status).toBe(400)
    })
  })
})
