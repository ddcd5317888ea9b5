import {
  type Address,
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
import { type EngineOptions, OPTIONS } from './options.ts'
import { PLATFORM_VARIABLES } from './platform-variables.ts'
import { WORKER_VARIABLE } from './worker-number.ts'

/** The configuration: every option with its value. */
export interface Configuration extends Omit<EngineOptions, Places | 'otlpEndpoint'> {
  /** Undefined: no HTTP over TCP. */
  readonly http: Place | undefined
  /** Undefined: no gRPC over TCP. */
  readonly grpc: Place | undefined
  /** Undefined: no traces. */
  readonly traces: TracesSettings | undefined
}

/** Options that together define where to listen. */
type Places = 'httpAddr' | 'port' | 'disableHttp' | 'grpcAddr' | 'grpcPort' | 'disableGrpc'

/** Where to listen; a host of undefined is every interface. */
interface Place {
  readonly host: string | undefined
  readonly port: number
}

/**
 * Run with a configuration and warnings for the log, or exit with a text and an exit code: 0 after `--help`, 2 after an
 * error.
 */
export type StartRequest =
  | { readonly kind: 'run'; readonly configuration: Configuration; readonly warnings: readonly string[] }
  | OptionsEnd

export type { Environment }

const DEFAULT_PORTS = { http: 8080, grpc: 50_051 } as const

/**
 * The program and its table of options.
 *
 * @internal
 */
export const PROGRAM: OptionProgram<typeof OPTIONS> = {
  name: 'engine-server',
  description: 'Stores rulesets, compiles them and decides with them over HTTP.',
  version: VERSION,
  options: OPTIONS,
  combinations: COMBINATIONS,
  envPrefix: 'ENGINE_',
  helpNote: TRACING_HELP,
  ownVariables: [WORKER_VARIABLE, ...PLATFORM_VARIABLES],
}

/**
 * Read the command line and the environment. All errors are reported together.
 *
 * @param args the command line without the program
 */
export function readConfiguration(args: readonly string[], env: Environment): StartRequest {
  const read = readOptions(PROGRAM, args, env)
  if (read.kind === 'end') return read
  const { otlpEndpoint: endpoint, serviceName, ...values } = read.values
  const isServiceGiven = read.isGiven('serviceName')
  const { traces, service, warnings } = readTracingVariables({ endpoint, service: serviceName, isServiceGiven }, env)
  return {
    kind: 'run',
    configuration: { ...placed(values, read.isFlag), serviceName: service, traces },
    warnings: [...read.warnings, ...warnings],
  }
}

/** The options with the places of HTTP and gRPC. */
function placed<Values extends Pick<EngineOptions, Places | 'role' | 'brokerUrl'>>(
  values: Values,
  isFlag: (key: keyof EngineOptions) => boolean,
) {
  const { httpAddr, port: httpPort, disableHttp, grpcAddr, grpcPort, disableGrpc, ...rest } = values
  // A port in the address on the command line is the same as the option; the option wins over the environment.
  const place = (
    address: Address | undefined,
    option: keyof EngineOptions,
    port: number | undefined,
    initial: number,
  ) => ({
    host: address?.host,
    port: (isFlag(option) ? port : address?.port) ?? initial,
  })
  return {
    ...rest,
    // A standalone instance has no broker, though it may share an environment with others that do.
    brokerUrl: rest.role === 'standalone' ? undefined : rest.brokerUrl,
    http: disableHttp ? undefined : place(httpAddr, 'port', httpPort, DEFAULT_PORTS.http),
    grpc: disableGrpc ? undefined : place(grpcAddr, 'grpcPort', grpcPort, DEFAULT_PORTS.grpc),
  }
}
