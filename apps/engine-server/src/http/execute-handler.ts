import type { Value } from '@engine/expression'
import type { IncomingMessage } from 'node:http'
import type { ExecutionService, RunOptions } from '../services/execution.ts'
import { type Awaitable, whenThere } from '@engine/process'
import { type Answer, jsonOf } from '@engine/http-server'
import type { DirectOperation, DirectRequest } from './direct-request.ts'
import { executionBody, type ValuesRefusal } from './execution-body.ts'
import { asksReport, reportedExecution } from './execution-report.ts'
import { TEXT } from './execution-text.ts'

const PREFIX = '/api/v1/execute/'
/** The route of an execution in its plain form. */
export const EXECUTE_PATH = `${PREFIX}:name`
/** A name that needs no decoding and is followed by nothing. */
const PLAIN = /^[A-Za-z0-9._-]+$/

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
  if (!asksReport(raw.headers)) return whenThere(read, (value) => execute(execution, name, value, run, valuesRefusal))
  return Promise.resolve(read).then((value) => reportedExecution(execution, name, value, run, valuesRefusal))
}

/** The answer to an execution as JSON text. */
export function execute(
  execution: ExecutionService,
  name: string,
  body: Value,
  request: Omit<RunOptions, 'trace' | 'traceValues'>,
  valuesRefusal: ValuesRefusal,
): Awaitable<string> {
  const { input, trace, traceValues } = executionBody(body, valuesRefusal)
  return execution.execute(name, input, TEXT, { trace, traceValues, ...request })
}
