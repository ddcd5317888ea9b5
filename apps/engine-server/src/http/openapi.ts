import { ErrorBody, type ErrorCode, FlagError, Health, ReadOnlyRejection, SignatureRejection } from '@engine/api'
import {
  answersOf as answersOfInterface,
  type HttpInterface,
  type Json,
  openApiOf as openApi,
  type Operation,
  type Refusal,
} from '@engine/http-api'
import { type TObject, type TSchema, Type } from 'typebox'
import { VERSION } from '../version.ts'
import type { Route } from './routes.ts'

/**
 * The configuration that affects the description, which omits responses that are impossible with the current options.
 */
export interface Described {
  /** Requests need tokens. */
  readonly hasTokens: boolean
  /** Rulesets belong to tenants. */
  readonly hasTenants: boolean
  /** Signatures of rulesets are verified. */
  readonly hasSignatures: boolean
  /** Every change is refused. */
  readonly isReader: boolean
  /** Only the platform may change anything. */
  readonly refusesWrites: boolean
  /** Changes are published, or arrive from other instances. */
  readonly hasBroker: boolean
  /** Some rulesets are delivered by the platform. */
  readonly hasPlatform: boolean
  /** Several processes answer requests. */
  readonly hasWorkers: boolean
}

/** The description of routes in OpenAPI 3.1. */
export function openApiOf(routes: readonly Route[], described: Described): Json {
  const health = healthOf(described)
  return openApi(
    { ...interfaceOf(described), securitySchemes: described.hasTokens ? SECURITY_SCHEMES : {} },
    routes.map((route) => operationOf(route, described, health)),
  )
}

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'a line of `--api-tokens-file`' },
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'the same token' },
} as const

/** The purpose of each group of routes. */
const GROUPS: Readonly<Record<string, string>> = {
  Rulesets: 'Store, read, delete and roll back rulesets.',
  'Data filters': 'Rules as conditions and queries for databases.',
  Analysis: 'Statements about all inputs of rulesets, each proved, refuted by an input or unknown.',
  Execution: 'Decide about inputs, and evaluate expressions.',
  Configuration: 'Settings that change while the server runs.',
  Receipts: 'Signed receipts that prove decisions to third parties.',
  Operation: 'Probes, metrics and the proof of identity.',
  Tenants: 'Tenants and their limits.',
  Debugging: 'Executions with every detail.',
  AuthZEN: 'The AuthZEN Authorization API 1.0.',
  OFREP: 'The OpenFeature Remote Evaluation Protocol.',
}

/** By status; docs/http.md#errors. */
const REFUSALS = {
  400: {
    name: 'BadRequest',
    code: 'BAD_REQUEST',
    description: 'The request is invalid; `details` name the places.',
    example: '`/input` is missing',
  },
  401: {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'The request has no token, or an unknown one.',
    example: 'a token is required',
    headers: { 'WWW-Authenticate': '`Bearer`' },
  },
  403: {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'Refused.',
    example: 'the token `reports` does not have the scope `write`',
  },
  404: {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'No resource has this name.',
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
    description: 'The change conflicts with the stored state.',
    example: '`Adult-check` differs only by case from the stored ruleset `adult-check`',
  },
  412: {
    name: 'PreconditionFailed',
    code: 'PRECONDITION_FAILED',
    description: 'The stored ruleset does not match `If-Match` or `If-None-Match`.',
    example: '`if-match` names another content than the stored one',
    headers: { ETag: 'Of the stored content.' },
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body exceeds the size limit of the server.',
    example: 'the body has more than 10485760 bytes',
  },
  415: {
    name: 'UnsupportedMediaType',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The content type or encoding of the body is not supported.',
    example: 'the body must be JSON (`content-type: application/json`)',
    headers: { 'Accept-Encoding': 'Encodings of a body that are taken; with a body that is encoded in another way.' },
  },
  422: {
    name: 'Unprocessable',
    code: 'UNTRANSLATABLE',
    description:
      'The ruleset has a part without a form in the dialect; see `details`. Or it does not load (`INVALID_RULESET`), or its analysis needs too much memory (`ANALYSIS_FAILED`).',
    example: 'step `check`: `upper(name)` cannot be written in SQL',
  },
  429: {
    name: 'TooManyRequests',
    code: 'TOO_MANY_REQUESTS',
    description: 'The tenant exceeded its `qps_limit`.',
    example: 'tenant `acme` may send 500 requests a second',
    headers: { 'Retry-After': 'Seconds to wait.' },
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    description: 'The execution failed, or the server has a defect; see `details`.',
    example: 'step `check`: the field `age` is missing',
  },
  503: {
    name: 'Unavailable',
    code: 'UNAVAILABLE',
    description: 'The server is shutting down, or did not answer in time (`TIMEOUT`).',
    example: 'the server is shutting down',
  },
  508: {
    name: 'LoopDetected',
    code: 'LOOP_DETECTED',
    description: 'Rules of engines call each other in a circle.',
    example: 'rules call engines in a circle: 9 hops',
  },
} as const satisfies Readonly<Record<number, Refusal & { readonly code: ErrorCode }>>

type RefusedStatus = keyof typeof REFUSALS

/** For requests with a body, if the memory for bodies is exhausted. */
const OVERLOADED: Refusal = {
  name: 'Overloaded',
  code: 'UNAVAILABLE',
  description: 'The server is shutting down, is overloaded, or did not answer in time (`TIMEOUT`).',
  example: 'too many request bodies are arriving at the same time (--max-unread-body-bytes): try again',
  headers: { 'Retry-After': 'Seconds to wait, where they are known.' },
}

/** For the proof of identity on a reader, whose other conflicts are `ReadOnlyRejection`. */
const WITHOUT_PLATFORM: Refusal = {
  name: 'WithoutPlatform',
  code: 'CONFLICT',
  description: 'This engine has no platform.',
  example: 'this engine has no platform (--platform-url)',
}

/** The refusals of a server, with the causes and bodies that are possible with its options. */
function refusalsBy(described: Described): Readonly<Record<number, Refusal>> {
  const { hasTokens, hasTenants, hasSignatures, isReader, refusesWrites } = described
  const { 403: forbidden, 409: conflict } = REFUSALS
  const causes = [
    ...(hasTokens ? ['the token does not allow it'] : []),
    ...(hasTenants ? ['the tenant is not known or disabled'] : []),
    ...(hasSignatures ? ['the signature is not accepted'] : []),
    ...(refusesWrites ? ['only the platform changes this engine'] : []),
  ]
  return {
    ...REFUSALS,
    403: {
      ...forbidden,
      description: `Refused, since ${causes.join(', or ')}.`,
      example: hasTokens ? forbidden.example : 'the tenant `acme` is unknown',
      bodies: [
        ...(hasTokens || hasTenants || refusesWrites ? [ErrorBody] : []),
        ...(hasSignatures ? [SignatureRejection] : []),
      ],
    },
    409: isReader ? { ...conflict, description: 'This server is a reader.', bodies: [ReadOnlyRejection] } : conflict,
  }
}

/** The OFREP error statuses, which have their own bodies. */
const FLAG_REFUSALS: Readonly<Record<number, Refusal>> = Object.fromEntries(
  (
    [
      [
        400,
        'FlagBadRequest',
        'The request is invalid.',
        { 'Accept-Encoding': 'Encodings of a body that are taken; with a body that is encoded in another way.' },
      ],
      [401, 'FlagUnauthorized', 'The request has no token, or an unknown one.', { 'WWW-Authenticate': '`Bearer`' }],
      [403, 'FlagForbidden', 'Refused.', {}],
      [404, 'FlagNotFound', 'No flag has this key.', {}],
      [429, 'FlagTooManyRequests', 'The tenant exceeded its `qps_limit`.', { 'Retry-After': 'Seconds to wait.' }],
      [500, 'FlagFailed', 'The rules failed, or the server has a defect.', { 'Retry-After': 'Seconds to wait.' }],
    ] as const
  ).map(([status, name, description, headers]) => [
    status,
    { name, code: 'GENERAL', description, example: '', bodies: [FlagError], headers },
  ]),
)

/** AuthZEN answers 400 to a body of another type or encoding. */
const ACCESS_BAD_REQUEST: Refusal = {
  ...REFUSALS[400],
  name: 'AccessBadRequest',
  headers: REFUSALS[415].headers,
}

/** The statuses with which a route of another standard may refuse a request. */
function standardRefusals({ standard, scope, isServerWide }: Route, described: Described): readonly RefusedStatus[] {
  const { hasTokens, hasTenants } = described
  const isOfTenant = hasTenants && !isServerWide
  const rows: readonly (readonly [RefusedStatus, boolean])[] = [
    [400, true],
    [401, hasTokens && scope !== undefined],
    [403, (hasTokens && scope !== undefined) || isOfTenant],
    [404, true],
    [408, standard === 'authzen' && !isServerWide],
    [413, standard === 'authzen' && !isServerWide],
    [429, isOfTenant],
    [500, true],
    [503, standard === 'authzen'],
  ]
  return rows.filter(([, applies]) => applies).map(([status]) => status)
}

/** The statuses with which a route may refuse a request. */
function refusalsOf(route: Route, described: Described): readonly RefusedStatus[] {
  if (route.standard !== undefined) return standardRefusals(route, described)
  const { scope, isServerWide, writes, body, path } = route
  const { hasTokens, hasTenants, hasSignatures, isReader, refusesWrites, hasBroker, hasPlatform } = described
  const isProbe = scope === undefined
  const isOfTenant = hasTenants && !isServerWide
  /** Other parties change rulesets as well: the deletion of a tenant, another writer, the platform. */
  const isShared = !isServerWide && (hasTenants || hasBroker || hasPlatform)
  const rows: readonly (readonly [RefusedStatus, boolean])[] = [
    [400, true],
    [401, hasTokens && scope !== undefined],
    [
      403,
      (hasTokens && scope !== undefined) ||
        isOfTenant ||
        (hasSignatures && route.answers[403] !== undefined) ||
        (refusesWrites && writes),
    ],
    [404, path.includes(':')],
    [408, body !== undefined],
    [409, (writes && (isReader || isShared)) || route.answers[409] !== undefined],
    [412, route.answers[412] !== undefined],
    [413, body !== undefined],
    [415, body !== undefined],
    [422, path.endsWith('/sql') || route.answers[422] !== undefined],
    [429, isOfTenant],
    // A probe never fails with its own error: its status is its answer.
    [500, !isProbe],
    [503, !isProbe || body !== undefined],
    [508, path.includes('/execute')],
  ]
  return rows.filter(([, applies]) => applies).map(([status]) => status)
}

const interfaceOf = (described: Described): HttpInterface => ({
  title: 'engine-server',
  version: VERSION,
  description: 'Stores rulesets, executes them, evaluates expressions and turns rules into database filters.',
  groups: GROUPS,
  refusals: refusalsBy(described),
  error: ErrorBody,
  securitySchemes: {},
  commonHeaders: { [TENANT_HEADER]: 'The tenant whose rulesets are meant; default: `default`.' },
  pathParameters: {
    name: 'Name of the ruleset.',
    id: 'Id of the tenant.',
    seq: 'Number of the version.',
    tenant: 'Id of the tenant.',
    key: 'Key of the feature flag.',
    instance: 'Instance of the receipt, `<instance id>/<UUID>`, percent-encoded.',
    entry: 'Number of the receipt in the log of the instance.',
  },
  // The bound only compiles in Go with this format.
  pathSchemas: {
    entry: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    seq: { type: 'integer', format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
})

/**
 * The schemas of all response bodies with a status; empty if the server does not use the status.
 *
 * @internal
 */
export function answersOf(route: Route, status: number, described: Described): readonly TSchema[] {
  return answersOfInterface(interfaceOf(described), operationOf(route, described, healthOf(described)), status)
}

function operationOf(route: Route, described: Described, health: TSchema): Operation {
  const { scope, isServerWide, body, writes } = route
  // If the path names the tenant, the header is redundant.
  const ofTenant = described.hasTenants && !isServerWide && !route.path.includes(':tenant')
  const answers = Object.entries(route.answers).map(([status, schema]) => [status, schema === Health ? health : schema])
  return {
    ...route,
    answers: Object.fromEntries(answers) as Route['answers'],
    description: descriptionOf(route, described),
    isOpen: scope === undefined,
    ...(ofTenant ? { commonHeaders: [TENANT_HEADER] } : {}),
    refusals: refusalsOf(route, described),
    ownRefusals: {
      ...(route.standard === 'ofrep' ? FLAG_REFUSALS : {}),
      ...(route.standard === 'authzen' ? { 400: ACCESS_BAD_REQUEST } : {}),
      ...(body === undefined || route.standard === 'ofrep' ? {} : { 503: OVERLOADED }),
      ...(described.isReader && !writes ? { 409: WITHOUT_PLATFORM } : {}),
    },
  }
}

/** Linters require a description; without tokens it only repeats the summary, which generators handle. */
function descriptionOf({ scope, summary }: Route, { hasTokens }: Described): string {
  if (!hasTokens) return summary
  return scope === undefined ? 'No token is needed.' : `Needs the scope \`${scope}\`.`
}

/** The health record without the members of options that the server does not use. */
function healthOf({ hasBroker, hasPlatform, hasWorkers }: Described): TSchema {
  const { sync, workers, platform, ...always } = Health.properties
  return Type.Object(
    {
      ...always,
      sync: hasBroker ? sync : requiredOf(sync),
      ...(hasWorkers ? { workers } : {}),
      ...(hasPlatform ? { platform } : {}),
    },
    { title: 'Health' },
  )
}

function requiredOf({ properties, required }: TObject): TObject {
  const entries = Object.entries<TSchema>(properties).filter(([name]) => required?.includes(name))
  return Type.Object(Object.fromEntries(entries))
}

const TENANT_HEADER = 'x-tenant-id'
