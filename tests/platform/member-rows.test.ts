import { randomUUIDv7 } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Action, ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import type { Caller } from '../../apps/platform-server/src/access/caller.ts'
import { rightsTopic } from '../../apps/platform-server/src/access/rights-topic.ts'
import { newToken } from '../../apps/platform-server/src/access/tokens.ts'
import type { Page } from '../../apps/platform-server/src/database/page.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import { createSignIn } from '../../apps/platform-server/src/features/identity/sign-in.ts'
import { accept, previewOf } from '../../apps/platform-server/src/features/members/invitation-acceptance.ts'
import { invite, withdraw } from '../../apps/platform-server/src/features/members/invitations.ts'
import {
  invitationById,
  invitationOf,
  invitationsOn,
  memberByEither,
  memberOfRow,
  membersOn,
  roleNames,
} from '../../apps/platform-server/src/features/members/repository.ts'
import { changeRoles, removeMember } from '../../apps/platform-server/src/features/members/service.ts'
import { rolesNamed } from '../../apps/platform-server/src/features/roles/repository.ts'
import { notify } from '../../apps/platform-server/src/features/notifications/repository.ts'
import { useDatabase } from './databases.testing.ts'
import { PASSWORD } from './platform.testing.ts'
import { actingWith, auditOf, forbidden, isAnnounced, personOf } from './rows.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** Members and invitations, as the database has them. The guest of a world has the role `guest`, which allows nothing. */

const database = useDatabase('postgres')
const tables = () => database().unscoped.tables
let cast: Cast
let world: World
let scope: Scope
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'test.run', { hasSub: true })
  scope = database().scope(world.org)
})

/** A member of the organization with these actions. */
const holding = (permissions: readonly Action[], id: string = cast.owner.id, ...roles: readonly string[]) =>
  actingWith(database(), world, permissions, { id, roles })
const owner = () => holding(ACTIONS, cast.owner.id, 'owner')
const lacking = (action: Action) => holding(ACTIONS.filter((one) => one !== action))
const unauthorized = expect.objectContaining({ code: 'unauthorized' })
const rolesOf = async (id: string) => (await roleNames(tables(), world.org, [{ id }])).get(id)
const memberNamed = (name: 'admin' | 'custom' | 'viewer') => memberByEither(scope, cast[name].id)
const audits = (action: string) => auditOf(scope, action)
const eventsFor = async (userId: string) => {
  const own = scope.read('notifications').selectFrom('notifications').select('payload').where('user_id', '=', userId)
  return (await own.orderBy('id').execute()).map(({ payload }) => (payload as { event?: string }).event)
}
/** Whether a change of this organization's rights was announced until the end of some work. */
const announced = (work: () => Promise<unknown>) => isAnnounced(database(), rightsTopic(world.org), work)

describe('the roles of a member', () => {
  test('are replaced, alone, which is announced, audited and told', async () => {
    const before = memberOfRow(await memberNamed('custom'), ['custom'], world.org)
    const after = { ...before, roles: ['viewer', 'editor'] }
    expect(await announced(() => changeRoles(owner(), before.id, ['viewer', 'editor']))).toBe(true)
    expect(await rolesOf(before.id)).toEqual(['editor', 'viewer'])
    expect(await rolesOf(world.guest.id)).toEqual(['guest'])
    expect(await audits('member.updated')).toMatchObject([{ object_id: before.id, before, after }])
    for (const told of [cast.custom, cast.admin]) expect(await eventsFor(told.id)).toEqual(['roles'])
  })

  test.each(['viewer', 'guest'])('that become `%s` need all actions of the former ones', async (name) => {
    const { id } = await memberNamed('custom')
    await expect(changeRoles(lacking('test.run'), id, [name])).rejects.toEqual(forbidden('test.run'))
    expect(await rolesOf(id)).toEqual(['custom'])
  })

  test('need all actions of the new ones, of which only an owner gives `owner`', async () => {
    const { id } = world.guest
    await expect(changeRoles(lacking('test.run'), id, ['custom'])).rejects.toEqual(forbidden('test.run'))
    await expect(changeRoles(holding(ACTIONS), id, ['owner'])).rejects.toEqual(forbidden('org.manage'))
    expect(await rolesOf(id)).toEqual(['guest'])
  })

  test('of the only owner may gain one', async () => {
    const { id } = await memberByEither(scope, cast.owner.id)
    const other = holding(ACTIONS, cast.admin.id, 'owner')
    expect((await changeRoles(other, id, ['owner', 'editor'])).roles).toEqual(['owner', 'editor'])
    const conflict = expect.objectContaining({ code: 'conflict' })
    await expect(changeRoles(other, id, ['editor'])).rejects.toEqual(conflict)
    await expect(removeMember(other, id)).rejects.toEqual(conflict)
  })
})

describe('a member who goes', () => {
  test('takes the own keys and notifications along, which is announced and told to those who remain', async () => {
    const { id } = await memberNamed('custom')
    const notice = { kind: 'member_changed', ref: { type: 'member', id }, payload: {} } as const
    await database().note(world.org, async ({ scope: own }) => {
      await notify(own, [cast.custom.id, cast.viewer.id], notice)
      const keys = [cast.custom.id, cast.viewer.id].map((user_id) => {
        const { hash, prefix } = newToken('key')
        return { id: randomUUIDv7(), user_id, name: user_id, token_hash: hash, prefix, scopes: [], created_by: user_id }
      })
      await own.insert('api_keys', keys).execute()
    })
    expect(await announced(() => removeMember(owner(), id))).toBe(true)
    await expect(memberNamed('custom')).rejects.toEqual(expect.objectContaining({ code: 'not-found' }))
    const keys = await scope.read('api_keys').selectFrom('api_keys').select('user_id').execute()
    expect(keys.map(({ user_id }) => user_id).filter((user) => user !== null)).toEqual([cast.viewer.id])
    expect(await audits('api_key.revoked')).toMatchObject([{ object_name: cast.custom.id }])
    expect(await audits('member.deleted')).toMatchObject([{ object_id: id, before: { roles: ['custom'] } }])
    expect(await eventsFor(cast.custom.id)).toEqual([])
    expect(await eventsFor(cast.viewer.id)).toEqual([undefined])
    expect(await eventsFor(cast.admin.id)).toEqual(['removed'])
  })

  test('needs no right; to remove another one needs all of theirs', async () => {
    const { id } = await memberNamed('custom')
    await expect(removeMember(lacking('test.run'), id)).rejects.toEqual(forbidden('test.run'))
    await removeMember(holding([], cast.custom.id), id)
    await removeMember(holding([]), world.guest.id)
  })
})

describe('the list of members', () => {
  const PAGE: Page = { limit: 50, sort: 'name', descending: false, after: undefined, contains: undefined }
  const below = () => world.sub ?? world.org

  test('of a sub-organization has the active owners and admins of its parent, with the roles that count there', async () => {
    const { id } = await memberNamed('admin')
    const { member_id: invited } = await invitationById(scope, world.invitation.id)
    const [admin] = await rolesNamed(scope, ['admin'], '')
    await database().note(world.org, ({ scope: own }) =>
      own
        .insert('member_roles', [
          { member_id: id, role_id: world.guestRole },
          { member_id: invited, role_id: admin?.id ?? '' },
        ])
        .execute(),
    )
    // A role counts below only if it is built in, whatever its name.
    const rename = (from: string, name: string) =>
      tables().updateTable('roles').set({ name }).where('org_id', '=', world.org).where('name', '=', from).execute()
    await rename('owner', 'former')
    await rename('custom', 'owner')
    const rows = await membersOn(database(), below(), PAGE)
    const names = await roleNames(tables(), below(), rows)
    expect(rows.map((row) => memberOfRow(row, names.get(row.id) ?? [], below()))).toMatchObject([
      { id, user_id: cast.admin.id, roles: ['admin'], status: 'active', inherited_from: world.org },
    ])
    expect((await roleNames(tables(), world.org, rows)).get(id)).toEqual(['admin', 'guest'])
  })

  test('is in order of addresses or times, and searched by address and name', async () => {
    const listed = async (page: Partial<Page>) =>
      (await membersOn(database(), world.org, { ...PAGE, ...page })).map(({ email }) => email)
    const all = await listed({})
    expect(all).toEqual(all.toSorted())
    expect(all).toHaveLength(7)
    const at = new Date(Date.now() + 60_000)
    await tables()
      .updateTable('members')
      .set({ invited_at: at })
      .where('email', '=', all[0] ?? '')
      .execute()
    expect((await listed({ sort: 'created_at', descending: true }))[0]).toBe(all[0])
    expect(await listed({ contains: cast.viewer.email.toUpperCase() })).toEqual([cast.viewer.email])
    await tables().updateTable('users').set({ display_name: 'Zoe' }).where('id', '=', world.guest.userId).execute()
    expect(await listed({ contains: 'zoe' })).toEqual([expect.stringMatching(/^guest-/)])
  })

  test('of invitations is in order of addresses or times, and searched by address', async () => {
    const later = await invite(parts(), owner(), { email: 'a@list.example', role: 'viewer' })
    const listed = async (page: Partial<Page>) =>
      (await invitationsOn(scope, { ...PAGE, ...page })).map(({ email }) => email)
    const { email } = world.invitation
    expect(await listed({})).toEqual([later.email, email])
    expect(await listed({ sort: 'created_at' })).toEqual([email, later.email])
    expect(await listed({ contains: 'LIST' })).toEqual([later.email])
    const row = await invitationById(scope, world.invitation.id)
    expect(invitationOf(row, [])).toMatchObject({
      created_at: row.created_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      sent: false,
    })
  })
})

const sent: { readonly to: string; readonly subject: string; readonly text: string }[] = []
const mail = (isGood: boolean) => ({
  async send(to: string, subject: string, text: string) {
    if (!isGood) throw new Error('the mail server is away')
    sent.push({ to, subject, text })
  },
  close() {},
})
const warnings: string[] = []
const parts = (own?: ReturnType<typeof mail>) =>
  ({
    database: database(),
    mail: own,
    publicUrl: () => 'https://platform.example',
    log: { warn: (_: unknown, text: string) => void warnings.push(text) },
  }) as never

describe('an invitation', () => {
  test('that is sent by mail keeps its link to the mail', async () => {
    await tables().updateTable('organizations').set({ name: 'www.evil.test' }).where('org_id', '=', world.org).execute()
    const made = await invite(parts(mail(true)), owner(), { email: ' New@Example.com', roles: ['viewer', 'custom'] })
    expect(made).toMatchObject({ email: 'new@example.com', status: 'invited', roles: ['viewer', 'custom'] })
    expect(made.invitation).toEqual({ expires_at: expect.any(String), sent: true })
    expect(Math.round((Date.parse(made.invitation.expires_at) - Date.now()) / 3_600_000)).toBe(7 * 24)
    const { to, text } = sent.at(-1) ?? { to: '', text: '' }
    expect([to, text]).toEqual([
      'new@example.com',
      expect.stringMatching(/example\/invitation#token=eng_inv_[\w-]{43}\n/),
    ])
    expect(text).not.toContain('www.evil.test')
    const rows = await scope.read('invitations').selectFrom('invitations').selectAll().execute()
    expect(new Map(rows.map((row) => [row.member_id, row.sent]))).toEqual(
      new Map([
        [made.id, true],
        [expect.any(String), false],
      ]),
    )
    expect(await audits('invitation.created')).toMatchObject([
      { object_name: 'new@example.com', after: { member_id: made.id, expires_at: made.invitation.expires_at } },
    ])
    expect(await eventsFor(cast.admin.id)).toEqual(['invited'])
  })

  test('that cannot be sent is shown to the person who invites', async () => {
    warnings.length = 0
    const made = await invite(parts(mail(false)), owner(), { email: 'new@example.com', role: 'viewer' })
    expect(made.invitation).toMatchObject({ sent: false, url: expect.stringContaining('#token=eng_inv_') })
    expect(warnings).toEqual([expect.stringContaining('could not be sent')])
  })

  test('is made and withdrawn only by a person who has its rights', async () => {
    const request = { email: 'new@example.com', role: 'custom' }
    await expect(invite(parts(), lacking('test.run'), request)).rejects.toEqual(forbidden('test.run'))
    const { id } = await invite(parts(), owner(), request)
    const rows = await scope.read('invitations').selectFrom('invitations').selectAll().execute()
    const invitation = rows.find(({ member_id }) => member_id === id)?.id ?? ''
    await expect(withdraw(lacking('test.run'), invitation)).rejects.toEqual(forbidden('test.run'))
    await withdraw(owner(), invitation)
    expect(await audits('invitation.revoked')).toMatchObject([{ object_id: invitation, object_name: request.email }])
    await expect(memberByEither(scope, id)).rejects.toEqual(expect.objectContaining({ code: 'not-found' }))
    expect(await invitationById(scope, world.invitation.id)).toMatchObject({ email: world.invitation.email })
  })
})

describe('the acceptance of an invitation', () => {
  const browser = { address: '192.0.2.1', requestId: 'r', userAgent: 'test', sessionId: undefined, device: undefined }
  const signIn = () => createSignIn(database(), { signedIn() {} } as never, {} as never)
  const accepted = (request: object = {}, caller?: Caller) =>
    accept(database(), signIn(), caller, browser, { token: world.invitation.token, ...request })
  const addAccount = (email: string) =>
    tables()
      .insertInto('users')
      .values({ id: randomUUIDv7(), email, display_name: 'Known' })
      .returning('id')
      .executeTakeFirstOrThrow()

  test('makes an account that is named by its address, and an active member', async () => {
    await expect(accepted()).rejects.toMatchObject({ details: [{ path: '/password' }] })
    const { org, signedIn } = await accepted({ password: PASSWORD })
    const { email } = world.invitation
    expect([org, signedIn.user]).toEqual([
      world.org,
      expect.objectContaining({ email, display_name: email.split('@')[0] }),
    ])
    const member = await memberByEither(scope, signedIn.user.id)
    expect(member).toMatchObject({ email, status: 'active' })
    expect(await rolesOf(member.id)).toEqual(['guest'])
    expect(await audits('member.updated')).toMatchObject([
      {
        actor_id: signedIn.user.id,
        actor_name: email,
        ip: '192.0.2.1',
        before: { status: 'invited', user_id: null },
        after: { status: 'active', user_id: signedIn.user.id },
      },
    ])
    expect(await eventsFor(cast.admin.id)).toEqual(['joined'])
    await expect(accepted({ password: PASSWORD })).rejects.toEqual(unauthorized)
  })

  test('of an address with an account needs that person', async () => {
    const { id } = await addAccount(world.invitation.email)
    const key = { kind: 'key', id } as Caller
    for (const caller of [undefined, key])
      await expect(accepted({ password: PASSWORD }, caller)).rejects.toEqual(unauthorized)
    await expect(accepted({}, personOf(cast.viewer))).rejects.toEqual(forbidden('address'))
    expect((await accepted({}, personOf({ id }))).signedIn.user.id).toBe(id)
  })

  test.each([
    ['in time', 60_000, true],
    ['too late', -1, false],
  ])('%s', async (_name, milliseconds, isGood) => {
    const change = { expires_at: new Date(Date.now() + milliseconds), created_by: cast.owner.id }
    await tables().updateTable('invitations').set(change).where('id', '=', world.invitation.id).execute()
    const { email, token } = world.invitation
    const preview = previewOf(database(), token)
    if (isGood)
      expect(await preview).toEqual({ email, organization: world.org, invited_by: 'owner', has_account: false })
    else await expect(preview).rejects.toEqual(unauthorized)
    const acceptance = accepted({ password: PASSWORD, display_name: ' Eve ' })
    if (isGood) expect((await acceptance).signedIn.user.display_name).toBe('Eve')
    else await expect(acceptance).rejects.toEqual(unauthorized)
  })
})
