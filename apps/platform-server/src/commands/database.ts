import { createLog, type Environment, type Log, StartError } from '@engine/process'
import { randomUUIDv7 } from 'node:crypto'
import { locationOf } from '../compose/places.ts'
import { readCommand } from '../config/command.ts'
import { OPTIONS } from '../config/options.ts'
import { writeBackup } from '../database/backup.ts'
import { hasDatabase } from '../database/data-directory.ts'
import { readMigrations } from '../database/migrations.ts'
import { connectDatabase, type Connected, migrateConnected } from '../database/open.ts'
import { restoreBackup } from '../database/restore.ts'

const TABLE = { dataDir: OPTIONS.dataDir, databaseUrl: OPTIONS.databaseUrl } as const

interface Location {
  readonly dataDir: string
  readonly databaseUrl: string | undefined
}

/** What a command does with the database; the text is for standard output. */
type Work = (connected: Connected, file: string, log: Log) => Promise<string>

/** `engine-platform backup FILE`: everything in the database as of one moment. The exit code. */
export function backup(args: readonly string[], env: Environment): Promise<number> {
  return withFile(
    'backup FILE',
    'Writes everything in the database to a file.',
    args,
    env,
    refuseMissing,
    async (connected, file) => {
      const rows = await writeBackup(connected.pool, file, connected.origin)
      return `${rows} rows written to ${file}`
    },
  )
}

/** `engine-platform restore FILE`: load a backup into an empty database. The exit code. */
export function restore(args: readonly string[], env: Environment): Promise<number> {
  return withFile(
    'restore FILE',
    'Loads a backup into an empty database.',
    args,
    env,
    () => {},
    async (connected, file, log) => {
      const rows = await restoreBackup(connected.pool, file, readMigrations(), connected.origin, log)
      return `${rows} rows loaded from ${file}`
    },
  )
}

/** `engine-platform migrate`: bring the database to the schema of this program, as its start would. The exit code. */
export function migrateDatabase(args: readonly string[], env: Environment): Promise<number> {
  const description = 'Brings the database to the schema of this program, as its start does.'
  return run(
    'migrate',
    description,
    args,
    env,
    () => {},
    async (connected, log) => {
      const migrations = readMigrations()
      const applied = await migrateConnected(connected, migrations, log)
      return `the database is at migration ${migrations.length}; ${applied.length} applied`
    },
  )
}

function refuseMissing({ dataDir, databaseUrl }: Location): void {
  if (databaseUrl === undefined && !hasDatabase(dataDir))
    throw new StartError(`--data-dir: there is no database in \`${dataDir}\``)
}

async function withFile(
  command: string,
  description: string,
  args: readonly string[],
  env: Environment,
  check: (location: Location) => void,
  work: Work,
): Promise<number> {
  const [file = '', ...options] = args
  if (file.startsWith('-') || file === '') {
    // With `--help` this prints it.
    const read = readCommand(command, description, TABLE, args, env)
    if (read.kind === 'end') return ended(read)
    process.stderr.write(`error: the file is missing\nSee \`engine-platform ${command.split(' ', 1)[0]} --help\`.\n`)
    return 2
  }
  return run(command, description, options, env, check, (connected, log) => work(connected, file, log))
}

async function run(
  command: string,
  description: string,
  args: readonly string[],
  env: Environment,
  check: (location: Location) => void,
  work: (connected: Connected, log: Log) => Promise<string>,
): Promise<number> {
  const read = readCommand(command, description, TABLE, args, env)
  if (read.kind === 'end') return ended(read)
  const instance = randomUUIDv7()
  const log = createLog(
    { level: 'info', service: `engine-platform ${command.split(' ', 1)[0]}`, instance },
    process.stderr,
  )
  try {
    check(read.values)
    const connected = await connectDatabase(locationOf(read.values, instance), log)
    const text = await work(connected, log).finally(() => connected.close())
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
