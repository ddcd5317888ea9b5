import type { CapabilityProvider } from '@engine/ruleset'
import type { TrustedKeys } from '@engine/signing'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { openAudit } from './audit.ts'
import { egressOf } from './capabilities/built-in.ts'
import { openStorage } from './compose-storage.ts'
import { composeSync } from './compose-sync.ts'
import type { SharedParts } from './compose-workspace.ts'
import type { Configuration } from './config.ts'
import { failures } from './errors.ts'
import type { GrpcOptions, GrpcParts, GrpcServer } from './grpc/server.ts'
import { admitByToken } from './access.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import type { Engine } from './serve.ts'
import { createHealthService } from './services/health.ts'
import type { ServerServices } from './services/services.ts'
import { readMinimumVersions, readTls, readTokens, readTrustedKeys } from './start-files.ts'
import { StartError, starting } from './start-error.ts'
import { hostAndPort, httpUrl } from './start-text.ts'
import type { Log } from './telemetry/log.ts'
import { createMetrics } from './telemetry/metrics.ts'
import { createTracing } from './telemetry/tracing.ts'
import { VERSION } from './version.ts'

/** The name of this instance: as it was given, or a random one. */
export function instanceIdOf({ instanceId }: Configuration): string {
  return instanceId ?? randomUUID()
}

/** Construct everything and connect it, but for what each tenant has. Throws `StartError`. */
export async function compose(
  configuration: Configuration,
  instanceId: string,
  log: Log,
  ownCapabilities: readonly CapabilityProvider[] = [],
): Promise<Engine> {
  const { rulesDir, auditDir, debugMode, metricsEnabled } = configuration
  const { httpTlsCert, httpTlsKey, grpcTlsCert, grpcTlsKey } = configuration
  const tls = await readTls('http', httpTlsCert, httpTlsKey)
  const grpcTls = await readTls('grpc', grpcTlsCert, grpcTlsKey)
  const tokens = await readTokens(configuration)
  const metrics = createMetrics({ version: VERSION, rulesets: () => storage.overview.size })
  const audit = await starting('--audit-dir', auditDir ?? '', () =>
    openAudit({
      directory: auditDir,
      sampleRate: configuration.auditSampleRate,
      includePayload: configuration.auditIncludePayload,
      instanceId,
      log,
      lost: (count) => metrics.auditLost(count),
    }),
  )
  const sync = await composeSync({ configuration, instanceId, log, metrics, local: () => storage.local })
  const shared: SharedParts = {
    configuration,
    log,
    metrics,
    audit,
    trusted: await trustedKeysOf(configuration, log),
    minimumVersions: await readMinimumVersions(configuration),
    listenerFor: sync.listener.bind(sync),
    tenantsChanged: (text) => sync.tenantsChanged(text),
    outbound: { egress: egressOf(configuration), metrics, own: ownCapabilities },
  }
  const storage = await openStorage(shared)
  const health = createHealthService({
    store: storage.overview,
    version: VERSION,
    instanceId,
    role: configuration.role,
    debugMode,
    sync,
    audit: () => ({ enabled: auditDir !== undefined, sample_rate: audit.sampleRate.get(), dropped: audit.dropped }),
  })
  const server: ServerServices = {
    health,
    sampleRate: audit.sampleRate,
    metrics: metricsEnabled ? metrics : undefined,
    tenants: storage.tenants,
    debugMode,
    readOnly: configuration.role === 'reader' ? failures.readOnly(configuration.writerAddr) : undefined,
  }
  const tracing = await tracingOf(configuration, instanceId, log)
  const limits = {
    maxBytes: configuration.maxRequestBodyBytes,
    requestTimeoutMs: configuration.requestTimeoutSecs * 1000,
    admit: tokens === undefined ? undefined : admitByToken(tokens),
  }
  const parts = { reception: { server, servicesFor: storage.servicesFor }, log, tracing }
  const grpc = await grpcOf(configuration, { ...limits, tcp: configuration.grpc, tls: grpcTls }, parts)
  const takeGrpc = grpc === undefined ? undefined : (connection: Socket) => grpc.take(connection)
  const http = await createHttpServer(
    { ...limits, tcp: configuration.http, tls, socketPath: configuration.udsPath, takeGrpc },
    parts,
  )
  return {
    async listen() {
      const { udsPath } = configuration
      const unfit = await sync.begin()
      if (unfit !== undefined) throw new StartError(`--instance-id: ${unfit}`)
      const { port } = await httpListening(http, configuration)
      const grpcPort = await grpcListening(grpc, configuration)
      if (tokens === undefined)
        log.warn({}, 'nobody is asked for a token: anyone who can connect may change rulesets (--api-tokens-file)')
      if (debugMode) log.warn({}, 'debug mode is on: its endpoints show values of inputs (--debug-mode)')
      audit.serverStarted()
      const scheme = tls === undefined ? 'http' : 'https'
      return {
        version: VERSION,
        url: port === undefined ? undefined : httpUrl(scheme, configuration.http?.host, port),
        grpc: grpcPort === undefined ? undefined : hostAndPort(configuration.grpc?.host, grpcPort),
        socket: udsPath,
        rulesets: storage.names(),
        rulesDirectory: rulesDir,
        tokens: tokens !== undefined,
      }
    },
    shutdown: [
      {
        name: 'requests',
        share: 0.8,
        run: async () => {
          health.drain()
          await Promise.all([http.drain(), grpc?.drain()])
        },
      },
      {
        name: 'connections',
        share: 1,
        run: async () => {
          http.close()
          grpc?.close()
        },
      },
      // What is taken over from a file still becomes an audit event.
      { name: 'watching of rule files', share: 0.5, run: () => storage.stopWatching() },
      { name: 'sync', share: 0.5, run: (milliseconds) => sync.close(milliseconds) },
      {
        name: 'audit',
        share: 0.5,
        run: async () => {
          audit.serverStopped()
          await audit.close()
        },
      },
      { name: 'traces', share: 0.5, run: async (milliseconds) => tracing?.close(milliseconds) },
      { name: 'store and outbound connections', share: 1, run: () => storage.close() },
    ],
  }
}

async function trustedKeysOf(configuration: Configuration, log: Log): Promise<TrustedKeys> {
  const trusted = await readTrustedKeys(configuration)
  const { signatureEnabled } = configuration
  if (signatureEnabled && trusted.size === 0)
    log.warn({}, 'no key is trusted, so every signed ruleset is rejected (--signature-trusted-keys)')
  if (!signatureEnabled && trusted.size > 0)
    log.warn({}, 'there are trusted keys, but signatures are not verified (--signature-enabled)')
  return trusted
}

async function tracingOf({ otlpEndpoint, serviceName }: Configuration, instance: string, log: Log) {
  if (otlpEndpoint === undefined) return undefined
  return createTracing({
    endpoint: otlpEndpoint,
    service: serviceName,
    version: VERSION,
    instance,
    failed: (reason) => log.warn({ reason }, 'traces could not be delivered'),
  })
}

/** gRPC costs memory and time at start, so it is loaded only where it is spoken. */
async function grpcOf({ udsPath }: Configuration, options: GrpcOptions, parts: GrpcParts) {
  if (options.tcp === undefined && udsPath === undefined) return undefined
  const { createGrpcServer } = await import('./grpc/server.ts')
  return createGrpcServer(options, parts)
}

async function grpcListening(grpc: GrpcServer | undefined, { grpc: place }: Configuration) {
  try {
    return (await grpc?.listen())?.port
  } catch (cause) {
    const where = hostAndPort(place?.host, place?.port ?? 0)
    const reason = cause instanceof Error && /EADDRINUSE/.test(cause.message) ? 'it is in use' : 'it cannot be had'
    throw new StartError(
      `--grpc-addr: cannot use \`${where}\`: ${reason} (--grpc-port takes another port, --disable-grpc none)`,
      { cause },
    )
  }
}

/** Begin to accept. Of two addresses the error of the system knows which one could not be had. */
async function httpListening(server: HttpServer, { http, udsPath }: Configuration): ReturnType<HttpServer['listen']> {
  try {
    return await server.listen()
  } catch (error) {
    const places = error instanceof Error ? Object.values(error) : []
    const [option, place] =
      http === undefined || places.includes(udsPath ?? '')
        ? ['--uds-path', udsPath ?? '']
        : ['--http-addr', `${http.host ?? ''}:${http.port}`]
    return starting(option, place, () => Promise.reject(error))
  }
}
