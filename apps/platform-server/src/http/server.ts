import {
  accessFields,
  type Deadline,
  type EndedRequest,
  type HttpOptions,
  type HttpServer,
  knownMethod,
  requestSpan,
  routed,
  serveHttp,
  type ServingState,
  statusOf,
} from '@engine/http-server'
import type { Log, Span, Tracing } from '@engine/process'
import type { ServerResponse } from 'node:http'
import type { ResponseError } from '../errors.ts'
import type { HttpRequests } from '../telemetry/metrics.ts'
import { failure } from './error-mapping.ts'
import { type PlainOperation, plainRoutes } from './plain-routes.ts'
import type { ReceivedRequest } from './received-request.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'
import type { Route } from './route.ts'
import { createRoutes, type RouterParts } from './router.ts'

/** Headers that identify the caller, in addition to `host`: if there are two, a proxy might read the other one. */
const IDENTITY = ['authorization', 'x-api-key', 'x-connect-token', 'x-registration-secret'] as const

/** No page of another origin may show, frame or read the platform; the documentation has a separate policy. */
const PROTECTION = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** Makes browsers use only https. */
const TRANSPORT_SECURITY = { 'strict-transport-security': 'max-age=31536000' } as const

export interface PlatformHttpOptions
  extends
    Omit<HttpOptions, 'identity' | 'examplePath' | 'adopts' | 'takeHttp2'>,
    Pick<RouterParts, 'maxBytes' | 'arrivingBodies' | 'memory'> {
  /** Prefix of all paths, without a trailing slash. */
  readonly basePath: string
  /** True if the public address uses https. */
  readonly isSecure: boolean
  /** Requests are logged at level `info`; otherwise at `debug`. */
  readonly accessLog: boolean
}

export interface PlatformHttpParts extends Pick<
  RouterParts,
  'routes' | 'identification' | 'idempotency' | 'addressOf' | 'readLarge' | 'studio'
> {
  readonly log: Log
  readonly tracing: Tracing | undefined
  readonly requests: HttpRequests
}

/** A request in progress. */
interface Begun {
  readonly deadline: Deadline
  readonly span: Span | undefined
  /** Undefined until a route is found. */
  route: Route | undefined
}

/** The HTTP server of the platform. */
export async function createHttpServer(options: PlatformHttpOptions, parts: PlatformHttpParts): Promise<HttpServer> {
  const { routes, log, tracing, requests, addressOf } = parts
  const state: ServingState = { draining: false }
  const begun = new WeakMap<ServerResponse, Begun>()
  const failed = (error: ResponseError, request: ReceivedRequest) => {
    const { method, url } = request
    const fields = { err: error.cause, method, url, request_id: requestIdOf(request) }
    if (error.code === 'defect') log.error(fields, 'internal error: a request failed')
    else log.warn(fields, 'a dependency is unavailable')
  }
  const router = await createRoutes({
    ...parts,
    ...options,
    state,
    deadline: (response) => begun.get(response)?.deadline,
    found(response, route) {
      const request = begun.get(response)
      if (request === undefined) return
      request.route = route
      if (request.span !== undefined) routed(request.span, route.method, route.path)
    },
    failed,
  })
  for (const { method, path } of routes) requests.offered(method, path)
  const protection: Readonly<Record<string, string>> = {
    ...PROTECTION,
    ...(options.isSecure ? TRANSPORT_SECURITY : {}),
  }
  const headers = Object.entries(protection)
  /** Counts and logs a request. */
  const report = (request: ReceivedRequest, ended: EndedRequest, traceId: string | undefined) => {
    requests.ended(knownMethod(request.method ?? ''), ended.route, ended.status, ended.milliseconds / 1000)
    const fields = {
      ...accessFields(request, ended),
      ip: addressOf(request),
      request_id: requestIdOf(request),
      trace_id: traceId,
    }
    if (options.accessLog) log.info(fields, 'request')
    else log.debug(fields, 'request')
  }
  const plain =
    tracing === undefined
      ? plainRoutes({
          ...parts,
          ...options,
          headers: protection,
          failed,
          ended: (request, route, status, milliseconds) => report(request, { route, status, milliseconds }, undefined),
        })
      : undefined
  return serveHttp<void, PlainOperation>(
    { ...options, identity: IDENTITY, examplePath: '/api/v1/orgs' },
    {
      state,
      log,
      failure: (error, request) => failure(error, requestIdOf(request)),
      plain,
      answer(request, response, deadline) {
        const span = tracing === undefined ? undefined : requestSpan(tracing, request, response)
        begun.set(response, { deadline, span, route: undefined })
        response.setHeader(REQUEST_ID_HEADER, requestIdOf(request))
        for (const [name, value] of headers) response.setHeader(name, value)
        request.url = withoutBase(request.url ?? '', options.basePath)
        router.routing(request, response)
      },
      closed(request, response, _, milliseconds) {
        const { route, span } = begun.get(response) ?? {}
        report(request, { route: route?.path, status: statusOf(response), milliseconds }, span?.traceId)
      },
    },
  )
}

/** Probes know the process but not its path behind a proxy: they may omit the base path. */
const PROBES = /^\/(?:health|healthz\/live|healthz\/ready|metrics)(?:$|\?)/

/** The path without the base path; a path outside of it becomes an unknown one. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '') return url
  if (url.startsWith(basePath)) {
    const rest = url.slice(basePath.length)
    if (rest === '' || rest.startsWith('?')) return `/${rest}`
    if (rest.startsWith('/')) return rest
  }
  return PROBES.test(url) ? url : `/outside-of-base-path${url.startsWith('/') ? url : '/'}`
}
