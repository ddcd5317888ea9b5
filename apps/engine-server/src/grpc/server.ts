import { proto } from '@engine/api'
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import type { Duplex } from 'node:stream'
import type { EngineError } from '../errors.ts'
import type { Admit } from '../access.ts'
import type { Reception } from '../services/services.ts'
import type { Log } from '../telemetry/log.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { engineService } from './methods.ts'
import { createOpenConnections } from '../open-connections.ts'
import { reflectionService } from './reflection.ts'
import { serviceDefinition } from './service-definition.ts'

/** Calls that one connection may have under way. */
const MOST_STREAMS = 100
/** Bytes of a message beside its JSON: names and lengths. */
const FRAMING = 4096

export interface GrpcOptions {
  /** Undefined: no TCP. */
  readonly tcp: { readonly host: string | undefined; readonly port: number } | undefined
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  /** Of one message, as of a request body over HTTP. */
  readonly maxBytes: number
  readonly requestTimeoutMs: number
  /** Undefined: nobody is asked for a token. */
  readonly admit: Admit | undefined
}

export interface GrpcParts {
  readonly reception: Reception
  readonly log: Log
  readonly tracing: Tracing | undefined
}

export interface GrpcServer {
  /** Begins to accept; the port that was really taken. Rejects with the system's error. */
  listen(): Promise<{ readonly port: number | undefined }>
  /** Takes a connection that somebody else has accepted, at the port or at the Unix domain socket, which has no TLS. */
  take(connection: Duplex, place: 'tcp' | 'socket'): void
  /** New calls are refused; resolves when those under way are done. */
  drain(): Promise<void>
  /** Ends what is still under way. */
  close(): void
}

/** Everything over gRPC: the service of specification 4.2, the standard health service, and reflection. */
export function createGrpcServer(options: GrpcOptions, parts: GrpcParts): GrpcServer {
  const { reception, log, tracing } = parts
  // What it would say on standard error is either told by us, or nobody's business.
  setLogVerbosity(logVerbosity.NONE)
  const { maxBytes, requestTimeoutMs, admit } = options
  const server = new Server({
    'grpc.max_receive_message_length': maxBytes + FRAMING,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': MOST_STREAMS,
  })
  const defect = (error: EngineError, method: string) =>
    log.error({ err: error.cause, method }, 'a call failed by a defect of the server')
  const callParts = { reception, admit, tracing, requestTimeoutMs, defect }
  server.addService(serviceDefinition(proto.EngineService), engineService(callParts))
  const names = ['', proto.EngineService.typeName]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])))
  health.addToServer(server)
  reflectionService().addToServer(server)
  const taken = createOpenConnections()
  const plain = server.createConnectionInjector(ServerCredentials.createInsecure())
  const secured = options.tls === undefined ? plain : server.createConnectionInjector(credentialsOf(options.tls))

  return {
    listen: async () => ({
      port: options.tcp === undefined ? undefined : await bound(server, options.tcp, options.tls),
    }),
    take(connection, place) {
      taken.add(connection)
      const injector = place === 'tcp' ? secured : plain
      injector.injectConnection(connection)
    },
    async drain() {
      for (const name of names) health.setStatus(name, 'NOT_SERVING')
      await new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve())
      })
      // It does not wait for calls over connections that it did not accept itself.
      await taken.gone()
    },
    close: () => server.forceShutdown(),
  }
}

function credentialsOf(tls: GrpcOptions['tls']): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure()
  return ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(tls.cert), private_key: Buffer.from(tls.key) }])
}

async function bound(
  server: Server,
  { host, port }: NonNullable<GrpcOptions['tcp']>,
  tls: GrpcOptions['tls'],
): Promise<number> {
  const credentials = credentialsOf(tls)
  const bind = (place: string) =>
    new Promise<number>((resolve, reject) => {
      server.bindAsync(`${place}:${port}`, credentials, (error, taken) =>
        error === null ? resolve(taken) : reject(error),
      )
    })
  if (host !== undefined) return bind(host.includes(':') ? `[${host}]` : host)
  try {
    return await bind('[::]')
  } catch (error) {
    // A machine without IPv6 has every interface of IPv4.
    if (error instanceof Error && /EAFNOSUPPORT|EADDRNOTAVAIL/.test(error.message)) return bind('0.0.0.0')
    throw error
  }
}
