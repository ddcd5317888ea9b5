import { quote } from '@engine/expression'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError, httpErrors } from './http-error.ts'

/** Responses to requests without a route, and to those whose route failed. */
export interface RouterParts {
  readonly refuse: (thrown: unknown, request: IncomingMessage, response: ServerResponse) => void
  /** Responds to requests without a matching route. */
  readonly unknown: (request: IncomingMessage, response: ServerResponse) => void
}

/** fastify's routes and plugins, and `routing(request, response)`, which dispatches a request. */
export type Router = FastifyInstance

/** A request with its path parameters. */
export type RoutedRequest = FastifyRequest

/**
 * fastify as a router without routes yet. Routes answer in `onRequest`, before fastify reads the body: they validate it
 * and its content type themselves, after checking access and with better messages.
 */
export function createRouter({ refuse, unknown }: RouterParts): Router {
  const app = fastify({
    routerOptions: {
      maxParamLength: 4096,
      onBadUrl: (_path, request, response) => refuse(httpErrors.badUrl(request.url), request, response),
    },
    frameworkErrors: (_error, request, reply) => {
      reply.hijack()
      refuse(httpErrors.badUrl(request.raw.url), request.raw, reply.raw)
    },
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // Node omits the body of responses to HEAD, so the GET response is correct.
    exposeHeadRoutes: true,
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    reply.hijack()
    unknown(request.raw, reply.raw)
  })
  app.setErrorHandler((error, request, reply) => {
    reply.hijack()
    refuse(error, request.raw, reply.raw)
  })
  return app
}

/** Replaces the validation and serialization libraries, which would be loaded without being used. */
function noSchema(): never {
  throw new Error('no route has a schema for fastify')
}

/** The method and path of a route. */
export interface RoutePath {
  readonly method: string
  /** Segments that begin with a colon are parameters. */
  readonly path: string
}

/** Adds a route; GET routes answer HEAD too. `answer` writes the whole response, possibly later. */
export function addRoute(
  app: Router,
  { method, path }: RoutePath,
  answer: (request: RoutedRequest, response: ServerResponse) => void,
): void {
  app.route({
    method,
    url: path,
    // `done` is not called: no further handler runs.
    onRequest: (request, reply, _done) => {
      reply.hijack()
      answer(request, reply.raw)
    },
    handler: unreachable,
  })
}

function unreachable(): never {
  throw new TypeError('the request should have been answered already')
}

/**
 * Why no route matches: 405 if its path exists for other methods, otherwise 404.
 *
 * @param advice appended to the message about an unknown path
 * @param others the methods that non-route handlers support at the path
 */
export function noRoute(
  { method = '', url = '' }: IncomingMessage,
  routes: readonly RoutePath[],
  advice: string,
  others: readonly string[] = [],
): HttpError {
  const [path = ''] = url.split('?')
  const depth = depthOf(path)
  const fitting = routes.filter((route) => depthOf(route.path) === depth && patternOf(route).test(path))
  const allowed = new Set([...fitting.map((route) => route.method), ...others].flatMap(withHead))
  if (allowed.size === 0 || allowed.has(method))
    return new HttpError('not-found', `there is no path ${quote(path)}; ${advice}`)
  const allow = [...allowed]
  return new HttpError('method-not-allowed', `${quote(path)} answers ${allow.join(', ')}, not ${quote(method)}`, {
    allow,
  })
}

/** A path of another depth is not matched against a pattern: most patterns would scan all of a long path. */
function depthOf(path: string): number {
  let depth = 0
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth++
  return depth
}

/** A resource that answers GET answers HEAD (RFC 9110 section 9.1). */
const withHead = (method: string) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const patterns = new Map<string, RegExp>()

/** A regular expression for a route's paths. */
export function patternOf({ path }: Pick<RoutePath, 'path'>): RegExp {
  const known = patterns.get(path)
  if (known !== undefined) return known
  const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
  patterns.set(path, pattern)
  return pattern
}
