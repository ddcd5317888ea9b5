import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Answer,
  type BodyLimits,
  collectBody,
  HttpError,
  type PlainRequest,
  refuseContentType,
  ResponseSignal,
  type ServingState,
  textOf,
  writeAnswer,
} from '@engine/http-server'
import type { Awaitable, Span } from '@engine/process'
import type { AbortSignalLike } from '@engine/ruleset'
import type { Admission, Entered } from '../access/admission.ts'
import { Hops, HOPS_HEADER, refuseHops } from '../capabilities/hops.ts'
import type { Requester } from '../requester.ts'
import type { RunOptions } from '../services/execution.ts'
import type { Services } from '../services/services.ts'
import { asResponseError, failure, type ResponseError } from './error-mapping.ts'
import { TRACE_VALUES, type ValuesRefusal } from '../access/trace-values.ts'
import type { RequesterOf } from './http-requester.ts'
import { withSuggestedName } from '../access/name-suggestion.ts'
import { RECEIPT_HEADER, VIOLATIONS_HEADER } from './route.ts'

/** The parts of a request on which its answer depends, from `node:http` or the fast lane. */
export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>

/** The dependencies of requests that are answered before the router. */
export interface DirectParts extends BodyLimits {
  readonly admission: Admission
  readonly requesterOf: RequesterOf
  readonly state: ServingState
  /** Called for every failure of the server itself. */
  readonly defect: (error: ResponseError, request: ReceivedRequest) => void
}

/** An admitted request whose body has arrived. */
export interface DirectRequest {
  readonly services: Services
  readonly raw: ReceivedRequest
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
  /** The ruleset that the path names; undefined if it names none. */
  readonly name: string | undefined
  /** Throws if the request can be refused without its body. */
  readonly check: (services: Services) => void
  /** The text of an answer with status 200, or a complete answer. Throws or rejects with a `ResponseError`. */
  readonly answer: (request: DirectRequest) => Awaitable<string | Answer>
}

const EXECUTE = { scope: 'execute' } as const

/** An admitted request. */
interface Admitted {
  readonly entered: Entered
  readonly services: Services
  readonly by: Requester
}

/** The destination of an answer. */
interface Responding {
  readonly signal: AbortSignalLike
  readonly span: Span | undefined
  /** Sets a header that is known before the answer. */
  readonly setHeader: (name: string, value: string | number) => unknown
}

/** Admits a request with the scope `execute`, reads its body and answers it. */
export function handleDirect(
  parts: DirectParts,
  operation: DirectOperation,
  request: IncomingMessage,
  response: ServerResponse,
  span: Span | undefined,
): void {
  const { state } = parts
  let admitted: Admitted | undefined
  const refuse = (thrown: unknown) =>
    writeAnswer(response, failureOf(parts, operation, request, thrown, admitted?.services), state)
  let accepted: Admitted
  try {
    accepted = admitted = admit(parts, request)
    // A sender that waits to send its body learns immediately if it will be refused.
    if (request.headers.expect !== undefined) operation.check(accepted.services)
  } catch (error) {
    return refuse(error)
  }
  const write = (answered: string | Answer) =>
    writeAnswer(response, typeof answered === 'string' ? { status: 200, body: answered } : answered, state)
  collectBody(request, parts, (body) => {
    if (body instanceof HttpError) return refuse(body)
    try {
      const setHeader = (name: string, value: string | number) => response.setHeader(name, value)
      const responding = { signal: new ResponseSignal(response), span, setHeader }
      const answered = decide(parts, operation, accepted, request, body, responding)
      if (answered instanceof Promise) answered.then(write, refuse)
      else write(answered)
    } catch (error) {
      refuse(error)
    }
  })
}

/** Answers a request of the fast lane; returns the answer or its JSON text. Never throws or rejects. */
export function answerPlain(
  parts: DirectParts,
  operation: DirectOperation,
  request: PlainRequest,
): Awaitable<string | Answer> {
  let admitted: Admitted | undefined
  const refuse = (thrown: unknown) => failureOf(parts, operation, request, thrown, admitted?.services)
  try {
    const refusal = refuseHops(request.headers[HOPS_HEADER])
    if (refusal !== undefined) return failure(refusal, request)
    admitted = admit(parts, request)
    const setHeader = (name: string, value: string | number) => request.setHeader(name, value)
    const responding = { signal: request, span: undefined, setHeader }
    const answered = decide(parts, operation, admitted, request, request.body, responding)
    return answered instanceof Promise ? answered.catch(refuse) : answered
  } catch (error) {
    return refuse(error)
  }
}

/** Throws the reason if the head of a request is refused. */
function admit({ admission, requesterOf }: DirectParts, request: ReceivedRequest): Admitted {
  const entered = admission.enter(request.headers, EXECUTE)
  const refusal = entered.refusal ?? refuseContentType(request.headers)
  if (refusal !== undefined) throw refusal
  const by = requesterOf(request, entered.token)
  return { entered, services: admission.servicesFor(entered), by }
}

/** Throws or rejects with a `ResponseError`. */
function decide(
  { admission }: DirectParts,
  operation: DirectOperation,
  { entered, services, by }: Admitted,
  request: ReceivedRequest,
  body: Buffer,
  { signal, span, setHeader }: Responding,
): Awaitable<string | Answer> {
  const warned = (violations: number) => void setHeader(VIOLATIONS_HEADER, violations)
  const logged = services.execution.keepsReceipts ? (place: string) => void setHeader(RECEIPT_HEADER, place) : undefined
  const run = { span, signal, by, hops: Hops.of(request.headers[HOPS_HEADER]), warned, logged }
  const valuesRefusal = () => admission.enter(request.headers, TRACE_VALUES).refusal
  return operation.answer({ services, raw: request, tenant: entered.tenant, valuesRefusal, body: textOf(body), run })
}

/** @param services undefined if the request was refused before they were known */
function failureOf(
  { admission, defect }: DirectParts,
  { name }: DirectOperation,
  request: ReceivedRequest,
  thrown: unknown,
  services: Services | undefined,
): Answer {
  const { headers } = request
  const error = asResponseError(withSuggestedName(thrown, name, { admission, headers, services }))
  if (error.code === 'defect') defect(error, request)
  return failure(error, request)
}
