import { originProto, proto } from '@engine/api/proto'
import {
  type Call,
  createGrpcServer as createAdapter,
  createHealth,
  reflection,
  type StatusName,
} from '@engine/grpc-server'
import {
  acceptNothing,
  createListener,
  HttpError,
  httpErrors,
  limitConnections,
  listening,
  type MutualTls,
  replaceTls,
  roundToMicroseconds,
  type UnreadBodies,
} from '@engine/http-server'
import type { Log, Span, Tracing } from '@engine/process'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Admission } from '../access/admission.ts'
import { asEngineError, failures } from '../errors.ts'
import { givenRequestId, LazyRequester, REQUEST_ID_HEADER } from '../requester.ts'
import type { Reception } from '../services/services.ts'
import type { GrpcCalls } from '../telemetry/metrics.ts'
import { CallSpans } from './calls.ts'
import { grpcFailure } from './error-mapping.ts'
import { engineService } from './methods.ts'
import { originService } from './origin-methods.ts'

/**
 * Maximum number of concurrent calls on one connection. Node counts a stream for a turn or two longer than its client
 * does, and refuses further calls: hence many more than a client has open at a time.
 */
const MAX_STREAMS = 1000
/** Maximum size of the metadata of one call, the same as of the headers of an HTTP request. */
const MAX_METADATA_BYTES = 16 * 1024
/** Maximum size of a message in addition to its JSON: the prefix, names and lengths. */
const MAX_FRAMING_BYTES = 4096

export interface GrpcOptions {
  /** Undefined if there is no TCP port. */
  readonly tcp: { readonly host: string | undefined; readonly port: number } | undefined
  readonly tls: MutualTls | undefined
  /** The memory budget of messages that are arriving. */
  readonly unread: UnreadBodies
  readonly maxConnections: number
  /** Maximum size of one message, the same as of a request body over HTTP. */
  readonly maxBytes: number
  readonly requestTimeoutMs: number
  /** Maximum age of a connection in milliseconds, after which a client must reconnect; Infinity: unlimited. */
  readonly maxAgeMs: number
  /** True if the service of the specification's origin is offered too. */
  readonly originService: boolean
  /** True if calls are logged at level `info`. */
  readonly accessLog: boolean
}

export interface GrpcParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly log: Log
  readonly tracing: Tracing | undefined
  /** Counts calls. */
  readonly calls: GrpcCalls
}

export interface GrpcServer {
  /** Starts accepting; resolves to the actual port. Rejects with the system's error. */
  listen(): Promise<{ readonly port: number | undefined }>
  /** Serves a connection accepted elsewhere, on the port or on the Unix domain socket, which has no TLS. */
  take(connection: Duplex, place: 'tcp' | 'socket'): void
  /** Secures new connections to the port with these files; has no effect if TLS is not configured. */
  replaceTls(tls: MutualTls): void
  /** Refuses new calls; resolves when running ones have completed. */
  drain(): Promise<void>
  /** Ends running calls. */
  close(): void
}

/** Everything over gRPC: the service of specification 4.2, the standard health service, and reflection. */
export function createGrpcServer(options: GrpcOptions, parts: GrpcParts): GrpcServer {
  const { reception, admission, log, tracing, calls } = parts
  const { maxBytes, requestTimeoutMs, unread } = options
  const spans = new CallSpans(tracing)
  const callParts = { reception, admission, spans }
  const services = options.originService ? [proto.EngineService, originProto.OrdoService] : [proto.EngineService]
  const health = createHealth(services.map(({ typeName }) => typeName))
  const seconds = requestTimeoutMs / 1000
  const methods = [
    ...engineService(callParts),
    ...(options.originService ? originService(callParts) : []),
    ...health.methods,
    ...reflection(services.map(({ file }) => file)),
  ]
  for (const { name } of methods) calls.counter(name)
  const server = createAdapter({
    methods,
    maxBytes: maxBytes + MAX_FRAMING_BYTES,
    unread,
    maxStreams: MAX_STREAMS,
    maxMetadataBytes: MAX_METADATA_BYTES,
    limitMs: requestTimeoutMs,
    maxAgeMs: options.maxAgeMs,
    expired: (phase) =>
      grpcFailure(phase === 'arriving' ? httpErrors.lateRequest(seconds) : failures.notAnswered(seconds)),
    failureOf(thrown, method) {
      const error = thrown instanceof HttpError ? thrown : asEngineError(thrown)
      if (error.code === 'defect') log.error({ err: error.cause, method }, 'internal error: a call failed')
      else log.debug({ method, code: error.code, reason: error.message }, 'a call was refused')
      return grpcFailure(error)
    },
    observe(method, call) {
      const span = spans.begin(method, call)
      const begun = performance.now()
      const count = calls.counter(method)
      return (status, failure) => {
        const milliseconds = performance.now() - begun
        count(status, milliseconds / 1000)
        if (options.accessLog) log.info(callFields(method, call, { status, milliseconds, span }), 'call')
        if (span === undefined) return
        span.set({ 'rpc.response.status_code': status })
        span.end(SERVER_FAULTS.has(status) ? failure : undefined)
      }
    },
  })
  const listener = createListener('h2', options.tls, server.take)
  return {
    async listen() {
      if (options.tcp === undefined) return { port: undefined }
      limitConnections(listener, options.maxConnections, log)
      await listening(listener, options.tcp)
      return { port: (listener.address() as AddressInfo).port }
    },
    take(connection, place) {
      if (place === 'tcp') listener.emit('connection', connection)
      else server.take(connection)
    },
    replaceTls: (tls) => replaceTls(listener, tls),
    async drain() {
      const drained = server.drain()
      void acceptNothing(listener)
      health.drain()
      await drained
    },
    close: () => server.close(),
  }
}

/** The logged fields of a completed call. */
function callFields(
  method: string,
  { address, headers }: Call,
  { status, milliseconds, span }: { status: StatusName; milliseconds: number; span: Span | undefined },
): object {
  return {
    method,
    status,
    ms: roundToMicroseconds(milliseconds),
    ip: new LazyRequester(undefined, address, undefined).address,
    request_id: givenRequestId(headers[REQUEST_ID_HEADER]),
    trace_id: span?.traceId,
  }
}

/** Statuses that count as errors of the server by the semantic conventions of traces. */
const SERVER_FAULTS: ReadonlySet<StatusName> = new Set([
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
])
