import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { asEngineError, EngineError, type EngineErrorCode, quoted } from '../errors.ts'
import { REQUEST_ID_HEADER, type Requester } from '../requester.ts'
import type { Reception, ServerServices, Services } from '../services/services.ts'
import type { Span } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { type Answer, failure, type ServingState, writeAnswer } from './response.ts'
import type { BodyLimits } from './arriving-bytes.ts'
import { OPENAPI_PATH, registerDocumentation, schemaOf } from './documentation.ts'
import type { RequesterOf } from './http-requester.ts'
import { DEBUG_ROUTES, METRICS_ROUTE, type Route, ROUTES, TENANT_ROUTES } from './routes.ts'

/** Answers the requests that a process with nothing but a replica of the rulesets cannot. */
export interface Fallback {
  /** Whether a route is answered there; then it is not one of ours. */
  has(route: Route): boolean
  /** Whether a request is for there at the first look. What no route of ours fits is for there as well. */
  knows(request: IncomingMessage): boolean
  answer(request: IncomingMessage, response: ServerResponse, state: ServingState): void
}

/** The routes that this configuration has. */
function routesOf({ metrics, tenants, debugMode }: ServerServices): readonly Route[] {
  return [
    ...ROUTES,
    ...(tenants === undefined ? [] : TENANT_ROUTES),
    ...(metrics === undefined ? [] : [METRICS_ROUTE]),
    ...(debugMode ? DEBUG_ROUTES : []),
  ]
}

/** A route that asks the server as a whole has no business with rulesets. */
const NO_SERVICES = new Proxy({} as Services, {
  get: (_target, name) => {
    throw new TypeError(`a route of the whole server asked for ${String(name)}`)
  },
})

/** The dependencies of the routes. */
export interface RouterParts extends BodyLimits {
  readonly reception: Reception
  readonly admission: Admission
  readonly requesterOf: RequesterOf
  readonly state: ServingState
  readonly fallback: Fallback | undefined
  /** Where requests are traced. */
  readonly span: (response: ServerResponse) => Span | undefined
  /** The response made progress: its timer restarts. */
  readonly progress: (response: ServerResponse) => void
  /** Told of every failure that is the server's own. */
  readonly defect: (error: EngineError, request: IncomingMessage) => void
}

/** Every route except the plain form of execute (docs/decisions/0002), and the answers to what is no route. */
export async function createRouter({
  reception,
  admission,
  requesterOf,
  maxBytes,
  unread,
  state,
  fallback,
  span,
  progress,
  defect,
}: RouterParts): Promise<FastifyInstance> {
  const refuse = (thrown: unknown, request: IncomingMessage, response: ServerResponse) => {
    // A sender that disconnected in the middle gets no answer, and is no error of the server.
    if (response.destroyed && (thrown as NodeJS.ErrnoException).code === 'ECONNRESET') return
    const error = asEngineError(thrown)
    if (error.code === 'defect' || error.code === 'storage-failed') defect(error, request)
    // A stream that has begun can only be reset.
    if (response.headersSent) response.destroy()
    else writeAnswer(response, failure(error), state)
  }
  const routes = routesOf(reception.server).filter((route) => fallback?.has(route) !== true)
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
  // Requests are answered before fastify looks at their bodies: what is wrong with one, and with its content type, is said by
  // the routes, after access was granted and with better messages.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    reply.hijack()
    if (fallback !== undefined) fallback.answer(request.raw, reply.raw, state)
    else refuse(notFound(request.raw, routes), request.raw, reply.raw)
  })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  if (fallback === undefined) await registerDocumentation(app, admission.hasTokens)
  for (const route of routes) {
    const answerRequest = async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack()
      const { raw } = request
      const response = reply.raw
      const entered = admission.enter(raw.headers, route)
      const by = requesterOf(raw, entered.token)
      if (route.writes) response.setHeader(REQUEST_ID_HEADER, by.requestId)
      try {
        if (entered.refusal !== undefined) throw entered.refusal
        const answer: Answer | undefined = await route.handle({
          server: reception.server,
          services: route.isServerWide ? NO_SERVICES : admission.servicesFor(entered),
          params: request.params as Record<string, string>,
          query: new URLSearchParams(raw.url?.split('?')[1] ?? ''),
          raw,
          response,
          maxBytes,
          by,
          isTrusted: () => admission.enter(raw.headers, TRUSTED).refusal === undefined,
          unread,
          span: span(response),
          progress: () => progress(response),
        })
        if (answer !== undefined) writeAnswer(response, answer, state)
      } catch (error) {
        if (route.writes) reportRefused(reception.server, raw, asEngineError(error), entered.tenant, by)
        refuse(error, raw, response)
      }
    }
    app.route({
      method: route.method,
      url: route.path,
      schema: schemaOf(route, reception.server.tenants !== undefined),
      // Without `done`: nothing follows.
      onRequest: (request, reply, _done) => void answerRequest(request, reply),
      handler: unreachable,
    })
  }
  app.setErrorHandler((error, request, reply) => {
    reply.hijack()
    refuse(error, request.raw, reply.raw)
  })
  await app.ready()
  return app
}

/** What a request must be allowed to be told everything about the server. */
const TRUSTED = { scope: 'read', isServerWide: true } as const

/** Refusals of a change by what it may not do, and not by what is wrong with it; a signature has an event of its own. */
const REFUSED: ReadonlySet<EngineErrorCode> = new Set(['unauthorized', 'forbidden', 'conflict', 'read-only'])

function reportRefused(
  { changeRefused }: ServerServices,
  { method = '', url = '' }: IncomingMessage,
  error: EngineError,
  tenant: string | undefined,
  by: Requester,
): void {
  if (!REFUSED.has(error.code)) return
  const { status } = failure(error)
  changeRefused({ method, path: url, status, reason: error.message, tenant }, by)
}

function unreachable(): never {
  throw new TypeError('the request was to be answered before')
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

/** The pattern of a route's paths. */
export function patternOf({ path }: Route): RegExp {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  patterns.set(path, pattern)
  return pattern
}
