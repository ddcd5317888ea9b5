import { createLog, type Environment, integer, type Option, StartError } from '@engine/process'
import { randomUUIDv7 } from 'node:crypto'
import { locationOf, publicPlace } from '../compose/locations.ts'
import { readCommand } from '../config/command.ts'
import { OPTIONS } from '../config/options.ts'
import { emailAddress } from '../config/value.ts'
import { openDatabase } from '../database/connection.ts'
import { administratorToken } from '../features/identity/first-start.ts'
import { linkOf } from '../features/identity/one-time-links.ts'

const EMAIL: Option<string> = {
  flag: '--email',
  value: '<email>',
  initial: '',
  initialText: 'none: it must be given',
  parse: emailAddress,
  meaning: 'address of the account; it is made when it does not exist',
}

const PORT: Option<number> = {
  flag: '--port',
  short: '-p',
  value: '<port>',
  env: 'ENGINE_PLATFORM_PORT',
  initial: 3001,
  parse: integer(1, 65_535),
  meaning: 'of the server, for the link without `--public-url`',
}

const TABLE = {
  email: EMAIL,
  dataDir: OPTIONS.dataDir,
  databaseUrl: OPTIONS.databaseUrl,
  publicUrl: OPTIONS.publicUrl,
  basePath: OPTIONS.basePath,
  httpTlsCert: OPTIONS.httpTlsCert,
  port: PORT,
} as const

/**
 * Prints a one-time link for an account, also if its password is lost. Returns the exit code: 1 if there is no account,
 * 2 for invalid options.
 */
export async function createAdministrator(args: readonly string[], env: Environment): Promise<number> {
  const read = readCommand('create-admin', 'Prints a one-time link to sign in with.', TABLE, args, env)
  if (read.kind === 'end') {
    ;(read.code === 0 ? process.stdout : process.stderr).write(read.output)
    return read.code
  }
  const { values } = read
  if (values.email === '') {
    process.stderr.write('error: option --email is missing\nSee `engine-platform create-admin --help`.\n')
    return 2
  }
  const instance = randomUUIDv7()
  const log = createLog({ level: 'warn', service: 'engine-platform create-admin', instance }, process.stderr)
  try {
    const database = await openDatabase(locationOf(values, instance), log)
    const token = await administratorToken(database, values.email).finally(() => database.close())
    process.stdout.write(`${linkOf(publicPlace(values, values.port).url, token)}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    process.stderr.write(`error: ${error.message}\n`)
    return 1
  }
}
