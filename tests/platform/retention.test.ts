import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import { keepContent } from '../../apps/platform-server/src/features/engines/contents.ts'
import { retention } from '../../apps/platform-server/src/jobs/retention.ts'
import { answering } from '../workers.testing.ts'
import { DATABASES_OF_API, useDatabase } from './databases.testing.ts'
import { addOrganization } from './organization.testing.ts'
import { addCast, addNotification, addWorld, type World } from './world.testing.ts'

const DAY_MS = 24 * 3600 * 1000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS)
/** One table of the documentation names every table of the database, so that none grows unnoticed. */
const SECTION =
  readFileSync(join(import.meta.dirname, '../../docs/platform/database.md'), 'utf8')
    .split('## Retention')[1]
    ?.split('\n## ')[0] ?? ''
const DOCUMENTED = Array.from(SECTION.matchAll(/^\| `(\w+)` \| .+ \|$/gm), ([, name = '']) => name)

describe.each(DATABASES_OF_API)('on %s', (kind) => {
  const database = useDatabase(kind)
  const tables = () => database().unscoped.tables
  let world: World
  beforeAll(async () => {
    world = await addWorld(database(), await addCast(database()), 'project.read', {
      hasProject: true,
      hasDrafts: true,
      hasRelease: true,
    })
  })

  test('every table has a documented time for which its rows are kept, or a reason', async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name::text as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(tables())
    expect(DOCUMENTED.toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
  })

  test('audit entries are kept forever, or for the configured time, and the audit states how many were deleted', async () => {
    const org = await addOrganization(database())
    const add = (action: 'draft.old' | 'draft.new') =>
      database().unscoped.transaction(({ audit }) => audit(org, SYSTEM, { action, object: { id: org, name: 'x' } }))
    await add('draft.old')
    await tables()
      .updateTable('audit_entries')
      .set({ at: ago(400) })
      .where('action', '=', 'draft.old')
      .execute()
    await add('draft.new')
    const entries = async () =>
      (
        await database()
          .scope(org)
          .read('audit_entries')
          .selectFrom('audit_entries')
          .select(['action', 'after'])
          .orderBy('id')
          .execute()
      ).map(({ action, after }) => (action === 'audit.expired' ? [action, after] : action))
    await retention(database(), 0).run()
    expect(await entries()).toEqual(['organization.created', 'draft.old', 'draft.new'])
    await retention(database(), 365).run()
    expect(await entries()).toEqual([
      'organization.created',
      'draft.new',
      ['audit.expired', { entries: 1, before: expect.any(String) }],
    ])
  })

  test('notifications are deleted after 90 days', async () => {
    const ids = [
      await addNotification(database(), world.org, world.guest.userId),
      await addNotification(database(), world.org, world.guest.userId),
    ]
    await tables()
      .updateTable('notifications')
      .set({ created_at: ago(91) })
      .where('id', '=', ids[0] ?? '')
      .execute()
    await retention(database(), 0).run()
    const left = await tables().selectFrom('notifications').select('id').where('id', 'in', ids).execute()
    expect(left).toEqual([{ id: ids[1] }])
  })

  describe('deployments and contents', () => {
    /** A content that was kept long ago. */
    async function oldContent(code: string): Promise<string> {
      const digest = await keepContent(database(), answering(code, randomUUID()))
      await tables()
        .updateTable('ruleset_contents')
        .set({ created_at: ago(400) })
        .where('digest', '=', digest)
        .execute()
      return digest
    }
    const deploy = async (digest: string, name: string, days: number, status: 'queued' | 'success' = 'success') => {
      const row = { environment_id: world.environment, ruleset_name: name, version: '1.0.0', seq: 1, digest, status }
      const id = randomUUIDv7()
      await database().unscoped.transaction(({ scope }) =>
        scope(world.org)
          .insert('deployments', { ...row, id, deployed_by: 'x', deployed_at: ago(days) })
          .execute(),
      )
      return id
    }
    const exists = async (digest: string) =>
      (await tables().selectFrom('ruleset_contents').select('digest').where('digest', '=', digest).execute()).length > 0
    const deployed = async (id: string) =>
      (await tables().selectFrom('deployments').select('id').where('id', '=', id).execute()).length > 0

    test('content is deleted when nothing refers to it, and counts as new when it is stored again', async () => {
      const document = answering('again', 'again')
      const digest = await keepContent(database(), document)
      await tables()
        .updateTable('ruleset_contents')
        .set({ created_at: ago(400) })
        .execute()
      await keepContent(database(), document)
      const unused = await oldContent('unused')
      await retention(database(), 0).run()
      expect([await exists(unused), await exists(digest)]).toEqual([false, true])
    })

    test('the last deployments, pending ones and those that are desired or live remain, with their contents', async () => {
      const [first, second, desired, waiting] = [
        await oldContent('1'),
        await oldContent('2'),
        await oldContent('3'),
        await oldContent('4'),
      ]
      const ids = [
        await deploy(first, 'r', 300),
        await deploy(desired, 'r', 250),
        await deploy(waiting, 'r', 220, 'queued'),
        await deploy(second, 'r', 200),
      ]
      await database().unscoped.transaction(({ scope }) =>
        scope(world.org)
          .insert('desired_rulesets', {
            environment_id: world.environment,
            name: 'kept-by-retention',
            digest: desired,
            version: '1.0.0',
          })
          .execute(),
      )
      await retention(database(), 0).run()
      expect(await Promise.all(ids.map((id) => deployed(id)))).toEqual([false, true, true, true])
      expect(await Promise.all([first, desired, waiting, second].map((digest) => exists(digest)))).toEqual([
        false,
        true,
        true,
        true,
      ])
    })

    test('contents of releases and of live rulesets remain, whatever their age', async () => {
      const referenced = async () => {
        const { rows } = await sql<{ digest: string }>`
          select digest from release_contents where digest is not null union
          select digest from release_targets where digest is not null union
          select base_digest from release_targets where base_digest is not null union
          select digest from live_history where digest is not null union
          select digest from shadows union
          select digest from replays union select base_digest from replays union select digest from server_rulesets where digest is not null`.execute(
          tables(),
        )
        return rows.map(({ digest }) => digest)
      }
      const before = await referenced()
      expect(before.length).toBeGreaterThan(0)
      await tables()
        .updateTable('ruleset_contents')
        .set({ created_at: ago(4000) })
        .execute()
      await retention(database(), 0).run()
      for (const digest of before) expect(await exists(digest)).toBe(true)
    })
  })

  test('counts and engines of executions are deleted a year after their end', async () => {
    const row = { environment_id: world.environment, execution_id: world.execution }
    await database().unscoped.transaction(async ({ scope }) => {
      const own = scope(world.org)
      await own
        .insert('canary_counts', { ...row, stage: 0, arm: 'canary', code: '', requests: 1, errors: 0, slow: 0 })
        .execute()
      await own
        .insert('release_servers', { ...row, server_id: randomUUIDv7(), name: 'e', position: 0, status: 'live' })
        .execute()
    })
    const left = async () => {
      const of = (table: 'canary_counts' | 'release_servers') =>
        tables().selectFrom(table).select('execution_id').where('execution_id', '=', world.execution).execute()
      return [(await of('canary_counts')).length, (await of('release_servers')).length > 0]
    }
    const endedAgo = (days: number) =>
      tables()
        .updateTable('release_executions')
        .set({ ended_at: ago(days) })
        .where('id', '=', world.execution)
        .execute()
    await endedAgo(360)
    await retention(database(), 0).run()
    expect(await left()).toEqual([1, true])
    await endedAgo(370)
    await retention(database(), 0).run()
    expect(await left()).toEqual([0, false])
  })
})
