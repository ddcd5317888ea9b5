import { type CapabilityProvider, decodeRuleset } from '@engine/ruleset'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { lt, valid } from 'semver'
import { openAudit, type Audit } from './audit.ts'
import { builtInCapabilities } from './capabilities/built-in.ts'
import type { Configuration } from './config.ts'
import { EngineError } from './errors.ts'
import { createHost } from './host.ts'
import type { GrpcOptions, GrpcParts, GrpcServer } from './grpc/server.ts'
import { admitByToken } from './http/access.ts'
import { createHttpServer, type HttpServer } from './http/server.ts'
import { seed } from './seed.ts'
import type { Engine } from './serve.ts'
import { createDebugService } from './services/debug.ts'
import { createEvaluationService } from './services/evaluation.ts'
import type { Events } from './services/events.ts'
import { createExecutionService } from './services/execution.ts'
import { createFilterService } from './services/filters.ts'
import { createHealthService } from './services/health.ts'
import { createPrograms } from './services/programs.ts'
import { createRulesetService } from './services/rulesets.ts'
import type { Services } from './services/services.ts'
import { createSignatureGate, type SignatureGate } from './signatures.ts'
import { readMinimumVersions, readTls, readTokens, readTrustedKeys } from './start-files.ts'
import { StartError, starting } from './start-error.ts'
import { hostAndPort, httpUrl } from './start-text.ts'
import { openDirectoryStore } from './store/directory.ts'
import { nodeDisk } from './store/disk.ts'
import type { Decode } from './store/load.ts'
import { createMemoryStore } from './store/memory.ts'
import type { Store } from './store/store.ts'
import type { Log } from './telemetry/log.ts'
import { createMetrics, type MetricsRegistry } from './telemetry/metrics.ts'
import { createTracing } from './telemetry/tracing.ts'
import { VERSION } from './version.ts'

/** The name of this instance: as it was given, or a random one. */
export function instanceIdOf({ instanceId }: Configuration): string {
  return instanceId ?? randomUUID()
}

/** Construct everything and connect it: the only place that does. Throws `StartError`. */
export async function compose(
  configuration: Configuration,
  instanceId: string,
  log: Log,
  ownCapabilities: readonly CapabilityProvider[] = [],
): Promise<Engine> {
  const { rulesDir, auditDir, seedDir, debugMode, metricsEnabled } = configuration
  const { httpTlsCert, httpTlsKey, grpcTlsCert, grpcTlsKey } = configuration
  const tls = await readTls('http', httpTlsCert, httpTlsKey)
  const grpcTls = await readTls('grpc', grpcTlsCert, grpcTlsKey)
  const tokens = await readTokens(configuration)
  const metrics = createMetrics({ version: VERSION, rulesets: () => store.size })
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
  const events = eventsOf(audit, metrics)
  const signatures = await signaturesOf(configuration, events, log)
  const faultsAtStart = startFaults(signatures)
  const store = await openStore(configuration, faultsAtStart, log)
  const capabilities = builtInCapabilities(configuration, { metrics, audit, own: ownCapabilities })
  const programs = createPrograms(store, {
    executionTimeoutMs: configuration.executionTimeoutMs,
    host: (rulesets) => createHost({ rulesets, capabilities, log, metrics }),
  })
  if (seedDir !== undefined) await seed(store, seedDir, faultsAtStart)
  const health = createHealthService({
    store,
    version: VERSION,
    instanceId,
    debugMode,
    audit: () => ({ enabled: auditDir !== undefined, sample_rate: audit.sampleRate.get(), dropped: audit.dropped }),
  })
  const services: Services = {
    rulesets: createRulesetService({ store, programs, signatures, events }),
    execution: createExecutionService(programs, events),
    evaluation: createEvaluationService(events, Date.now),
    filters: createFilterService(programs, Date.now),
    health,
    sampleRate: audit.sampleRate,
    metrics: metricsEnabled ? metrics : undefined,
    debug: debugMode
      ? createDebugService(programs, () => createHost({ rulesets: programs.resolver, capabilities, log, metrics }))
      : undefined,
  }
  const tracing = await tracingOf(configuration, instanceId, log)
  const limits = {
    maxBytes: configuration.maxRequestBodyBytes,
    requestTimeoutMs: configuration.requestTimeoutSecs * 1000,
    admit: tokens === undefined ? undefined : admitByToken(tokens),
  }
  const parts = { services, log, tracing }
  const grpc = await grpcOf(configuration, { ...limits, tcp: configuration.grpc, tls: grpcTls }, parts)
  const takeGrpc = grpc === undefined ? undefined : (connection: Socket) => grpc.take(connection)
  const http = await createHttpServer(
    { ...limits, tcp: configuration.http, tls, socketPath: configuration.udsPath, takeGrpc },
    parts,
  )
  return {
    async listen() {
      const { udsPath } = configuration
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
        rulesets: Array.from(store.list(), ({ name }) => name).sort(),
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
      {
        name: 'audit',
        share: 0.5,
        run: async () => {
          audit.serverStopped()
          await audit.close()
        },
      },
      { name: 'traces', share: 0.5, run: async (milliseconds) => tracing?.close(milliseconds) },
      { name: 'store', share: 1, run: () => store.close() },
      { name: 'outbound connections', share: 1, run: () => capabilities.close() },
    ],
  }
}

/** Why a file cannot be served, signatures first: what nobody vouches for is not looked at further. */
function startFaults(signatures: SignatureGate): Decode {
  return (document, text) => {
    try {
      signatures.admit(document, 'start')
    } catch (error) {
      if (error instanceof EngineError) return [error.message]
      throw error
    }
    return decodeRuleset(document, text === undefined ? {} : { text }).problems.map(({ path, message }) =>
      path === '' ? message : `\`${path}\` ${message}`,
    )
  }
}

async function signaturesOf(configuration: Configuration, events: Events, log: Log): Promise<SignatureGate> {
  const { signatureEnabled: enabled, signatureRequire: required } = configuration
  const trusted = await readTrustedKeys(configuration)
  if (enabled && trusted.size === 0)
    log.warn({}, 'no key is trusted, so every signed ruleset is rejected (--signature-trusted-keys)')
  if (!enabled && trusted.size > 0)
    log.warn({}, 'there are trusted keys, but signatures are not verified (--signature-enabled)')
  return createSignatureGate({
    enabled,
    required,
    allowUnsignedLocal: configuration.signatureAllowUnsignedLocal,
    trusted,
    minimumVersions: await readMinimumVersions(configuration),
    rejected: (rejection) => events.signatureRejected(rejection),
  })
}

async function openStore({ rulesDir, maxVersions }: Configuration, decode: Decode, log: Log): Promise<Store> {
  if (rulesDir === undefined) return createMemoryStore()
  return starting('--rules-dir', rulesDir, () =>
    openDirectoryStore({
      rulesDirectory: rulesDir,
      maxVersions,
      disk: nodeDisk,
      decode,
      log,
      now: Date.now,
    }),
  )
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

function eventsOf(audit: Audit, metrics: MetricsRegistry): Events {
  return {
    created: audit.created,
    updated: (rule) => {
      audit.updated(rule)
      if (valid(rule.from) !== null && valid(rule.to) !== null && lt(rule.to, rule.from)) metrics.versionWentBack()
    },
    deleted: (rule) => {
      audit.deleted(rule)
      metrics.forget(rule.name)
    },
    rolledBack: audit.rolledBack,
    signatureRejected: (rejection) => {
      audit.signatureRejected(rejection)
      metrics.signatureRejected(rejection.reason)
    },
    sampleRateChanged: audit.sampleRateChanged,
    executed: (execution) => {
      metrics.executed(execution.name, execution.seconds, execution.code)
      audit.executed(execution)
    },
    evaluated: (seconds, outcome) => metrics.evaluated(seconds, outcome),
  }
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
