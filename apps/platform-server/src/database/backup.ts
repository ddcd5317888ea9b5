import { StartError, starting } from '@engine/process'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type pg from 'pg'
import { backupLine } from './backup-format.ts'
import { syncPath } from './durable-files.ts'
import { appliedMigration, columnsOf, quoted } from './schema.ts'

/** Rows that are fetched at once. */
const PIECE = 500

/**
 * Write everything in the database to a file, as of one moment; it gets its name when it is complete and on disk. It holds
 * hashes of passwords and tokens, and only its owner may read it. Throws `StartError`.
 *
 * @returns the number of rows
 */
export async function writeBackup(pool: pg.Pool, file: string, origin: string): Promise<number> {
  const client = await pool.connect()
  const temporary = `${file}.${process.pid}.tmp`
  try {
    return await starting('FILE', file, async () => {
      const handle = await open(temporary, 'wx', 0o600)
      try {
        const rows = await inSnapshot(client, () => copyAll(client, origin, (text) => handle.appendFile(text)))
        await handle.sync()
        return rows
      } finally {
        await handle.close()
      }
    }).then(async (rows) => {
      await rename(temporary, file)
      syncPath(dirname(file))
      return rows
    })
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    client.release()
  }
}

/** All queries of `work` see the database as of the first of them; values are written in the form that every session reads. */
async function inSnapshot<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  await client.query('begin isolation level repeatable read read only')
  try {
    await client.query("set local timezone = 'UTC'; set local datestyle = 'ISO'; set local bytea_output = 'hex'")
    return await work()
  } finally {
    await client.query('rollback')
  }
}

async function copyAll(client: pg.ClientBase, origin: string, write: (text: string) => Promise<void>): Promise<number> {
  const migration = await appliedMigration(client)
  if (migration === 0) throw new StartError(`${origin}: there is no database of the platform to back up`)
  await write(backupLine({ kind: 'head', head: { migration, madeAt: new Date().toISOString() } }))
  let rows = 0
  for (const [table, columns] of await columnsOf(client)) rows += await copyTable(client, table, columns, write)
  await write(backupLine({ kind: 'end', rows }))
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
    const { rows } = await client.query<Record<string, string | null>>(`fetch ${PIECE} from copied`)
    if (rows.length === 0) break
    await write(rows.map((row) => backupLine({ kind: 'row', table, row })).join(''))
    count += rows.length
  }
  await client.query('close copied')
  return count
}
