import type pg from 'pg'

/** Quotes a name for SQL. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/**
 * The columns of each table that are written, in alphabetical order of the tables, except tables that belong to a
 * database rather than to its data, which a restore does not copy.
 */
export async function columnsOf(client: pg.ClientBase): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(
    `select c.table_name::text as "table", array_agg(c.column_name::text order by c.ordinal_position) as columns
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' and c.table_name not in ('schema_migrations', 'database_identity')
       and c.is_generated = 'NEVER'
     group by 1 order by 1`,
  )
  return new Map(rows.map(({ table, columns }) => [table, columns]))
}

/** The number of the last migration; 0 if there was none. */
export async function appliedMigration(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ exists: boolean }>(
    "select to_regclass('schema_migrations') is not null as exists",
  )
  if (rows[0]?.exists !== true) return 0
  const newest = await client.query<{ number: number | null }>('select max(number) as number from schema_migrations')
  return newest.rows[0]?.number ?? 0
}
