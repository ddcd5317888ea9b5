import type { Socket } from 'node:net'
import type { Configuration } from '../config/config.ts'
import { Admission } from '../access/admission.ts'
import type { Credentials } from '../access/credentials.ts'
import type { GrpcServer } from '../grpc/server.ts'
import { createUnreadBodies, hostAndPort, type HttpServer, httpUrl, listenOrExplain } from '@engine/http-server'
import { createHttpServer, type EngineHttpOptions } from '../http/server.ts'
import type { Described } from '../http/openapi.ts'
import type { Fallback } from '../http/router.ts'
import { type EngineError, failures } from '../errors.ts'
import type { Audit } from '../audit/audit.ts'
import type { Reception, ServerServices } from '../services/services.ts'
import { type Log, openTracing, type ShutdownList, StartError, type Tracing } from '@engine/process'
import type { MetricsRegistry } from '../telemetry/metrics.ts'
import { VERSION } from '../version.ts'

type TcpAddress = { readonly host: string | undefined; readonly port: number }

/** Where a server listens; undefined: not there. */
export interface Addresses {
  readonly http: TcpAddress | undefined
  readonly grpc: TcpAddress | undefined
  /** The path of a Unix domain socket, which speaks both. */
  readonly socketPath: string | undefined
}

/** The health and version data reported by every process. */
export function servedBy(
  configuration: Configuration,
  { changeRefused }: Pick<Audit, 'changeRefused'>,
): Pick<ServerServices, 'debugMode' | 'writeRefusal' | 'changeRefused'> {
  return { debugMode: configuration.debugMode, writeRefusal: writeRefusalOf(configuration), changeRefused }
}

/** Without tokens anyone who reaches the engine could bypass the platform and its approvals. */
function takesOnlyPlatformWrites({ platformUrl, apiTokensFile, allowDirectWrites }: Configuration): boolean {
  return platformUrl !== undefined && apiTokensFile === undefined && !allowDirectWrites
}

function writeRefusalOf(configuration: Configuration): EngineError | undefined {
  const { role, writerAddr } = configuration
  if (takesOnlyPlatformWrites(configuration)) return failures.platformWrites()
  return role === 'reader' ? failures.readOnly(writerAddr) : undefined
}

/**
 * The parts of a configuration that affect the OpenAPI description.
 *
 * @internal
 */
export function describedBy(configuration: Configuration, { hasTokens }: Pick<Admission, 'hasTokens'>): Described {
  const { multiTenancyEnabled, signatureEnabled, role, brokerUrl, platformUrl, workers } = configuration
  return {
    hasTokens,
    hasTenants: multiTenancyEnabled,
    hasSignatures: signatureEnabled,
    isReader: role === 'reader',
    refusesWrites: takesOnlyPlatformWrites(configuration),
    hasBroker: brokerUrl !== undefined,
    hasPlatform: platformUrl !== undefined,
    hasWorkers: workers > 1,
  }
}

/** The addresses that the configuration names. */
export function addressesOf({ http, grpc, udsPath }: Configuration): Addresses {
  return { http, grpc, socketPath: udsPath }
}

/** The parts of a process's transports. */
export interface TransportParts {
  readonly configuration: Configuration
  readonly addresses: Addresses
  readonly credentials: Credentials
  readonly reception: Reception
  readonly log: Log
  readonly tracing: Tracing | undefined
  /** Answers what this process cannot; undefined: it can answer everything. */
  readonly fallback?: Fallback
  /** Set for the owner, which serves its workers over HTTP. */
  readonly behindWorkers?: Pick<EngineHttpOptions, 'peerCloses' | 'requesterOf'>
  readonly metrics: Pick<MetricsRegistry, 'grpcCalls' | 'httpRequests'>
  readonly shutdown: ShutdownList
}

/** The addresses of a server, as announced to its user. */
export interface Listening {
  readonly url: string | undefined
  readonly grpc: string | undefined
  readonly socket: string | undefined
}

/** HTTP and gRPC of one process. */
export interface Transports {
  /** Begin to accept. Rejects with a `StartError` when an address cannot be had. */
  listen(): Promise<Listening>
  /** In place of `listen`: serve a connection that another process has accepted. */
  take(connection: Socket, place: 'http' | 'grpc' | 'socket'): void
  /** Replaces the credentials in use. */
  follow(credentials: Credentials): void
}

/** Open HTTP and gRPC; nothing is accepted yet. At shutdown requests are answered first, then connections are closed. */
export async function openTransports(parts: TransportParts): Promise<Transports> {
  const { configuration, addresses, credentials, reception, log, tracing, fallback, shutdown } = parts
  const admission = new Admission(reception, credentials.tokens)
  const limits = limitsOf(configuration)
  const grpc = await grpcOf(parts, limits, admission)
  const http = await createHttpServer(
    {
      ...limits,
      tcp: addresses.http,
      tls: credentials.httpTls,
      socketPath: addresses.socketPath,
      takeHttp2: grpc === undefined ? undefined : (connection: Socket) => grpc.take(connection, 'socket'),
      accessLog: configuration.accessLog,
      // The workers in front of the owner send these headers.
      crossOrigins: parts.behindWorkers === undefined ? configuration.corsOrigin : [],
      // The owner's socket gets few executions; receipts are not measured here yet.
      fastLane: configuration.fastLane && parts.behindWorkers === undefined && configuration.receipts === 'off',
      ...parts.behindWorkers,
    },
    {
      reception,
      admission,
      log,
      tracing,
      requests: parts.metrics.httpRequests,
      described: describedBy(configuration, admission),
      fallback,
    },
  )
  shutdown.add('connections', 1, async () => {
    http.close()
    grpc?.close()
  })
  shutdown.add('requests', 0.8, async () => void (await Promise.all([http.drain(), grpc?.drain()])))
  return {
    listen: async () => listenAt(addresses, credentials, http, grpc),
    take(connection, place) {
      if (place === 'grpc') grpc?.take(connection, 'tcp')
      else http.take(connection, place === 'socket' ? 'socket' : 'tcp')
    },
    follow(now) {
      admission.replace(now.tokens)
      if (now.httpTls !== undefined) http.replaceTls(now.httpTls)
      if (now.grpcTls !== undefined) grpc?.replaceTls(now.grpcTls)
    },
  }
}

/** A listener at one address. */
type Listener = Pick<HttpServer, 'listen'>

/** Begin to accept at addresses. Rejects with a `StartError` that names the option of the one that cannot be had. */
export async function listenAt(
  addresses: Addresses,
  { httpTls }: Pick<Credentials, 'httpTls'>,
  http: Listener,
  grpc: Listener | undefined,
): Promise<Listening> {
  const { port } = await listenOrExplain(http, { tcp: addresses.http, socketPath: addresses.socketPath })
  const grpcPort = await grpcListening(grpc, addresses)
  const scheme = httpTls === undefined ? 'http' : 'https'
  return {
    url: port === undefined ? undefined : httpUrl(scheme, addresses.http?.host, port),
    grpc: grpcPort === undefined ? undefined : hostAndPort(addresses.grpc?.host, grpcPort),
    socket: addresses.socketPath,
  }
}

/** Undefined: requests are not traced. */
export function tracingOf(
  { traces, serviceName }: Configuration,
  instance: string,
  log: Log,
  shutdown: ShutdownList,
): Promise<Tracing | undefined> {
  const identity = { service: serviceName, program: 'engine-server', version: VERSION, instance }
  return openTracing({ traces, ...identity }, log, shutdown)
}

/** Limits that HTTP and gRPC have in common. The memory for unread bodies is that of all processes in equal parts. */
function limitsOf(configuration: Configuration) {
  const { maxRequestBodyBytes, maxUnreadBodyBytes, maxConnections, requestTimeoutSecs, workers } = configuration
  const processes = workers === 1 ? 1 : workers + 1
  return {
    maxBytes: maxRequestBodyBytes,
    unread: createUnreadBodies(Math.max(maxRequestBodyBytes, maxUnreadBodyBytes / processes)),
    requestTimeoutMs: requestTimeoutSecs * 1000,
    maxConnections,
  }
}

/** gRPC costs memory and time at start, so it is loaded only where it is spoken. */
async function grpcOf(
  { configuration, addresses, credentials, reception, log, tracing, behindWorkers, metrics }: TransportParts,
  limits: ReturnType<typeof limitsOf>,
  admission: Admission,
): Promise<GrpcServer | undefined> {
  if (behindWorkers !== undefined || (addresses.grpc === undefined && addresses.socketPath === undefined))
    return undefined
  const { createGrpcServer } = await import('../grpc/server.ts')
  return createGrpcServer(
    {
      ...limits,
      tcp: addresses.grpc,
      tls: credentials.grpcTls,
      maxAgeMs: (configuration.grpcMaxConnectionAgeSecs || Infinity) * 1000,
      originService: configuration.grpcOriginService,
      accessLog: configuration.accessLog,
    },
    { reception, admission, log, tracing, calls: metrics.grpcCalls },
  )
}

async function grpcListening(grpc: Listener | undefined, { grpc: place }: Addresses): Promise<number | undefined> {
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
