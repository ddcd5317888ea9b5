import {
  AnalysisReport,
  AnalyzeRequest,
  BatchRequest,
  BatchResult,
  Counterfactual,
  DecisionReceipt,
  EvalRequest,
  EvalResult,
  ExecuteRequest,
  ExecutionResult,
  FilterRequest,
  FilterResult,
  ImpactRequest,
  ImpactResult,
  RulesetDocument,
  RulesetList,
  SqlRequest,
  SqlResult,
  VersionList,
  WhyNotRequest,
} from '@engine/api'
import type { QueryParameters } from '@engine/http-api'
import { type TSchema, Type } from 'typebox'
import type { Action } from '../../access/actions.ts'

/** Content types that a request to an engine may have. */
export type BodyType = 'application/json' | 'application/x-ndjson' | 'text/csv'

/**
 * A request that the proxy makes to an engine. `UPSTREAM_ROUTES` is the closed list of them: an engine sees these methods
 * and paths, with the parameters and headers named here, and nothing else. A caller's URL is never part of a request to an
 * engine.
 */
export interface UpstreamRoute {
  readonly method: 'GET' | 'POST'
  /** Path on the platform, below `/api/v1/engine/:pid/`. */
  readonly path: string
  /**
   * Path on the engine. Its parameters are `:name`, a valid ruleset name, `:instance`, a chain of receipts, and `:seq`,
   * an integer.
   */
  readonly upstreamPath: string
  /** Required right of the caller in the project. */
  readonly right: Action
  readonly summary: string
  /**
   * The source of the ruleset name. `request`: query, header, or the only live ruleset. `receipt`: the answer, which is
   * forwarded only for a ruleset that callers can access.
   */
  readonly ruleset: 'path' | 'request' | 'receipt' | 'none'
  /** True if the standing split of the environment may send it to another environment. */
  readonly isSplit: boolean
  /** True if its answer is a list of rulesets, from which those of other projects are removed. */
  readonly isList: boolean
  /**
   * True if it is one decision of one ruleset: a canary's candidate may answer it, and a shadow may be compared with
   * it.
   */
  readonly isDecision: boolean
  /** Query parameters that the platform accepts; only those of `FORWARDED_PARAMETERS` are forwarded. */
  readonly query: QueryParameters
  /** Optional request headers that are forwarded; every route forwards those of `forwardedHeaders`. */
  readonly headers: readonly ConditionalHeader[]
  /** Content types of the request; empty if it has no body. */
  readonly bodies: readonly BodyType[]
  /** The body as described and validated by the engine; undefined if there is none. */
  readonly request?: TSchema
  /** An answer with status 200, as described by the engine. */
  readonly answer: TSchema
  /** Content type of the answer. Default: `application/json`. */
  readonly produces?: string
  /** Answers of status 200 in further content types. */
  readonly otherAnswers?: Readonly<Record<string, TSchema>>
  /** Examples of bodies that are not JSON, by content type. */
  readonly bodyExamples?: Readonly<Partial<Record<BodyType, string>>>
}

/** Headers of conditional reads (RFC 9110 section 13.1). */
export type ConditionalHeader = 'if-match' | 'if-none-match'

/** Query parameters that reach an engine. */
export const FORWARDED_PARAMETERS: ReadonlySet<string> = new Set([
  'trace',
  'trace_values',
  'receipt',
  'key',
  'limit',
  'cursor',
  'q',
  'seq',
])

/** A ruleset in the format of engines: the title `Ruleset` is that of the editor's format. */
const EngineRuleset = withTitles(RulesetDocument, { Ruleset: 'EngineRuleset', SubRule: 'EngineSubRule' })

/** Replaces titles in a schema. Linear in its size. */
function withTitles(schema: object, titles: Readonly<Record<string, string>>): TSchema {
  const renamed = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(renamed)
    return typeof part === 'object' && part !== null ? withTitles(part, titles) : part
  }
  const members = Object.entries(schema).map(([name, part]: readonly [string, unknown]) => [
    name,
    name === 'title' && typeof part === 'string' ? (titles[part] ?? part) : renamed(part),
  ])
  return Object.fromEntries(members)
}

const JSON_BODY = ['application/json'] as const
const CONDITIONAL = ['if-match', 'if-none-match'] as const

const DECISION = {
  method: 'POST',
  right: 'decision.execute',
  isSplit: true,
  isList: false,
  isDecision: false,
  query: {},
  headers: [],
  bodies: JSON_BODY,
} as const
const READ = {
  method: 'GET',
  right: 'server.manage',
  ruleset: 'path',
  isSplit: false,
  isList: false,
  isDecision: false,
  query: {},
  headers: [],
  bodies: [],
} as const

/** Longest path of a field that `key` names, in UTF-16 units. */
export const MAX_KEY_LENGTH = 500

/** Largest page of `GET rulesets`. */
export const MAX_PAGE_ROWS = 10_000

export const UPSTREAM_ROUTES: readonly UpstreamRoute[] = [
  {
    ...DECISION,
    path: 'execute/:name',
    request: ExecuteRequest,
    answer: ExecutionResult,
    upstreamPath: '/api/v1/execute/:name',
    summary: 'Execute a ruleset for one input',
    ruleset: 'path',
    isDecision: true,
  },
  {
    ...DECISION,
    path: 'execute/:name/batch',
    request: BatchRequest,
    answer: BatchResult,
    upstreamPath: '/api/v1/execute/:name/batch',
    summary: 'Execute a ruleset for many inputs',
    ruleset: 'path',
    query: {
      trace: Type.Boolean({ default: false, description: 'trace every input' }),
      trace_values: Type.Boolean({
        default: false,
        description: 'with `trace`: add values to the traces; the engine decides who may',
      }),
      receipt: Type.Boolean({ default: false, description: 'answers in NDJSON only: each has its receipt' }),
      key: Type.String({
        maxLength: MAX_KEY_LENGTH,
        description: 'NDJSON and CSV only: the path of a field whose value each answer repeats as `key`',
      }),
    },
    bodies: ['application/json', 'application/x-ndjson', 'text/csv'],
    otherAnswers: {
      'application/x-ndjson': Type.String({ description: 'one result a line, as in `results`' }),
      'text/csv': Type.String({ description: 'one result a line, with a column for each member of outputs' }),
    },
    bodyExamples: { 'application/x-ndjson': '{"age": 20}\n{"age": 12}\n', 'text/csv': 'age\n20\n12\n' },
  },
  {
    ...DECISION,
    path: 'execute',
    request: ExecuteRequest,
    answer: ExecutionResult,
    upstreamPath: '/api/v1/execute/:name',
    summary: 'Execute the ruleset named by a header or the query',
    ruleset: 'request',
    isDecision: true,
    query: {
      ruleset: Type.String({ description: 'name of the ruleset; default: `x-ruleset`, then the only live one' }),
    },
  },
  {
    ...DECISION,
    path: 'eval',
    request: EvalRequest,
    answer: EvalResult,
    upstreamPath: '/api/v1/eval',
    summary: 'Evaluate one expression',
    ruleset: 'none',
  },
  {
    ...READ,
    path: 'rulesets',
    answer: RulesetList,
    upstreamPath: '/api/v1/rulesets',
    summary: 'List the rulesets available to the caller',
    ruleset: 'none',
    isList: true,
    query: {
      limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_ROWS, description: 'rows at most; default: all' }),
      cursor: Type.String({ description: 'of the page before (`x-next-cursor`): rows after it' }),
      q: Type.String({ description: 'text that a row contains, in whatever case' }),
    },
  },
  {
    ...READ,
    path: 'rulesets/:name',
    answer: EngineRuleset,
    upstreamPath: '/api/v1/rulesets/:name',
    summary: "Get the engine's copy of a ruleset",
    headers: CONDITIONAL,
  },
  {
    ...READ,
    path: 'rulesets/:name/versions',
    answer: VersionList,
    upstreamPath: '/api/v1/rulesets/:name/versions',
    summary: 'List replaced versions on the engine',
  },
  {
    ...READ,
    path: 'rulesets/:name/versions/:seq',
    answer: EngineRuleset,
    upstreamPath: '/api/v1/rulesets/:name/versions/:seq',
    summary: 'Get a replaced version on the engine',
    headers: CONDITIONAL,
  },
  {
    ...READ,
    method: 'POST',
    path: 'rulesets/:name/filter',
    request: FilterRequest,
    answer: FilterResult,
    upstreamPath: '/api/v1/rulesets/:name/filter',
    summary: 'Generate a database filter from a ruleset',
    bodies: JSON_BODY,
  },
  {
    ...READ,
    method: 'POST',
    path: 'rulesets/:name/sql',
    request: SqlRequest,
    answer: SqlResult,
    upstreamPath: '/api/v1/rulesets/:name/sql',
    summary: 'Generate one SQL query from a ruleset',
    bodies: JSON_BODY,
  },
  {
    ...READ,
    method: 'POST',
    path: 'rulesets/:name/analyze',
    request: AnalyzeRequest,
    answer: AnalysisReport,
    upstreamPath: '/api/v1/rulesets/:name/analyze',
    summary: 'Find the mistakes of a ruleset for all inputs',
    bodies: JSON_BODY,
  },
  {
    ...READ,
    method: 'POST',
    path: 'rulesets/:name/impact',
    request: ImpactRequest,
    answer: ImpactResult,
    upstreamPath: '/api/v1/rulesets/:name/impact',
    summary: 'Compare two versions of a ruleset for all inputs',
    bodies: JSON_BODY,
  },
  {
    ...READ,
    method: 'POST',
    path: 'rulesets/:name/why-not',
    request: WhyNotRequest,
    answer: Counterfactual,
    upstreamPath: '/api/v1/rulesets/:name/why-not',
    summary: 'Find the smallest change of an input that gives it another result',
    bodies: JSON_BODY,
  },
  {
    ...READ,
    method: 'POST',
    path: 'rulesets/:name/replay',
    request: Type.String({ description: 'a line of JSON `{input, code?, now?}` for each record' }),
    answer: Type.String({ description: 'a line of JSON for each record, and one with their sums' }),
    produces: 'application/x-ndjson',
    bodyExamples: { 'application/x-ndjson': '{"input": {"age": 20}, "code": "ADULT"}\n' },
    upstreamPath: '/api/v1/rulesets/:name/replay',
    summary: 'Decide recorded inputs again, by a replaced version and by the stored one',
    query: { seq: Type.Integer({ minimum: 1, description: 'the replaced version; required' }) },
    bodies: ['application/x-ndjson'],
  },
  {
    ...READ,
    path: 'receipts/:instance/:seq',
    answer: DecisionReceipt,
    upstreamPath: '/api/v1/receipts/:instance/:seq',
    right: 'audit.read',
    summary: 'Get the receipt of a decision, without evidence',
    ruleset: 'receipt',
  },
]
