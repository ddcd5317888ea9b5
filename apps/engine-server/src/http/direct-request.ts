import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answer,
  type BodyLimits,
  collectBody,
  HttpError,
  refuseContentType,
  ResponseSignal,
  type ServingState,
  textOf,
  writeAnswer,
} from '@engine/http-server'
import type { Awaitable, Span } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { Hops, HOPS_HEADER } from '../capabilities/hops.ts'
import type { Requester } from '../requester.ts'
import type { RunOptions } from '../services/execution.ts'
import type { Services } from '../services/services.ts'
import { asResponseError, failure, type ResponseError } from './error-mapping.ts'
import { TRACE_VALUES, type ValuesRefusal } from '../access/trace-values.ts'
import type { RequesterOf } from './http-requester.ts'
import { withSuggestedName } from '../access/name-suggestion.ts'
import { RECEIPT_HEADER, VIOLATIONS_HEADER } from './route.ts'

/** The dependencies of requests that are answered before the router. */
export interface DirectParts extends BodyLimits {
  readonly admission: Admission
  readonly requesterOf: RequesterOf
  readonly state: ServingState
  /** Called for every failure of the server itself. */
  readonly defect: (error: ResponseError, request: IncomingMessage) => void
}

/** An admitted request whose body has arrived. */
export interface DirectRequest {
  readonly services: Services
  readonly raw: IncomingMessage
  readonly tenant: string | undefined
  readonly valuesRefusal: ValuesRefusal
  /** The text of the body. */
  readonly body: string
  readonly run: DirectRun
}

/** The options of its execution. */
export type DirectRun = Omit<RunOptions, 'trace' | 'traceValues'> & { readonly by: Requester }

/** An operation that is answered before the router (docs/decisions/0002). */
export interface DirectOperation {
  /** The ruleset that the path names; undefined: none. */
  readonly name: string | undefined
  /** Throws when the request can be refused without its body. */
  readonly check: (services: Services) => void
  /** The text of an answer with status 200, or a whole answer. Throws or rejects with a `ResponseError`. */
  readonly answer: (request: DirectRequest) => Awaitable<string | Answer>
}

const EXECUTE = { scope: 'execute' } as const

/** Admits a request with the scope `execute`, reads its body and answers it. */
export function handleDirect(
  parts: DirectParts,
  { name, check, answer }: DirectOperation,
  request: IncomingMessage,
  response: ServerResponse,
  span: Span | undefined,
): void {
  const { admission, state } = parts
  const { headers } = request
  let services: Services | undefined
  const refuse = (thrown: unknown) => {
    const error = asResponseError(withSuggestedName(thrown, name, { admission, headers, services }))
    if (error.code === 'defect') parts.defect(error, request)
    writeAnswer(response, failure(error, request), state)
  }
  const entered = admission.enter(headers, EXECUTE)
  const refusal = entered.refusal ?? refuseContentType(headers)
  if (refusal !== undefined) return refuse(refusal)
  const by = parts.requesterOf(request, entered.token)
  let admitted: Services
  try {
    admitted = services = admission.servicesFor(entered)
    // A sender that waits to send its body learns immediately that it will be refused.
    if (headers.expect !== undefined) check(admitted)
  } catch (error) {
    return refuse(error)
  }
  const write = (answered: string | Answer) =>
    writeAnswer(response, typeof answered === 'string' ? { status: 200, body: answered } : answered, state)
  collectBody(request, parts, (body) => {
    if (body instanceof HttpError) return refuse(body)
    try {
      const warned = (violations: number) => response.setHeader(VIOLATIONS_HEADER, violations)
      const logged = admitted.execution.keepsReceipts
        ? (place: string) => response.setHeader(RECEIPT_HEADER, place)
        : undefined
      const hops = Hops.of(headers[HOPS_HEADER])
      const run = { span, signal: new ResponseSignal(response), by, hops, warned, logged }
      const { tenant } = entered
      const valuesRefusal = () => admission.enter(headers, TRACE_VALUES).refusal
      const answered = answer({ services: admitted, raw: request, tenant, valuesRefusal, body: textOf(body), run })
      if (answered instanceof Promise) answered.then(write, refuse)
      else write(answered)
    } catch (error) {
      refuse(error)
    }
  })
}
