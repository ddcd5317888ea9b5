import {
  type Answer,
  type BodyLimits,
  type PlainRequest,
  type PlainService,
  type WholeAnswer,
} from '@engine/http-server'
import { asResponseError, type ResponseError } from '../errors.ts'
import { asRequest, type MemoryBudget } from '../memory/memory-budget.ts'
import type { SharedBytes } from '../memory/shared-bytes.ts'
import type { Identification } from './credentials.ts'
import { failure } from './error-mapping.ts'
import type { ReceivedRequest } from './received-request.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'
import { DOCUMENT_BYTES, type Route } from './route.ts'
import { refuseBodyType } from './router.ts'

/** A request to a route in plain form. */
export interface PlainOperation {
  readonly params: Readonly<Record<string, string>>
}

export interface PlainRoutesParts {
  readonly routes: readonly Route[]
  readonly identification: Identification
  readonly arrivingBodies: SharedBytes
  readonly memory: MemoryBudget
  /** Prefix of all paths, without a trailing slash. */
  readonly basePath: string
  /** Headers of every answer. */
  readonly headers: Readonly<Record<string, string>>
  /** Called for every failure of the platform itself. */
  readonly failed: (error: ResponseError, request: ReceivedRequest) => void
  readonly ended: (request: PlainRequest, route: string, status: number | undefined, milliseconds: number) => void
}

/** Headers on which the answers depend, in addition to those of every request. */
const HEADERS = [
  'authorization',
  'x-api-key',
  'x-connect-token',
  'x-registration-secret',
  'x-forwarded-for',
  'sec-fetch-site',
  'accept-encoding',
  'traceparent',
  'tracestate',
  'x-environment',
  'x-canary-key',
  'x-engine-hops',
  'x-engine-report',
  REQUEST_ID_HEADER,
] as const

/** A parameter in plain form: nothing that a router would decode. */
const PARAMETER = String.raw`([\w.-]+)`

/** Requests in plain form to the one route that has a plain form; undefined if no route has one. */
export function plainRoutes({
  routes,
  identification,
  arrivingBodies,
  memory,
  basePath,
  headers,
  failed,
  ended,
}: PlainRoutesParts): PlainService<PlainOperation> | undefined {
  const route = routes.find(({ runPlain }) => runPlain !== undefined)
  const runPlain = route?.runPlain
  if (route === undefined || runPlain === undefined) return undefined
  const [start = ''] = route.path.split(':')
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) => name)
  const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, PARAMETER)}$`)
  const unread: BodyLimits['unread'] = {
    take: (bytes) => arrivingBodies.take('', bytes),
    give: (bytes) => arrivingBodies.give('', bytes),
  }
  const operationOf = (target: string): PlainOperation | undefined => {
    const found = pattern.exec(target.slice(basePath.length))
    if (found === null) return undefined
    const params = Object.fromEntries(names.map((name, index) => [name, found[index + 1] ?? '']))
    return { params }
  }
  const answer = async (
    { params }: PlainOperation,
    request: PlainRequest,
  ): Promise<Answer | WholeAnswer | undefined> => {
    const requestId = requestIdOf(request)
    request.early = { [REQUEST_ID_HEADER]: requestId, ...headers }
    request.url = request.url.slice(basePath.length)
    const held = memory.request()
    try {
      refuseBodyType(route, request)
      const caller = () => identification(request, route)
      return await asRequest(held, () => runPlain({ request, params, requestId, caller }))
    } catch (thrown) {
      const error = asResponseError(thrown)
      if (error.code === 'defect' || error.code === 'unavailable') failed(error, request)
      return failure(error, requestId)
    } finally {
      held.release()
    }
  }
  return {
    path: basePath + start,
    ownHeaders: 'x-engine-',
    headers: HEADERS,
    // Sessions belong to pages, whose requests `node:http` answers.
    refused: ['cookie', 'idempotency-key'],
    limits: { maxBytes: DOCUMENT_BYTES, unread },
    operationOf,
    failure: (error, request) => failure(error, requestIdOf(request)),
    answer,
    ended: (request, status) => ended(request, route.path, status, performance.now() - request.begun),
  }
}
