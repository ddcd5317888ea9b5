import type { IncomingMessage, ServerResponse } from 'node:http'
import { type TSchema, Type } from 'typebox'
import { Hops, HOPS_HEADER } from '../capabilities/hops.ts'
import { EngineError, quoted } from '../errors.ts'
import type { SentBody } from '../services/authorization.ts'
import type { ServerServices, Services } from '../services/services.ts'
import type { Requester } from '../requester.ts'
import { EvalRequest } from '@engine/api'
import type { Numbers, ParseJsonOptions, Value } from '@engine/expression'
import { inOneForm, type QueryParameters, requireShape } from '@engine/http-api'
import type { Span } from '@engine/process'
import type { Scope } from '../access/tokens.ts'
import type { ValuesRefusal } from '../access/trace-values.ts'
import type { Standard } from './standard-paths.ts'
import {
  type Answer,
  type BodyLimits,
  bodyOf,
  jsonOf,
  refuseContentType,
  ResponseSignal,
  textOf,
} from '@engine/http-server'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** One operation of the interface, described for routing, access control, documentation and tests. */
export interface Route {
  readonly method: Method
  readonly path: string
  /** The scope that a token needs; undefined if no token is needed. */
  readonly scope: Scope | undefined
  /** True if it concerns the server as a whole, not the rulesets of a tenant. */
  readonly isServerWide: boolean
  /** True if it changes something: a reader refuses it. */
  readonly writes: boolean
  readonly summary: string
  readonly group: string
  readonly body?: TSchema
  /** Request headers with their meaning. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Query parameters; any other is refused. `any`: probes and scrapers add their own parameters, which have no meaning.
   */
  readonly query?: QueryParameters | 'any'
  /** Content types of the body; default `application/json`. */
  readonly consumes?: readonly string[]
  readonly answers: Readonly<Record<number, TSchema>>
  /** Response headers by status, with their meaning. */
  readonly answerHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** Content type of the answer of status 200; default `application/json`. */
  readonly produces?: string
  /** Answers of status 200 in further content types. */
  readonly otherAnswers?: Readonly<Record<string, TSchema>>
  /** The standard that defines it; undefined for the engine's own interface. */
  readonly standard?: Standard
  /** Undefined if the handler has already answered. */
  readonly handle: (request: RouteRequest) => Promise<Answer | undefined> | Answer
}

/** A request from the perspective of its route. */
export interface RouteRequest extends BodyLimits {
  readonly server: ServerServices
  /** The services of the requested tenant. */
  readonly services: Services
  /** The tenant that the request names; undefined if it names none. */
  readonly tenant: string | undefined
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly by: Requester
  /** True if the sender may read data about the server as a whole. */
  readonly isTrusted: () => boolean
  readonly valuesRefusal: ValuesRefusal
  /** True if the sender has all permissions for the tenant of the request. */
  readonly isAdmin: () => boolean
  /** Undefined if requests are not traced. */
  readonly span: Span | undefined
  /** Called when the stream makes progress: its timer restarts. */
  readonly progress: () => void
}

export const API = '/api/v1'
export const Empty = Type.Null({ description: 'no body' })

/**
 * The text of a JSON body.
 *
 * @param others further content types, for the error message
 */
export async function readText(request: RouteRequest, others?: string): Promise<string> {
  const refusal = refuseContentType(request.raw.headers, others)
  if (refusal !== undefined) throw refusal
  return textOf(await bodyOf(request.raw, request))
}

export async function read<T>(request: RouteRequest, schema: TSchema, options?: Partial<ParseJsonOptions>): Promise<T> {
  return readAs(await readText(request), schema, options)
}

/** A parsed body with a function that parses it again, for rulesets that compute with decimals. */
export async function readSent(request: RouteRequest): Promise<SentBody> {
  const json = await readText(request)
  const readAgain = (numbers: Numbers) => jsonOf(json, 'last', { numbers })
  return { value: await readAgain('double'), read: readAgain }
}

/** Parses a text that was already read, and checks it against a schema. */
export async function readAs<T>(
  json: string,
  schema: TSchema,
  { duplicateKeys = 'last', ...options }: Partial<ParseJsonOptions> = {},
): Promise<T> {
  const body = inOneForm(schema, await jsonOf(json, duplicateKeys, options))
  requireShape(schema, body)
  return body as T
}

/** The body of an evaluation. Its context is parsed with the number type that the body names. */
export async function readEvaluation(
  request: RouteRequest,
): Promise<{ readonly expression: string; readonly context: Value; readonly numbers: Numbers }> {
  const json = await readText(request)
  const { expression, context = {}, numbers = 'double' } = await readAs<EvalRequest>(json, EvalRequest)
  if (numbers === 'double') return { expression, context: context as Value, numbers }
  const exact = await readAs<EvalRequest>(json, EvalRequest, { numbers })
  return { expression, context: (exact.context ?? {}) as Value, numbers }
}

/** Response header of a single decision: the number of violations of a contract with the mode `warn`. */
export const VIOLATIONS_HEADER = 'x-contract-violations'

/** Response header of a single decision: its place in the log of receipts, `<instance>#<seq>`. */
export const RECEIPT_HEADER = 'x-engine-receipt'

/** The common parts of a request's executions. */
export const runOf = ({ raw, response, span, by }: RouteRequest) => ({
  span,
  by,
  signal: new ResponseSignal(response),
  hops: Hops.of(raw.headers[HOPS_HEADER]),
})

/** The options of a single execution, whose answer counts contract violations. */
export const singleRunOf = (request: RouteRequest) => ({
  ...runOf(request),
  warned: (violations: number) => void request.response.setHeader(VIOLATIONS_HEADER, violations),
  logged: (place: string) => void request.response.setHeader(RECEIPT_HEADER, place),
})

export const nameOf = ({ params }: RouteRequest): string => params['name'] ?? ''

/** The number of a replaced version in a path or a query. Throws `EngineError`. */
export function seqOf(seq: string): number {
  if (/^\d{1,16}$/.test(seq) && Number.isSafeInteger(Number(seq))) return Number(seq)
  throw new EngineError('invalid-request', `the version ${quoted(seq)} must be a number from \`GET …/versions\``)
}

export const text = (status: number, body: string): Answer => ({ status, body })
