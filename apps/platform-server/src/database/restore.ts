import { type Log, StartError, starting } from '@engine/process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import { type BackupHead, type BackupRow, readBackupLine } from './backup-format.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations.ts'
import { appliedMigration, columnsOf, quoted } from './schema.ts'

/** Rows that are inserted at once. */
const PIECE = 200

/**
 * Load a backup into an empty database: migrate to the migration of the backup, insert all rows in one transaction, migrate
 * on. A file that is cut off or was edited wrongly leaves no row behind. Throws `StartError`.
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
  const client = await pool.connect()
  try {
    const lines = linesOf(file)
    const head = await headOf(lines)
    if (head.migration > migrations.length)
      throw refusal(
        `the backup is of migration ${head.migration}, and this program knows ${migrations.length}: run the newer program`,
      )
    await refuseFilled(client, head, origin)
    await migrate(client, migrations.slice(0, head.migration), origin, log)
    const rows = await loaded(client, lines)
    await migrate(client, migrations, origin, log)
    return rows
  } finally {
    client.release()
  }
}

type Lines = AsyncGenerator<{ readonly number: number; readonly text: string }>

async function* linesOf(file: string): Lines {
  const input = createReadStream(file)
  await starting(
    'FILE',
    file,
    () => new Promise<void>((ready, fail) => input.once('open', () => ready()).once('error', fail)),
  )
  let number = 0
  for await (const text of createInterface({ input, crlfDelay: Infinity })) yield { number: ++number, text }
}

async function headOf(lines: Lines): Promise<BackupHead> {
  const { value } = await lines.next()
  const line = readBackupLine(value?.text ?? '')
  if (typeof line === 'string') throw refusal(`line 1: ${line}`)
  if (line.kind !== 'head') throw refusal('line 1: it is not the head of a backup')
  return line.head
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

async function loaded(client: pg.ClientBase, lines: Lines): Promise<number> {
  const columns = await columnsOf(client)
  await client.query('begin')
  try {
    await client.query("set constraints all deferred; set local timezone = 'UTC'; set local datestyle = 'ISO'")
    const rows = await insertAll(client, columns, lines)
    await client.query('commit')
    return rows
  } catch (error) {
    await client.query('rollback')
    throw error instanceof StartError ? error : refusal(`it cannot be loaded: ${reasonOf(error)}`, error)
  }
}

async function insertAll(
  client: pg.ClientBase,
  columns: ReadonlyMap<string, readonly string[]>,
  lines: Lines,
): Promise<number> {
  let count = 0
  let pending: { readonly table: string; readonly rows: BackupRow[] } = { table: '', rows: [] }
  const flush = async () => {
    if (pending.rows.length > 0) await insert(client, pending.table, columns.get(pending.table) ?? [], pending.rows)
  }
  for await (const { number, text } of lines) {
    const line = readBackupLine(text)
    if (typeof line === 'string') throw refusal(`line ${number}: ${line}`)
    switch (line.kind) {
      case 'head':
        throw refusal(`line ${number}: a second head`)
      case 'end':
        await flush()
        if (line.rows !== count) throw refusal(`it says that it has ${line.rows} rows, and has ${count}`)
        return count
      case 'row': {
        const unknown = unknownOf(columns, line.table, line.row)
        if (unknown !== undefined) throw refusal(`line ${number}: there is no ${unknown}`)
        if (line.table !== pending.table || pending.rows.length === PIECE) {
          await flush()
          pending = { table: line.table, rows: [] }
        }
        pending.rows.push(line.row)
        count++
      }
    }
  }
  throw refusal('it was cut off: its last line is missing')
}

/** A table or column of a row that the database does not have. */
function unknownOf(columns: ReadonlyMap<string, readonly string[]>, table: string, row: BackupRow): string | undefined {
  const known = columns.get(table)
  if (known === undefined) return `table \`${table}\``
  const column = Object.keys(row).find((one) => !known.includes(one))
  return column === undefined ? undefined : `column \`${column}\` of \`${table}\``
}

/** A column that a row lacks is null, as one that holds null. */
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

const refusal = (reason: string, cause?: unknown) => new StartError(`FILE: ${reason}`, { cause })

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
