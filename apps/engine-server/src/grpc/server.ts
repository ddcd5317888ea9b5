import { proto } from '@engine/api'
import { logVerbosity, Server, ServerCredentials, setLogVerbosity } from '@grpc/grpc-js'
import { HealthImplementation } from 'grpc-health-check'
import { type AddressInfo, createServer } from 'node:net'
import type { Duplex } from 'node:stream'
import type { EngineError } from '../errors.ts'
import type { Admission } from '../access/admission.ts'
import type { Reception } from '../services/services.ts'
import {
  createOpenConnections,
  limitConnections,
  listening,
  type TlsFiles,
  type UnreadBodies,
} from '@engine/http-server'
import type { Log, Tracing } from '@engine/process'
import { engineService } from './methods.ts'
import { reflectionService } from './reflection.ts'
import { limitUnreadMessages } from './unread-messages.ts'
import { serviceDefinition } from './service-definition.ts'

/** Calls that one connection may have under way. */
const MOST_STREAMS = 100
/** Bytes of a message beside its JSON: names and lengths. */
const FRAMING = 4096

export interface GrpcOptions {
  /** Undefined: no TCP. */
  readonly tcp: { readonly host: string | undefined; readonly port: number } | undefined
  readonly tls: TlsFiles | undefined
  /** The memory for messages that are arriving. */
  readonly unread: UnreadBodies
  readonly maxConnections: number
  /** Of one message, as of a request body over HTTP. */
  readonly maxBytes: number
  readonly requestTimeoutMs: number
}

export interface GrpcParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly log: Log
  readonly tracing: Tracing | undefined
}

export interface GrpcServer {
  /** Begins to accept; the port that was really taken. Rejects with the system's error. */
  listen(): Promise<{ readonly port: number | undefined }>
  /** Serves a connection accepted elsewhere, at the port or at the Unix domain socket, which has no TLS. */
  take(connection: Duplex, place: 'tcp' | 'socket'): void
  /** New connections to the port are secured by these files; nothing where there is no TLS. */
  replaceTls(tls: TlsFiles): void
  /** New calls are refused; resolves when those under way are done. */
  drain(): Promise<void>
  /** Ends what is still under way. */
  close(): void
}

/** Everything over gRPC: the service of specification 4.2, the standard health service, and reflection. */
export function createGrpcServer(options: GrpcOptions, parts: GrpcParts): GrpcServer {
  const { reception, admission, log, tracing } = parts
  // Its messages on standard error duplicate our log, or are of no use to an operator.
  setLogVerbosity(logVerbosity.NONE)
  const { maxBytes, requestTimeoutMs } = options
  const server = new Server({
    'grpc.max_receive_message_length': maxBytes + FRAMING,
    'grpc.max_send_message_length': -1,
    'grpc.max_concurrent_streams': MOST_STREAMS,
  })
  const defect = (error: EngineError, method: string) =>
    log.error({ err: error.cause, method }, 'internal error: a call failed')
  const callParts = { reception, admission, tracing, requestTimeoutMs, defect }
  server.addService(serviceDefinition(proto.EngineService), engineService(callParts))
  const names = ['', proto.EngineService.typeName]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'SERVING'])))
  health.addToServer(server)
  reflectionService().addToServer(server)
  const taken = createOpenConnections()
  const plain = server.createConnectionInjector(ServerCredentials.createInsecure())
  let secured = options.tls === undefined ? plain : server.createConnectionInjector(credentialsOf(options.tls))
  const take = (connection: Duplex, place: 'tcp' | 'socket') => {
    taken.add(connection)
    const injector = place === 'tcp' ? secured : plain
    injector.injectConnection(connection)
  }
  // It does not listen itself: it could not change its certificate, nor limit its connections.
  const listener = createServer({ noDelay: true }, (connection) => take(connection, 'tcp'))
  limitConnections(listener, options.maxConnections, log)
  const endLimit = limitUnreadMessages(options.unread, requestTimeoutMs)

  return {
    async listen() {
      if (options.tcp === undefined) return { port: undefined }
      await listening(listener, options.tcp)
      return { port: (listener.address() as AddressInfo).port }
    },
    take,
    replaceTls(tls) {
      if (secured !== plain) secured = server.createConnectionInjector(credentialsOf(tls))
    },
    async drain() {
      listener.close()
      for (const name of names) health.setStatus(name, 'NOT_SERVING')
      await new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve())
      })
      // It does not wait for calls over connections that it did not accept itself.
      await taken.gone()
    },
    close() {
      server.forceShutdown()
      endLimit()
    },
  }
}

function credentialsOf({ cert, key }: TlsFiles): ServerCredentials {
  return ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }])
}
