import type pg from 'pg'
import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/**
 * Identifies the data throughout its lifetime; a restore creates a new id. Read each time, because a database may be
 * replaced while the platform is running.
 */
export async function databaseIdentity(tables: Kysely<Tables>): Promise<string> {
  const { id } = await tables.selectFrom('database_identity').select('id').executeTakeFirstOrThrow()
  return id
}

/** The identity as a column of another query. */
export const databaseIdentityColumn = sql<string>`(select id from database_identity)`

/** Creates a new identity after the data was replaced by that of a backup. */
export async function renewIdentity(client: pg.ClientBase): Promise<void> {
  await client.query('update database_identity set id = gen_random_uuid()')
}
