import { type Log, StartError } from '@engine/process'
import type pg from 'pg'
import { MIGRATION_REPAIRS } from './migration-repairs.ts'
import type { Migration } from './migrations.ts'

/** The key of the advisory lock: any number that no other program uses in the database. */
const LOCK_KEY = 7_210_010_917

/** How long a migration waits for a table that is locked by a query of an older replica. */
const LOCK_TIMEOUT = '10s'

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

/**
 * Migrates the database to the last migration, each in a separate transaction, under an advisory lock: if several
 * replicas start together, one migrates and the others wait. Throws `StartError` for a database that a newer program
 * has migrated, and for a migration that was edited after it ran.
 *
 * @param origin the option that names the database, for messages
 * @returns the numbers of the migrations applied by this call
 */
export async function migrate(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  origin: string,
  log: Log,
): Promise<readonly number[]> {
  return withMigrationLock(client, log, async () => {
    const pending = await inTransaction(client, () => pendingMigrations(client, migrations, origin, log))
    for (const migration of pending) await inTransaction(client, () => apply(client, migration, log))
    return pending.map(({ number }) => number)
  })
}

/**
 * Migrates the database to the last migration within a transaction of the caller, who holds the lock. Throws
 * `StartError`.
 */
export async function migrateWithin(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  origin: string,
  log: Log,
): Promise<void> {
  for (const migration of await pendingMigrations(client, migrations, origin, log)) await apply(client, migration, log)
}

/** Runs `work` while no other process migrates the database. */
export async function withMigrationLock<Result>(
  client: pg.ClientBase,
  log: Log,
  work: () => Promise<Result>,
): Promise<Result> {
  await lockMigrations(client, log)
  try {
    return await work()
  } finally {
    await client.query('select pg_advisory_unlock($1)', [LOCK_KEY])
  }
}

/** Commits all changes of `work`, or none. */
export async function inTransaction<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

async function pendingMigrations(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  origin: string,
  log: Log,
): Promise<readonly Migration[]> {
  await client.query(
    'create table if not exists schema_migrations (number integer primary key, name text not null, checksum text not null, ' +
      'applied_at timestamptz(3) not null default now())',
  )
  const { rows } = await client.query<Applied>('select number, name, checksum from schema_migrations order by number')
  const repaired: Applied[] = []
  for (const applied of rows) repaired.push(await repair(client, applied, migrations, log))
  const refusal = refusalOf(repaired, migrations)
  if (refusal !== undefined) throw new StartError(`${origin}: ${refusal}`)
  return migrations.slice(rows.length)
}

/** Brings a migration whose file was edited before the first release to the current file. */
async function repair(
  client: pg.ClientBase,
  applied: Applied,
  migrations: readonly Migration[],
  log: Log,
): Promise<Applied> {
  const { number, name, checksum } = applied
  const known = migrations[number - 1]
  const found = MIGRATION_REPAIRS.find((one) => one.number === number && one.checksum === checksum)
  if (known === undefined || known.checksum === checksum || found === undefined) return applied
  if (found.sql !== '') await client.query(found.sql)
  await client.query('update schema_migrations set checksum = $1 where number = $2', [known.checksum, number])
  log.info({ migration: number, name }, 'database repaired: the migration was edited after it had run')
  return { ...applied, checksum: known.checksum }
}

async function lockMigrations(client: pg.ClientBase, log: Log): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK_KEY])
  if (rows[0]?.locked === true) return
  log.info({}, 'waiting for another process that migrates the database')
  await client.query('select pg_advisory_lock($1)', [LOCK_KEY])
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
      return (
        `migration ${number} \`${name}\` was changed after it had run: make a backup with the program that the database ` +
        'belongs to, and restore it into a new database with this one'
      )
  }
  return undefined
}

async function apply(client: pg.ClientBase, { number, name, sql, checksum }: Migration, log: Log): Promise<void> {
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`)
  await client.query(sql)
  await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
    number,
    name,
    checksum,
  ])
  log.info({ migration: number, name }, 'database migrated')
}
