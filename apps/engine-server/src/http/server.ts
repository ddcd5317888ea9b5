import type { IncomingMessage, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type EngineError, failures } from '../errors.ts'
import { HOPS_HEADER, refuseHops } from '../capabilities/hops.ts'
import type { Reception } from '../services/services.ts'
import {
  acceptNothing,
  connectionsOf,
  createAdoptedConnections,
  createServers,
  type Deadline,
  Deadlines,
  limitConnections,
  listening,
  type Places,
  replaceTls,
  shareWithHttp2,
  type TlsFiles,
} from '@engine/http-server'
import type { Log, Span, Tracing } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { failure, type ServingState, writeAnswer } from './response.ts'
import type { BodyLimits } from './arriving-bytes.ts'
import { executedName, handleExecute } from './execute-handler.ts'
import { type RequesterOf, requesterOf as requesterOfConnection } from './http-requester.ts'
import { noTunnel, refuseConnection, refuseMessage, refuseSocket, unmetExpectation } from './protocol-errors.ts'
import { createRouter, type Fallback } from './router.ts'

/**
 * Milliseconds in which a quiet connection may ask once more when the shutdown begins: its next request may be on the way, and is
 * then answered with `connection: close`. A connection that was closed under it would be a failed request.
 */
const LAST_WORD_MS = 250

export interface HttpOptions extends Places, BodyLimits {
  readonly maxConnections: number
  readonly requestTimeoutMs: number
  /** Takes connections to the Unix domain socket that speak gRPC; undefined: none do. */
  readonly takeGrpc: ((connection: Socket) => void) | undefined
  /** See `ServingState`. */
  readonly peerCloses?: boolean
  /** Default: the sender is the other end of the connection. */
  readonly requesterOf?: RequesterOf
}

export interface HttpParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly log: Log
  readonly tracing: Tracing | undefined
  /** Answers what this process cannot; undefined: it can answer everything. */
  readonly fallback?: Fallback | undefined
}

export interface HttpServer {
  /** Begins to accept; the port that was really taken. Rejects with the system's error. */
  listen(): Promise<{ readonly port: number | undefined }>
  /** In place of `listen`: serve a connection that another process has accepted at this place. */
  take(connection: Socket, place: 'tcp' | 'socket'): void
  /** New connections over TCP are secured by these files; nothing where there is no TLS. */
  replaceTls(tls: TlsFiles): void
  /** Every answer closes its connection from now on; new connections are refused; resolves when all is answered. */
  drain(): Promise<void>
  /** Closes what is still open. */
  close(): void
}

/** Everything over HTTP: TCP with or without TLS, and a Unix domain socket. */
export async function createHttpServer(options: HttpOptions, parts: HttpParts): Promise<HttpServer> {
  const { reception, admission, log, tracing, fallback } = parts
  const { maxBytes, unread, requestTimeoutMs, requesterOf = requesterOfConnection } = options
  const state: ServingState = { draining: false, peerCloses: options.peerCloses === true }
  const deadlines = new Deadlines(requestTimeoutMs, (response) => expire(response, requestTimeoutMs / 1000, state))
  const defect = (error: EngineError, request: IncomingMessage) =>
    log.error({ err: error.cause, method: request.method, url: request.url }, 'internal error: a request failed')
  /** Of requests that the router has: only there may something stream. */
  const routed = new WeakMap<ServerResponse, { readonly deadline: Deadline; readonly span: Span | undefined }>()
  const app = await createRouter({
    reception,
    admission,
    requesterOf,
    maxBytes,
    unread,
    state,
    fallback,
    span: (response) => routed.get(response)?.span,
    progress: (response) => routed.get(response)?.deadline.renew(),
    defect,
  })
  const execution = { admission, requesterOf, maxBytes, unread, state, defect }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const deadline = deadlines.begin(response)
    response.once('close', () => {
      deadline.end()
      if (closesIdle) closeIdle()
    })
    const refusal = refuseMessage(request) ?? refuseHops(request.headers[HOPS_HEADER])
    if (refusal !== undefined) return writeAnswer(response, failure(refusal), state)
    const name = executedName(request)
    const span = tracing === undefined ? undefined : traced(tracing, request, response, name)
    if (name !== undefined) return handleExecute(execution, name, request, response, span)
    if (fallback?.knows(request) === true) return fallback.answer(request, response, state)
    routed.set(response, { deadline, span })
    app.routing(request, response)
  }
  const servers = createServers(options, requestTimeoutMs, listener)
  let listens = false
  let closesIdle = false
  const taken = createAdoptedConnections(fallback === undefined ? [] : servers.map(({ server }) => server))
  // An answer that began before the shutdown did not say that its connection would be closed.
  const closeIdle = () => {
    for (const { server } of servers) server.closeIdleConnections()
  }
  for (const { server, address } of servers) {
    limitConnections(server, options.maxConnections, log)
    if ('path' in address && options.takeGrpc !== undefined) shareWithHttp2(server, options.takeGrpc)
    server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket))
    server.on('connect', (_request, socket) => refuseSocket(socket as Socket, noTunnel()))
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      writeAnswer(response, failure(unmetExpectation(request)), state),
    )
  }

  return {
    async listen() {
      listens = true
      for (const { server, address } of servers) await listening(server, address)
      const tcp = servers.find(({ address }) => 'port' in address)?.server.address() as AddressInfo | undefined
      return { port: tcp?.port }
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
      if (counts.some((count) => count > 0)) await delay(LAST_WORD_MS)
      closesIdle = true
      closeIdle()
      await Promise.all(gone)
      // The rest of the servers: the timer that looks for slow connections.
      for (const { server } of servers) server.close()
    },
    close() {
      deadlines.close()
      for (const { server } of servers) server.closeAllConnections()
    },
  }
}

/** The time of a request is over: it is answered, or reset when its response had begun. */
function expire(response: ServerResponse, seconds: number, state: ServingState): void {
  if (response.headersSent) return void response.destroy()
  const error = response.req.complete ? failures.timedOut(seconds) : failures.lateRequest(seconds)
  writeAnswer(response, failure(error), state)
}

/** A span around the whole request. */
function traced(tracing: Tracing, request: IncomingMessage, response: ServerResponse, name: string | undefined): Span {
  const path = request.url?.split('?')[0] ?? ''
  const attributes = {
    'http.request.method': request.method ?? '',
    'url.path': path,
    ...(name === undefined ? {} : { 'engine.ruleset': name }),
  }
  const span: Span = tracing.server(
    name === undefined ? `${request.method} ${path}` : `execute ${name}`,
    request.headers,
    attributes,
  )
  response.once('close', () => {
    span.set({ 'http.response.status_code': response.statusCode })
    span.end(response.statusCode >= 500 ? (STATUS_CODES[response.statusCode] ?? 'failed') : undefined)
  })
  return span
}
