import { egressPolicyOf } from '../capabilities/built-in.ts'
import { EGRESS_MEANING } from '../capabilities/egress.ts'
import type { Configuration } from '../config/config.ts'
import { type Credentials, optionsOf, readCredentials, readCredentialsAgain } from '../access/credentials.ts'
import type { Engine } from '../lifecycle/serve.ts'
import type { Started } from '../lifecycle/start-text.ts'
import type { Log } from '@engine/process'
import { VERSION } from '../version.ts'
import { beginSync, type Core, healthOf, openCore, type Process, servedBy, withLock } from './core.ts'
import { type Addresses, type Listening, openTracing, openTransports } from './transports.ts'

/** Compose an engine of one process. Rejects with a `StartError`. */
export function composeSingle(process: Omit<Process, 'shutdown'>): Promise<Engine> {
  return withLock(process, composeLocked)
}

async function composeLocked(process: Process): Promise<Engine> {
  const { configuration, instanceId, log, shutdown } = process
  const credentials = await readCredentials(configuration)
  const core = await openCore(process, undefined)
  const { metrics, audit, storage } = core
  const health = healthOf(process, core)
  const transports = await openTransports({
    configuration,
    addresses: addressesOf(configuration),
    credentials,
    reception: {
      server: {
        health,
        sampleRate: audit.sampleRate,
        metrics: configuration.metricsEnabled ? metrics : undefined,
        tenants: storage.tenants,
        ...servedBy(configuration, audit),
      },
      servicesFor: storage.servicesFor,
    },
    log,
    tracing: await openTracing(configuration, instanceId, log, shutdown),
    shutdown,
  })
  shutdown.add('readiness', 1, async () => health.drain())
  return {
    async reload() {
      const now = await readCredentialsAgain(configuration)
      transports.follow(now)
      return optionsOf(now)
    },
    async listen() {
      await beginSync(core.sync)
      return started(process, core, credentials, await transports.listen())
    },
    shutdown: shutdown.steps,
  }
}

/** The addresses that the configuration names. */
export function addressesOf({ http, grpc, udsPath }: Configuration): Addresses {
  return { http, grpc, socketPath: udsPath }
}

/** The server accepts: what its log and its user have to know. */
export function started(
  { configuration, log }: Process,
  { audit, storage }: Core,
  { tokens }: Credentials,
  listening: Listening,
): Started {
  logExposure(configuration, log, tokens !== undefined)
  audit.serverStarted()
  return {
    version: VERSION,
    ...listening,
    rulesets: storage.names(),
    rulesDirectory: configuration.rulesDir,
    tokens: tokens !== undefined,
  }
}

/** What strangers could reach. */
function logExposure(configuration: Configuration, log: Log, hasTokens: boolean): void {
  if (!hasTokens)
    log.warn({}, 'authentication is disabled: every client that can connect may change rulesets (--api-tokens-file)')
  const policy = egressPolicyOf(configuration)
  log.info({ policy, allowed: configuration.networkHttpAllow.length }, EGRESS_MEANING[policy])
  if (configuration.debugMode) log.warn({}, 'debug mode is on: its endpoints show values of inputs (--debug-mode)')
}
