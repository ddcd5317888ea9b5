import { nearest, quote } from '@engine/expression'
import { Command, CommanderError, Option as Flag } from 'commander'
import { LATER } from './later.ts'
import { OPTIONS, initialText, type Option } from './options.ts'
import { VERSION } from '../version.ts'

/** Texts of the flags on the command line; `undefined` for a flag that is there without its value. */
export type Flags = ReadonlyMap<string, string | undefined>

/** The command line taken apart, or a text to print (`--help`, `--version`). */
export type CommandLine =
  | { readonly kind: 'flags'; readonly flags: Flags; readonly faults: readonly string[] }
  | { readonly kind: 'information'; readonly output: string }

/** Read the command line. Each unknown argument is a fault, so that all of them can be reported at once. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  let output = ''
  const program = commandLine((text) => (output += text))
  try {
    program.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
    return { kind: 'information', output }
  }
  const flags = new Map(
    Object.entries(program.opts<Record<string, string | true>>()).map(([key, text]) => [
      flagOf(key),
      text === true ? undefined : text,
    ]),
  )
  return { kind: 'flags', flags, faults: strangers(program.args) }
}

/** commander keeps `--http-addr` under `httpAddr`. */
const flagOf = (key: string) => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Faults of what no option took. A word after an unknown option is taken for its value and not counted. */
function strangers(words: readonly string[]): readonly string[] {
  const known = [...Object.values<Option<unknown>>(OPTIONS), ...LATER].map(({ flag }) => flag)
  return words.flatMap((word, index) => {
    if (!word.startsWith('-')) return /^-[^=]*$/.test(words[index - 1] ?? '') ? [] : [`unexpected ${quote(word)}`]
    const name = word.split('=', 1)[0] ?? word
    const meant = nearest(name, known)
    return [`unknown option ${name}${meant === undefined ? '' : `: did you mean ${meant}?`}`]
  })
}

function commandLine(write: (text: string) => void): Command {
  const program = new Command('engine-server')
    .description('Stores rulesets, compiles them and decides with them over HTTP.')
    .usage('[options]')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: write, writeErr: write })
    .configureHelp({ helpWidth: 120, optionTerm: (flag) => TERMS.get(flag.long ?? '') ?? flag.flags })
    .exitOverride()
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', `\nA flag wins over its environment variable.\nNot in this build yet: ${laterFlags()}.`)
  for (const option of Object.values<Option<unknown>>(OPTIONS)) program.addOption(flagFor(option))
  for (const { flag } of LATER) program.addOption(new Flag(`${flag} [value]`).hideHelp())
  return program
}

const laterFlags = () => LATER.map(({ flag }) => flag).join(', ')

const spelling = ({ short, flag }: Option<unknown>) => (short === undefined ? flag : `${short}, ${flag}`)

/** How each flag reads in `--help`. To commander every value is optional, so that a missing one is our own fault. */
const TERMS: ReadonlyMap<string, string> = new Map(
  Object.values<Option<unknown>>(OPTIONS).map((option) => [
    option.flag,
    `${spelling(option)} ${option.value ?? '[true|false]'}`,
  ]),
)

function flagFor(option: Option<unknown>): Flag {
  const origin = option.env === undefined ? '' : `${option.env}, `
  return new Flag(`${spelling(option)} [value]`, `${option.meaning} (${origin}default: ${initialText(option)})`)
}
