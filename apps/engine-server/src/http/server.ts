import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { chmod, unlink } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { EngineError, failures, quoted } from '../errors.ts'
import type { Services } from '../services/services.ts'
import type { Log } from '../telemetry/log.ts'
import type { Span, Tracing } from '../telemetry/tracing.ts'
import type { Admit } from './access.ts'
import { type Answer, failure, SECURITY_HEADERS, type ServingState, writeAnswer } from './answer.ts'
import { Deadlines } from './deadlines.ts'
import { OPENAPI_PATH, registerDocumentation, schemaOf } from './documentation.ts'
import { asEngineError } from './error-mapping.ts'
import { executedName, handleExecute } from './execute-handler.ts'
import { DEBUG_ROUTES, METRICS_ROUTE, type Route, ROUTES } from './routes.ts'

export interface HttpOptions {
  /** Undefined: no TCP. */
  readonly tcp: { readonly host: string | undefined; readonly port: number } | undefined
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly socketPath: string | undefined
  readonly maxBytes: number
  readonly requestTimeoutMs: number
  /** Undefined: nobody is asked for a token. */
  readonly admit: Admit | undefined
}

export interface HttpParts {
  readonly services: Services
  readonly log: Log
  readonly tracing: Tracing | undefined
}

export interface HttpServer {
  /** Begins to accept; the port that was really taken. Rejects with the system's error. */
  listen(): Promise<{ readonly port: number | undefined }>
  /** Every answer closes its connection from now on; new connections are refused; resolves when all is answered. */
  drain(): Promise<void>
  /** Closes what is still open. */
  close(): void
}

/** The routes that this configuration has. */
export function routesOf(services: Services): readonly Route[] {
  return [
    ...ROUTES,
    ...(services.metrics === undefined ? [] : [METRICS_ROUTE]),
    ...(services.debug === undefined ? [] : DEBUG_ROUTES),
  ]
}

/** Everything over HTTP: TCP with or without TLS, and a Unix domain socket. */
export async function createHttpServer(options: HttpOptions, parts: HttpParts): Promise<HttpServer> {
  const { services, log, tracing } = parts
  const { admit, maxBytes, requestTimeoutMs } = options
  const state: ServingState = { draining: false }
  const deadlines = new Deadlines(requestTimeoutMs, (response) => expire(response, requestTimeoutMs / 1000, state))
  const defect = (error: EngineError, request: IncomingMessage) =>
    log.error(
      { err: error.cause, method: request.method, url: request.url },
      'a request failed by a defect of the server',
    )
  const app = await createRouter({ options, services, state, deadlines, defect })
  const execution = { execution: services.execution, admit, maxBytes, state, defect }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    deadlines.begin(response)
    response.once('close', () => {
      deadlines.end(response)
      if (state.draining) closeIdle()
    })
    const refusal = refuseMessage(request)
    if (refusal !== undefined) return writeAnswer(response, failure(refusal), state)
    const name = executedName(request)
    if (tracing !== undefined) traced(tracing, request, response, name)
    if (name === undefined) app.routing(request, response)
    else handleExecute(execution, name, request, response)
  }
  const servers = createServers(options, listener)
  // An answer that began before the shutdown did not say that its connection would be closed.
  const closeIdle = () => {
    for (const { server } of servers) server.closeIdleConnections()
  }
  for (const { server } of servers) {
    server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket))
    server.on('connect', (_request, socket) => refuseSocket(socket as Socket, noTunnel()))
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      writeAnswer(response, failure(unmetExpectation(request)), state),
    )
  }

  return {
    async listen() {
      for (const { server, address } of servers) await listening(server, address)
      const tcp = servers.find(({ address }) => 'port' in address)?.server.address() as AddressInfo | undefined
      return { port: tcp?.port }
    },
    async drain() {
      state.draining = true
      await Promise.all(servers.map(({ server }) => closed(server)))
    },
    close() {
      deadlines.close()
      for (const { server } of servers) server.closeAllConnections()
    },
  }
}

interface Router {
  readonly options: HttpOptions
  readonly services: Services
  readonly state: ServingState
  readonly deadlines: Deadlines
  readonly defect: (error: EngineError, request: IncomingMessage) => void
}

async function createRouter({ options, services, state, deadlines, defect }: Router): Promise<FastifyInstance> {
  const refuse = (thrown: unknown, request: IncomingMessage, response: ServerResponse) => {
    // A sender that went away is told nothing, and is no fault of ours.
    if (response.destroyed) return
    const error = asEngineError(thrown)
    if (error.code === 'defect' || error.code === 'storage-failed') defect(error, request)
    // A stream that has begun can only be broken off.
    if (response.headersSent) response.destroy()
    else writeAnswer(response, failure(error), state)
  }
  const app = fastify({
    routerOptions: {
      maxParamLength: 4096,
      onBadUrl: (_path, request, response) => refuse(badUrl(request.url), request, response),
    },
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      refuse(badUrl(request.raw.url), request.raw, reply.raw)
    },
    exposeHeadRoutes: false,
  })
  // Bodies are read by the routes, after access was granted; shapes are checked there, with better messages.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  await registerDocumentation(app, options.admit !== undefined)
  const routes = routesOf(services)
  for (const route of routes) {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      const { raw } = request
      const response = reply.raw
      try {
        const refusal = route.scope === undefined ? undefined : options.admit?.(raw.headers, route.scope)
        if (refusal !== undefined) throw refusal
        const answer: Answer | undefined = await route.handle({
          services,
          params: request.params as Record<string, string>,
          query: new URLSearchParams(raw.url?.split('?')[1] ?? ''),
          raw,
          response,
          maxBytes: options.maxBytes,
          progress: () => deadlines.begin(response),
        })
        if (answer !== undefined) writeAnswer(response, answer, state)
      } catch (error) {
        refuse(error, raw, response)
      }
    }
    app.route({ method: route.method, url: route.path, schema: schemaOf(route), handler })
  }
  app.setNotFoundHandler((request, reply) => {
    reply.hijack()
    refuse(notFound(request.raw, routes), request.raw, reply.raw)
  })
  app.setErrorHandler((error, request, reply) => {
    reply.hijack()
    refuse(error, request.raw, reply.raw)
  })
  await app.ready()
  return app
}

function badUrl(url: string | undefined): EngineError {
  return new EngineError(
    'invalid-request',
    `the path ${quoted(url ?? '')} is not a valid URL: check its percent signs and its length`,
  )
}

/** 405 when the path exists for another method, else 404. */
function notFound({ method = '', url = '' }: IncomingMessage, routes: readonly Route[]): EngineError {
  const [path = ''] = url.split('?')
  const allowed = [
    ...routes.filter((route) => patternOf(route).test(path)).map((route) => route.method),
    ...(path === OPENAPI_PATH || path.startsWith('/docs') ? ['GET'] : []),
  ]
  if (allowed.length === 0 || allowed.some((one) => one === method))
    return new EngineError('not-found', `there is no path ${quoted(path)}; /docs describes the interface`)
  return new EngineError(
    'method-not-allowed',
    `${quoted(path)} answers ${[...new Set(allowed)].join(', ')}, not ${quoted(method)}`,
    { allow: [...new Set(allowed)] },
  )
}

const patterns = new Map<string, RegExp>()

function patternOf({ path }: Route): RegExp {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  patterns.set(path, pattern)
  return pattern
}

type Address = { readonly host: string | undefined; readonly port: number } | { readonly path: string }

function createServers(
  { tcp, tls, socketPath, requestTimeoutMs }: HttpOptions,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): readonly { readonly server: Server; readonly address: Address }[] {
  // The time for the headers is limited by Node, the time for all the rest by the deadlines: Node would also end a stream
  // that makes progress.
  const settings: ServerOptions = {
    requestTimeout: 0,
    requireHostHeader: false,
    headersTimeout: Math.min(requestTimeoutMs, 20_000),
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: Math.min(5000, requestTimeoutMs),
  }
  const servers: { server: Server; address: Address }[] = []
  if (tcp !== undefined)
    servers.push({
      server:
        tls === undefined
          ? createServer(settings, listener)
          : createTlsServer({ ...settings, ...tls, minVersion: 'TLSv1.2' }, listener),
      address: tcp,
    })
  if (socketPath !== undefined)
    servers.push({ server: createServer(settings, listener), address: { path: socketPath } })
  return servers
}

async function listening(server: Server, address: Address): Promise<void> {
  if ('path' in address) await removeDeadSocket(address.path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(
      'path' in address
        ? { path: address.path }
        : { port: address.port, ...(address.host === undefined ? {} : { host: address.host }) },
      () => {
        server.off('error', reject)
        resolve()
      },
    )
  })
  if ('path' in address) await chmod(address.path, 0o660)
}

/** A socket that a killed server left: nobody answers there, so its place is free. */
async function removeDeadSocket(path: string): Promise<void> {
  const { connect } = await import('node:net')
  const isAnswered = await new Promise<boolean>((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'))
  })
  if (!isAnswered) await unlink(path)
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

/** What Node could not read as HTTP is answered in the shape of every other error, then the connection is closed. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  refuseSocket(socket, connectionFailure(error))
}

function refuseSocket(socket: Socket, error: EngineError): void {
  const { status, body = '' } = failure(error)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function connectionFailure(error: NodeJS.ErrnoException): EngineError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new EngineError('headers-too-large', 'the headers are larger than 16 KiB')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new EngineError('late-request', 'the headers of the request did not arrive in time')
    default:
      return new EngineError('invalid-request', 'this is not a valid HTTP/1.1 request')
  }
}

function noTunnel(): EngineError {
  return new EngineError('method-not-allowed', 'this is no proxy: there is nothing to connect to', { allow: [] })
}

function unmetExpectation({ headers }: IncomingMessage): EngineError {
  return new EngineError(
    'expectation-failed',
    `the expectation ${quoted(headers.expect ?? '')} cannot be met: only \`100-continue\` can`,
  )
}

/** What a proxy in front of us might read otherwise than we do is refused: who is meant must be said once, in `host`. */
function refuseMessage({ url = '', httpVersion, rawHeaders }: IncomingMessage): EngineError | undefined {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1 ? url.startsWith('/') || url === '*' : hosts === 0 && httpVersion === '1.0') return undefined
  return new EngineError(
    'invalid-request',
    hosts === 1
      ? `the target ${quoted(url)} must be a path such as \`/api/v1/rulesets\``
      : `the header \`host\` must be given once, found ${hosts === 0 ? 'none' : hosts}`,
  )
}

/** The time of a request is over: it is answered, or broken off when its answer had begun. */
function expire(response: ServerResponse, seconds: number, state: ServingState): void {
  if (response.headersSent) return void response.destroy()
  const error = response.req.complete ? failures.timedOut(seconds) : failures.lateRequest(seconds)
  writeAnswer(response, failure(error), state)
}

/** A span around the whole request. */
function traced(tracing: Tracing, request: IncomingMessage, response: ServerResponse, name: string | undefined): void {
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
}
