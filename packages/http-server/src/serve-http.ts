import { type Log, starting } from '@engine/process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createNetServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createAdoptedConnections } from './adopted-connections.ts'
import { awaitBody } from './continuation.ts'
import { limitConnections } from './connection-limit.ts'
import { type Deadline, Deadlines } from './deadlines.ts'
import { type FastLane, openFastLane } from './fast-lane/fast-lane.ts'
import type { PlainService } from './fast-lane/plain-connection.ts'
import { httpErrors } from './http-error.ts'
import {
  acceptNothing,
  connectionsOf,
  createServers,
  headTimeoutOf,
  isTls,
  KEEP_ALIVE_MS,
  listening,
  type Places,
  replaceTls,
} from './listeners.ts'
import { shareWithHttp2 } from './protocol-detection.ts'
import {
  type Answered,
  messageCheck,
  type MessageRules,
  noTunnel,
  refuseConnection,
  refuseSocket,
  unmetExpectation,
} from './protocol-errors.ts'
import { type ServingState, writeAnswer } from './response.ts'
import type { TlsFiles } from './tls-files.ts'

/**
 * How long an idle connection may send one more request after the shutdown begins: its next request may be in transit,
 * and is then answered with `connection: close`. Closing the connection earlier would make that request fail.
 */
const IDLE_GRACE_MS = 250

export interface HttpOptions extends Places, MessageRules {
  readonly maxConnections: number
  readonly requestTimeoutMs: number
  /** Receives HTTP/2 connections to the Unix domain socket, such as gRPC; undefined if not supported. */
  readonly takeHttp2?: ((connection: Socket) => void) | undefined
  /** True if another process accepts the connections and passes them to `take`; this one does not listen. */
  readonly adopts?: boolean
}

export interface HttpParts<Subject, Operation = never> {
  /** `draining` is set when the shutdown begins. */
  readonly state: ServingState
  readonly log: Log
  /** Maps errors of HTTP itself by the server's table. */
  readonly failure: Answered
  /**
   * Answers a request with a valid head. The deadline applies to the whole response; streams renew it. The returned
   * subject is passed to `closed`.
   */
  readonly answer: (request: IncomingMessage, response: ServerResponse, deadline: Deadline) => Subject
  /**
   * Called when the response was sent, or its connection was closed, with the milliseconds since the head of the
   * request. The subject is undefined if the head was rejected.
   */
  readonly closed?: (
    request: IncomingMessage,
    response: ServerResponse,
    subject: Subject | undefined,
    milliseconds: number,
  ) => void
  /** Requests of plain connections that are answered without `node:http`; undefined if there are none. */
  readonly plain?: PlainService<Operation> | undefined
}

export interface HttpServer {
  /** Starts listening; returns the actual port. Rejects with the system's error. */
  listen(): Promise<{ readonly port: number | undefined }>
  /** Replaces `listen`: serves a connection accepted by another process at this address. */
  take(connection: Socket, place: 'tcp' | 'socket'): void
  /** Uses these files for new TCP connections; has no effect if TLS is not configured. */
  replaceTls(tls: TlsFiles): void
  /** Closes connections with every response and refuses new ones; resolves when all requests are answered. */
  drain(): Promise<void>
  /** Closes everything that is still open. */
  close(): void
}

/**
 * Starts listening. Rejects with a `StartError` that names the option of an unavailable address: `--http-addr` or
 * `--uds-path`.
 */
export async function listenOrExplain(
  server: Pick<HttpServer, 'listen'>,
  { tcp, socketPath }: Pick<Places, 'tcp' | 'socketPath'>,
): ReturnType<HttpServer['listen']> {
  return explainPlace({ tcp, socketPath }, () => server.listen())
}

/** Checks before a long start that the address is available. Rejects with a `StartError` that names its option. */
export async function refuseTakenAddress({ tcp }: Pick<Places, 'tcp'>): Promise<void> {
  if (tcp === undefined) return
  const probe = createNetServer()
  await explainPlace({ tcp, socketPath: undefined }, () => listening(probe, tcp))
  await new Promise((resolve) => probe.close(resolve))
}

async function explainPlace<T>(
  { tcp, socketPath }: Pick<Places, 'tcp' | 'socketPath'>,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (error) {
    // With two addresses, the system error identifies the unavailable one.
    const places = error instanceof Error ? Object.values(error) : []
    const [option, place] =
      tcp === undefined || places.includes(socketPath ?? '')
        ? ['--uds-path', socketPath ?? '']
        : ['--http-addr', `${tcp.host ?? ''}:${tcp.port}`]
    return starting(option, place, () => Promise.reject(error))
  }
}

/** Serves HTTP/1.1: TCP with or without TLS, and a Unix domain socket. Does not accept connections yet. */
export function serveHttp<Subject, Operation = never>(
  options: HttpOptions,
  { state, log, failure, answer, closed, plain }: HttpParts<Subject, Operation>,
): HttpServer {
  const { requestTimeoutMs } = options
  const deadlines = new Deadlines(requestTimeoutMs, (response) => {
    // The request timed out: respond, or reset a response that has already begun.
    if (response.headersSent) return void response.destroy()
    const seconds = requestTimeoutMs / 1000
    const error = response.req.complete ? httpErrors.timedOut(seconds) : httpErrors.lateRequest(seconds)
    writeAnswer(response, failure(error, response.req), state)
  })
  const refuseMessage = messageCheck(options)
  const servers = createServers(options, requestTimeoutMs, (request, response) => {
    const deadline = deadlines.begin(response)
    const begun = performance.now()
    let subject: Subject | undefined
    response.once('close', () => {
      deadline.end()
      closed?.(request, response, subject, performance.now() - begun)
      if (closesIdle) closeIdle()
    })
    const refusal = refuseMessage(request)
    if (refusal !== undefined) return writeAnswer(response, failure(refusal, request), state)
    subject = answer(request, response, deadline)
  })
  const lanes: FastLane[] = []
  let listens = false
  let closesIdle = false
  const taken = createAdoptedConnections(options.adopts === true ? servers.map(({ server }) => server) : [])
  // A response that began before the shutdown did not announce closing its connection.
  const closeIdle = () => {
    for (const { server } of servers) server.closeIdleConnections()
    for (const lane of lanes) lane.closeIdle()
  }
  for (const { server, address } of servers) {
    limitConnections(server, options.maxConnections, log)
    if (plain !== undefined && !isTls(server))
      lanes.push(
        openFastLane(server, plain, {
          keepAliveMs: KEEP_ALIVE_MS,
          firstByteMs: headTimeoutOf(requestTimeoutMs),
          requestTimeoutMs,
          isDraining: () => state.draining,
        }),
      )
    if ('path' in address && options.takeHttp2 !== undefined) shareWithHttp2(server, options.takeHttp2)
    server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket, failure))
    server.on('connect', (_request, socket) => refuseSocket(socket as Socket, failure(noTunnel())))
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      awaitBody(request, response)
      server.emit('request', request, response)
    })
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      writeAnswer(response, failure(unmetExpectation(request), request), state),
    )
  }

  return {
    async listen() {
      listens = true
      for (const { server, address } of servers) await listening(server, address)
      const bound = servers.find(({ address }) => 'port' in address)?.server.address() ?? undefined
      return { port: typeof bound === 'object' ? bound.port : undefined }
    },
    take(connection, place) {
      const found = servers.find(({ address }) => 'path' in address === (place === 'socket'))
      if (found === undefined) throw new TypeError(`nothing is served at the place ${place}`)
      taken.take(found.server, connection)
    },
    replaceTls(tls) {
      for (const { server } of servers) replaceTls(server, tls)
    },
    async drain() {
      state.draining = true
      const gone = listens ? servers.map(({ server }) => acceptNothing(server)) : [taken.gone()]
      const counts = listens ? await Promise.all(servers.map(({ server }) => connectionsOf(server))) : [taken.size]
      if (counts.some((count) => count > 0)) await delay(IDLE_GRACE_MS)
      closesIdle = true
      closeIdle()
      await Promise.all(gone)
      // Stops what remains of the servers: the timer for slow connections.
      for (const { server } of servers) server.close()
    },
    close() {
      deadlines.close()
      for (const { server } of servers) server.closeAllConnections()
      for (const lane of lanes) lane.close()
    },
  }
}
