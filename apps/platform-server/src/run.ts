import { nearest, quote } from '@engine/expression'
import {
  createLog,
  type Environment,
  exitOnDefects,
  type OptionsEnd,
  serve,
  startWatchdog,
  thisProcess,
} from '@engine/process'
import { randomUUIDv7 } from 'node:crypto'
import { composePlatform, type Started } from './compose/platform.ts'
import { type Configuration, readConfiguration } from './config/config.ts'

/**
 * Levels that permit text on a terminal. At other levels, and if standard output is not a terminal, the log is pure
 * JSON.
 */
const SHOWS_TEXT: ReadonlySet<string> = new Set(['info', 'debug'])

/** Further commands of the program; each returns its exit code. */
const COMMANDS: Readonly<Record<string, (args: readonly string[], env: Environment) => Promise<number>>> = {
  backup: async (args, env) => (await import('./commands/database.ts')).backup(args, env),
  restore: async (args, env) => (await import('./commands/database.ts')).restore(args, env),
  migrate: async (args, env) => (await import('./commands/database.ts')).migrateDatabase(args, env),
  'create-admin': async (args, env) => (await import('./commands/create-admin.ts')).createAdministrator(args, env),
}

/** The same as no command. */
const SERVE = 'serve'

function unknownCommand(word: string): string {
  const all = [SERVE, ...Object.keys(COMMANDS)]
  const meant = nearest(word, all)
  const hint = meant === undefined ? `the commands are ${all.join(', ')}` : `did you mean ${meant}?`
  return `error: there is no command ${quote(word)}: ${hint}\nSee \`engine-platform --help\`.\n`
}

/**
 * Runs the platform as this process: reads its configuration, serves until a signal arrives, and ends the process. Exit
 * code 0 after `--help` or a signal, 1 if it cannot start, 2 for invalid options.
 *
 * @param args the command line without the program name
 */
export async function runPlatform(args: readonly string[], env: Environment): Promise<void> {
  // Output without a reader is lost; the loss neither ends the process nor changes its exit code.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const [word = '', ...rest] = args
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  if (command !== undefined) {
    process.exitCode = await command(rest, env)
    return
  }
  if (/^[^-]/.test(word) && word !== SERVE) return end({ kind: 'end', code: 2, output: unknownCommand(word) })
  const request = readConfiguration(word === SERVE ? rest : args, env)
  if (request.kind === 'end') return end(request)
  return servePlatform(request.configuration, request.warnings)
}

function end({ code, output }: OptionsEnd): void {
  ;(code === 0 ? process.stdout : process.stderr).write(output)
  process.exitCode = code
}

async function servePlatform(configuration: Configuration, warnings: readonly string[]): Promise<void> {
  const { logLevel, logFormat: format, serviceName: service } = configuration
  const instanceId = randomUUIDv7()
  const log = createLog({ level: logLevel, format, service, instance: instanceId })
  exitOnDefects(log)
  const watchdog = startWatchdog(configuration.watchdogSecs * 1000, { service, instance: instanceId }, (err) =>
    log.error({ err }, 'the watchdog is not running (--watchdog-secs)'),
  )
  for (const warning of warnings) log.warn({}, warning)
  await serve(
    () => composePlatform({ configuration, instanceId, log }),
    {
      shutdownTimeoutMs: configuration.shutdownTimeoutSecs * 1000,
      showsText: process.stdout.isTTY && SHOWS_TEXT.has(logLevel),
      log,
      announce,
    },
    thisProcess(watchdog),
  )
}

/** The link is a secret: it goes to standard error, never to the log. */
function announce({ url, publicUrl, database, firstLink }: Started) {
  if (firstLink !== undefined) process.stderr.write(`Sign in once: ${firstLink}\n`)
  return {
    fields: { url, public_url: publicUrl, database },
    text: `\nengine-platform listens on ${url} (${publicUrl})\nIts interface is described at ${publicUrl}/docs\n\n`,
  }
}
