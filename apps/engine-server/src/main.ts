import { compose, instanceIdOf } from './compose.ts'
import { readConfiguration } from './config.ts'
import { serve } from './serve.ts'
import { createLog } from './telemetry/log.ts'

const request = readConfiguration(process.argv.slice(2), process.env)

if (request.kind === 'end') {
  ;(request.code === 0 ? process.stdout : process.stderr).write(request.output)
  process.exitCode = request.code
} else {
  const { configuration } = request
  const instanceId = instanceIdOf(configuration)
  const log = createLog({ level: configuration.logLevel, service: configuration.serviceName, instance: instanceId })
  const die = (error: unknown, message: string) => {
    log.fatal({ err: error }, message)
    log.flush()
    process.exit(1)
  }
  process.on('uncaughtException', (error) => die(error, 'the server ends by a defect'))
  process.on('unhandledRejection', (reason) => die(reason, 'the server ends by a defect'))
  await serve(
    () => compose(configuration, instanceId, log),
    { shutdownTimeoutMs: configuration.shutdownTimeoutSecs * 1000, showsText: true, log },
    {
      signals: process,
      print: (text) => process.stdout.write(text),
      complain: (text) => process.stderr.write(text),
      exit: (code) => process.exit(code),
    },
  )
}
