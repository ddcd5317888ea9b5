import { COMBINATIONS } from './combinations.ts'
import { parseCommandLine, type Flags } from './flags.ts'
import { LATER, refusal } from './later.ts'
import { OPTIONS, type Option, type OptionKey, type OptionValues } from './options.ts'
import { type Address, InvalidValue } from './value.ts'
import { strangeVariables } from './environment.ts'

/** The configuration: every option with its value. */
export interface Configuration extends Omit<OptionValues, Places> {
  /** Undefined: no HTTP over TCP. */
  readonly http: Place | undefined
  /** Undefined: no gRPC over TCP. */
  readonly grpc: Place | undefined
}

/** Options that together say where to listen. */
type Places = 'httpAddr' | 'port' | 'disableHttp' | 'grpcAddr' | 'grpcPort' | 'disableGrpc'

/** Where to listen; a host of undefined is every interface. */
interface Place {
  readonly host: string | undefined
  readonly port: number
}

/** Run with a configuration, and with warnings for the log, or end at once with a text and an exit code: 0 after `--help`, 2 after a mistake. */
export type StartRequest =
  | { readonly kind: 'run'; readonly configuration: Configuration; readonly warnings: readonly string[] }
  | { readonly kind: 'end'; readonly code: 0 | 2; readonly output: string }

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

const DEFAULT_PORTS = { http: 8080, grpc: 50_051 } as const

/**
 * Read the command line and the environment. A flag wins over the environment, the environment over the default; an
 * empty variable counts as unset. All mistakes are reported at once.
 *
 * @param args the command line without the program
 */
export function readConfiguration(args: readonly string[], env: Environment): StartRequest {
  const parsed = parseCommandLine(args)
  if (parsed.kind === 'information') return { kind: 'end', code: 0, output: parsed.output }
  const sources: Sources = { flags: parsed.flags, env }
  const { values, faults } = readValues(sources)
  const all = [...parsed.faults, ...faults, ...refuseLater(sources), ...refuseCombinations(values, sources)]
  if (all.length > 0) return { kind: 'end', code: 2, output: mistakes(all) }
  return { kind: 'run', configuration: configurationOf(values, sources), warnings: strangeVariables(env) }
}

const mistakes = (faults: readonly string[]) =>
  `${faults.map((fault) => `error: ${fault}\n`).join('')}See \`engine-server --help\`.\n`

function configurationOf(values: OptionValues, { flags }: Sources): Configuration {
  const { httpAddr, port: httpPort, disableHttp, grpcAddr, grpcPort, disableGrpc, ...rest } = values
  // A port in the address on the command line is the same as the option; the option wins over the environment.
  const place = (address: Address | undefined, option: OptionKey, port: number | undefined, initial: number) => ({
    host: address?.host,
    port: (flags.has(OPTIONS[option].flag) ? port : address?.port) ?? initial,
  })
  return {
    ...rest,
    http: disableHttp ? undefined : place(httpAddr, 'port', httpPort, DEFAULT_PORTS.http),
    grpc: disableGrpc ? undefined : place(grpcAddr, 'grpcPort', grpcPort, DEFAULT_PORTS.grpc),
  }
}

interface Sources {
  readonly flags: Flags
  readonly env: Environment
}

/** A text and where it stands, for the message; the text of a flag without its value is undefined. */
interface Given {
  readonly text: string | undefined
  readonly source: string
}

function given({ flag, env }: { flag: string; env?: string }, sources: Sources): Given | undefined {
  if (sources.flags.has(flag)) return { text: sources.flags.get(flag), source: `option ${flag}` }
  const variable = env === undefined ? undefined : sources.env[env]
  return variable === undefined || variable === ''
    ? undefined
    : { text: variable, source: `environment variable ${env}` }
}

function readValues(sources: Sources): { values: OptionValues; faults: readonly string[] } {
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
  const entries = Object.entries<Option<unknown>>(OPTIONS).map(([key, option]) => [key, read(option)])
  const values: OptionValues = Object.fromEntries(entries)
  return { values, faults }
}

/** A flag without a value switches on what is true or false. */
function parse(option: Option<unknown>, text: string | undefined): unknown {
  const whole = text ?? (option.value === undefined ? 'true' : '')
  if (whole === '') throw new InvalidValue(`a value is missing: ${option.value ?? '`true` or `false`'}`)
  return option.parse(whole)
}

function refuseLater(sources: Sources): readonly string[] {
  return LATER.flatMap((option) => {
    const found = given(option, sources)
    return found === undefined ? [] : [`${found.source}: ${refusal(option)}`]
  })
}

function refuseCombinations(values: OptionValues, sources: Sources): readonly string[] {
  const isGiven = (key: OptionKey) => given(OPTIONS[key], sources) !== undefined
  const isFlag = (key: OptionKey) => sources.flags.has(OPTIONS[key].flag)
  return COMBINATIONS.filter(({ wrong }) => wrong(values, isGiven, isFlag)).map(
    ({ flag, reason }) => `option ${flag}: ${reason}`,
  )
}
