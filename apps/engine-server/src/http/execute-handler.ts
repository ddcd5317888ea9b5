import type { IncomingMessage } from 'node:http'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { type Awaitable, whenThere } from '@engine/process'
import { type Answer, jsonOf } from '@engine/http-server'
import type { DirectOperation, DirectRequest } from './direct-request.ts'
import { type ExecutionBody, executionBody } from './execution-body.ts'
import { receiptedExecution } from './receipted-execution.ts'
import { asksReport, reportedExecution } from './execution-report.ts'
import { TEXT } from './execution-text.ts'

/** The prefix of the path. */
export const EXECUTE_PREFIX = '/api/v1/execute/'
/** The route of an execution in its plain form. */
export const EXECUTE_PATH = `${EXECUTE_PREFIX}:name`
/** A name without escapes, at the end of the path. */
const PLAIN = /^[A-Za-z0-9._-]+$/

/**
 * The name of the ruleset if a request is an execution in its plain form; if undefined, the router handles it, which
 * knows the same path (docs/decisions/0002).
 */
export function executedName(request: Pick<IncomingMessage, 'method' | 'url'>): string | undefined {
  const { url, method } = request
  if (method !== 'POST' || url === undefined || !url.startsWith(EXECUTE_PREFIX)) return undefined
  const name = url.slice(EXECUTE_PREFIX.length)
  return PLAIN.test(name) ? name : undefined
}

/** `POST /api/v1/execute/:name`. */
export function executeOperation(name: string): DirectOperation {
  return {
    name,
    check: ({ execution }) => void execution.program(name),
    answer: (request) => answerExecution(name, request),
  }
}

function answerExecution(name: string, request: DirectRequest): Awaitable<string | Answer> {
  const { services, raw, body, run, valuesRefusal } = request
  const { execution } = services
  const read = jsonOf(body, 'last', { numbers: execution.numbersOf(name) })
  const reports = asksReport(raw.headers)
  return whenThere(read, (value) => execute(execution, name, executionBody(value, valuesRefusal), run, reports))
}

/**
 * The answer to an execution, or its JSON text.
 *
 * @param reports true adds headers that identify the deciding ruleset
 */
export function execute(
  execution: ExecutionService,
  name: string,
  body: ExecutionBody,
  request: Omit<RunOptions, 'trace' | 'traceValues'>,
  reports: boolean,
): string | Promise<string | Answer> {
  if (body.receipt) return receiptedExecution(execution, name, body, request, reports)
  if (reports) return reportedExecution(execution, name, body, request)
  const { input, trace, traceValues } = body
  return execution.execute(name, input, TEXT, { trace, traceValues, ...request })
}
