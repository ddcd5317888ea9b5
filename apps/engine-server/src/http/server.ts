import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log, Span, Tracing } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { HOPS_HEADER, refuseHops } from '../capabilities/hops.ts'
import type { Reception } from '../services/services.ts'
import type { HttpRequests } from '../telemetry/metrics.ts'
import {
  type BodyLimits,
  type Deadline,
  type HttpOptions,
  type HttpServer,
  knownMethod,
  requestSpan,
  routed,
  serveHttp,
  type ServingState,
  writeAnswer,
} from '@engine/http-server'
import { failure, type ResponseError } from './error-mapping.ts'
import { EXECUTE_PATH, executedName, handleExecute } from './execute-handler.ts'
import { type RequesterOf, requesterOf as requesterOfConnection } from './http-requester.ts'
import { createRoutes, type Fallback } from './router.ts'

/** Headers that say who asks, beside `host`. */
const IDENTITY = ['authorization', 'x-api-key', 'x-tenant-id'] as const

export interface EngineHttpOptions extends Omit<HttpOptions, 'identity' | 'examplePath' | 'adopts'>, BodyLimits {
  /** See `ServingState`. */
  readonly peerCloses?: boolean
  /** Default: the sender is the other end of the connection. */
  readonly requesterOf?: RequesterOf
}

export interface EngineHttpParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly log: Log
  readonly tracing: Tracing | undefined
  readonly requests: HttpRequests
  /** Answers what this process cannot; undefined: it can answer everything. */
  readonly fallback?: Fallback | undefined
}

/** Everything of the engine over HTTP. */
export async function createHttpServer(options: EngineHttpOptions, parts: EngineHttpParts): Promise<HttpServer> {
  const { reception, admission, log, tracing, requests, fallback } = parts
  const { maxBytes, unread, requesterOf = requesterOfConnection } = options
  const state: ServingState = { draining: false, peerCloses: options.peerCloses === true }
  const defect = (error: ResponseError, request: IncomingMessage) =>
    log.error({ err: error.cause, method: request.method, url: request.url }, 'internal error: a request failed')
  /** Of requests that the router has: only there may something stream. */
  const inRouter = new WeakMap<ServerResponse, RouterRequest>()
  requests.offered('POST', EXECUTE_PATH)
  const routes = await createRoutes({
    reception,
    admission,
    requesterOf,
    maxBytes,
    unread,
    state,
    fallback,
    span: (response) => inRouter.get(response)?.span,
    progress: (response) => inRouter.get(response)?.deadline.renew(),
    offered: ({ method, path }) => requests.offered(method, path),
    found(response, { method, path }) {
      const request = inRouter.get(response)
      if (request === undefined) return
      request.route = path
      if (request.span !== undefined) routed(request.span, method, path)
    },
    defect,
  })
  const execution = { admission, requesterOf, maxBytes, unread, state, defect }
  return serveHttp(
    { ...options, identity: IDENTITY, examplePath: '/api/v1/rulesets', adopts: fallback !== undefined },
    {
      state,
      log,
      failure,
      answer(request, response, deadline) {
        const refusal = refuseHops(request.headers[HOPS_HEADER])
        if (refusal !== undefined) return writeAnswer(response, failure(refusal), state)
        const name = executedName(request)
        const span = tracing === undefined ? undefined : requestSpan(tracing, request, response)
        if (name !== undefined) {
          if (span !== undefined) routed(span, 'POST', EXECUTE_PATH, { 'engine.ruleset': name })
          return handleExecute(execution, name, request, response, span)
        }
        if (fallback?.knows(request) === true) return fallback.answer(request, response, state)
        inRouter.set(response, { deadline, span, route: undefined })
        routes.routing(request, response)
      },
      closed(request, response) {
        const name = executedName(request)
        const route = name === undefined ? inRouter.get(response)?.route : EXECUTE_PATH
        // The process that answers in our place counts it.
        if (route === undefined && fallback !== undefined) return
        requests.ended(knownMethod(request.method ?? ''), route, response.headersSent ? response.statusCode : undefined)
      },
    },
  )
}

/** A request that the router has. */
interface RouterRequest {
  readonly deadline: Deadline
  readonly span: Span | undefined
  /** Undefined: none was found yet. */
  route: string | undefined
}
