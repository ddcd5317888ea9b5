import type { CapabilityProvider } from '@engine/ruleset'
import cluster from 'node:cluster'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Audit } from '../audit.ts'
import { compose } from '../compose.ts'
import { grpcListening, httpListening } from '../compose-transports.ts'
import type { Configuration } from '../config.ts'
import type { Engine } from '../serve.ts'
import { optionsOf, readCredentials, readCredentialsAgain } from '../credentials.ts'
import { tooManyConnections } from '../connection-limit.ts'
import { StartError, starting } from '../start-error.ts'
import { hostAndPort, httpUrl } from '../start-text.ts'
import type { Log } from '../telemetry/log.ts'
import { createCrew } from './crew.ts'
import { createFront } from './front.ts'
import { createReplicas } from './replicas.ts'
import { createServerMetrics } from './server-metrics.ts'

/**
 * Construct the process that owns the store, and let others answer: it accepts connections and hands them over, tells
 * every change, and answers what copies of the rulesets are not enough for. Throws `StartError`.
 *
 * @param giveUp called when no worker can start any more
 */
export async function composeOwner(
  configuration: Configuration,
  instanceId: string,
  log: Log,
  ownCapabilities: readonly CapabilityProvider[],
  giveUp: (reason: string) => void,
): Promise<Engine> {
  if (!cluster.isPrimary) throw new StartError('--workers: this process is a worker of another program already')
  const { workers: count, maxConnections } = configuration
  let credentials = await readCredentials(configuration)
  const ownerSocket = join(await privateDirectory(), 'owner.sock')
  const replicas = createReplicas(
    (question) => crew.tell(question),
    (name, tenant) => metrics.forget(name, tenant),
  )
  const metrics = createServerMetrics((milliseconds, heard) => crew.ask({ kind: 'metrics' }, milliseconds, heard))
  const crew = createCrew({
    count,
    silenceMs: configuration.watchdogSecs * 1000,
    log,
    giveUp,
    begin: () => {
      const { tenants, stored } = replicas.snapshot()
      const sampleRate = audit().sampleRate.get()
      return {
        message: { kind: 'begin', instanceId, ownerSocket, credentials, tenants, sampleRate },
        stored,
      }
    },
    said: (message) => {
      if (message.kind === 'audit') audit().forward(message.path, message.text)
      else audit().missed(message.count)
    },
    ended: (number) => metrics.ended(number),
  })
  let opened: Audit | undefined
  const audit = () => {
    if (opened === undefined) throw new TypeError('a worker began before its owner was composed')
    return opened
  }
  const engine = await compose(alone(configuration, ownerSocket), instanceId, log, ownCapabilities, {
    followers: replicas,
    audit: (made) => void (opened = made),
    sampleRateChanged: (percent) => crew.tell({ kind: 'sample-rate', percent }),
    metrics: (own) => metrics.text(own),
    workers: () => ({ configured: count, ready: crew.ready }),
  })
  const refuse = tooManyConnections(log, maxConnections)
  const front = createFront((connection, place) => {
    if (crew.connections < maxConnections) return crew.hand(connection, place)
    connection.destroy()
    refuse()
  })
  const { http, grpc, udsPath } = configuration
  const places = {
    listen: async () => {
      const taken = http === undefined ? undefined : await front.listen('http', http)
      if (udsPath !== undefined) await front.listen('socket', { path: udsPath })
      return { port: taken?.port }
    },
  }
  const grpcPlace = grpc === undefined ? undefined : { listen: () => front.listen('grpc', grpc) }
  return {
    async listen() {
      const { port } = await httpListening(places, configuration)
      const grpcPort = await grpcListening(grpcPlace, configuration)
      const started = await engine.listen()
      await crew.start()
      const scheme = credentials.httpTls === undefined ? 'http' : 'https'
      return {
        ...started,
        url: port === undefined ? undefined : httpUrl(scheme, http?.host, port),
        grpc: grpcPort === undefined ? undefined : hostAndPort(grpc?.host, grpcPort),
        socket: udsPath,
      }
    },
    async reload() {
      // All files are good before anything changes; a worker that begins from now on begins with them.
      credentials = await readCredentialsAgain(configuration)
      engine.follow(credentials)
      await crew.tell({ kind: 'credentials', credentials })
      return optionsOf(credentials)
    },
    shutdown: [
      {
        name: 'workers',
        share: 0.8,
        run: async (milliseconds) => {
          engine.drain()
          front.close()
          await crew.stop(milliseconds)
        },
      },
      ...engine.shutdown,
    ],
  }
}

/** A directory that only this user can enter. Removed with the process, however it exits. */
function privateDirectory(): Promise<string> {
  return starting('--workers', tmpdir(), () => {
    const directory = mkdtempSync(join(tmpdir(), 'engine-server-'))
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
    return directory
  })
}

/** The configuration of a server that only its workers call. They trace the requests that they proxy. */
function alone(configuration: Configuration, ownerSocket: string): Configuration {
  return {
    ...configuration,
    http: undefined,
    grpc: undefined,
    httpTlsCert: undefined,
    httpTlsKey: undefined,
    grpcTlsCert: undefined,
    grpcTlsKey: undefined,
    udsPath: ownerSocket,
    otlpEndpoint: undefined,
  }
}
