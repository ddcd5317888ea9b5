import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { UNIQUE_NAMES } from '../../apps/platform-server/src/database/unique-names.ts'
import { DATABASES, useDatabase } from './databases.testing.ts'

/** Unique indexes over a name that no 409 `duplicate` answers, each with the reason. */
const UNANSWERED: Readonly<Record<string, string>> = {
  desired_rulesets_pkey: 'upserted',
  live_history_org_id_release_id_environment_id_name_key: 'written by rollouts alone',
  metric_points_pkey: 'upserted',
  periodic_pkey: 'names of jobs, not of users',
  release_targets_pkey: 'written by rollouts alone',
  server_rulesets_pkey: 'upserted',
  servers_org_id_name_key: 'an engine that registers again replaces its record',
  sub_rules_org_id_project_id_name_key: 'saves expect a number, which decides under the lock',
}

describe.each(DATABASES)('on %s', (kind) => {
  const database = useDatabase(kind)

  test('each constraint that keeps a name unique has a noun for its 409', async () => {
    const { rows } = await sql<{ index: string }>`
      select c.relname as "index" from pg_index i
      join pg_class c on c.oid = i.indexrelid
      join pg_class t on t.oid = i.indrelid
      join pg_namespace n on n.oid = t.relnamespace
      where n.nspname = 'public' and i.indisunique and exists (
        select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = any(i.indkey) and a.attname = 'name')
      order by 1`.execute(database().unscoped.tables)
    const found = rows.map(({ index }) => index)
    expect(found.toSorted()).toEqual([...Object.keys(UNIQUE_NAMES), ...Object.keys(UNANSWERED)].toSorted())
  })
})
