import type { Value } from '@engine/expression'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Hops, HOPS_HEADER } from '../capabilities/hops.ts'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { type Awaitable, type Span, whenThere } from '@engine/process'
import type { Admission } from '../access/admission.ts'
import { asResponseError, failure, type ResponseError } from './error-mapping.ts'
import {
  type BodyLimits,
  collectBody,
  HttpError,
  jsonOf,
  refuseContentType,
  ResponseSignal,
  type ServingState,
  textOf,
  writeAnswer,
} from '@engine/http-server'
import { executionBody } from './execution-body.ts'
import { VIOLATIONS_HEADER } from './route.ts'
import { withSuggestedName } from './name-suggestion.ts'
import type { Services } from '../services/services.ts'
import { asksReport, reportedExecution } from './execution-report.ts'
import { TEXT } from './execution-text.ts'
import type { RequesterOf } from './http-requester.ts'

const PREFIX = '/api/v1/execute/'
/** The route of an execution in its plain form. */
export const EXECUTE_PATH = `${PREFIX}:name`
/** A name that needs no decoding and is followed by nothing. */
const PLAIN = /^[A-Za-z0-9._-]+$/

export interface ExecuteParts extends BodyLimits {
  readonly admission: Admission
  readonly requesterOf: RequesterOf
  readonly state: ServingState
  /** Told of every failure that is the server's own. */
  readonly defect: (error: ResponseError, request: IncomingMessage) => void
}

/**
 * The name of the ruleset when a request is an execution in its plain form; undefined leaves it to the router, which
 * knows the same path (docs/decisions/0002).
 */
export function executedName(request: IncomingMessage): string | undefined {
  const { url, method } = request
  if (method !== 'POST' || url === undefined || !url.startsWith(PREFIX)) return undefined
  const name = url.slice(PREFIX.length)
  return PLAIN.test(name) ? name : undefined
}

const EXECUTE = { scope: 'execute' } as const

/** Answer `POST /api/v1/execute/:name`. */
export function handleExecute(
  parts: ExecuteParts,
  name: string,
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
    writeAnswer(response, failure(error), state)
  }
  const entered = admission.enter(headers, EXECUTE)
  const refusal = entered.refusal ?? refuseContentType(headers)
  if (refusal !== undefined) return refuse(refusal)
  const by = parts.requesterOf(request, entered.token)
  let execution: ExecutionService
  try {
    services = admission.servicesFor(entered)
    ;({ execution } = services)
    // A sender that waits to send its body learns immediately that the ruleset does not exist.
    if (headers.expect !== undefined) execution.program(name)
  } catch (error) {
    return refuse(error)
  }
  collectBody(request, parts, (body) => {
    if (body instanceof HttpError) return refuse(body)
    try {
      const read = jsonOf(textOf(body), 'last', { numbers: execution.numbersOf(name) })
      const warned = (violations: number) => response.setHeader(VIOLATIONS_HEADER, violations)
      const run = { span, signal: new ResponseSignal(response), by, hops: Hops.of(headers[HOPS_HEADER]), warned }
      if (asksReport(headers)) {
        const reported = async () => reportedExecution(execution, name, await read, run)
        return void reported().then((answer) => writeAnswer(response, answer, state), refuse)
      }
      const answer = whenThere(read, (value) => execute(execution, name, value, run))
      if (typeof answer === 'string') writeAnswer(response, { status: 200, body: answer }, state)
      else answer.then((text) => writeAnswer(response, { status: 200, body: text }, state), refuse)
    } catch (error) {
      refuse(error)
    }
  })
}

/** The answer to an execution as JSON text. */
export function execute(
  execution: ExecutionService,
  name: string,
  body: Value,
  request: Omit<RunOptions, 'trace'>,
): Awaitable<string> {
  const { input, trace } = executionBody(body)
  return execution.execute(name, input, TEXT, { trace, ...request })
}
