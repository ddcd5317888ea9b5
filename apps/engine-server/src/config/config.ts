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
  /** Undefined if there is no HTTP over TCP. */
  readonly http: Place | undefined
  /** Undefined if there is no gRPC over TCP. */
  readonly grpc: Place | undefined
  /** Undefined if there are no traces. */
  readonly traces: TracesSettings | undefined
}

/** Options that together define the listening addresses. */
type Places = 'httpAddr' | 'port' | 'disableHttp' | 'grpcAddr' | 'grpcPort' | 'disableGrpc'

/** A listening address; an undefined host means every interface. */
interface Place {
  readonly host: string | undefined
  readonly port: number
}

/**
 * Either runs with a configuration and warnings for the log, or exits with a text and an exit code: 0 after `--help`, 2
 * after an error.
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
 * Reads the command line and the environment. All errors are reported together.
 *
 * @param args the command line without the program name
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

/** The options, with the listening addresses of HTTP and gRPC combined. */
function placed<Values extends Pick<EngineOptions, Places | 'role' | 'brokerUrl'>>(
  values: Values,
  isFlag: (key: keyof EngineOptions) => boolean,
) {
  const { httpAddr, port: httpPort, disableHttp, grpcAddr, grpcPort, disableGrpc, ...rest } = values
  // A port in the address on the command line is equivalent to the option, which takes precedence over the environment.
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
    // A standalone instance has no broker, although it may share an environment with instances that do.
    brokerUrl: rest.role === 'standalone' ? undefined : rest.brokerUrl,
    http: disableHttp ? undefined : place(httpAddr, 'port', httpPort, DEFAULT_PORTS.http),
    grpc: disableGrpc ? undefined : place(grpcAddr, 'grpcPort', grpcPort, DEFAULT_PORTS.grpc),
  }
}
