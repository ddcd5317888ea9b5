import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { ACTIONS, type Action } from '../../apps/platform-server/src/access/actions.ts'
import { rightsTopic } from '../../apps/platform-server/src/access/rights-topic.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import { type MemberEvent, notifyOfMember } from '../../apps/platform-server/src/features/members/member-notice.ts'
import { roleById, roleOf, rolesNamed } from '../../apps/platform-server/src/features/roles/repository.ts'
import { changeRole, createRole, deleteRole } from '../../apps/platform-server/src/features/roles/service.ts'
import { useDatabase } from './databases.testing.ts'
import { actingWith, conflict } from './rows.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** Roles, and who hears of members, as the database has them. */

const database = useDatabase('postgres')
let cast: Cast
let world: World
let scope: Scope
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'member.manage')
  scope = database().scope(world.org)
})

/** A member with these actions, and roles of no name. */
const holding = (...permissions: readonly Action[]) =>
  actingWith(database(), world, permissions, { id: cast.custom.id, roles: ['custom'] })
const forbidden = expect.objectContaining({ code: 'forbidden' })
const lastAudit = () =>
  scope.read('audit_entries').selectFrom('audit_entries').selectAll().orderBy('id', 'desc').executeTakeFirst()
const role = async (id: string) => roleOf(await roleById(scope, id))
const make = (name: string, ...permissions: readonly Action[]) =>
  createRole(holding(...ACTIONS), { name, description: 'first', permissions: [...permissions] })

describe('a role', () => {
  test('is created with each of its actions once, by a person who holds them', async () => {
    const permissions: Action[] = ['audit.read', 'test.run', 'audit.read']
    const made = await createRole(holding('audit.read', 'test.run'), { name: 'auditor', permissions })
    expect(made).toMatchObject({
      name: 'auditor',
      description: '',
      is_system: false,
      created_by: cast.custom.id,
      rev: 1,
    })
    expect(made.permissions.toSorted()).toEqual(['audit.read', 'test.run'])
    const above = createRole(holding('audit.read'), { name: 'other', permissions })
    await expect(above).rejects.toEqual(forbidden)
    await expect(make('auditor')).rejects.toEqual(conflict('duplicate'))
    await expect(make('owner')).rejects.toThrow(/owner/)
  })

  test.each([
    { name: 'renamed' },
    { description: 'second' },
    { permissions: ['test.run' as const] },
    { permissions: [] },
  ])('that changes by %o keeps the rest, and so do the others', async (change) => {
    const { id, ...before } = await make('tester', 'audit.read')
    const other = await role(world.spareRole)
    let woken = 0
    onTestFinished(database().wakes.on(rightsTopic(world.org), (isCertain) => void (woken += isCertain ? 1 : 0)))
    const after = await changeRole(holding(...ACTIONS), id, change, 1)
    expect(after).toEqual({ ...before, ...change, id, rev: 2, updated_at: expect.any(String) })
    expect([await role(world.spareRole), woken > 0]).toEqual([other, true])
    expect(await lastAudit()).toMatchObject({ action: 'role.updated', before: { ...before, id }, after })
    for (const rev of [1, 3]) {
      await expect(changeRole(holding(...ACTIONS), id, change, rev)).rejects.toEqual(conflict('stale'))
      await expect(deleteRole(holding(...ACTIONS), id, rev)).rejects.toEqual(conflict('stale'))
    }
  })

  test('is changed and deleted only by those who hold its actions before and after', async () => {
    const { id } = await make('tester', 'audit.read')
    const permissions: Action[] = ['test.run']
    for (const acting of [holding('audit.read'), holding('test.run')])
      await expect(changeRole(acting, id, { permissions }, undefined)).rejects.toEqual(forbidden)
    await expect(deleteRole(holding('test.run'), id, undefined)).rejects.toEqual(forbidden)
    expect(await role(id)).toMatchObject({ permissions: ['audit.read'], rev: 1 })
    await changeRole(holding('audit.read', 'test.run'), id, { permissions }, undefined)
    await deleteRole(holding('test.run'), id, 2)
    await expect(role(id)).rejects.toEqual(expect.objectContaining({ code: 'not-found' }))
    expect(await role(world.spareRole)).toMatchObject({ name: 'spare' })
  })

  test('that members hold stays, and so do the four of every organization', async () => {
    await expect(deleteRole(holding(...ACTIONS), world.guestRole, undefined)).rejects.toEqual(conflict('in_use'))
    const [owner] = await rolesNamed(scope, ['owner'], '')
    const id = owner?.id ?? ''
    const system = expect.objectContaining({ details: [expect.objectContaining({ code: 'system-role' })] })
    await expect(deleteRole(holding(...ACTIONS), id, undefined)).rejects.toEqual(system)
    await expect(changeRole(holding(...ACTIONS), id, { description: '' }, undefined)).rejects.toEqual(system)
  })

  test('is named by name or id, each once', async () => {
    const found = await rolesNamed(scope, ['viewer', world.guestRole.toUpperCase(), 'guest', 'viewer'], '/roles')
    expect(found.map(({ name }) => name)).toEqual(['viewer', 'guest'])
    await expect(rolesNamed(scope, ['viewer', 'Viewer'], '/roles')).rejects.toEqual(
      expect.objectContaining({ details: [expect.objectContaining({ path: '/roles/1', code: 'unknown-role' })] }),
    )
  })
})

describe('the change of a member', () => {
  test.each<readonly [MemberEvent, boolean]>([
    ['invited', true],
    ['joined', true],
    ['roles', true],
    ['removed', false],
  ])('%s is told to those who manage members, and to the member: %s', async (event, isTold) => {
    const member = { id: world.guest.id, user_id: world.guest.userId, email: 'guest@example.com', roles: ['guest'] }
    await database().note(world.org, ({ scope: own }) => notifyOfMember(own, event, member as never))
    const rows = await scope.read('notifications').selectFrom('notifications').selectAll().execute()
    const managers = [cast.owner.id, cast.admin.id, cast.custom.id]
    expect(rows.map(({ user_id }) => user_id).toSorted()).toEqual(
      [...managers, ...(isTold ? [world.guest.userId] : [])].toSorted(),
    )
    expect(rows[0]).toMatchObject({
      kind: 'member_changed',
      ref_type: 'member',
      ref_id: world.guest.id,
      payload: { event, email: 'guest@example.com', roles: ['guest'] },
    })
  })
})
