import type { ServerResponse } from 'node:http'
import type { Log, Span, Tracing } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { HOPS_HEADER, refuseHops } from '../capabilities/hops.ts'
import { givenRequestId, REQUEST_ID_HEADER } from '../requester.ts'
import type { Reception } from '../services/services.ts'
import type { HttpRequests } from '../telemetry/metrics.ts'
import {
  accessFields,
  allowCrossOrigin,
  type BodyLimits,
  type Deadline,
  type EndedRequest,
  type HttpOptions,
  type HttpServer,
  knownMethod,
  type PlainService,
  requestSpan,
  routed,
  serveHttp,
  type ServingState,
  statusOf,
  writeAnswer,
} from '@engine/http-server'
import { failure, type ResponseError } from './error-mapping.ts'
import { evaluationOperation, isEvaluation, EVALUATION_PATH } from './access-handler.ts'
import {
  answerPlain,
  type DirectOperation,
  type DirectParts,
  handleDirect,
  type ReceivedRequest,
} from './direct-request.ts'
import { EXECUTE_PATH, EXECUTE_PREFIX, executedName, executeOperation } from './execute-handler.ts'
import { REPORT_HEADER } from './execution-report.ts'
import { type RequesterOf, requesterOf as requesterOfConnection } from './http-requester.ts'
import type { Described } from './openapi.ts'
import { createRoutes, type Fallback } from './router.ts'
import { standardOf } from './standard-paths.ts'
import { echoRequestId } from './standard-request-id.ts'

/** Headers that identify the caller, in addition to `host`. */
const IDENTITY = ['authorization', 'x-api-key', 'x-tenant-id'] as const

/** The headers that pages of other origins may send and read. */
const CROSS_ORIGIN = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  requestHeaders: [
    ...IDENTITY,
    'content-type',
    'if-match',
    'if-none-match',
    'traceparent',
    'tracestate',
    REQUEST_ID_HEADER,
    'x-engine-signature',
    'x-engine-public-key',
  ],
  answerHeaders: ['allow', 'etag', 'link', 'location', 'retry-after', 'x-next-cursor', REQUEST_ID_HEADER],
} as const

export interface EngineHttpOptions extends Omit<HttpOptions, 'identity' | 'examplePath' | 'adopts'>, BodyLimits {
  /** See `ServingState`. */
  readonly peerCloses?: boolean
  /** Origins of pages that may use the interface; empty if none may. */
  readonly crossOrigins: readonly string[]
  /** True if requests are logged at level `info`. */
  readonly accessLog: boolean
  /** True if executions in plain form are answered without `node:http`. */
  readonly fastLane: boolean
  /** Default: the sender is the other end of the connection. */
  readonly requesterOf?: RequesterOf
}

export interface EngineHttpParts {
  readonly reception: Reception
  readonly admission: Admission
  readonly log: Log
  readonly tracing: Tracing | undefined
  readonly requests: HttpRequests
  readonly described: Described
  /** Answers requests that this process cannot answer; undefined if it can answer all. */
  readonly fallback?: Fallback | undefined
}

/** The HTTP server of the engine. */
export async function createHttpServer(options: EngineHttpOptions, parts: EngineHttpParts): Promise<HttpServer> {
  const { reception, admission, log, tracing, requests, described, fallback } = parts
  const { maxBytes, unread, requesterOf = requesterOfConnection } = options
  const state: ServingState = { draining: false, peerCloses: options.peerCloses === true }
  const defect = (error: ResponseError, request: ReceivedRequest) =>
    log.error({ err: error.cause, method: request.method, url: request.url }, 'internal error: a request failed')
  /** Requests handled by the router, the only ones that may stream. */
  const inRouter = new WeakMap<ServerResponse, RouterRequest>()
  /** The traces of logged requests. */
  const traceIds = new WeakMap<ServerResponse, string>()
  requests.offered('POST', EXECUTE_PATH)
  const routes = await createRoutes({
    reception,
    admission,
    requesterOf,
    maxBytes,
    unread,
    state,
    fallback,
    described,
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
  /** Counts and logs a request. */
  const report = (request: ReceivedRequest, ended: EndedRequest, ids?: { requestId: unknown; traceId: unknown }) => {
    requests.ended(knownMethod(request.method ?? ''), ended.route, ended.status, ended.milliseconds / 1000)
    if (!options.accessLog) return
    const fields = {
      ...accessFields(request, ended),
      ip: requesterOf(request, undefined).address,
      request_id: ids?.requestId ?? givenRequestId(request.headers[REQUEST_ID_HEADER]),
      trace_id: ids?.traceId,
    }
    log.info(fields, 'request')
  }
  const letIn =
    options.crossOrigins.length === 0 ? undefined : allowCrossOrigin({ origins: options.crossOrigins, ...CROSS_ORIGIN })
  const direct = { admission, requesterOf, maxBytes, unread, state, defect }
  const { standards } = reception.server
  const plain =
    options.fastLane && tracing === undefined && letIn === undefined ? plainExecutions(direct, report) : undefined
  const hasAuthzen = standards().authzen !== undefined
  return serveHttp(
    { ...options, identity: IDENTITY, examplePath: '/api/v1/rulesets', adopts: fallback !== undefined },
    {
      state,
      log,
      failure,
      plain,
      answer(request, response, deadline): Subject {
        if (letIn?.(request, response) === true) return UNROUTED
        const refusal = refuseHops(request.headers[HOPS_HEADER])
        const name = executedName(request)
        if (name === undefined && standardOf(request) === 'authzen') echoRequestId(request, response)
        if (refusal !== undefined) {
          writeAnswer(response, failure(refusal, request), state)
          return name === undefined ? UNROUTED : EXECUTION
        }
        const span = tracing === undefined ? undefined : requestSpan(tracing, request, response)
        if (span !== undefined && options.accessLog) traceIds.set(response, span.traceId)
        if (name !== undefined) {
          if (span !== undefined) routed(span, 'POST', EXECUTE_PATH, { 'engine.ruleset': name })
          handleDirect(direct, executeOperation(name), request, response, span)
          return EXECUTION
        }
        if (hasAuthzen && isEvaluation(request)) {
          if (span !== undefined) routed(span, 'POST', EVALUATION_PATH)
          handleDirect(direct, evaluationOperation(standards, request), request, response, span)
          return EVALUATION
        }
        if (fallback?.knows(request) === true) {
          fallback.answer(request, response, state)
          return UNROUTED
        }
        const subject: RouterRequest = { deadline, span, route: undefined }
        inRouter.set(response, subject)
        routes.routing(request, response)
        return subject
      },
      closed(request, response, subject, milliseconds) {
        const route = subject?.route
        // The process that answers instead counts the request.
        if (route === undefined && fallback !== undefined) return
        const ids = { requestId: response.getHeader(REQUEST_ID_HEADER), traceId: traceIds.get(response) }
        report(request, { route, status: statusOf(response), milliseconds }, ids)
      },
    },
  )
}

/** Executions in the fast lane: the same form, checks and answers as those of `handleDirect`. */
function plainExecutions(
  parts: DirectParts,
  report: (request: ReceivedRequest, ended: EndedRequest) => void,
): PlainService<DirectOperation> {
  return {
    path: EXECUTE_PREFIX,
    ownHeaders: 'x-engine-',
    headers: [...IDENTITY, HOPS_HEADER, REPORT_HEADER, REQUEST_ID_HEADER],
    limits: parts,
    operationOf(url) {
      const name = executedName({ method: 'POST', url })
      return name === undefined ? undefined : executeOperation(name)
    },
    failure,
    answer: (operation, request) => answerPlain(parts, operation, request),
    ended(request, status) {
      const milliseconds = performance.now() - request.begun
      report(request, { route: EXECUTE_PATH, status, milliseconds })
    },
  }
}

/** The labels of a request in metrics. */
interface Subject {
  /** Undefined if no route was found. */
  readonly route: string | undefined
}

const EXECUTION: Subject = { route: EXECUTE_PATH }
const EVALUATION: Subject = { route: EVALUATION_PATH }
const UNROUTED: Subject = { route: undefined }

/** A request handled by the router. */
interface RouterRequest extends Subject {
  readonly deadline: Deadline
  readonly span: Span | undefined
  /** Undefined until a route is found. */
  route: string | undefined
}
