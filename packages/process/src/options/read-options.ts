import { defined, quote } from '@engine/expression'
import { CONFIG_FLAG, configVariable, type FileOptions, NO_FILE, readConfigFile } from './config-file.ts'
import { type Flags, parseCommandLine } from './command-line.ts'
import { type Environment, strangeVariables } from './environment.ts'
import type { Option, OptionProgram, OptionTable, OptionValues } from './option.ts'
import { InvalidValue } from './value.ts'

/** The values of all options, or an early exit with a text and an exit code: 0 after `--help`, 2 after an error. */
export type OptionsRead<Table extends OptionTable> =
  | {
      readonly kind: 'values'
      readonly values: OptionValues<Table>
      /** Whether an option is on the command line. */
      readonly isFlag: (key: keyof Table) => boolean
      /** Whether an option is on the command line, in the environment or in the configuration file. */
      readonly isGiven: (key: keyof Table) => boolean
      /** For the log. */
      readonly warnings: readonly string[]
    }
  | OptionsEnd

/** Print this and exit; with code 0 to standard output. */
export interface OptionsEnd {
  readonly kind: 'end'
  readonly code: 0 | 2
  readonly output: string
}

/**
 * Reads the command line, the environment and the configuration file. A flag overrides the environment, the environment
 * the file, the file the default; an empty variable counts as unset. All errors are reported together.
 *
 * @param args the command line without the program name
 */
export function readOptions<Table extends OptionTable>(
  program: OptionProgram<Table>,
  args: readonly string[],
  env: Environment,
): OptionsRead<Table> {
  // Combinations are typed by this table, and not needed for parsing.
  const anyProgram: OptionProgram<OptionTable> = { ...program, combinations: [] }
  const parsed = parseCommandLine(anyProgram, args)
  if (parsed.kind === 'information') return { kind: 'end', code: 0, output: parsed.output }
  const file = fileOptions(anyProgram, parsed.flags, env)
  const sources: Sources = { flags: parsed.flags, env, file }
  const { values, faults } = readValues(program.options, sources)
  const optionOf = (key: keyof Table): Option<unknown> => defined<Option<unknown>>(program.options[key])
  const isGiven = (key: keyof Table) => given(optionOf(key), sources) !== undefined
  const isFlag = (key: keyof Table) => parsed.flags.has(optionOf(key).flag)
  const wrong = program.combinations.filter((combination) => combination.wrong(values, isGiven, isFlag))
  const combined = (isHarmless: boolean) =>
    wrong
      .filter((combination) => (combination.isHarmless === true) === isHarmless)
      .map(({ flag, reason }) => `option ${flag}: ${reason}`)
  const strange = strangeVariables(anyProgram, env)
  const dangerous = strange.filter(({ isDangerous }) => isDangerous).map(({ message }) => message)
  const all = [...parsed.faults, ...file.faults, ...faults, ...combined(false), ...dangerous]
  if (all.length > 0) return { kind: 'end', code: 2, output: mistakes(program.name, all) }
  const warnings = [...combined(true), ...strange.map(({ message }) => message)]
  return { kind: 'values', values, isFlag, isGiven, warnings }
}

const mistakes = (name: string, faults: readonly string[]) =>
  `${faults.map((fault) => `error: ${fault}\n`).join('')}See \`${name} --help\`.\n`

interface Sources {
  readonly flags: Flags
  readonly env: Environment
  readonly file: FileOptions & { readonly path?: string | undefined }
}

/** The options of the file that the command line or the environment names. */
function fileOptions(program: OptionProgram<OptionTable>, flags: Flags, env: Environment): Sources['file'] {
  const isFlag = flags.has(CONFIG_FLAG)
  const path = (isFlag ? flags.get(CONFIG_FLAG) : env[configVariable(program)]) ?? ''
  const source = isFlag ? `option ${CONFIG_FLAG}` : `environment variable ${configVariable(program)}`
  if (path !== '') return { ...readConfigFile(program, path, source), path }
  return isFlag ? { ...NO_FILE, faults: [`${source}: a value is missing: <file>`] } : NO_FILE
}

/** A text with its source, for messages; the text of a flag without a value is undefined. */
interface Given {
  readonly text: string | undefined
  readonly source: string
}

function given({ flag, env }: { flag: string; env?: string }, sources: Sources): Given | undefined {
  if (sources.flags.has(flag)) return { text: sources.flags.get(flag), source: `option ${flag}` }
  const variable = env === undefined ? undefined : sources.env[env]
  if (variable !== undefined && variable !== '') return { text: variable, source: `environment variable ${env}` }
  const text = sources.file.texts.get(flag)
  return text === undefined
    ? undefined
    : { text, source: `file ${quote(sources.file.path ?? '')}: ${quote(flag.slice(2))}` }
}

function readValues<Table extends OptionTable>(
  options: Table,
  sources: Sources,
): { values: OptionValues<Table>; faults: readonly string[] } {
  const faults: string[] = []
  const read = (option: Option<unknown>): unknown => {
    const found = given(option, sources)
    if (found === undefined) return option.initial
    try {
      return parse(option, found.text)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      faults.push(`${found.source}: ${error.message}`)
      return option.initial
    }
  }
  const entries = Object.entries(options).map(([key, option]) => [key, read(option)])
  const values: OptionValues<Table> = Object.fromEntries(entries)
  return { values, faults }
}

/** A boolean flag without a value means true. */
function parse(option: Option<unknown>, text: string | undefined): unknown {
  const whole = text ?? (option.value === undefined ? 'true' : '')
  if (whole === '') throw new InvalidValue(`a value is missing: ${option.value ?? '`true` or `false`'}`)
  return option.parse(whole)
}
