import { StartError, systemReason } from '@engine/process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type pg from 'pg'
import { backupRefusal, verifyBackup } from './backup-file.ts'
import { backupLine } from './backup-format.ts'
import { syncPath } from './durable-files.ts'
import { appliedMigration, columnsOf, quoted } from './schema.ts'

/** Number of rows fetched per query. */
const BATCH_SIZE = 500

/** The result of writing a backup. */
interface Written {
  readonly rows: number
  readonly checksum: string
}

/**
 * Writes a consistent snapshot of the whole database to a file. The file is read back, compared with the written data,
 * and renamed to its final name when it is complete and on disk. It contains hashes of passwords and tokens, so only
 * its owner may read it. Throws `StartError`, also for a file that exists already, unless `force` replaces it.
 *
 * @returns the number of rows
 */
export async function writeBackup(
  pool: pg.Pool,
  file: string,
  origin: string,
  { force = false }: { readonly force?: boolean } = {},
): Promise<number> {
  if (!force) refuseExisting(file)
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const written = await writing(file, () => writeAll(pool, temporary, origin))
    await verifyWritten(temporary, file, written)
    await writing(file, () => giveName(temporary, file, force))
    return written.rows
  } finally {
    await rm(temporary, { force: true })
  }
}

/** Throws `StartError` for a file that a backup would replace. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw exists(file)
}

const exists = (file: string) =>
  new StartError(`\`${file}\` exists already: name another file, or replace it with --force`)

/** An error of the operating system becomes a `StartError` that names the file. */
async function writing<Result>(file: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const reason = systemReason(error)
    throw reason === undefined ? error : new StartError(`cannot write \`${file}\`: ${reason}`, { cause: error })
  }
}

async function writeAll(pool: pg.Pool, temporary: string, origin: string): Promise<Written> {
  const handle = await open(temporary, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    const write = async (text: string) => {
      hash.update(text)
      await handle.appendFile(text)
    }
    const client = await pool.connect()
    const rows = await inSnapshot(client, () => copyAll(client, origin, write)).finally(() => client.release())
    const checksum = hash.digest('hex')
    await handle.appendFile(backupLine({ kind: 'end', rows, checksum }))
    await handle.sync()
    return { rows, checksum }
  } finally {
    await handle.close()
  }
}

async function verifyWritten(temporary: string, file: string, { rows, checksum }: Written): Promise<void> {
  const found = await verifyBackup(temporary).catch((error: unknown) => {
    throw backupRefusal(
      file,
      `it cannot be read back: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  })
  if (found.rows !== rows || found.checksum !== checksum)
    throw backupRefusal(file, 'what was read back is not what was written')
}

/** Creating a link fails if the name is taken, even if it was taken after the first check. */
async function giveName(temporary: string, file: string, force: boolean): Promise<void> {
  if (force) await rename(temporary, file)
  else
    try {
      await link(temporary, file)
    } catch (error) {
      if (existsSync(file)) throw exists(file)
      // The file system does not support links.
      if (!hasNoLinks(error)) throw error
      await rename(temporary, file)
    }
  syncPath(dirname(file))
}

const hasNoLinks = (error: unknown) =>
  error instanceof Error && 'code' in error && ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(String(error.code))

/**
 * All queries of `work` see the database as of the first of them; values are formatted so that every session can read
 * them.
 */
async function inSnapshot<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin isolation level repeatable read read only')
  try {
    await client.query("set local timezone = 'UTC'; set local datestyle = 'ISO'; set local bytea_output = 'hex'")
    // A server may be configured to write fewer digits than a number has.
    await client.query("set local extra_float_digits = 1; set local intervalstyle = 'postgres'")
    return await work()
  } finally {
    await client.query('rollback')
  }
}

async function copyAll(client: pg.ClientBase, origin: string, write: (text: string) => Promise<void>): Promise<number> {
  const migration = await appliedMigration(client)
  if (migration === 0) throw new StartError(`${origin}: there is no database of the platform to back up`)
  await write(backupLine({ kind: 'head', head: { migration, madeAt: new Date().toISOString(), hasChecksum: true } }))
  let rows = 0
  for (const [table, columns] of await columnsOf(client)) rows += await copyTable(client, table, columns, write)
  return rows
}

async function copyTable(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  write: (text: string) => Promise<void>,
): Promise<number> {
  const texts = columns.map((column) => `${quoted(column)}::text as ${quoted(column)}`).join(', ')
  await client.query(`declare copied no scroll cursor for select ${texts} from ${quoted(table)}`)
  let count = 0
  for (;;) {
    const { rows } = await client.query<Record<string, string | null>>(`fetch ${BATCH_SIZE} from copied`)
    if (rows.length === 0) break
    await write(rows.map((row) => backupLine({ kind: 'row', table, row })).join(''))
    count += rows.length
  }
  await client.query('close copied')
  return count
}
