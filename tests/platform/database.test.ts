import { randomUUIDv7 } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../apps/platform-server/src/database/audit.ts'
import { isUnavailable } from '../../apps/platform-server/src/database/availability.ts'
import { type Change, duplicateOf } from '../../apps/platform-server/src/database/database.ts'
import { DATABASES, newLocation, useDatabase } from './databases.testing.ts'
import { connectDatabase, openDatabase } from '../../apps/platform-server/src/database/connection.ts'
import { refuseOldServer } from '../../apps/platform-server/src/database/server.ts'
import { memoryLog } from '../../packages/process/src/log.testing.ts'
import { addOrganization } from './organization.testing.ts'

const role = (name: string) => ({ id: randomUUIDv7(), name, permissions: ['project.read'], created_by: 'system' })
const created = ({ audit }: Change, name: string) => audit({ action: 'role.created', object: { id: name, name } })

describe.each(DATABASES)('on %s', (kind) => {
  const database = useDatabase(kind)

  /** Names of the roles of two organizations with one role each. */
  async function twoOrganizations() {
    const orgs = [await addOrganization(database()), await addOrganization(database())] as const
    for (const [index, org] of orgs.entries())
      await database().change(org, SYSTEM, async (change) => {
        await change.scope.insert('roles', role(`role ${index}`)).execute()
        await created(change, `role ${index}`)
      })
    const names = async (org: (typeof orgs)[number]) => {
      const rows = await database()
        .scope(org)
        .read('roles')
        .selectFrom('roles')
        .select('name')
        .orderBy('name')
        .execute()
      return rows.map(({ name }) => name)
    }
    return { first: orgs[0], second: orgs[1], names }
  }

  test('a scope reads the rows of its organization alone, in joins and subqueries as well', async () => {
    const { first, second, names } = await twoOrganizations()
    expect(await names(first)).toEqual(['role 0'])
    const joined = await database()
      .scope(first)
      .read('roles', 'organizations')
      .selectFrom('roles')
      .innerJoin('organizations', (join) => join.onTrue())
      .select(['roles.name', 'organizations.org_id'])
      .where(({ exists, selectFrom }) => exists(selectFrom('organizations').where('org_id', '=', second).selectAll()))
      .execute()
    expect(joined).toEqual([])
    const all = await database()
      .scope(first)
      .read('roles', 'organizations')
      .selectFrom('roles')
      .innerJoin('organizations', (join) => join.onTrue())
      .select(['roles.name', 'organizations.org_id'])
      .execute()
    expect(all).toEqual([{ name: 'role 0', org_id: first }])
  })

  test('a scope updates and deletes in its organization alone', async () => {
    const { first, second, names } = await twoOrganizations()
    await database().change(first, SYSTEM, async (change) => {
      await change.scope.update('roles').set({ description: 'mine' }).execute()
      await change.scope.delete('roles').where('name', 'in', ['role 0', 'role 1']).execute()
      await created(change, 'both')
    })
    expect([await names(first), await names(second)]).toEqual([[], ['role 1']])
    const [kept] = await database().scope(second).read('roles').selectFrom('roles').select('description').execute()
    expect(kept).toEqual({ description: '' })
  })

  test('a reference to a row of another organization is refused', async () => {
    const { first, second } = await twoOrganizations()
    const [foreign] = await database().scope(second).read('roles').selectFrom('roles').select('id').execute()
    const member = randomUUIDv7()
    const referring = database().note(first, async ({ scope }) => {
      await scope.insert('members', { id: member, email: 'a@b', status: 'invited', created_by: 'system' }).execute()
      await scope.insert('member_roles', { member_id: member, role_id: foreign?.id ?? '' }).execute()
    })
    await expect(referring).rejects.toMatchObject({ code: '23503' })
  })

  test('a change and its audit are stored together, with who made it and from where', async () => {
    const { first } = await twoOrganizations()
    const author = { actor: { type: 'key', id: 'k', name: 'robot' }, ip: '10.0.0.1', requestId: 'r1' } as const
    await database().change(first, author, async ({ scope, audit }) => {
      await scope.insert('roles', role('third')).execute()
      const after = { name: 'third', big: 9_007_199_254_740_993n, '\u0000': 'odd' }
      await audit({ action: 'role.created', object: { id: 'x', name: 'third' }, after, projectId: first })
    })
    const rows = await database()
      .scope(first)
      .read('audit_entries')
      .selectFrom('audit_entries')
      .selectAll()
      .where('ip', 'is not', null)
      .execute()
    expect(rows).toEqual([
      {
        org_id: first,
        id: expect.any(String),
        at: expect.any(Date),
        project_id: first,
        actor_type: 'key',
        actor_id: 'k',
        actor_name: 'robot',
        action: 'role.created',
        object_type: 'role',
        object_id: 'x',
        object_name: 'third',
        before: null,
        after: { name: 'third', big: 9_007_199_254_740_993n, '\u0000': 'odd' },
        ip: '10.0.0.1',
        request_id: 'r1',
      },
    ])
  })

  test('a change that fails leaves neither rows nor audit', async () => {
    const { first, names } = await twoOrganizations()
    const failing = database().change(first, SYSTEM, async (change) => {
      await change.scope.insert('roles', role('lost')).execute()
      await created(change, 'lost')
      throw new RangeError('on purpose')
    })
    await expect(failing).rejects.toThrow(RangeError)
    const audit = await database()
      .scope(first)
      .read('audit_entries')
      .selectFrom('audit_entries')
      .select('object_name')
      .execute()
    expect(await names(first)).toEqual(['role 0'])
    expect(audit.map((entry) => entry.object_name)).not.toContain('lost')
  })

  test.each<[string, (change: Change) => Promise<unknown>]>([
    ['insert', ({ scope }: Change) => scope.insert('roles', role('silent')).execute()],
    ['update', ({ scope }: Change) => scope.update('roles').set({ name: 'silent' }).returning('id').execute()],
    ['delete', ({ scope }: Change) => scope.delete('roles').execute()],
  ])('%s without an audit record is refused', async (_name, work) => {
    const { first, names } = await twoOrganizations()
    await expect(database().change(first, SYSTEM, work)).rejects.toThrow('a change without an audit record')
    expect(await names(first)).toEqual(['role 0'])
  })

  test('a change that finds nothing to change needs no audit record', async () => {
    const { first } = await twoOrganizations()
    const missing = await database().change(first, SYSTEM, ({ scope }) =>
      scope.update('roles').set({ name: 'x' }).where('name', '=', 'unknown').returning('id').executeTakeFirst(),
    )
    expect(missing).toBeUndefined()
  })

  test('of several saves with the same sequence number one wins', async () => {
    const { first } = await twoOrganizations()
    const save = () =>
      database().change(first, SYSTEM, async (change) => {
        const row = await change.scope
          .update('roles')
          .set((field) => ({ rev: field('rev', '+', 1) }))
          .where('rev', '=', 1)
          .returning('rev')
          .executeTakeFirst()
        if (row !== undefined) await created(change, 'saved')
        return row?.rev
      })
    const results = await Promise.all(Array.from({ length: 20 }, save))
    expect(results.filter((rev) => rev !== undefined)).toEqual([2])
  })

  test('a duplicate name is distinguished from other errors', async () => {
    const { first } = await twoOrganizations()
    const again = database().note(first, ({ scope }) => scope.insert('roles', role('role 0')).execute())
    await expect(again.catch(duplicateOf)).resolves.toBe('roles_org_id_name_key')
    expect(duplicateOf(new Error('other'))).toBeUndefined()
  })

  test('listeners of a topic are woken after the commit, and by no change that fails', async () => {
    const { first } = await twoOrganizations()
    const woken: string[] = []
    const stop = database().wakes.on('topic', () => woken.push('first'))
    database().wakes.on('other', () => woken.push('other'))
    const failing = database().note(first, async ({ wake }) => {
      await wake('other')
      throw new Error('on purpose')
    })
    await expect(failing).rejects.toThrow('on purpose')
    await database().note(first, async ({ wake }) => {
      await wake('topic')
      await wake('topic')
      expect(woken).toEqual([])
    })
    await expect.poll(() => woken).toEqual(['first'])
    stop()
    const seen = new Promise<void>((resolve) => database().wakes.on('topic', () => resolve()))
    await database().note(first, ({ wake }) => wake('topic'))
    await seen
    expect(woken).toEqual(['first'])
  })

  test('values are read back unchanged', async () => {
    const { rows } = await sql`select 9007199254740991::int8 as big, '{"a\\u0062": [1.5, null]}'::jsonb as json,
      '\\x00ff'::bytea as bytes, '2026-01-02T03:04:05.678Z'::timestamptz(3) as time, '{"a,b","c\\"d"}'::text[] as list`.execute(
      database().unscoped.tables,
    )
    expect(rows).toEqual([
      {
        big: Number.MAX_SAFE_INTEGER,
        json: { ab: [1.5, null] },
        bytes: Buffer.from([0, 255]),
        time: new Date('2026-01-02T03:04:05.678Z'),
        list: ['a,b', 'c"d'],
      },
    ])
  })

  test('a large value is stored', async () => {
    const text = 'ä'.repeat(3_000_000)
    const { rows } = await sql<{ text: string }>`select ${text}::text as text`.execute(database().unscoped.tables)
    expect(rows[0]?.text === text).toBe(true)
  })
})

describe('on embedded', () => {
  const database = useDatabase('embedded')

  test('a query outside its transaction, for which there is no connection, fails; then work continues', async () => {
    const org = await addOrganization(database())
    const past = database().note(org, async ({ scope }) => {
      await scope.update('organizations').set({ description: 'lost' }).execute()
      await database().ping()
    })
    await expect(past).rejects.toThrow('timeout exceeded when trying to connect')
    const rows = await database().scope(org).read('organizations').selectFrom('organizations').selectAll().execute()
    expect(rows).toMatchObject([{ description: '' }])
  })

  test('a connection that breaks in its transaction leaves nothing of it to the next one', async () => {
    const { pool, close } = await connectDatabase(await newLocation('embedded'), memoryLog().log)
    const broken = await pool.connect()
    await broken.query('begin; create table left_behind (id integer); set search_path = nowhere; prepare p as select 1')
    broken.release(true)
    const { rows } = await pool.query("select to_regclass('left_behind') as left, current_schema() as schema")
    expect(rows).toEqual([{ left: null, schema: 'public' }])
    await pool.query('prepare p as select 2')
    await close()
  })
})

describe('on a PostgreSQL server', () => {
  const database = useDatabase('postgres')

  test('connections that the server ends are replaced, including the one that listens', async () => {
    const woken: number[] = []
    database().wakes.on('still', () => woken.push(1))
    const killed = await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(database().unscoped.tables)
    expect(killed.rows.length).toBeGreaterThan(0)
    await expect
      .poll(() =>
        database()
          .ping()
          .then(
            () => 'answers',
            () => 'fails',
          ),
      )
      .toBe('answers')
    const org = await addOrganization(database())
    await expect
      .poll(async () => {
        await database().note(org, ({ wake }) => wake('still'))
        return woken.length
      })
      .toBeGreaterThan(0)
  })

  test('a connection that breaks within a transaction fails it, and not the process', async () => {
    const org = await addOrganization(database())
    const broken = database().note(org, async ({ scope }) => {
      await scope.update('organizations').set({ description: 'lost' }).execute()
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(database().unscoped.tables)
      await scope.update('organizations').set({ description: 'lost too' }).execute()
    })
    const error = await broken.catch((reason: unknown) => reason)
    expect(isUnavailable(error)).toBe(true)
    const rows = await database().scope(org).read('organizations').selectFrom('organizations').selectAll().execute()
    expect(rows).toMatchObject([{ description: '' }])
  })

  test('replicas wake each other', async () => {
    const location = await newLocation('postgres')
    const { log } = memoryLog()
    const replicas = await Promise.all([openDatabase(location, log), openDatabase(location, log)])
    const woken = new Set<number>()
    for (const [index, { wakes }] of replicas.entries()) wakes.on('both', () => woken.add(index))
    const [first] = replicas
    const org = await addOrganization(first)
    await first.note(org, ({ wake }) => wake('both'))
    await expect.poll(() => woken.size).toBe(2)
    for (const replica of replicas) await replica.close()
  })

  test('a transaction that the server ends because of a deadlock is run again', async () => {
    const orgs = [await addOrganization(database()), await addOrganization(database())]
    const [first, second] = orgs
    const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const attempts = [0, 0]
    const rename = (name: number, from: typeof first, to: typeof first) =>
      database().unscoped.transaction(async ({ tables }) => {
        attempts[name] = (attempts[name] ?? 0) + 1
        for (const org of [from, to]) {
          if (org === undefined) continue
          await tables
            .updateTable('organizations')
            .set({ description: String(name) })
            .where('org_id', '=', org)
            .execute()
          locked[name === 0 ? 0 : 1].resolve()
          await locked[name === 0 ? 1 : 0].promise
        }
      })
    await Promise.all([rename(0, first, second), rename(1, second, first)])
    expect(Math.max(...attempts)).toBeGreaterThan(1)
    // Both are done, one after the other.
    const rows = database().unscoped.tables.selectFrom('organizations').select('description')
    const [one, other] = await rows.where('org_id', 'in', orgs).execute()
    expect(['0', '1']).toContain(one?.description)
    expect(other).toEqual(one)
  })
})

const checked = (number: number, version: string) =>
  refuseOldServer({ query: async () => ({ rows: [{ number, version }] }) })

test.each([
  [150_000, '15.0'],
  [180_004, '18.4'],
])('a server of version %i (%s) is supported', async (number, version) => {
  await expect(checked(number, version)).resolves.toBeUndefined()
})

test('a server older than 15 ends the start', async () => {
  await expect(checked(140_018, '14.18')).rejects.toThrow(
    '--database-url: PostgreSQL 14.18 is too old: 15 or later is needed',
  )
})
