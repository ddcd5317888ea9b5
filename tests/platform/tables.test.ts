import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Tables } from '../../apps/platform-server/src/database/tables.ts'
import { COLUMNS } from './columns.testing.ts'
import { DATABASES, useDatabase } from './databases.testing.ts'

/** A column as `information_schema` has it, in the notation of `COLUMNS`. */
const notation = sql<string>`replace(replace(data_type, 'timestamp with time zone', 'timestamptz'), 'ARRAY', ltrim(udt_name, '_') || '[]')
  || case when is_nullable = 'YES' then '?' else '' end || case when column_default is not null then '=' else '' end`

describe.each(DATABASES)('on %s', (kind) => {
  const database = useDatabase(kind)

  test('the types of the tables in Kysely are those of the database', async () => {
    const { rows } = await sql<{ table: string; column: string; type: string }>`
      select table_name as "table", column_name as "column", ${notation} as type
      from information_schema.columns where table_schema = 'public' order by table_name, ordinal_position`.execute(
      database().unscoped.tables,
    )
    const found: Record<string, Record<string, string>> = {}
    for (const { table, column, type } of rows) (found[table] ??= {})[column] = type
    delete found['schema_migrations']
    expect(found).toEqual(COLUMNS satisfies Record<keyof Tables, unknown>)
  })

  test('a row of an organization is found by a key that begins with the organization', async () => {
    const { rows } = await sql<{ table: string }>`
      select table_name as "table" from information_schema.columns c
      where table_schema = 'public' and column_name = 'org_id' and not exists (
        select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
        where i.indrelid = ('public.' || c.table_name)::regclass and i.indisunique and a.attname = 'org_id')`.execute(
      database().unscoped.tables,
    )
    // A view has no key.
    expect(rows.map(({ table }) => table).toSorted()).toEqual(['member_profiles', 'role_holders'])
  })

  test('a reference between tables of organizations includes the organization', async () => {
    const { rows } = await sql<{ constraint: string }>`
      select r.conname as "constraint" from pg_constraint r
      where r.contype = 'f'
        and exists (select from pg_attribute a where a.attrelid = r.conrelid and a.attname = 'org_id')
        and exists (select from pg_attribute a where a.attrelid = r.confrelid and a.attname = 'org_id')
        and not exists (select from pg_attribute a where a.attrelid = r.conrelid and a.attname = 'org_id' and a.attnum = any(r.conkey))
      order by 1`.execute(database().unscoped.tables)
    // The parent is another organization by its nature.
    expect(rows.map(({ constraint }) => constraint)).toEqual(['organizations_parent_org_id_fkey'])
  })
})
