import {
  AnalysisRefusal,
  ErrorBody,
  RollbackRequest,
  RollbackResult,
  RulesetDocument,
  RulesetInputs,
  RulesetList,
  RulesetValidity,
  SavedRuleset,
  SignatureRejection,
  VersionList,
} from '@engine/api'
import { tableKeys, readJson, type Value } from '@engine/expression'
import { BadBinary, unfoldBinary } from '@engine/signing'
import type { IncomingMessage } from 'node:http'
import { Type } from 'typebox'
import { EngineError, quoted } from '../../errors.ts'
import type { TaggedText } from '../../services/rulesets.ts'
import { invalidParameter, truthOf } from '@engine/http-api'
import { diagramDot, diagramMermaid, diagramOf, diagramSvg, diagramText, inputsOf } from '@engine/ruleset'
import { inTurns, pause } from '@engine/process'
import { type Answer, bodyOf, json, jsonOf, refuseEncoding, ResponseSignal } from '@engine/http-server'
import { changeCondition, CONDITIONS, isKnown, READ_CONDITIONS, UPDATE_CONDITIONS } from '../conditions.ts'
import { isYaml, YAML_TYPE, yamlBody } from '../yaml-body.ts'
import { nextPage, PAGE_HEADERS, pageQueryOf, PAGING } from '../query.ts'
import { type Route, type RouteRequest, API, Empty, readText, read, nameOf, seqOf, text } from '../route.ts'

/** A ruleset as stored, or 304 if the client already has it. */
function tagged({ raw: { headers } }: RouteRequest, { text: body, tag }: TaggedText): Answer {
  if (isKnown(headers, tag)) return { status: 304, headers: { etag: tag } }
  return { ...text(200, body), headers: { etag: tag } }
}

/** The requester and the precondition of a change. */
const changing = ({ by, raw }: RouteRequest) => ({ by, only: changeCondition(raw.headers) })

const DRAWINGS = {
  text: { type: 'text/plain', write: diagramText },
  mermaid: { type: 'text/plain', write: diagramMermaid },
  dot: { type: 'text/vnd.graphviz', write: diagramDot },
  svg: { type: 'image/svg+xml', write: diagramSvg },
} as const
type GraphFormat = keyof typeof DRAWINGS
const GRAPH_FORMATS = tableKeys(DRAWINGS)

const ETAG = 'entity tag of the stored ruleset'

/** Stored rulesets and their versions. */
export const RULESET_ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: `${API}/rulesets`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'List rulesets',
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
    query: {
      dry_run: Type.Boolean({ default: false, description: 'answer as if it were stored, and store nothing' }),
      analyze: Type.Enum(['warn', 'deny'], {
        description: 'analyse it first: answer its errors and warnings, or refuse it because of them',
      }),
    },
    headers: {
      ...CONDITIONS,
      'x-engine-signature': 'signature of the ruleset, base64; with `x-engine-public-key`',
      'x-engine-public-key': 'public key of the signature, base64',
    },
    answers: {
      200: SavedRuleset,
      201: SavedRuleset,
      403: SignatureRejection,
      409: ErrorBody,
      412: ErrorBody,
      422: AnalysisRefusal,
    },
    answerHeaders: { 200: { etag: ETAG }, 201: { etag: ETAG, location: 'path of the ruleset' }, 412: { etag: ETAG } },
    handle: put,
  },
  {
    method: 'POST',
    path: `${API}/rulesets/validate`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Validate a ruleset without storing it or verifying its signature',
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
    summary: 'Get a ruleset as stored',
    group: 'Rulesets',
    headers: READ_CONDITIONS,
    answers: { 200: RulesetDocument, 304: Empty, 412: ErrorBody },
    answerHeaders: { 200: { etag: ETAG }, 304: { etag: ETAG }, 412: { etag: ETAG } },
    handle: (request) => tagged(request, request.services.rulesets.tagged(nameOf(request))),
  },
  {
    method: 'GET',
    path: `${API}/rulesets/:name/inputs`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'List the fields that a ruleset reads, and its result codes',
    group: 'Rulesets',
    answers: { 200: RulesetInputs },
    handle: (request) => json(200, inputsOf(request.services.execution.program(nameOf(request)).ruleset)),
  },
  {
    method: 'GET',
    path: `${API}/rulesets/:name/graph`,
    scope: 'read',
    writes: false,
    isServerWide: false,
    summary: 'Draw the steps of a ruleset',
    group: 'Rulesets',
    query: {
      format: Type.Enum(GRAPH_FORMATS, { default: 'text', description: 'of the picture; `dot` is that of Graphviz' }),
    },
    answers: { 200: Type.String({ description: 'the picture' }) },
    produces: 'text/plain',
    otherAnswers: {
      'image/svg+xml': Type.String({ description: 'with `format=svg`' }),
      'text/vnd.graphviz': Type.String({ description: 'with `format=dot`' }),
    },
    handle: graph,
  },
  {
    method: 'DELETE',
    path: `${API}/rulesets/:name`,
    scope: 'write',
    writes: true,
    isServerWide: false,
    summary: 'Delete a ruleset and keep its versions',
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
    summary: 'List replaced versions, newest first',
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
    summary: 'Get the content of a replaced version',
    group: 'Rulesets',
    headers: READ_CONDITIONS,
    answers: { 200: RulesetDocument, 304: Empty, 412: ErrorBody },
    answerHeaders: { 200: { etag: ETAG }, 304: { etag: ETAG }, 412: { etag: ETAG } },
    async handle(request) {
      return tagged(
        request,
        await request.services.rulesets.version(nameOf(request), seqOf(request.params['seq'] ?? '')),
      )
    },
  },
  {
    method: 'POST',
    path: `${API}/rulesets/:name/rollback`,
    scope: 'write',
    writes: true,
    isServerWide: false,
    summary: 'Roll back to a version',
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
]

/** The mode of the analysis that a write requests. Throws `HttpError`. */
function analyzeOf(query: URLSearchParams): 'warn' | 'deny' | undefined {
  const mode = query.get('analyze')
  if (mode === null || mode === 'warn' || mode === 'deny') return mode ?? undefined
  throw invalidParameter('analyze', `must be \`warn\` or \`deny\`, found ${quoted(mode)}`)
}

/** Largest graph that is drawn: about 60 ms. */
const MAX_DRAWN = { steps: 2000, branches: 10_000 } as const

/** A picture opened on its own runs no scripts and loads nothing. */
const PICTURE_POLICY = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" } as const

async function graph(request: RouteRequest): Promise<Answer> {
  const { ruleset } = request.services.execution.program(nameOf(request))
  const format = request.query.get('format') ?? 'text'
  const draw = Object.hasOwn(DRAWINGS, format) ? DRAWINGS[format as GraphFormat] : undefined
  if (draw === undefined)
    throw invalidParameter('format', `must be one of ${GRAPH_FORMATS.join(', ')}, found ${quoted(format)}`)
  const refuseMore = (count: number, kind: keyof typeof MAX_DRAWN) => {
    if (count <= MAX_DRAWN[kind]) return
    throw new EngineError('invalid-request', `the ruleset has ${count} ${kind}: at most ${MAX_DRAWN[kind]} are drawn`)
  }
  refuseMore(ruleset.steps.size, 'steps')
  const steps = [...ruleset.steps.values()]
  refuseMore(
    steps.reduce((sum, step) => sum + (step.type === 'decision' ? step.branches.length : 0), 0),
    'branches',
  )
  // Other requests get their turn between two pictures.
  await pause()
  return {
    status: 200,
    body: draw.write(diagramOf(ruleset)),
    type: `${draw.type}; charset=utf-8`,
    headers: PICTURE_POLICY,
  }
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
    analyze: analyzeOf(request.query),
    ...changing(request),
  })
  const headers = { etag: tag }
  if (dryRun || saved.status === 'updated') return { ...json(200, saved), headers }
  return { ...json(201, saved), headers: { ...headers, location: `${API}/rulesets/${saved.name}` } }
}

/** The ruleset in a request. */
interface SentDocument {
  readonly document: Value
  /** Its JSON text, to locate faults. */
  readonly text?: string
}

/** The ruleset in a body, in any supported format. */
async function readRuleset(request: RouteRequest): Promise<SentDocument> {
  const type = request.raw.headers['content-type'] ?? ''
  if (BINARY.test(type)) return { document: await readCompiled(request) }
  if (isYaml(request.raw.headers))
    return { document: await yamlBody(request.raw, request, new ResponseSignal(request.response)) }
  return readDocument(request)
}

async function readDocument(request: RouteRequest): Promise<SentDocument> {
  const body = await readText(request)
  return { document: await jsonOf(body, 'refuse', { numbers: 'document' }), text: body }
}

async function readCompiled(request: RouteRequest): Promise<Value> {
  const refusal = refuseEncoding(request.raw.headers)
  if (refusal !== undefined) throw refusal
  const body = await bodyOf(request.raw, request)
  try {
    // A few bytes may decompress to a huge text: the result must respect the limit of request bodies.
    const { text: unfolded, documentOf } = unfoldBinary(body, request.maxBytes)
    return documentOf(await inTurns(readJson(unfolded, { duplicateKeys: 'refuse', numbers: 'document' })))
  } catch (error) {
    if (!(error instanceof BadBinary)) throw error
    throw new EngineError('invalid-request', `the body cannot be read as a compiled ruleset: ${error.message}`)
  }
}

/** An empty header counts as missing. */
function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
