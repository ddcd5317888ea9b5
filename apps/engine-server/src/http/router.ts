import {
  addRoute,
  type Answer,
  type BodyLimits,
  createRouter,
  encodeAnswer,
  type HttpError,
  isGone,
  noRoute,
  type RoutedRequest,
  type Router,
  type ServingState,
  writeAnswer,
  writeFailure,
} from '@engine/http-server'
import { FILE_KINDS, fileSchema, SCHEMAS_PATH } from '@engine/api'
import { isDocumentation, queryOf, registerDocumentation } from '@engine/http-api'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { REQUEST_ID_HEADER, type Requester } from '../requester.ts'
import type { Reception, ServerServices, Services } from '../services/services.ts'
import type { Span } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { type AccessHeaders, tenantOf } from '../access/tokens.ts'
import { EngineError, quoted } from '../errors.ts'
import { asResponseError, failure, type ResponseError } from './error-mapping.ts'
import { TRACE_VALUES } from '../access/trace-values.ts'
import type { RequesterOf } from './http-requester.ts'
import { withSuggestedName } from '../access/name-suggestion.ts'
import { type Described, openApiOf } from './openapi.ts'
import { type Route, routesOf } from './routes.ts'
import { refuseRequestId } from './standard-request-id.ts'

/** Answers the requests that a process with only a replica of the rulesets cannot answer. */
export interface Fallback {
  /** True if the fallback answers a route; this process then omits it. */
  has(route: Route): boolean
  /**
   * True if a request is immediately recognizable as one for the fallback. Requests that match no route of this process
   * go there as well.
   */
  knows(request: IncomingMessage): boolean
  answer(request: IncomingMessage, response: ServerResponse, state: ServingState): void
}

/** A server-wide route must not access rulesets. */
const NO_SERVICES = new Proxy({} as Services, {
  get: (_target, name) => {
    throw new TypeError(`a server-wide route accessed ${String(name)}`)
  },
})

/** JSON Schemas of rule files and their companion files. */
const SCHEMAS = FILE_KINDS.map((kind) => [`${SCHEMAS_PATH}/${kind}.json`, () => fileSchema(kind)] as const)

/** The dependencies of the routes. */
export interface RouterParts extends BodyLimits {
  readonly reception: Reception
  readonly admission: Admission
  readonly requesterOf: RequesterOf
  readonly state: ServingState
  readonly fallback: Fallback | undefined
  readonly described: Described
  /** Undefined if requests are not traced. */
  readonly span: (response: ServerResponse) => Span | undefined
  /** Called for each route that is offered. */
  readonly offered: (route: Route) => void
  /** Called when the route of a request is found. */
  readonly found: (response: ServerResponse, route: Route) => void
  /** Called when the response makes progress: its timer restarts. */
  readonly progress: (response: ServerResponse) => void
  /** Called for every failure of the server itself. */
  readonly defect: (error: ResponseError, request: IncomingMessage) => void
}

/** Every route except the plain form of execute (docs/decisions/0002), and the responses to unknown routes. */
export async function createRoutes({
  reception,
  admission,
  requesterOf,
  maxBytes,
  unread,
  state,
  fallback,
  described,
  span,
  offered,
  found,
  progress,
  defect,
}: RouterParts): Promise<Router> {
  const refuse = (thrown: unknown, request: IncomingMessage, response: ServerResponse) => {
    if (isGone(response, thrown)) return
    const error = asResponseError(thrown)
    if (error.code === 'defect' || error.code === 'storage-failed') defect(error, request)
    writeFailure(response, failure(error, request), state)
  }
  const { metrics, tenants, debugMode, standards, receipts } = reception.server
  const all = routesOf({
    hasTenants: tenants !== undefined,
    hasMetrics: metrics !== undefined,
    debugMode,
    hasAuthzen: standards().authzen !== undefined,
    hasFlags: standards().flags !== undefined,
    hasReceipts: receipts !== undefined,
  })
  const routes = all.filter((route) => fallback?.has(route) !== true)
  const unknown = (request: IncomingMessage, response: ServerResponse) => {
    if (fallback !== undefined) fallback.answer(request, response, state)
    else refuse(notFound(request, routes), request, response)
  }
  const app = createRouter({ refuse, unknown })
  if (fallback === undefined)
    registerDocumentation(
      app,
      { describe: () => openApiOf(routes, described), schemas: SCHEMAS, title: 'engine', isHome: true },
      { refuse, unknown },
    )
  for (const route of routes) {
    offered(route)
    const answer = async (request: RoutedRequest, response: ServerResponse) => {
      const { raw } = request
      found(response, route)
      const params = request.params as Record<string, string>
      const entered = admission.enter(headersOf(raw, route.isServerWide ? undefined : params['tenant']), route)
      const by = requesterOf(raw, entered.token)
      if (route.writes) response.setHeader(REQUEST_ID_HEADER, by.requestId)
      let services: Services | undefined
      try {
        if (route.standard === 'authzen') refuseRequestId(raw)
        if (entered.refusal !== undefined) throw entered.refusal
        if (!route.isServerWide) {
          refuseOtherTenant(raw, params['tenant'])
          services = admission.servicesFor(entered)
        }
        const answered: Answer | undefined = await route.handle({
          server: reception.server,
          services: services ?? NO_SERVICES,
          tenant: entered.tenant,
          params,
          query: queryOf(raw.url ?? '', route.query),
          raw,
          response,
          maxBytes,
          by,
          valuesRefusal: () => admission.enter(headersOf(raw, params['tenant']), TRACE_VALUES).refusal,
          isAdmin: () => admission.enter(raw.headers, ADMIN).refusal === undefined,
          isTrusted: () => admission.enter(raw.headers, TRUSTED).refusal === undefined,
          unread,
          span: span(response),
          progress: () => progress(response),
        })
        if (answered !== undefined)
          encodeAnswer(answered, raw.headers, (encoded) => writeAnswer(response, encoded, state))
      } catch (error) {
        if (route.writes) reportRefused(reception.server, raw, asResponseError(error), entered.tenant, by)
        const headers = headersOf(raw, params['tenant'])
        refuse(withSuggestedName(error, params['name'], { admission, headers, services }), raw, response)
      }
    }
    addRoute(app, route, (request, response) => void answer(request, response))
  }
  await app.ready()
  return app
}

/** The headers that identify the caller. A tenant in the path replaces the one in the header. */
function headersOf({ headers }: IncomingMessage, tenant: string | undefined): AccessHeaders {
  return tenant === undefined ? headers : { ...headers, 'x-tenant-id': tenant }
}

/** Throws `EngineError` if path and header name different tenants. */
function refuseOtherTenant({ headers }: IncomingMessage, tenant: string | undefined): void {
  const named = tenantOf({ 'x-tenant-id': headers['x-tenant-id'] })
  if (tenant === undefined || named === undefined || named === tenant) return
  throw new EngineError(
    'invalid-request',
    `the path names the tenant ${quoted(tenant)}, \`x-tenant-id\` the tenant ${quoted(named)}: leave the header out`,
  )
}

/** The permission required to see all server details. */
const ADMIN = { scope: 'admin' } as const
const TRUSTED = { scope: 'read', isServerWide: true } as const

/** Rejections of a change because of missing permission rather than its content; signatures have their own event. */
const REFUSED: ReadonlySet<ResponseError['code']> = new Set(['unauthorized', 'forbidden', 'conflict', 'read-only'])

function reportRefused(
  { changeRefused }: ServerServices,
  { method = '', url = '' }: IncomingMessage,
  error: ResponseError,
  tenant: string | undefined,
  by: Requester,
): void {
  if (!REFUSED.has(error.code)) return
  const { status } = failure(error)
  changeRefused({ method, path: url, status, reason: error.message, tenant }, by)
}

function notFound(request: IncomingMessage, routes: readonly Route[]): HttpError {
  const [path = ''] = (request.url ?? '').split('?')
  const others = isDocumentation(path, { schemas: SCHEMAS }) ? ['GET'] : []
  return noRoute(request, routes, '/docs describes the interface', others)
}
