import {
  BatchRequest,
  BatchResult,
  EvalRequest,
  EvalResult,
  ExecuteRequest,
  ExecutionResult,
  MAX_BATCH_INPUTS,
} from '@engine/api'
import { Type } from 'typebox'
import { inOneForm, invalidParameter, requireShape, truthOf } from '@engine/http-api'
import { isObject, type Numbers, quote } from '@engine/expression'
import { failures } from '../../errors.ts'
import { type Answer, jsonOf, prefersCsv, refuseEncoding } from '@engine/http-server'
import { answerBatch, lineKey, streamBatch } from '../batch.ts'
import { csvInputs } from '../csv-records.ts'
import { csvLines, NDJSON_LINES } from '../line-form.ts'
import { CSV_TYPE, hasCsv, hasLines, lines, NDJSON_TYPE } from '../request-lines.ts'
import { execute } from '../execute-handler.ts'
import { requireTraceValues } from '../../access/trace-values.ts'
import { executionBody } from '../execution-body.ts'
import { asksReport, CODE_HEADER, DIGEST_HEADER, digestHeader, REPORT_HEADER } from '../execution-report.ts'
import {
  type Route,
  type RouteRequest,
  API,
  readEvaluation,
  readText,
  runOf,
  singleRunOf,
  nameOf,
  text,
  RECEIPT_HEADER,
  VIOLATIONS_HEADER,
} from '../route.ts'

const WHEN_ASKED = 'with `x-engine-report: 1`'
const REPORT = { [REPORT_HEADER]: '`1`: response headers identify the deciding ruleset' } as const
const REPORTED_DIGEST = { [DIGEST_HEADER]: `${WHEN_ASKED}: SHA-256 of the ruleset that decided` } as const

/** Decisions, and single expressions. */
export const EXECUTION_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: `${API}/execute/:name`,
    scope: 'execute',
    writes: false,
    isServerWide: false,
    summary: 'Execute a ruleset for one input',
    group: 'Execution',
    body: ExecuteRequest,
    headers: REPORT,
    answers: { 200: ExecutionResult },
    answerHeaders: {
      200: {
        ...REPORTED_DIGEST,
        [CODE_HEADER]: `${WHEN_ASKED}: its code, percent-encoded`,
        [VIOLATIONS_HEADER]: 'of a contract that warns',
        [RECEIPT_HEADER]: 'with `--receipts`: its place in the log of receipts, `<instance>#<seq>`',
      },
    },
    async handle(request) {
      const { execution } = request.services
      const json = await readText(request)
      const body = await jsonOf(json, 'last', { numbers: execution.numbersOf(nameOf(request)) })
      const run = singleRunOf(request)
      const reports = asksReport(request.raw.headers)
      const read = executionBody(body, request.valuesRefusal)
      const answer = await execute(execution, nameOf(request), read, run, reports)
      return typeof answer === 'string' ? text(200, answer) : answer
    },
  },
  {
    method: 'POST',
    path: `${API}/execute/:name/batch`,
    scope: 'execute',
    writes: false,
    isServerWide: false,
    summary:
      'Execute a ruleset for many inputs: one JSON document, or a stream of lines (`application/x-ndjson`, `text/csv`)',
    group: 'Execution',
    body: BatchRequest,
    query: {
      trace: Type.Boolean({ default: false, description: 'trace every input' }),
      trace_values: Type.Boolean({
        default: false,
        description: 'with `trace`: add values to the traces; needs the scope `trace`',
      }),
      receipt: Type.Boolean({ default: false, description: 'answers in NDJSON only: each has its receipt' }),
      key: Type.String({
        description: 'NDJSON and CSV only: the path of a field whose value each answer repeats as `key`',
      }),
    },
    consumes: ['application/json', NDJSON_TYPE, CSV_TYPE],
    headers: {
      ...REPORT,
      accept: '`text/csv`: answers to lines are CSV; default: NDJSON',
    },
    answers: { 200: BatchResult },
    answerHeaders: { 200: REPORTED_DIGEST },
    otherAnswers: {
      [NDJSON_TYPE]: Type.String({ description: 'one result a line, as in `results`' }),
      [CSV_TYPE]: Type.String({ description: 'one result a line, with a column for each member of outputs' }),
    },
    handle: batch,
  },
  {
    method: 'POST',
    path: `${API}/eval`,
    scope: 'execute',
    writes: false,
    isServerWide: false,
    summary: 'Evaluate one expression',
    group: 'Execution',
    body: EvalRequest,
    answers: { 200: EvalResult },
    async handle(request) {
      const { expression, context, numbers } = await readEvaluation(request)
      const { resultJson, parsed } = await request.services.evaluation.evaluate(expression, context, numbers)
      return text(200, `{"result":${resultJson},"parsed":${JSON.stringify(parsed)}}`)
    },
  },
]

const LINES = `lines with \`${NDJSON_TYPE}\` or \`${CSV_TYPE}\``

/** Throws `HttpError`; for too many inputs its message names the streaming form, which has no limit. */
async function readBatch(routed: RouteRequest, numbers: Numbers): Promise<BatchRequest> {
  const body = await jsonOf(await readText(routed, LINES), 'last', { numbers })
  const inputs = isObject(body) ? body['inputs'] : undefined
  if (Array.isArray(inputs) && inputs.length > MAX_BATCH_INPUTS)
    throw failures.invalidPart(
      '/inputs',
      `must have at most ${MAX_BATCH_INPUTS} items, found ${inputs.length}: send more as lines (content-type: application/x-ndjson)`,
    )
  const request = inOneForm(BatchRequest, body)
  requireShape(BatchRequest, request)
  return request as BatchRequest
}

async function batch(request: RouteRequest): Promise<Answer | undefined> {
  const { services, raw, response, progress, query } = request
  const isCsv = hasCsv(raw)
  if (!isCsv && !hasLines(raw)) {
    if (query.has('key'))
      throw invalidParameter('key', 'needs a body of lines: send `content-type: application/x-ndjson` or `text/csv`')
    if (query.has('receipt'))
      throw invalidParameter('receipt', 'needs a body of lines: a batch as JSON asks by `options.receipt`')
    const numbers = services.execution.numbersOf(nameOf(request))
    const body = await readBatch(request, numbers)
    const program = services.execution.program(nameOf(request))
    const traced = {
      trace: body.options?.trace ?? truthOf(query, 'trace') === true,
      trace_values: body.options?.trace_values ?? truthOf(query, 'trace_values') === true,
    }
    const refuse = (message: string) => failures.invalidPart('/options/trace_values', message)
    requireTraceValues(traced.trace_values, traced.trace, request.valuesRefusal, refuse)
    const asked = { ...body, options: { ...body.options, ...traced } }
    const answer = text(200, await answerBatch(services.execution, program, asked, runOf(request)))
    if (!asksReport(raw.headers)) return answer
    return { ...answer, headers: await digestHeader(services.execution, program) }
  }
  const refusal = refuseEncoding(raw.headers)
  if (refusal !== undefined) throw refusal
  const trace = truthOf(query, 'trace') === true
  const traceValues = truthOf(query, 'trace_values') === true
  const refuse = (message: string) => invalidParameter('trace_values', message)
  requireTraceValues(traceValues, trace, request.valuesRefusal, refuse)
  const options = { trace, traceValues, ...runOf(request) }
  const path = query.get('key')
  const key = path === null ? undefined : lineKey(path)
  if (path !== null && key === undefined)
    throw invalidParameter('key', `must be a path such as \`order.id\`, found ${quote(path)}`)
  const program = services.execution.program(nameOf(request))
  const withReceipts = truthOf(query, 'receipt') === true
  const answersCsv = prefersCsv(raw.headers.accept)
  if (answersCsv) refuseInCsv({ trace, receipt: withReceipts })
  const headers = asksReport(raw.headers) ? await digestHeader(services.execution, program) : {}
  await streamBatch(services.execution, program, {
    request: raw,
    response,
    headers,
    options,
    withReceipts,
    key,
    form: answersCsv ? csvLines(program, key !== undefined) : NDJSON_LINES,
    open: () => (isCsv ? csvInputs(raw, request, program.ruleset.config.numbers) : lines(raw, request)),
    progress,
  })
  return undefined
}

/** Throws `HttpError` for a parameter that has no column in CSV. */
function refuseInCsv(parameters: Readonly<Record<string, boolean>>): void {
  const name = Object.keys(parameters).find((one) => parameters[one])
  if (name !== undefined) throw invalidParameter(name, 'needs answers in NDJSON: leave out `accept: text/csv`')
}
