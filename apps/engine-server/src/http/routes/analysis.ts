import {
  AnalysisReport,
  AnalyzeRequest,
  Counterfactual,
  ErrorBody,
  ImpactRequest,
  ImpactResult,
  WhyNotRequest,
} from '@engine/api'
import { type Answer, refuseEncoding, ResponseSignal } from '@engine/http-server'
import { type TSchema, Type } from 'typebox'
import { EngineError } from '../../errors.ts'
import { API, nameOf, readAs, readText, type Route, type RouteRequest, seqOf, text } from '../route.ts'
import { streamReplay } from '../replay.ts'
import { hasLines, NDJSON_TYPE } from '../request-lines.ts'

/** Statements about all inputs of rulesets: docs/analysis.md. */
export const ANALYSIS_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: `${API}/rulesets/:name/analyze`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Find the mistakes of a ruleset for all inputs',
    group: 'Analysis',
    body: AnalyzeRequest,
    answers: { 200: AnalysisReport, 422: ErrorBody },
    async handle(request) {
      const body = await readChecked(request, AnalyzeRequest)
      return text(200, await request.services.analysis.analyze(nameOf(request), body, waiting(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/impact`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Compare two versions of a ruleset for all inputs',
    group: 'Analysis',
    body: ImpactRequest,
    answers: { 200: ImpactResult, 422: ErrorBody },
    handle: compare,
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/why-not`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Find the smallest change of an input that gives it another result',
    group: 'Analysis',
    body: WhyNotRequest,
    answers: { 200: Counterfactual, 422: ErrorBody },
    async handle(request) {
      const body = await readChecked(request, WhyNotRequest)
      return text(200, await request.services.analysis.whyNot(nameOf(request), body, waiting(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/replay`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Decide recorded inputs again, by a replaced version and by the stored one',
    group: 'Analysis',
    body: Type.String({ description: 'a line of JSON `{input, code?, now?}` for each record' }),
    consumes: [NDJSON_TYPE],
    query: { seq: Type.Integer({ minimum: 1, description: 'the replaced version; required' }) },
    answers: {
      200: Type.String({ description: 'a line for each record, and one with the `summary`' }),
      422: ErrorBody,
    },
    produces: NDJSON_TYPE,
    handle: replay,
  },
]

/** Cancels an analysis when the client disconnects or the time limit expires. */
const waiting = ({ response }: RouteRequest) => ({ signal: new ResponseSignal(response) })

/** The text of a body that matches its schema. The thread parses it again with the number type of the ruleset. */
async function readChecked(request: RouteRequest, schema: TSchema): Promise<string> {
  const body = await readText(request)
  await readAs(body, schema)
  return body
}

async function compare(request: RouteRequest): Promise<Answer> {
  const body = await readText(request)
  const { ruleset, seq } = await readAs<ImpactRequest>(body, ImpactRequest)
  if ((ruleset === undefined) === (seq === undefined)) {
    const message = 'must have either `ruleset`, the new version, or `seq`, the number of an old one'
    throw new EngineError('invalid-request', `the body ${message}`, { details: [{ path: '', message }] })
  }
  return text(200, await request.services.analysis.impact(nameOf(request), seq, body, waiting(request)))
}

async function replay(request: RouteRequest): Promise<undefined> {
  const { services, raw, response, query, progress } = request
  if (!hasLines(raw)) {
    const message = `records are lines of JSON: send them with \`content-type: ${NDJSON_TYPE}\``
    throw new EngineError('unsupported-media-type', message)
  }
  const refusal = refuseEncoding(raw.headers)
  if (refusal !== undefined) throw refusal
  const seq = query.get('seq')
  if (seq === null) throw new EngineError('invalid-request', 'the query needs `seq`, the number of a replaced version')
  const stream = await services.analysis.replay(nameOf(request), seqOf(seq), waiting(request))
  await streamReplay(stream, { request: raw, response, limits: request, progress })
  return undefined
}
