import type { Configuration } from './config.ts'
import type { GrpcOptions, GrpcParts, GrpcServer } from './grpc/server.ts'
import { type BodyLimits, createUnreadBodies } from './http/arriving-bytes.ts'
import type { HttpServer } from './http/server.ts'
import { StartError, starting } from './start-error.ts'
import { hostAndPort } from './start-text.ts'
import type { Log } from './telemetry/log.ts'
import { createTracing, type Tracing } from './telemetry/tracing.ts'
import { VERSION } from './version.ts'

/** Undefined: requests are not traced. */
export async function tracingOf(
  { otlpEndpoint, serviceName }: Configuration,
  instance: string,
  log: Log,
): Promise<Tracing | undefined> {
  if (otlpEndpoint === undefined) return undefined
  return createTracing({
    endpoint: otlpEndpoint,
    service: serviceName,
    version: VERSION,
    instance,
    failed: (reason) => log.warn({ reason }, 'traces could not be delivered'),
  })
}

/** Limits that HTTP and gRPC have in common, of one of the processes of this server. */
export interface TransportLimits extends BodyLimits {
  readonly requestTimeoutMs: number
  readonly maxConnections: number
}

/** The limits of this process: the memory for unread bodies is that of all processes in equal parts. */
export function limitsOf(configuration: Configuration): TransportLimits {
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
export async function grpcOf(
  { udsPath }: Configuration,
  options: GrpcOptions,
  parts: GrpcParts,
): Promise<GrpcServer | undefined> {
  if (options.tcp === undefined && udsPath === undefined) return undefined
  const { createGrpcServer } = await import('./grpc/server.ts')
  return createGrpcServer(options, parts)
}

/** Begin to accept; the port that was really taken. Rejects with a `StartError`. */
export async function grpcListening(
  grpc: Pick<GrpcServer, 'listen'> | undefined,
  { grpc: place }: Configuration,
): Promise<number | undefined> {
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
export async function httpListening(
  server: Pick<HttpServer, 'listen'>,
  { http, udsPath }: Configuration,
): ReturnType<HttpServer['listen']> {
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
