import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { InProject } from '../../apps/platform-server/src/features/projects/project-scope.ts'
import type { Scope } from '../../apps/platform-server/src/database/scope.ts'
import type { ReleaseStatus } from '../../apps/platform-server/src/database/tables.ts'
import {
  changeEnvironment,
  createEnvironment,
  deleteEnvironment,
  type EnvironmentPatch,
} from '../../apps/platform-server/src/features/environments/service.ts'
import { environmentIn, projectIn } from '../../apps/platform-server/src/features/projects/repository.ts'
import { projectTopic } from '../../apps/platform-server/src/features/projects/service.ts'
import type { Acting } from '../../apps/platform-server/src/resources/acting.ts'
import { useDatabase } from './databases.testing.ts'
import { actingIn } from './rows.testing.ts'
import { addCast, addWorld, type Cast, type World } from './world.testing.ts'

/** Environments as the database has them. A project of a world has `dev` and, as the current one, `prod`. */

const database = useDatabase('postgres')
const tables = () => database().unscoped.tables
let cast: Cast
let world: World
let scope: Scope
let acting: Acting<InProject>
beforeAll(async () => {
  cast = await addCast(database())
})
beforeEach(async () => {
  world = await addWorld(database(), cast, 'environment.manage', { hasProject: true, hasRelease: true })
  scope = database().scope(world.org)
  acting = await actingIn(database(), world)
})

const environment = async (name: string) => {
  const row = await environmentIn(scope, world.project, name)
  if (row === undefined) throw new Error(`no environment ${name}`)
  return row
}
const conflict = (code: string, message = '') =>
  expect.objectContaining({
    code: 'conflict',
    message: expect.stringContaining(message),
    details: [expect.objectContaining({ code })],
  })
const refused = (path: string) => expect.objectContaining({ details: [expect.objectContaining({ path })] })

test('a new one is the last, needs releases, and has the settings of its request', async () => {
  const first = await createEnvironment(acting, { name: 'test' })
  expect(first).toMatchObject({ order: 2, requires_release: true, is_default: false, allow_local_rulesets: false })
  const other = { order: 7, requires_release: false, hold_before: true, allow_local_rulesets: true }
  expect(await createEnvironment(acting, { name: 'other', ...other })).toMatchObject(other)
  expect(await createEnvironment(acting, { name: 'last' })).toMatchObject({ order: 8 })
  await expect(createEnvironment(acting, { name: 'last' })).rejects.toEqual(conflict('duplicate'))
})

describe('a change', () => {
  test.each<EnvironmentPatch>([
    { kind: 'settings', change: { name: 'renamed' } },
    { kind: 'settings', change: { order: 9 } },
    { kind: 'settings', change: { requires_release: true } },
    { kind: 'settings', change: { hold_before: true } },
    { kind: 'settings', change: { allow_local_rulesets: false } },
  ])('of settings keeps the rest, and all other environments: %o', async (patch) => {
    const [{ id }, prod] = [await environment('dev'), await environment('prod')]
    const before = await changeEnvironment(acting, id, { kind: 'settings', change: {} }, undefined)
    let woken = 0
    onTestFinished(database().wakes.on(projectTopic(world.project), (isCertain) => void (woken += isCertain ? 1 : 0)))
    const after = await changeEnvironment(acting, id, patch, 2)
    expect(after).toEqual({ ...before, ...patch.change, rev: 3, updated_at: expect.any(String) })
    expect(await environment('prod')).toEqual(prod)
    expect(woken).toBeGreaterThan(0)
    const audit = await scope
      .read('audit_entries')
      .selectFrom('audit_entries')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirst()
    expect(audit).toMatchObject({ action: 'environment.updated', object_id: id, before, after })
    const stale = conflict('stale')
    await expect(changeEnvironment(acting, id, patch, 2)).rejects.toEqual(stale)
    await expect(changeEnvironment(acting, id, patch, 4)).rejects.toEqual(stale)
    await expect(deleteEnvironment(acting, id, 2)).rejects.toEqual(stale)
  })

  test.each<readonly [EnvironmentPatch['kind'], object]>([
    ['canary', { stages: [{ percent: 5, duration_s: 60 }] }],
    ['canary', { on_failure: 'rollback' }],
    ['canary', { on_inconclusive: 'pass' }],
    ['canary', { alpha: 0.05 }],
    ['recording', { rate: 5 }],
    ['recording', { retention_days: 3 }],
    ['recording', { mask: ['customer.email'] }],
    ['recording', { answers: true }],
  ])('of the %s keeps the rest of it: %o', async (kind, change) => {
    const { id } = await environment('dev')
    const own = (patch: object) => changeEnvironment(acting, id, { kind, change: patch }, undefined)
    const before = await own({})
    const after = await own(change)
    expect(after[kind as 'canary']).toEqual({ ...before[kind as 'canary'], ...change })
    expect(await own({})).toEqual({ ...after, rev: 4, updated_at: expect.any(String) })
  })

  test('of the split needs another environment of the project', async () => {
    const [{ id }, { id: prod }] = [await environment('dev'), await environment('prod')]
    const split = (change: object) => changeEnvironment(acting, id, { kind: 'canary', change }, undefined)
    const path = '/canary_target_env_id'
    await expect(split({ canary_target_env_id: id })).rejects.toEqual(refused(path))
    await expect(split({ canary_target_env_id: world.project })).rejects.toEqual(refused(path))
    await expect(split({ canary_percentage: 1 })).rejects.toEqual(refused(path))
    expect(await split({ canary_target_env_id: prod, canary_percentage: 1 })).toMatchObject({
      canary: { canary_target_env_id: prod, canary_percentage: 1 },
    })
    await expect(split({ canary_target_env_id: null })).rejects.toEqual(refused(path))
  })

  test.each([
    ['customer.email', true],
    ['/customer/email', false],
    ['$.customer', false],
    ['customer..email', false],
    ['customer. email', false],
    ['.email', false],
  ])('of the mask to %j is valid: %s', async (path, isValid) => {
    const { id } = await environment('dev')
    const change = { mask: ['name', path] }
    const changed = changeEnvironment(acting, id, { kind: 'recording', change }, undefined)
    if (isValid) expect(await changed).toMatchObject({ recording: change })
    else await expect(changed).rejects.toEqual(refused('/mask/1'))
  })

  test.each([
    ['prod', 'renamed', true],
    ['dev', 'prod', false],
  ])('of the name of `%s`: the current one of the project is `%s`', async (name, current, isDefault) => {
    const { id } = await environment(name)
    const patch = { kind: 'settings', change: { name: 'renamed' } } as const
    expect(await changeEnvironment(acting, id, patch, undefined)).toMatchObject({ is_default: isDefault })
    expect((await projectIn(scope, world.project))?.current_environment).toBe(current)
  })
})

describe('an environment is deleted', () => {
  test('alone', async () => {
    const { id } = await environment('dev')
    await deleteEnvironment(acting, id, 1)
    expect(await environmentIn(scope, world.project, 'dev')).toBeUndefined()
    expect(await environment('prod')).toMatchObject({ name: 'prod' })
  })

  test('unless it is the current one, or a policy names it', async () => {
    const [dev, prod] = [await environment('dev'), await environment('prod')]
    const current = conflict('in_use', 'the current environment')
    await expect(deleteEnvironment(acting, prod.id, undefined)).rejects.toEqual(current)
    await tables()
      .updateTable('release_policies')
      .set({ environments: [prod.id, dev.id] })
      .where('id', '=', world.policy)
      .execute()
    await expect(deleteEnvironment(acting, dev.id, undefined)).rejects.toEqual(conflict('in_use', 'policy `rule`'))
  })

  test.each<readonly [ReleaseStatus, boolean]>([
    ['pending_approval', false],
    ['approved', false],
    ['executing', false],
    ['paused', false],
    ['rolling_back', false],
    ['rejected', true],
    ['cancelled', true],
    ['completed', true],
    ['failed', true],
    ['rolled_back', true],
  ])('where a release is %s: %s', async (status, isDeleted) => {
    const { id } = await environment('dev')
    await tables().updateTable('releases').set({ status }).where('id', '=', world.release).execute()
    const target = { release_id: world.release, environment_id: id, name: 'dev', position: 1 }
    await database().note(world.org, ({ scope: own }) => own.insert('release_environments', target).execute())
    const deletion = deleteEnvironment(acting, id, undefined)
    if (isDeleted) await deletion
    else await expect(deletion).rejects.toEqual(conflict('in_use', 'release 1 goes there'))
    expect((await environmentIn(scope, world.project, 'dev')) === undefined).toBe(isDeleted)
  })
})
