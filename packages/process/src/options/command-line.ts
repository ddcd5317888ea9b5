import { nearest, quote } from '@engine/expression'
import { Command, CommanderError, Option as Flag } from 'commander'
import { CONFIG_FLAG, configVariable } from './config-file.ts'
import { initialText, type Option, type OptionProgram, type OptionTable } from './option.ts'

/** Values of the flags on the command line; `undefined` for a flag without a value. */
export type Flags = ReadonlyMap<string, string | undefined>

/** The parsed command line, or a text to print (`--help`, `--version`). */
export type CommandLine =
  | { readonly kind: 'flags'; readonly flags: Flags; readonly faults: readonly string[] }
  | { readonly kind: 'information'; readonly output: string }

type Program = OptionProgram<OptionTable>

/** Parses the command line. Each unknown argument is a fault, so that all are reported together. */
export function parseCommandLine(program: Program, args: readonly string[]): CommandLine {
  let output = ''
  const command = commandOf(program, (text) => (output += text))
  try {
    command.parse([...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
    return { kind: 'information', output }
  }
  const flags = new Map(
    Object.entries(command.opts<Record<string, string | true>>()).map(([key, text]) => [
      flagOf(key),
      text === true ? undefined : text,
    ]),
  )
  return { kind: 'flags', flags, faults: strangers(program, command.args) }
}

/** commander stores `--http-addr` as `httpAddr`. */
const flagOf = (key: string) => `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Faults for unparsed arguments. A word after an unknown option is assumed to be its value and not reported. */
function strangers({ options }: Program, words: readonly string[]): readonly string[] {
  const known = [CONFIG_FLAG, ...Object.values(options).map(({ flag }) => flag)]
  return words.flatMap((word, index) => {
    if (!word.startsWith('-')) return /^-[^=]*$/.test(words[index - 1] ?? '') ? [] : [`unexpected ${quote(word)}`]
    const name = word.split('=', 1)[0] ?? word
    const meant = nearest(name, known)
    return [`unknown option ${name}${meant === undefined ? '' : `: did you mean ${meant}?`}`]
  })
}

function commandOf(program: Program, write: (text: string) => void): Command {
  const { name, description, version, options, helpNote } = program
  // All values are optional to commander, so that missing values are reported here.
  const terms = new Map<string, string>(
    Object.values(options).map((option) => [option.flag, `${spelling(option)} ${option.value ?? '[true|false]'}`]),
  )
  const command = new Command(name)
    .description(description)
    .usage('[options]')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .configureOutput({ writeOut: write, writeErr: write })
    .configureHelp({ helpWidth: 120, optionTerm: (flag) => terms.get(flag.long ?? '') ?? flag.flags })
    .exitOverride()
    .allowUnknownOption()
    .allowExcessArguments()
    .option(
      `${CONFIG_FLAG} [file]`,
      `configuration file (YAML): options by their flags without \`--\` (${configVariable(program)}, default: none)`,
    )
    .addHelpText('after', '\nA flag wins over its environment variable, the variable over the configuration file.')
    .addHelpText('after', helpNote === undefined ? '' : `\n${helpNote}`)
  for (const option of Object.values(options)) command.addOption(flagFor(option))
  return command
}

const spelling = ({ short, flag }: Option<unknown>) => (short === undefined ? flag : `${short}, ${flag}`)

function flagFor(option: Option<unknown>): Flag {
  const origin = option.env === undefined ? '' : `${option.env}, `
  return new Flag(`${spelling(option)} [value]`, `${option.meaning} (${origin}default: ${initialText(option)})`)
}
