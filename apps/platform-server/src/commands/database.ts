import {
  createLog,
  type Environment,
  type Log,
  type Option,
  type OptionValues,
  StartError,
  truth,
} from '@engine/process'
import { randomUUIDv7 } from 'node:crypto'
import { locationOf } from '../compose/locations.ts'
import { readCommand } from '../config/command.ts'
import { OPTIONS } from '../config/options.ts'
import { refuseExisting, writeBackup } from '../database/backup.ts'
import { hasDatabase } from '../database/data-directory.ts'
import { readMigrations } from '../database/migrations.ts'
import { connectDatabase, type Connected, migrateConnected } from '../database/connection.ts'
import { refuseUnreadable, restoreBackup } from '../database/restore.ts'

const LOCATION = { dataDir: OPTIONS.dataDir, databaseUrl: OPTIONS.databaseUrl } as const

const FORCE: Option<boolean> = {
  flag: '--force',
  initial: false,
  parse: truth,
  meaning: 'replaces the file if it exists',
}
const BACKUP = { ...LOCATION, force: FORCE } as const

type LocationTable = typeof LOCATION

/** A command that works on the database. */
interface Command<Table extends LocationTable> {
  readonly name: string
  /** The operand after the command name, for `--help`. */
  readonly operand?: 'FILE'
  readonly description: string
  readonly options: Table
  /** Called before connecting. Throws `StartError`. */
  check(values: OptionValues<Table>, file: string, log: Log): Promise<void> | void
  /**
   * Returns the text for standard output. Throws `StartError`; a database that did not exist before is then removed.
   */
  work(connected: Connected, values: OptionValues<Table>, file: string, log: Log): Promise<string>
}

const BACKUP_COMMAND: Command<typeof BACKUP> = {
  name: 'backup',
  operand: 'FILE',
  description: 'Writes everything in the database to a file.',
  options: BACKUP,
  check({ dataDir, databaseUrl, force }, file) {
    if (!force) refuseExisting(file)
    if (databaseUrl === undefined && !hasDatabase(dataDir))
      throw new StartError(`--data-dir: there is no database in \`${dataDir}\``)
  },
  async work(connected, { force }, file) {
    const rows = await writeBackup(connected.pool, file, connected.origin, { force })
    return `${rows} rows written to ${file}, read back and verified`
  },
}

const RESTORE_COMMAND: Command<LocationTable> = {
  name: 'restore',
  operand: 'FILE',
  description: 'Loads a backup into an empty database.',
  options: LOCATION,
  async check(_values, file, log) {
    await refuseUnreadable(file, readMigrations(), log)
  },
  async work(connected, _values, file, log) {
    const rows = await restoreBackup(connected.pool, file, readMigrations(), connected.origin, log)
    return `${rows} rows loaded from ${file}`
  },
}

const MIGRATE_COMMAND: Command<LocationTable> = {
  name: 'migrate',
  description: 'Brings the database to the schema of this program, as its start does.',
  options: LOCATION,
  check() {},
  async work(connected, _values, _file, log) {
    const migrations = readMigrations()
    const applied = await migrateConnected(connected, migrations, log)
    return `the database is at migration ${migrations.length}; ${applied.length} applied`
  },
}

/** `engine-platform backup FILE`: a consistent snapshot of the database. Returns the exit code. */
export function backup(args: readonly string[], env: Environment): Promise<number> {
  return runWithFile(BACKUP_COMMAND, args, env)
}

/** `engine-platform restore FILE`: loads a backup into an empty database. Returns the exit code. */
export function restore(args: readonly string[], env: Environment): Promise<number> {
  return runWithFile(RESTORE_COMMAND, args, env)
}

/**
 * `engine-platform migrate`: migrates the database to the schema of this program, as its start would. Returns the exit
 * code.
 */
export function migrateDatabase(args: readonly string[], env: Environment): Promise<number> {
  return run(MIGRATE_COMMAND, '', args, env)
}

async function runWithFile<Table extends LocationTable>(
  command: Command<Table>,
  args: readonly string[],
  env: Environment,
): Promise<number> {
  const [file = '', ...options] = args
  if (!file.startsWith('-') && file !== '') return run(command, file, options, env)
  // Prints the help text for `--help`.
  const read = readCommand(titleOf(command), command.description, command.options, args, env)
  if (read.kind === 'end') return ended(read)
  process.stderr.write(`error: the file is missing\nSee \`engine-platform ${command.name} --help\`.\n`)
  return 2
}

const titleOf = ({ name, operand }: { readonly name: string; readonly operand?: string }) =>
  operand === undefined ? name : `${name} ${operand}`

async function run<Table extends LocationTable>(
  command: Command<Table>,
  file: string,
  args: readonly string[],
  env: Environment,
): Promise<number> {
  const read = readCommand(titleOf(command), command.description, command.options, args, env)
  if (read.kind === 'end') return ended(read)
  const { values } = read
  const instance = randomUUIDv7()
  const log = createLog({ level: 'info', service: `engine-platform ${command.name}`, instance }, process.stderr)
  try {
    await command.check(values, file, log)
    const connected = await connectDatabase(locationOf(values as OptionValues<LocationTable>, instance), log)
    const text = await command.work(connected, values, file, log).catch(async (error: unknown) => {
      await connected.discard()
      throw error
    })
    await connected.close()
    process.stdout.write(`${text}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`error: ${error.message}\n`)
    return 1
  }
}

function ended({ code, output }: { readonly code: 0 | 2; readonly output: string }): number {
  ;(code === 0 ? process.stdout : process.stderr).write(output)
  return code
}
