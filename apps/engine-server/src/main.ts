import { compose, instanceIdOf } from './compose.ts'
import { readConfiguration } from './config.ts'
import { serve } from './serve.ts'
import { createLog } from './telemetry/log.ts'

/** Whoever asks for less gets nothing but JSON on standard output. */
const SHOWS_TEXT: ReadonlySet<string> = new Set(['info', 'debug'])

const request = readConfiguration(process.argv.slice(2), process.env)

if (request.kind === 'end') {
  ;(request.code === 0 ? process.stdout : process.stderr).write(request.output)
  process.exitCode = request.code
} else {
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
    () => compose(configuration, instanceId, log),
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
