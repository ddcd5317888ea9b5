import { type Log, StartError } from '@engine/process'
import type pg from 'pg'
import type { Migration } from './migrations.ts'

/** Any number that no other program of the database uses for an advisory lock. */
const LOCK = 7_210_010_917

/** A migration waits no longer for a table that a query of an older replica holds. */
const LOCK_TIMEOUT = '10s'

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

/**
 * Bring the database to the last of the migrations, each in a transaction of its own, under an advisory lock: of several
 * replicas that start at once, one migrates and the others wait. Throws `StartError` for a database that a newer program
 * has migrated, and for a migration that was edited after it ran.
 *
 * @param origin the option that names the database, for messages
 * @returns the numbers of those that were applied now
 */
export async function migrate(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  origin: string,
  log: Log,
): Promise<readonly number[]> {
  await lockMigrations(client, log)
  try {
    await client.query(
      'create table if not exists schema_migrations (number integer primary key, name text not null, checksum text not null, ' +
        'applied_at timestamptz(3) not null default now())',
    )
    const { rows } = await client.query<Applied>('select number, name, checksum from schema_migrations order by number')
    const refusal = refusalOf(rows, migrations)
    if (refusal !== undefined) throw new StartError(`${origin}: ${refusal}`)
    const pending = migrations.slice(rows.length)
    for (const migration of pending) {
      await apply(client, migration)
      log.info({ migration: migration.number, name: migration.name }, 'database migrated')
    }
    return pending.map(({ number }) => number)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK])
  }
}

async function lockMigrations(client: pg.ClientBase, log: Log): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK])
  if (rows[0]?.locked === true) return
  log.info({}, 'waiting for another process that migrates the database')
  await client.query('select pg_advisory_lock($1)', [LOCK])
}

/** Why the database cannot be used with these migrations. */
function refusalOf(applied: readonly Applied[], migrations: readonly Migration[]): string | undefined {
  const newest = applied.at(-1)?.number ?? 0
  if (newest > migrations.length)
    return (
      `the database is at migration ${newest}, and this program knows ${migrations.length}: ` +
      'run the newer program, or restore a backup'
    )
  for (const [index, { number, name, checksum }] of applied.entries()) {
    const known = migrations[index]
    if (known?.number !== number) return `migration ${index + 1} is missing in the database, which is at ${newest}`
    if (known.checksum !== checksum)
      return `migration ${number} \`${name}\` was changed after it had run: run the program that it belongs to`
  }
  return undefined
}

async function apply(client: pg.ClientBase, { number, name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
    await client.query(sql)
    await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
      number,
      name,
      checksum,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
