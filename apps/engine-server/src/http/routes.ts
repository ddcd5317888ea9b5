import {
  BatchRequest,
  BatchResult,
  ErrorBody,
  EvalRequest,
  EvalResult,
  ExecuteRequest,
  ExecutionResult,
  FilterRequest,
  FilterResult,
  Health,
  type HealthRecord,
  Liveness,
  RollbackRequest,
  RollbackResult,
  RulesetDocument,
  RulesetList,
  RulesetValidity,
  SampleRate,
  SampleRateChange,
  SampleRateRequest,
  SavedRuleset,
  SignatureRejection,
  SqlRequest,
  SqlResult,
  TenantList,
  TenantRequest,
  TenantSettings,
  TenantSummary,
  VersionList,
} from '@engine/api'
import { isObject, readJson, type Value } from '@engine/expression'
import type { DecisionSqlRequest, FilterRequest as FilterQuestion } from '@engine/filter'
import { BadBinary, unfoldBinary } from '@engine/signing'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { EngineError, quoted } from '../errors.ts'
import { Hops, HOPS_HEADER } from '../capabilities/hops.ts'
import { pageOf } from '../services/page.ts'
import type { TaggedText } from '../services/rulesets.ts'
import type { ServerServices, Services } from '../services/services.ts'
import type { Requester } from '../requester.ts'
import { inOneForm, type QueryParameters, refuseFaults, requireShape, truthOf } from '@engine/http-api'
import { inTurns, type Span } from '@engine/process'
import { settingsFaults } from '../tenants/settings.ts'
import type { Scope } from '../access/tokens.ts'
import {
  type Answer,
  type BodyLimits,
  bodyOf,
  type DuplicateKeys,
  HttpError,
  json,
  jsonOf,
  refuseContentType,
  refuseEncoding,
  ResponseSignal,
  textOf,
} from '@engine/http-server'
import { answerBatch, streamBatch } from './batch.ts'
import { changeCondition, CONDITIONS, isKnown, READ_CONDITIONS, UPDATE_CONDITIONS } from './conditions.ts'
import { execute } from './execute-handler.ts'
import {
  asksReport,
  CODE_HEADER,
  DIGEST_HEADER,
  digestHeader,
  REPORT_HEADER,
  reportedExecution,
} from './execution-report.ts'
import { isYaml, YAML_TYPE, yamlBody } from './yaml-body.ts'
import { nextPage, PAGE_HEADERS, pageQueryOf, PAGING } from './query.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One operation of the interface: everything that routing, access, documentation and tests know of it. */
export interface Route {
  readonly method: Method
  readonly path: string
  /** The scope that a token needs; undefined: no token is needed. */
  readonly scope: Scope | undefined
  /** Asks the server as a whole, and not for the rulesets of a tenant. */
  readonly isServerWide: boolean
  /** Changes something: a reader would refuse it. */
  readonly writes: boolean
  readonly summary: string
  readonly group: string
  readonly body?: TSchema
  /** Headers that mean something to it, and what. */
  readonly headers?: Readonly<Record<string, string>>
  /** Parameters of its query; any other is refused. `any`: probes and scrapers add their own, which mean nothing. */
  readonly query?: QueryParameters | 'any'
  /** Content types of the body; default `application/json`. */
  readonly consumes?: readonly string[]
  readonly answers: Readonly<Record<number, TSchema>>
  /** Headers of answers by their status, and what they say. */
  readonly answerHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Content type of the answer of status 200; default `application/json`. */
  readonly produces?: string
  /** Answers of status 200 in further content types. */
  readonly otherAnswers?: Readonly<Record<string, TSchema>>
  /** Undefined: the handler has answered itself. */
  readonly handle: (request: RouteRequest) => Promise<Answer | undefined> | Answer
}

/** A request as a route sees it. */
interface RouteRequest extends BodyLimits {
  readonly server: ServerServices
  /** Of the tenant that the request names. */
  readonly services: Services
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly by: Requester
  /** Whether the sender may read what concerns the server as a whole. */
  readonly isTrusted: () => boolean
  /** Where requests are traced. */
  readonly span: Span | undefined
  /** The stream made progress: its timer restarts. */
  readonly progress: () => void
}

const API = '/api/v1'
const Empty = Type.Null({ description: 'no body' })

async function readText(request: RouteRequest): Promise<string> {
  const refusal = refuseContentType(request.raw.headers)
  if (refusal !== undefined) throw refusal
  return textOf(await bodyOf(request.raw, request))
}

async function read<T>(request: RouteRequest, schema: TSchema, duplicateKeys: DuplicateKeys = 'last'): Promise<T> {
  const body = inOneForm(schema, await jsonOf(await readText(request), duplicateKeys))
  requireShape(schema, body)
  return body as T
}

/** The health record for a probe without a token where authentication is enabled: without file names. */
function withoutFiles(record: HealthRecord): HealthRecord {
  return { ...record, storage: { ...record.storage, rules_dir: '', rejected: [] } }
}
/** The common parts of a request's executions. */
const runOf = ({ raw, response, span, by }: RouteRequest) => ({
  span,
  by,
  signal: new ResponseSignal(response),
  hops: Hops.of(raw.headers[HOPS_HEADER]),
})

const nameOf = ({ params }: RouteRequest): string => params['name'] ?? ''

const text = (status: number, body: string): Answer => ({ status, body })

/** A ruleset as it was stored, unless the client has it. */
function tagged({ raw: { headers } }: RouteRequest, { text: body, tag }: TaggedText): Answer {
  if (isKnown(headers, tag)) return { status: 304, headers: { etag: tag } }
  return { ...text(200, body), headers: { etag: tag } }
}

/** Who changes, and under what condition. */
const changing = ({ by, raw }: RouteRequest) => ({ by, only: changeCondition(raw.headers) })

/** The number of a version in a path. Throws `EngineError`. */
function seqOf({ params }: RouteRequest): number {
  const { seq = '' } = params
  if (/^\d{1,16}$/.test(seq) && Number.isSafeInteger(Number(seq))) return Number(seq)
  throw new EngineError('invalid-request', `the version ${quoted(seq)} must be a number from \`GET …/versions\``)
}

const WHEN_ASKED = 'with `x-engine-report: 1`'
const REPORT = { [REPORT_HEADER]: '`1`: headers of the answer say what decided' } as const
const REPORTED_DIGEST = { [DIGEST_HEADER]: `${WHEN_ASKED}: SHA-256 of the ruleset that decided` } as const

const ETAG = 'entity tag of the stored ruleset'

const sampling = {
  path: `${API}/config/audit-sample-rate`,
  group: 'Configuration',
} as const

/** The interface over HTTP: specification 4.1, docs/http.md. */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: `${API}/rulesets`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'List the rulesets',
    group: 'Rulesets',
    query: PAGING,
    answers: { 200: RulesetList },
    answerHeaders: { 200: PAGE_HEADERS },
    async handle({ services, query }) {
      const { rows, next } = await services.rulesets.page(pageQueryOf(query))
      return { ...json(200, rows), headers: nextPage(`${API}/rulesets`, query, next) }
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets`,
    scope: 'write',
    writes: true,
    isServerWide: false,
    summary: 'Create or update a ruleset',
    group: 'Rulesets',
    body: RulesetDocument,
    consumes: ['application/json', YAML_TYPE, 'application/octet-stream'],
    query: { dry_run: Type.Boolean({ default: false, description: 'answer as if it were stored, and store nothing' }) },
    headers: {
      ...CONDITIONS,
      'x-engine-signature': 'signature of the ruleset, base64; with `x-engine-public-key`',
      'x-engine-public-key': 'public key of the signature, base64',
    },
    answers: { 200: SavedRuleset, 201: SavedRuleset, 403: SignatureRejection, 412: ErrorBody },
    answerHeaders: { 200: { etag: ETAG }, 201: { etag: ETAG, location: 'path of the ruleset' }, 412: { etag: ETAG } },
    handle: put,
  },
  {
    method: 'POST',
    path: `${API}/rulesets/validate`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Say what is wrong or odd about a ruleset, and store nothing; its signature is not verified',
    group: 'Rulesets',
    body: RulesetDocument,
    consumes: ['application/json', YAML_TYPE, 'application/octet-stream'],
    answers: { 200: RulesetValidity },
    async handle(request) {
      const { document, text: written } = await readRuleset(request)
      return json(200, await request.services.rulesets.validate(document, written))
    },
  },
  {
    method: 'GET',
    path: `${API}/rulesets/:name`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Get a ruleset as it was stored',
    group: 'Rulesets',
    headers: READ_CONDITIONS,
    answers: { 200: RulesetDocument, 304: Empty, 412: ErrorBody },
    answerHeaders: { 200: { etag: ETAG }, 304: { etag: ETAG }, 412: { etag: ETAG } },
    handle: (request) => tagged(request, request.services.rulesets.tagged(nameOf(request))),
  },
  {
    method: 'DELETE',
    path: `${API}/rulesets/:name`,
    scope: 'write',
    writes: true,
    isServerWide: false,
    summary: 'Delete a ruleset; its versions are kept',
    group: 'Rulesets',
    headers: UPDATE_CONDITIONS,
    answers: { 204: Empty, 412: ErrorBody },
    answerHeaders: { 412: { etag: ETAG } },
    async handle(request) {
      await request.services.rulesets.delete(nameOf(request), changing(request))
      return { status: 204 }
    },
  },
  {
    method: 'GET',
    path: `${API}/rulesets/:name/versions`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'List the versions that were replaced, newest first',
    group: 'Rulesets',
    answers: { 200: VersionList },
    handle: async (request) => json(200, await request.services.rulesets.versions(nameOf(request))),
  },
  {
    method: 'GET',
    path: `${API}/rulesets/:name/versions/:seq`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Get the content of a version that was replaced',
    group: 'Rulesets',
    headers: READ_CONDITIONS,
    answers: { 200: RulesetDocument, 304: Empty, 412: ErrorBody },
    answerHeaders: { 200: { etag: ETAG }, 304: { etag: ETAG }, 412: { etag: ETAG } },
    async handle(request) {
      return tagged(request, await request.services.rulesets.version(nameOf(request), seqOf(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/rollback`,
    scope: 'write',
    writes: true,
    isServerWide: false,
    summary: 'Bring a version back',
    group: 'Rulesets',
    body: RollbackRequest,
    headers: UPDATE_CONDITIONS,
    answers: { 200: RollbackResult, 403: SignatureRejection, 412: ErrorBody },
    answerHeaders: { 200: { etag: ETAG }, 412: { etag: ETAG } },
    async handle(request) {
      const { seq } = await read<RollbackRequest>(request, RollbackRequest)
      const { tag, ...done } = await request.services.rulesets.rollback(nameOf(request), seq, changing(request))
      return { ...json(200, done), headers: { etag: tag } }
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/filter`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Turn a ruleset into a condition for a database: the rows that get one of some results',
    group: 'Data filters',
    body: FilterRequest,
    answers: { 200: FilterResult },
    async handle(request) {
      const body = await read<FilterQuestion>(request, FilterRequest)
      return json(200, await request.services.filters.filter(nameOf(request), body))
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/sql`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Turn a whole ruleset into one SQL query that decides about every row of a table',
    group: 'Data filters',
    body: SqlRequest,
    answers: { 200: SqlResult },
    async handle(request) {
      const body = await read<DecisionSqlRequest>(request, SqlRequest)
      return json(200, await request.services.filters.sql(nameOf(request), body))
    },
  },
  {
    method: 'POST',
    path: `${API}/execute/:name`,
    scope: 'execute',
    writes: false,
    isServerWide: false,
    summary: 'Decide about one input',
    group: 'Execution',
    body: ExecuteRequest,
    headers: REPORT,
    answers: { 200: ExecutionResult },
    answerHeaders: { 200: { ...REPORTED_DIGEST, [CODE_HEADER]: `${WHEN_ASKED}: its code, percent-encoded` } },
    async handle(request) {
      const { execution } = request.services
      const body = await jsonOf(await readText(request), 'last')
      if (asksReport(request.raw.headers)) return reportedExecution(execution, nameOf(request), body, runOf(request))
      return text(200, await execute(execution, nameOf(request), body, runOf(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/execute/:name/batch`,
    scope: 'execute',
    writes: false,
    isServerWide: false,
    summary: 'Decide about many inputs: one JSON document, or a stream of lines (`application/x-ndjson`)',
    group: 'Execution',
    body: BatchRequest,
    query: { trace: Type.Boolean({ default: false, description: 'trace every input' }) },
    consumes: ['application/json', 'application/x-ndjson'],
    headers: REPORT,
    answers: { 200: BatchResult },
    answerHeaders: { 200: REPORTED_DIGEST },
    otherAnswers: { 'application/x-ndjson': Type.String({ description: 'one result a line, as in `results`' }) },
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
      const { expression, context = {} } = await read<EvalRequest>(request, EvalRequest)
      const { resultJson, parsed } = await request.services.evaluation.evaluate(expression, context as Value)
      return text(200, `{"result":${resultJson},"parsed":${JSON.stringify(parsed)}}`)
    },
  },
  {
    ...sampling,
    method: 'GET',
    scope: 'read',
    writes: false,
    isServerWide: true,
    summary: 'Percentage of executions that are audited',
    answers: { 200: SampleRate },
    handle: ({ server }) => json(200, { sample_rate: server.sampleRate.get() }),
  },
  {
    ...sampling,
    method: 'PUT',
    scope: 'admin',
    writes: true,
    isServerWide: true,
    summary: 'Change the percentage of executions that are audited',
    body: SampleRateRequest,
    answers: { 200: SampleRateChange },
    async handle(request) {
      const { sample_rate } = await read<SampleRateRequest>(request, SampleRateRequest)
      return json(200, { sample_rate, previous: await request.server.sampleRate.set(sample_rate, request.by) })
    },
  },
  ...['/health', '/healthz/ready'].map((path): Route => ({
    method: 'GET',
    path,
    scope: undefined,
    writes: false,
    isServerWide: true,
    summary: 'Whether the server can do its work',
    query: 'any',
    group: 'Operation',
    answers: { 200: Health, 503: Health },
    async handle({ server, isTrusted }) {
      const { isReady, record } = await server.health.check()
      return json(isReady ? 200 : 503, isTrusted() ? record : withoutFiles(record))
    },
  })),
  {
    method: 'GET',
    path: '/healthz/live',
    scope: undefined,
    writes: false,
    isServerWide: true,
    summary: 'Whether the process is alive',
    query: 'any',
    group: 'Operation',
    answers: { 200: Liveness },
    handle: () => json(200, { status: 'alive' }),
  },
]

const tenants = { scope: 'admin', isServerWide: true, group: 'Tenants' } as const

/** Only with `--multi-tenancy-enabled`. */
export const TENANT_ROUTES: readonly Route[] = [
  {
    ...tenants,
    method: 'GET',
    path: `${API}/tenants`,
    writes: false,
    summary: 'List the tenants',
    query: PAGING,
    answers: { 200: TenantList },
    answerHeaders: { 200: PAGE_HEADERS },
    handle(request) {
      const { rows, next } = pageOf(
        tenantsOf(request).list(),
        pageQueryOf(request.query),
        ({ id }) => id,
        ({ id, name }) => [id, name],
      )
      return { ...json(200, rows), headers: nextPage(`${API}/tenants`, request.query, next) }
    },
  },
  {
    ...tenants,
    method: 'POST',
    path: `${API}/tenants`,
    writes: true,
    summary: 'Create a tenant',
    body: TenantRequest,
    answers: { 201: TenantSummary },
    answerHeaders: { 201: { location: 'path of the tenant' } },
    async handle(request) {
      const { id, settings } = await readTenant(request)
      const created = await tenantsOf(request).create(id, settings, request.by)
      return { ...json(201, created), headers: { location: `${API}/tenants/${id}` } }
    },
  },
  {
    ...tenants,
    method: 'GET',
    path: `${API}/tenants/:id`,
    writes: false,
    summary: 'Get a tenant',
    answers: { 200: TenantSummary },
    handle: (request) => json(200, tenantsOf(request).get(request.params['id'] ?? '')),
  },
  {
    ...tenants,
    method: 'PUT',
    path: `${API}/tenants/:id`,
    writes: true,
    summary: 'Replace the settings of a tenant; what is left out gets its default',
    body: TenantSettings,
    answers: { 200: TenantSummary },
    async handle(request) {
      const settings = settingsOf(await jsonOf(await readText(request), 'refuse'))
      return json(200, await tenantsOf(request).replace(request.params['id'] ?? '', settings, request.by))
    },
  },
  {
    ...tenants,
    method: 'DELETE',
    path: `${API}/tenants/:id`,
    writes: true,
    summary: 'Delete a tenant that has no rulesets any more',
    answers: { 204: Empty },
    async handle(request) {
      await tenantsOf(request).delete(request.params['id'] ?? '', request.by)
      return { status: 204 }
    },
  },
]

/** A missing or non-text id is reported in the schema's words; the settings are held to their sizes first. */
async function readTenant(request: RouteRequest): Promise<{ id: string; settings: TenantSettings }> {
  const body = await jsonOf(await readText(request), 'refuse')
  if (!isObject(body)) requireShape(TenantRequest, body)
  const { id, ...rest } = body as Readonly<Record<string, Value>>
  if (typeof id !== 'string') requireShape(TenantId, id === undefined ? {} : { id })
  return { id: id as string, settings: settingsOf(rest) }
}

const TenantId = Type.Pick(TenantRequest, ['id'])

/** Throws `EngineError` that names every fault with its place. */
function settingsOf(body: Value): TenantSettings {
  refuseFaults(settingsFaults(body))
  return body as TenantSettings
}

function tenantsOf({ server }: RouteRequest) {
  if (server.tenants === undefined) throw new EngineError('not-found', 'there are no tenants (--multi-tenancy-enabled)')
  return server.tenants
}

/** Only with `--metrics-enabled`. */
export const METRICS_ROUTE: Route = {
  method: 'GET',
  path: '/metrics',
  scope: undefined,
  writes: false,
  isServerWide: true,
  summary: 'Metrics in the text exposition format',
  query: 'any',
  group: 'Operation',
  answers: { 200: Type.String() },
  produces: 'text/plain',
  async handle({ server: { metrics } }) {
    if (metrics === undefined) throw new EngineError('not-found', 'metrics are off (--metrics-enabled)')
    return { status: 200, body: await metrics.text(), type: metrics.contentType }
  },
}

const DebugRequest = Type.Object({ input: Type.Object({}) })
const InlineRequest = Type.Object({ ruleset: Type.Object({}), input: Type.Object({}) })

/** Only with `--debug-mode`; they show values of inputs. */
export const DEBUG_ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: `${API}/debug/execute/:name`,
    scope: 'admin',
    writes: false,
    isServerWide: false,
    summary: 'Decide, and show every condition, field and variable on the way',
    group: 'Debugging',
    body: DebugRequest,
    answers: { 200: Type.Object({}) },
    async handle(request) {
      const { input } = await read<{ input: Value }>(request, DebugRequest)
      return text(200, await debugOf(request).execute(nameOf(request), input, runOf(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/debug/execute-inline`,
    scope: 'admin',
    writes: false,
    isServerWide: false,
    summary: 'The same with a ruleset that is not stored',
    group: 'Debugging',
    body: InlineRequest,
    answers: { 200: Type.Object({}), 403: SignatureRejection },
    async handle(request) {
      const { ruleset, input } = await read<{ ruleset: Value; input: Value }>(request, InlineRequest, 'refuse')
      return text(200, await debugOf(request).executeInline(ruleset, input, runOf(request)))
    },
  },
  {
    method: 'POST',
    path: `${API}/debug/eval`,
    scope: 'admin',
    writes: false,
    isServerWide: false,
    summary: 'Evaluate an expression, and show tokens, tree, code and the value of each part',
    group: 'Debugging',
    body: EvalRequest,
    answers: { 200: Type.Object({}) },
    async handle(request) {
      const { expression, context = {} } = await read<EvalRequest>(request, EvalRequest)
      return text(200, await debugOf(request).evaluate(expression, context as Value))
    },
  },
]

function debugOf({ services }: RouteRequest) {
  if (services.debug === undefined) throw new EngineError('not-found', 'debug mode is off (--debug-mode)')
  return services.debug
}

const NDJSON = /^application\/x-ndjson(?:\s*;.*)?$/i

async function batch(request: RouteRequest): Promise<Answer | undefined> {
  const { services, raw, response, progress, query } = request
  const isStream = NDJSON.test(raw.headers['content-type'] ?? '')
  if (!isStream) {
    const body = await read<BatchRequest>(request, BatchRequest)
    const program = services.execution.program(nameOf(request))
    const trace = body.options?.trace ?? truthOf(query, 'trace')
    const asked = trace === undefined ? body : { ...body, options: { ...body.options, trace } }
    const answer = text(200, await answerBatch(services.execution, program, asked, runOf(request)))
    if (!asksReport(raw.headers)) return answer
    return { ...answer, headers: await digestHeader(services.execution, program) }
  }
  const refusal = refuseEncoding(raw.headers) ?? refuseFolded(raw.headers)
  if (refusal !== undefined) throw refusal
  const options = { trace: truthOf(query, 'trace'), ...runOf(request) }
  const program = services.execution.program(nameOf(request))
  const headers = asksReport(raw.headers) ? await digestHeader(services.execution, program) : {}
  await streamBatch(services.execution, program, {
    request: raw,
    response,
    headers,
    options,
    limits: request,
    progress,
  })
  return undefined
}

/** A stream is read as it comes. */
function refuseFolded({ 'content-encoding': coding = 'identity' }: IncomingMessage['headers']): HttpError | undefined {
  if (coding.toLowerCase() === 'identity') return undefined
  return new HttpError('unsupported-media-type', 'a stream of lines is not read compressed: send it as it is', {
    headers: { 'accept-encoding': 'identity' },
  })
}

const BINARY = /^application\/octet-stream$/i

/** A ruleset as JSON, or as the compiled binary of specification 8. */
async function put(request: RouteRequest): Promise<Answer> {
  const { services, raw } = request
  const signature = {
    signature: headerOf(raw, 'x-engine-signature'),
    publicKey: headerOf(raw, 'x-engine-public-key'),
  }
  const dryRun = truthOf(request.query, 'dry_run') === true
  const sent = await readRuleset(request)
  const { tag, ...saved } = await services.rulesets.put(sent.document, {
    text: sent.text,
    signature,
    dryRun,
    ...changing(request),
  })
  const headers = { etag: tag }
  if (dryRun || saved.status === 'updated') return { ...json(200, saved), headers }
  return { ...json(201, saved), headers: { ...headers, location: `${API}/rulesets/${saved.name}` } }
}

/** A ruleset that was sent. */
interface SentDocument {
  readonly document: Value
  /** Its JSON text, for the places of faults. */
  readonly text?: string
}

/** The ruleset in a body, in each of the forms that are taken. */
async function readRuleset(request: RouteRequest): Promise<SentDocument> {
  const type = request.raw.headers['content-type'] ?? ''
  if (BINARY.test(type)) return { document: await readCompiled(request) }
  if (isYaml(request.raw.headers)) return { document: await yamlBody(request.raw, request) }
  return readDocument(request)
}

async function readDocument(request: RouteRequest): Promise<SentDocument> {
  const body = await readText(request)
  return { document: await jsonOf(body, 'refuse'), text: body }
}

async function readCompiled(request: RouteRequest): Promise<Value> {
  const refusal = refuseEncoding(request.raw.headers)
  if (refusal !== undefined) throw refusal
  const body = await bodyOf(request.raw, request)
  try {
    // A few bytes may unfold to very many: what comes out is held to the limit of what may come in.
    const { text: unfolded, documentOf } = unfoldBinary(body, request.maxBytes)
    return documentOf(await inTurns(readJson(unfolded, { duplicateKeys: 'refuse' })))
  } catch (error) {
    if (!(error instanceof BadBinary)) throw error
    throw new EngineError('invalid-request', `the body cannot be read as a compiled ruleset: ${error.message}`)
  }
}

/** An empty header counts as one that was not sent. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
