import { type Log, StartError } from '@engine/process'
import type pg from 'pg'
import { backupRefusal, readBackup, verifyBackup } from './backup-file.ts'
import type { BackupHead, BackupRow } from './backup-format.ts'
import { renewIdentity } from './identity.ts'
import { inTransaction, migrateWithin, withMigrationLock } from './migrate.ts'
import type { Migration } from './migrations.ts'
import { appliedMigration, columnsOf, quoted } from './schema.ts'

/** Number of rows inserted per statement. */
const BATCH_SIZE = 200

/**
 * Validates a whole backup before a database is created for it. Throws `StartError` for a truncated or modified backup,
 * and for one of a newer program.
 */
export async function refuseUnreadable(file: string, migrations: readonly Migration[], log: Log): Promise<BackupHead> {
  const { head } = await verifyBackup(file)
  if (head.migration > migrations.length)
    throw backupRefusal(
      file,
      `the backup is of migration ${head.migration}, and this program knows ${migrations.length}: run the newer program`,
    )
  if (!head.hasChecksum)
    log.warn({ file, made_at: head.madeAt }, 'the backup has no checksum: a changed byte in it cannot be noticed')
  return head
}

/**
 * Loads a backup into an empty database: migrates to the migration of the backup, inserts all rows, and applies the
 * remaining migrations, all in one transaction. The database gets a new identity, by which engines detect the restore.
 * A file that cannot be loaded leaves nothing behind. Throws `StartError`.
 *
 * @returns the number of rows
 */
export async function restoreBackup(
  pool: pg.Pool,
  file: string,
  migrations: readonly Migration[],
  origin: string,
  log: Log,
): Promise<number> {
  const head = await refuseUnreadable(file, migrations, log)
  const client = await pool.connect()
  try {
    return await withMigrationLock(client, log, () =>
      inTransaction(client, async () => {
        await refuseFilled(client, head, origin)
        await migrateWithin(client, migrations.slice(0, head.migration), origin, log)
        const rows = await loaded(client, file)
        await migrateWithin(client, migrations, origin, log)
        await renewIdentity(client)
        return rows
      }),
    )
  } finally {
    client.release()
  }
}

async function refuseFilled(client: pg.ClientBase, { migration }: BackupHead, origin: string): Promise<void> {
  const applied = await appliedMigration(client)
  if (applied > migration)
    throw new StartError(
      `${origin}: the database is at migration ${applied}, the backup at ${migration}: restore it into a new one`,
    )
  for (const table of (await columnsOf(client)).keys()) {
    const { rows } = await client.query(`select from ${quoted(table)} limit 1`)
    if (rows.length > 0) throw new StartError(`${origin}: the database is not empty: restore into a new one`)
  }
}

async function loaded(client: pg.ClientBase, file: string): Promise<number> {
  const columns = await columnsOf(client)
  try {
    await client.query("set constraints all deferred; set local timezone = 'UTC'; set local datestyle = 'ISO'")
    const rows = await insertAll(client, columns, file)
    // Deferred constraints are checked now: a table with pending ones cannot be migrated.
    await client.query('set constraints all immediate')
    return rows
  } catch (error) {
    throw error instanceof StartError ? error : backupRefusal(file, `it cannot be loaded: ${reasonOf(error)}`, error)
  }
}

async function insertAll(
  client: pg.ClientBase,
  columns: ReadonlyMap<string, readonly string[]>,
  file: string,
): Promise<number> {
  let count = 0
  let pending: { readonly table: string; readonly rows: BackupRow[] } = { table: '', rows: [] }
  const flush = async () => {
    if (pending.rows.length > 0) await insert(client, pending.table, columns.get(pending.table) ?? [], pending.rows)
  }
  for await (const { number, line } of readBackup(file)) {
    if (line.kind !== 'row') continue
    const unknown = unknownOf(columns, line.table, line.row)
    if (unknown !== undefined) throw backupRefusal(file, `line ${number}: there is no ${unknown}`)
    if (line.table !== pending.table || pending.rows.length === BATCH_SIZE) {
      await flush()
      pending = { table: line.table, rows: [] }
    }
    pending.rows.push(line.row)
    count++
  }
  await flush()
  return count
}

/** A table or column of a row that the database does not have. */
function unknownOf(columns: ReadonlyMap<string, readonly string[]>, table: string, row: BackupRow): string | undefined {
  const known = columns.get(table)
  if (known === undefined) return `table \`${table}\``
  const column = Object.keys(row).find((one) => !known.includes(one))
  return column === undefined ? undefined : `column \`${column}\` of \`${table}\``
}

/** A column missing in a row is null, like one whose value is null. */
async function insert(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  rows: readonly BackupRow[],
): Promise<void> {
  const tuples = rows.map(
    (_row, index) => `(${columns.map((_column, at) => `$${index * columns.length + at + 1}`).join(', ')})`,
  )
  await client.query(
    `insert into ${quoted(table)} (${columns.map(quoted).join(', ')}) values ${tuples.join(', ')}`,
    rows.flatMap((row) => columns.map((column) => row[column] ?? null)),
  )
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
