import type { CapabilityProvider } from '@engine/ruleset'
import { randomUUID } from 'node:crypto'
import { type Configuration, type Environment, readConfiguration } from './config/config.ts'
import { createLog, exitFailed, exitOnDefects, type Log, serve, startWatchdog, thisProcess } from '@engine/process'
import { announce, type Engine } from './lifecycle/start-text.ts'
import { workerNumber } from './config/worker-number.ts'

/** Additions of a host program to the server. */
export interface ServerExtensions {
  /** Capabilities for rules in addition to the built-in ones. A duplicate name aborts the start. */
  readonly capabilities?: readonly CapabilityProvider[]
}

/** At other levels, and where standard output is not a terminal, it is nothing but JSON. */
const SHOWS_TEXT: ReadonlySet<string> = new Set(['info', 'debug'])

/**
 * Run the server as this process: read its configuration, serve until a signal comes, end the process. Exit code 0 after
 * `--help` or a signal, 1 when it could not start, 2 after a mistake in the options; SIGKILL when its event loop is blocked.
 *
 * @param args the command line without the program
 */
export async function runServer(
  args: readonly string[],
  env: Environment,
  { capabilities = [] }: ServerExtensions = {},
): Promise<void> {
  // Output without a reader is lost; it neither ends the process nor changes its exit code.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const request = readConfiguration(args, env)
  if (request.kind === 'end') {
    ;(request.code === 0 ? process.stdout : process.stderr).write(request.output)
    process.exitCode = request.code
    return
  }
  const { configuration, warnings } = request
  const number = workerNumber()
  if (number !== undefined) {
    const { runWorker } = await import('./workers/worker.ts')
    const { composeWorker } = await import('./compose/worker.ts')
    return runWorker(number, configuration, capabilities, exitOnDefects, composeWorker)
  }
  const instanceId = configuration.instanceId ?? randomUUID()
  const { logLevel: level, logFormat: format, serviceName: service } = configuration
  const log = createLog({ level, format, service, instance: instanceId })
  exitOnDefects(log)
  const watchdog = startWatchdog(
    configuration.watchdogSecs * 1000,
    { service: configuration.serviceName, instance: instanceId },
    (err) => log.error({ err }, 'the watchdog is not running (--watchdog-secs)'),
  )
  for (const warning of warnings) log.warn({}, warning)
  await serve(
    () => composed(configuration, instanceId, log, capabilities),
    {
      shutdownTimeoutMs: configuration.shutdownTimeoutSecs * 1000,
      showsText: process.stdout.isTTY && SHOWS_TEXT.has(configuration.logLevel),
      log,
      announce,
    },
    thisProcess(watchdog),
  )
}

/** A single process, or the owner of several; loads only what is needed. */
async function composed(
  configuration: Configuration,
  instanceId: string,
  log: Log,
  capabilities: readonly CapabilityProvider[],
): Promise<Engine> {
  const begun = { configuration, instanceId, log, ownCapabilities: capabilities }
  if (configuration.workers === 1) {
    const { composeSingle } = await import('./compose/single-process.ts')
    return composeSingle(begun)
  }
  const { composeOwner } = await import('./compose/owner.ts')
  return composeOwner(begun, (reason) => exitFailed(log, { reason }, 'no worker can start'))
}
