import {
  type Environment,
  type OptionProgram,
  type OptionsEnd,
  readOptions,
  readTracingVariables,
  type TracesSettings,
  TRACING_HELP,
} from '@engine/process'
import { VERSION } from '../version.ts'
import { COMBINATIONS } from './combinations.ts'
import { ENGINE_VARIABLES } from './engine-variables.ts'
import { OPTIONS, type PlatformOptions } from './options.ts'

/** The configuration: every option with its value. */
export interface Configuration extends Omit<PlatformOptions, 'httpAddr' | 'port' | 'otlpEndpoint'> {
  /** Undefined if there are no traces. */
  readonly traces: TracesSettings | undefined
  readonly http: { readonly host: string | undefined; readonly port: number }
}

/**
 * Either runs with a configuration and with warnings for the log, or exits immediately with a text and a code: 0 after
 * `--help`, 2 after a mistake.
 */
type StartRequest =
  | { readonly kind: 'run'; readonly configuration: Configuration; readonly warnings: readonly string[] }
  | OptionsEnd

const DEFAULT_PORT = 3001

/**
 * The program and its table of options.
 *
 * @internal
 */
export const PROGRAM: OptionProgram<typeof OPTIONS> = {
  name: 'engine-platform',
  description: 'Manages people, projects, releases and engines over HTTP.',
  version: VERSION,
  options: OPTIONS,
  combinations: COMBINATIONS,
  envPrefix: 'ENGINE_PLATFORM_',
  helpNote: TRACING_HELP,
  ownVariables: ENGINE_VARIABLES,
}

/**
 * Reads the command line and the environment. All mistakes are reported together.
 *
 * @param args the command line without the program and its command
 */
export function readConfiguration(args: readonly string[], env: Environment): StartRequest {
  const read = readOptions(PROGRAM, args, env)
  if (read.kind === 'end') return read
  const { httpAddr, port, otlpEndpoint: endpoint, serviceName, ...rest } = read.values
  const isServiceGiven = read.isGiven('serviceName')
  const { traces, service, warnings } = readTracingVariables({ endpoint, service: serviceName, isServiceGiven }, env)
  // A port in the address on the command line is equivalent to the option, which takes precedence over the environment.
  const chosen = (read.isFlag('port') ? port : (httpAddr?.port ?? port)) ?? DEFAULT_PORT
  return {
    kind: 'run',
    configuration: { ...rest, serviceName: service, traces, http: { host: httpAddr?.host, port: chosen } },
    warnings: [...read.warnings, ...warnings],
  }
}
