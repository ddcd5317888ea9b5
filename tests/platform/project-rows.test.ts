import { randomUUIDv7 } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ACTIONS } from '../../apps/platform-server/src/access/actions.ts'
import type { Caller } from '../../apps/platform-server/src/access/caller.ts'
import { rightsTopic } from '../../apps/platform-server/src/access/rights-topic.ts'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import type { OrgId } from '../../apps/platform-server/src/database/org-id.ts'
import type { Page } from '../../apps/platform-server/src/database/page.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import {
  countOf,
  isNotified,
  markRead,
  notificationOf,
  notificationsOn,
  notify,
} from '../../apps/platform-server/src/features/notifications/repository.ts'
import {
  organizationById,
  organizationsOf,
  subOrganizationsOf,
} from '../../apps/platform-server/src/features/organizations/repository.ts'
import {
  changeOrganization,
  createOrganization,
  createSubOrganization,
  deleteOrganization,
  organization,
} from '../../apps/platform-server/src/features/organizations/service.ts'
import { inProject } from '../../apps/platform-server/src/features/projects/project-scope.ts'
import {
  environmentsNamed,
  environmentsOn,
  projectIn,
  projectsOn,
} from '../../apps/platform-server/src/features/projects/repository.ts'
import {
  changeProject,
  createProject,
  deleteProject,
  projectTopic,
} from '../../apps/platform-server/src/features/projects/service.ts'
import { useDatabase } from './databases.testing.ts'
import { actingIn, auditOf, conflict, isAnnounced, personOf } from './rows.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** Organizations, projects and notifications as the database has them. */

const database = useDatabase('postgres')
const tables = () => database().unscoped.tables
let cast: Cast
let world: World
let scope: Scope
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'project.manage', { hasSub: true, hasProject: true })
  scope = database().scope(world.org)
})

const PAGE: Page = { limit: 500, sort: 'name', descending: false, after: undefined, contains: undefined }
const key = (more: object = {}): Caller => ({
  kind: 'key',
  id: randomUUIDv7(),
  name: 'k',
  orgId: world.org,
  userId: null,
  scopes: ACTIONS,
  projectIds: null,
  environments: null,
  ...more,
})
const acting = () => actingIn(database(), world)
const notFound = expect.objectContaining({ code: 'not-found' })
const audits = (org: OrgId, action: string) => auditOf(database().scope(org), action)
const announced = (topic: string, work: () => Promise<unknown>) => isAnnounced(database(), topic, work)

describe('an organization', () => {
  const idsFor = async (caller: Caller) => {
    const rows = await organizationsOf(database(), caller, PAGE)
    return rows.map(({ id }) => id).filter((id) => [world.org, world.sub, world.foreignOrg].includes(id))
  }

  test.each<readonly [keyof Cast, boolean, boolean]>([
    ['owner', true, true],
    ['admin', true, true],
    ['editor', true, false],
    ['custom', true, false],
    ['spare', false, false],
  ])('is listed for its %s: %s, and that below it: %s', async (name, isMember, isBelow) => {
    // A role counts below only if it is built in, whatever its name.
    const rename = (from: string, to: string) =>
      tables().updateTable('roles').set({ name: to }).where('org_id', '=', world.org).where('name', '=', from).execute()
    if (name === 'custom') {
      await rename('owner', 'former')
      await rename('custom', 'owner')
    }
    const found = await idsFor(personOf(cast[name]))
    expect(new Set(found)).toEqual(new Set([...(isMember ? [world.org] : []), ...(isBelow ? [world.sub] : [])]))
  })

  test('is the only one that its keys see', async () => {
    expect(await idsFor(key())).toEqual([world.org])
  })

  test('counts its members, children and projects, each on its own', async () => {
    expect(await organizationById(database(), world.org)).toMatchObject({
      member_count: 7,
      child_count: 1,
      project_count: 1,
    })
    const [below, ...others] = await subOrganizationsOf(database(), world.org, PAGE)
    expect(below).toMatchObject({ id: world.sub, member_count: 0, child_count: 0, project_count: 0 })
    expect(others).toEqual([])
    const shown = await organization(database(), personOf(cast.admin), world.sub ?? world.org)
    expect(shown).toMatchObject({ depth: 1, parent_org_id: world.org, my_roles: ['admin'] })
  })

  test('is searched by name and description', async () => {
    const text = randomUUIDv7()
    await tables().updateTable('organizations').set({ description: text }).where('org_id', '=', world.org).execute()
    const rows = await organizationsOf(database(), personOf(cast.owner), { ...PAGE, contains: text })
    expect(rows.map(({ id }) => id)).toEqual([world.org])
  })

  test('is changed by its present revision alone, with both contents in the audit', async () => {
    const change = { description: 'new' }
    for (const rev of [0, 2])
      await expect(changeOrganization(await acting(), change, rev)).rejects.toEqual(conflict('stale'))
    expect(await changeOrganization(await acting(), change, 1)).toMatchObject({ name: world.org, ...change, rev: 2 })
    const content = { name: world.org, description: '' }
    expect(await audits(world.org, 'organization.updated')).toMatchObject([
      { object_id: world.org, before: content, after: { ...content, ...change } },
    ])
    expect(await organizationById(database(), world.sub ?? world.org)).toMatchObject({ description: '', rev: 1 })
  })

  test('that is made below another one is audited with its parent; its name is free below others', async () => {
    const [caller, name] = [personOf(cast.owner), randomUUIDv7()]
    const make = (parent: OrgId) => createSubOrganization(database(), caller, SYSTEM, parent, { name })
    const made = await make(world.org)
    const after = { name, description: '', parent_org_id: world.org }
    expect(await audits(made.id as OrgId, 'organization.created')).toMatchObject([{ object_id: made.id, after }])
    await expect(make(world.org)).rejects.toEqual(conflict('duplicate'))
    await expect(make(made.id as OrgId)).rejects.toMatchObject({ details: [{ code: 'depth' }] })
    // Names are unique below one parent, and among the top organizations of one person.
    expect(await createOrganization(database(), caller, SYSTEM, { name })).toMatchObject({ name, my_roles: ['owner'] })
    await expect(createOrganization(database(), caller, SYSTEM, { name })).rejects.toEqual(conflict('duplicate'))
    expect(await createOrganization(database(), personOf(cast.spare), SYSTEM, { name })).toMatchObject({ name })
  })

  test('that is deleted leaves an entry in its parent, which hears of it', async () => {
    const sub = world.sub ?? world.org
    const shown = await organization(database(), personOf(cast.owner), sub)
    const remove = (rev: number) => deleteOrganization(database(), SYSTEM, shown, sub, rev)
    await expect(remove(2)).rejects.toEqual(conflict('stale'))
    expect(await announced(rightsTopic(sub), () => remove(1))).toBe(true)
    await expect(remove(1)).rejects.toEqual(notFound)
    expect(await organizationById(database(), sub)).toBeUndefined()
    expect(await audits(world.org, 'organization.deleted')).toMatchObject([{ object_id: sub, before: { name: sub } }])
  })
})

describe('a project', () => {
  test('is made with its environments, of which only the first takes publications without a release', async () => {
    const { id, created_by } = await createProject(await acting(), { name: 'new' })
    expect(created_by).toBe(cast.owner.id)
    const rows = await tables()
      .selectFrom('environments')
      .selectAll()
      .where('project_id', '=', id)
      .orderBy('position')
      .execute()
    expect(rows.map(({ name, requires_release }) => [name, requires_release])).toEqual([
      ['dev', false],
      ['staging', true],
      ['prod', true],
    ])
    expect(rows[0]).toMatchObject({ canary: { canary_percentage: 0 }, recording: { rate: 0 } })
    expect(await projectIn(scope, id)).toMatchObject({ current_environment: 'prod', contract_mode: 'enforce' })
  })

  test.each([
    { name: 'renamed' },
    { description: 'new' },
    { current_environment: 'dev' },
    { contract_mode: 'warn' as const },
  ])('that changes by %o keeps the rest, which is announced and audited', async (change) => {
    const own = await acting()
    const before = await changeProject(own, {}, 1)
    const other = await createProject(own, { name: 'other' })
    let after: unknown
    expect(
      await announced(projectTopic(world.project), async () => {
        after = await changeProject(own, change, 2)
      }),
    ).toBe(true)
    expect(after).toEqual({ ...before, ...change, rev: 3, updated_at: expect.any(String) })
    expect((await projectIn(scope, other.id))?.rev).toBe(1)
    expect((await audits(world.org, 'project.updated')).at(-1)).toMatchObject({ before, after })
    for (const rev of [2, 4]) {
      await expect(changeProject(own, change as never, rev)).rejects.toEqual(conflict('stale'))
      await expect(deleteProject(own, rev)).rejects.toEqual(conflict('stale'))
    }
  })

  test('that is deleted is announced; its name is free again', async () => {
    const own = await acting()
    expect(await announced(projectTopic(world.project), () => deleteProject(own, 1))).toBe(true)
    expect(await projectIn(scope, world.project)).toBeUndefined()
    await createProject(own, { name: world.project })
  })

  test('is listed and reached within the limits of a key', async () => {
    const other = await createProject(await acting(), { name: 'other', description: 'Loans' })
    const listed = async (only: readonly string[] | null, contains?: string) =>
      (await projectsOn(scope, { ...PAGE, contains }, only)).map(({ id }) => id).toSorted()
    expect(await listed(null)).toEqual([world.project, other.id].toSorted())
    expect(await listed([other.id])).toEqual([other.id])
    expect(await listed([])).toEqual([])
    expect(await listed(null, 'loans')).toEqual([other.id])
    const find = inProject(database())
    const params = { pid: world.project }
    const limited = key({ projectIds: [other.id] })
    await expect(find(limited, params)).rejects.toEqual(notFound)
    expect((await find(limited, { pid: other.id })).project.name).toBe('other')
    await expect(find(personOf(cast.owner), { ...params, oid: world.foreignOrg })).rejects.toEqual(notFound)
    const { withheld } = (await find(key({ environments: ['dev'] }), params)).member
    expect([...withheld.keys()]).toEqual(['project.manage'])
    expect((await find(key(), params)).member.withheld.size).toBe(0)
  })

  test('has environments that are listed within the limits of a key', async () => {
    const other = await createProject(await acting(), { name: 'other' })
    const listed = async (only: readonly string[] | null) =>
      (await environmentsOn(scope, world.project, PAGE, only)).rows.map(({ name }) => name)
    expect([await listed(null), await listed(['prod', 'staging']), await listed([])]).toEqual([
      ['dev', 'prod'],
      ['prod'],
      [],
    ])
    expect(await environmentsNamed(scope, world.project, ['dev', 'none'])).toEqual([world.environment])
    expect(await environmentsNamed(scope, other.id, ['dev'])).not.toContain(world.environment)
  })
})

describe('notifications', () => {
  const notice = (id: string) => ({ kind: 'member_changed', ref: { type: 'member', id }, payload: { id } }) as const
  const send = (users: readonly string[], id: string) =>
    database().note(world.org, ({ scope: own }) => notify(own, users, notice(id)))
  const mark = (user: string, id?: string) => database().note(world.org, ({ scope: own }) => markRead(own, user, id))
  const listed = (user: string, isUnread = false, contains?: string) =>
    notificationsOn(scope, user, { ...PAGE, sort: 'created_at', contains }, isUnread)

  test('reach each person once, and are those of that person alone', async () => {
    await send([cast.owner.id, cast.admin.id, cast.owner.id], 'first')
    await send([cast.owner.id], 'second')
    const [one, two] = await listed(cast.owner.id)
    expect([one, two]).toMatchObject([
      { ref_type: 'member', ref_id: 'first', payload: { id: 'first' } },
      { kind: 'member_changed', ref_id: 'second' },
    ])
    expect(await countOf(scope, cast.owner.id)).toEqual({ unread: 2, total: 2 })
    expect(await countOf(scope, cast.admin.id)).toEqual({ unread: 1, total: 1 })
    expect(await isNotified(scope, cast.owner.id, one?.id ?? '')).toBe(true)
    expect(await isNotified(scope, cast.admin.id, one?.id ?? '')).toBe(false)
    expect((await listed(cast.owner.id, false, 'SECOND')).map(({ id }) => id)).toEqual([two?.id])
  })

  test('are read one by one or all, and keep the time at which they were', async () => {
    await send([cast.owner.id, cast.admin.id], 'first')
    await send([cast.owner.id], 'second')
    const [one, two] = await listed(cast.owner.id)
    await mark(cast.admin.id, one?.id)
    expect(await countOf(scope, cast.owner.id)).toEqual({ unread: 2, total: 2 })
    await mark(cast.owner.id, one?.id)
    expect((await listed(cast.owner.id, true)).map(({ id }) => id)).toEqual([two?.id])
    const at = new Date(0)
    await tables()
      .updateTable('notifications')
      .set({ read_at: at })
      .where('id', '=', one?.id ?? '')
      .execute()
    await mark(cast.owner.id)
    const [first, second] = (await listed(cast.owner.id)).map(notificationOf)
    expect(first?.read_at).toBe(at.toISOString())
    expect(second?.read_at).not.toBeNull()
    expect(await countOf(scope, cast.owner.id)).toEqual({ unread: 0, total: 2 })
    expect(await countOf(scope, cast.admin.id)).toEqual({ unread: 1, total: 1 })
  })
})
