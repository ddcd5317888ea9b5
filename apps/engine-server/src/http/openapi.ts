import { ErrorBody, type ErrorCode, ReadOnlyRejection, SignatureRejection } from '@engine/api'
import {
  answersOf as answersOfInterface,
  type HttpInterface,
  type Json,
  openApiOf as openApi,
  type Operation,
  type Refusal,
} from '@engine/http-api'
import type { TSchema } from 'typebox'
import { VERSION } from '../version.ts'
import type { Route } from './routes.ts'

/** What of the configuration shows in the description. */
export interface Described {
  readonly hasTokens: boolean
  readonly hasTenants: boolean
}

/** The description of routes in OpenAPI 3.1. */
export function openApiOf(routes: readonly Route[], described: Described): Json {
  return openApi(
    { ...INTERFACE, securitySchemes: described.hasTokens ? SECURITY_SCHEMES : {} },
    routes.map((route) => operationOf(route, described)),
  )
}

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'a line of `--api-tokens-file`' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'the same token' },
} as const

/** What each group of routes is for. */
const GROUPS: Readonly<Record<string, string>> = {
  Rulesets: 'Store, read, delete and roll back rulesets.',
  'Data filters': 'Rules as conditions and queries for databases.',
  Execution: 'Decide about inputs, and evaluate expressions.',
  Configuration: 'Settings that change while the server runs.',
  Operation: 'Probes and metrics.',
  Tenants: 'Tenants and their limits.',
  Debugging: 'Executions with every detail.',
}

/** By status; docs/http.md#errors. */
const REFUSALS = {
  400: {
    name: 'BadRequest',
    code: 'BAD_REQUEST',
    description: 'The request is wrong; `details` say where.',
    example: '`/input` is missing',
  },
  401: {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'The request has no token, or one that is unknown.',
    example: 'a token is required',
    headers: { 'WWW-Authenticate': '`Bearer`' },
  },
  403: {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'The token lacks the scope, the tenant is disabled, or the signature is not accepted.',
    example: 'the token has no scope `write`',
    others: [SignatureRejection],
  },
  404: {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'There is none of this name.',
    example: 'there is no ruleset `adult-check`',
  },
  408: {
    name: 'RequestTimeout',
    code: 'TIMEOUT',
    description: 'The request did not arrive in time.',
    example: 'the request took too long to arrive',
  },
  409: {
    name: 'Conflict',
    code: 'CONFLICT',
    description: 'The change contradicts the state, or the server is a reader.',
    example: 'the tenant `acme` still has rulesets',
    others: [ReadOnlyRejection],
  },
  412: {
    name: 'PreconditionFailed',
    code: 'PRECONDITION_FAILED',
    description: 'The stored ruleset is not the one that `If-Match` or `If-None-Match` asks for.',
    example: '`if-match` names another content than the stored one',
    headers: { ETag: 'Of the stored content.' },
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than the server takes.',
    example: 'the body has more than 10485760 bytes',
  },
  415: {
    name: 'UnsupportedMediaType',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is of another type, or encoded in another way.',
    example: 'the body must be JSON (`content-type: application/json`)',
    headers: { 'Accept-Encoding': 'Encodings of a body that are taken; with a body that is encoded in another way.' },
  },
  429: {
    name: 'TooManyRequests',
    code: 'TOO_MANY_REQUESTS',
    description: 'The tenant is beyond its `qps_limit`.',
    example: 'tenant `acme` may send 500 requests a second',
    headers: { 'Retry-After': 'Seconds to wait.' },
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    description: 'The execution failed, or the server has a defect; `details` say which.',
    example: 'step `check`: the field `age` is missing',
  },
  503: {
    name: 'Unavailable',
    code: 'UNAVAILABLE',
    description: 'The server is shutting down, is overloaded, or did not answer in time (`TIMEOUT`).',
    example: 'the server is shutting down',
    headers: { 'Retry-After': 'Seconds to wait, where they are known.' },
  },
  508: {
    name: 'LoopDetected',
    code: 'LOOP_DETECTED',
    description: 'Rules of engines call each other in a circle.',
    example: 'rules call engines in a circle: 9 hops',
  },
} as const satisfies Readonly<Record<number, Refusal & { readonly code: ErrorCode }>>

type RefusedStatus = keyof typeof REFUSALS

/** The statuses with which a route may refuse a request. */
function refusalsOf(route: Route, { hasTokens, hasTenants }: Described): readonly RefusedStatus[] {
  const { scope, isServerWide, writes, body, path } = route
  const isProbe = scope === undefined
  const rows: readonly (readonly [RefusedStatus, boolean])[] = [
    [400, true],
    [401, hasTokens && scope !== undefined],
    [403, (hasTokens && scope !== undefined) || (hasTenants && !isServerWide) || route.answers[403] !== undefined],
    [404, path.includes(':')],
    [408, body !== undefined],
    [409, writes],
    [412, route.answers[412] !== undefined],
    [413, body !== undefined],
    [415, body !== undefined],
    [429, hasTenants && !isServerWide],
    // A probe that is answered at all says what it says.
    [500, !isProbe],
    [503, !isProbe],
    [508, path.includes('/execute')],
  ]
  return rows.filter(([, applies]) => applies).map(([status]) => status)
}

const INTERFACE: HttpInterface = {
  title: 'engine-server',
  version: VERSION,
  description: 'Stores rulesets, executes them, evaluates expressions and turns rules into database filters.',
  groups: GROUPS,
  refusals: REFUSALS,
  error: ErrorBody,
  securitySchemes: {},
  pathParameters: { name: 'Name of the ruleset.', id: 'Id of the tenant.', seq: 'Number of the version.' },
  pathSchemas: { seq: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } },
}

/**
 * The schemas of all bodies of an answer with a status.
 *
 * @internal
 */
export const answersOf = (route: Route, status: number): readonly TSchema[] =>
  answersOfInterface(INTERFACE, route, status)

function operationOf(route: Route, described: Described): Operation {
  const { scope, isServerWide, headers } = route
  const ofTenant = described.hasTenants && !isServerWide
  return {
    ...route,
    description: scope === undefined ? 'No token is needed.' : `Needs the scope \`${scope}\`, where tokens are needed.`,
    isOpen: scope === undefined,
    ...(ofTenant ? { headers: { ...headers, ...TENANT_HEADER } } : {}),
    refusals: refusalsOf(route, described),
  }
}

const TENANT_HEADER = { 'x-tenant-id': 'The tenant whose rulesets are meant; default: `default`.' } as const
