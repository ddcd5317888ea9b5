import { isObject, jsonValue } from '@engine/expression'
import { Command, CommanderError } from 'commander'
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { styleText } from 'node:util'
import { COMMANDS, type CommandRow } from './command-table.ts'
import { ToolError } from './tool.ts'

/** The command that needs the definitions of all others. */
const DESCRIBES_ALL = 'completion'

/**
 * Run one command. Exit code: 0 done or good, 1 not good or a `ToolError`, 2 wrong call; some commands have 3 for undecided.
 *
 * @param args the command line without the program
 */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  // The reader of the output has ended, as `head` does: no more output is wanted.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit()
    throw error
  })
  try {
    // A word that names a command may also be an argument: the modules of both are loaded.
    const program = await createCommandLine(({ name }) => args.includes(name) || args[0] === DESCRIBES_ALL)
    await program.parseAsync(unknownCommandIn(args) ?? [...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2
    else if (error instanceof ToolError) {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    } else throw error
  }
}

/** A first word that names no command, alone: the library takes `--help` and `help` before it for the general help. */
function unknownCommandIn(args: readonly string[]): string[] | undefined {
  const [word] = args[0] === 'help' ? args.slice(1) : args
  return word === undefined || word.startsWith('-') || COMMANDS.some(({ name }) => name === word) ? undefined : [word]
}

/**
 * `engine` with all commands by name and summary, and with the definitions of those that are wanted.
 *
 * @internal
 */
export async function createCommandLine(isWanted: (row: CommandRow) => boolean): Promise<Command> {
  const manifest = jsonValue(readFileSync(findPackageJSON(import.meta.url) ?? '', 'utf8'))
  const version = isObject(manifest) && typeof manifest['version'] === 'string' ? manifest['version'] : ''
  const program = new Command('engine')
    .description('Run, check, analyze, sign and release rulesets.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({
      helpWidth: 120,
      styleTitle: (text) => styleText('bold', text, { validateStream: false }),
      subcommandTerm: (command) => command.name(),
    })
    // Options after a command belong to it: `engine platform --help` is the help of the platform.
    .enablePositionalOptions()
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 done or good, 1 not good, 2 wrong call, 3 undecided. `--json` prints a result for programs; NO_COLOR=1\nswitches colors off. `engine help <command>` describes a command.',
    )
  for (const row of COMMANDS) {
    const command = program.command(row.name).helpGroup(row.group).description(`${row.summary}.`).summary(row.summary)
    if (isWanted(row)) (await row.define())(command)
  }
  requireOptionsLast(program)
  pointToHelp(program, 'engine')
  return program
}

/** Misspelt options and missing arguments are reported before required options that are missing. */
function requireOptionsLast(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory)
  for (const option of required) option.makeOptionMandatory(false)
  command.hook('preAction', (_program, called) => {
    if (called !== command) return
    const missing = required.find((option) => called.getOptionValue(option.attributeName()) === undefined)
    if (missing !== undefined) called.error(`error: required option '${missing.flags}' not specified`)
  })
  for (const child of command.commands) requireOptionsLast(child)
}

/** After a wrong call each command points to its own help. */
function pointToHelp(command: Command, path: string): void {
  command.showHelpAfterError(`See \`${path} --help\`.`)
  for (const child of command.commands) pointToHelp(child, `${path} ${child.name()}`)
}
