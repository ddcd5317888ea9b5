import type { CapabilityProvider } from '@engine/ruleset'
import { compose, instanceIdOf } from './compose.ts'
import { type Environment, readConfiguration } from './config.ts'
import { serve } from './serve.ts'
import { createLog } from './telemetry/log.ts'

/** What a host program adds to the server. */
export interface ServerExtensions {
  /** Abilities that rules may ask for by name, beside the built-in ones. A name that is taken ends the start. */
  readonly capabilities?: readonly CapabilityProvider[]
}

/** Whoever asks for less gets nothing but JSON on standard output. */
const SHOWS_TEXT: ReadonlySet<string> = new Set(['info', 'debug'])

/**
 * Run the server as this process: read its configuration, serve until a signal comes, end the process. Exit code 0 after
 * `--help` or a signal, 1 when it could not start, 2 after a mistake in the options.
 *
 * @param args the command line without the program
 */
export async function runServer(
  args: readonly string[],
  env: Environment,
  { capabilities = [] }: ServerExtensions = {},
): Promise<void> {
  const request = readConfiguration(args, env)
  if (request.kind === 'end') {
    ;(request.code === 0 ? process.stdout : process.stderr).write(request.output)
    process.exitCode = request.code
    return
  }
  const { configuration } = request
  const instanceId = instanceIdOf(configuration)
  const log = createLog({ level: configuration.logLevel, service: configuration.serviceName, instance: instanceId })
  // After a defect that nothing caught, nothing is certain any more.
  const die = (error: unknown, message: string) => {
    log.fatal({ err: error }, message)
    void log.flush().finally(() => process.exit(1))
  }
  process.on('uncaughtException', (error) => die(error, 'the server ends by a defect'))
  process.on('unhandledRejection', (reason) => die(reason, 'the server ends by a defect'))
  await serve(
    () => compose(configuration, instanceId, log, capabilities),
    {
      shutdownTimeoutMs: configuration.shutdownTimeoutSecs * 1000,
      showsText: SHOWS_TEXT.has(configuration.logLevel),
      log,
    },
    {
      signals: process,
      print: (text) => process.stdout.write(text),
      complain: (text) => process.stderr.write(text),
      exit: (code) => process.exit(code),
    },
  )
}
