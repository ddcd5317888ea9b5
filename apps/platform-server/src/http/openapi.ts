import { ErrorBody as EngineErrorBody, ErrorDetail as EngineErrorDetail } from '@engine/api'
import { type HttpInterface, type Json, openApiOf, type Operation, type Refusal } from '@engine/http-api'
import { Type } from 'typebox'
import { VERSION } from '../version.ts'
import { ErrorBody, type PublicCode } from './error-mapping.ts'
import type { Right, Route } from './route.ts'

/** The description of routes in OpenAPI 3.1. */
export function describeRoutes(routes: readonly Route[], basePath: string): Json {
  return openApiOf(
    { ...INTERFACE, basePath: basePath === '' ? '/' : basePath },
    routes.filter(({ isDescribed }) => isDescribed !== false).map(operationOf),
  )
}

/** The purpose of each group of routes. */
const GROUPS: Readonly<Record<string, string>> = {
  Identity: 'Accounts, sessions, sign-in.',
  Organizations: 'Organizations and their parts.',
  Members: 'Who belongs to an organization, and by which roles.',
  Roles: 'Sets of rights.',
  Notifications: 'What a person should look at.',
  'API keys': 'Credentials of programs.',
  Audit: 'Who changed what, when and from where.',
  Projects: 'Projects and their environments.',
  Facts: 'Named fields that contracts share.',
  Concepts: 'Named structures that types refer to.',
  Contracts: 'Typed inputs and outputs of rulesets.',
  Rulesets: 'Rulesets while they are written, and what is published of them.',
  'Sub-rules': 'Graphs that several rulesets use.',
  Tests: 'Executing rulesets on the platform.',
  Assistants: 'Rulesets for programs that speak the Model Context Protocol.',
  Events: 'What changes in a project while one looks at it.',
  Releases: 'What becomes live where, and who agrees to it.',
  Engines: 'Engines, how they register, and what they serve.',
  Webhooks: 'What other systems are told of the releases of a project.',
  Replays: 'Jobs that make recorded decisions again, by a candidate and by the live content.',
  Shadows: 'Candidates that decide beside what is live, for nothing but the comparison.',
  Proxy: 'Decisions of the engines of a project.',
  Operation: 'Probes and metrics.',
}

/** By status; docs/platform/api.md. */
const REFUSALS = {
  400: {
    name: 'BadRequest',
    code: 'BAD_REQUEST',
    description: 'The request is invalid; `details` name the places.',
    example: '`/name` is missing',
  },
  401: {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'No credentials, or some that are unknown, expired or revoked.',
    example: 'sign in, or send an API key',
    headers: { 'WWW-Authenticate': '`Bearer`' },
  },
  403: {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'The right named by `details[0].code` is missing, or another page sent the request.',
    example: 'this needs the right `member.manage`',
  },
  404: {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'Unknown, deleted, or of an organization of others.',
    example: 'there is no organization `0198…`',
  },
  408: {
    name: 'RequestTimeout',
    code: 'TIMEOUT',
    description: 'The request did not arrive in time.',
    example: 'the request did not arrive within 30 s',
  },
  409: {
    name: 'Conflict',
    code: 'CONFLICT',
    description:
      'The change conflicts with the current state; `details[0].code` names the conflict, `current` may show the state.',
    example: 'the name is taken',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than this route takes.',
    example: 'the request body is larger than 1048576 bytes',
  },
  415: {
    name: 'UnsupportedMediaType',
    code: 'UNSUPPORTED_MEDIA_TYPE',
    description: 'The body is of another type, or encoded in another way.',
    example: 'send JSON with `content-type: application/json`',
    headers: { 'Accept-Encoding': 'Encodings of a body that are taken; with a body that is encoded in another way.' },
  },
  429: {
    name: 'TooManyRequests',
    code: 'TOO_MANY_REQUESTS',
    description: 'Too many requests, or attempts to sign in.',
    example: 'more than 6000 requests a minute',
    headers: { 'Retry-After': 'Seconds to wait.' },
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    description: 'The platform has a defect; its log has the details.',
    example: 'internal error',
  },
  502: {
    name: 'BadGateway',
    code: 'BAD_GATEWAY',
    description: 'No engine of the environment can be reached.',
    example: 'no engine can be reached',
  },
  503: {
    name: 'Unavailable',
    code: 'UNAVAILABLE',
    description: 'The database or another dependency is unavailable, or the platform is overloaded.',
    example: 'the database does not answer',
    headers: { 'Retry-After': 'Seconds to wait, where they are known.' },
  },
  504: {
    name: 'GatewayTimeout',
    code: 'TIMEOUT',
    description: 'The request was not answered in time.',
    example: 'the request was not answered within 30 s',
  },
} as const satisfies Readonly<Record<number, Refusal & { readonly code: PublicCode }>>

/** The body of an engine's error, which the proxy passes on unchanged. */
const EngineError = Type.Object(
  {
    ...EngineErrorBody.properties,
    details: Type.Optional(Type.Array({ ...EngineErrorDetail, title: 'EngineErrorDetail' })),
  },
  {
    title: 'EngineError',
    description: 'error of an engine (specification 7.1)',
    examples: [{ error: 'the ruleset has no form in SQL', code: 'UNTRANSLATABLE' }],
  },
)

/** Refusals of proxied requests by status. The body is that of the platform or of the engine. */
const PROXIED_REFUSALS: Readonly<Record<number, Refusal>> = {
  ...Object.fromEntries(
    Object.entries(REFUSALS).map(([status, refusal]) => [
      status,
      { ...refusal, name: `Proxied${refusal.name}`, bodies: [ErrorBody, EngineError] },
    ]),
  ),
  422: {
    name: 'ProxiedUnprocessable',
    code: 'UNTRANSLATABLE',
    description: 'The engine cannot do this with the ruleset; `details` name the places.',
    example: 'the ruleset has no form in SQL',
    bodies: [EngineError],
  },
}

const isProxied = ({ path }: Route): boolean => path.startsWith('/api/v1/engine/')

const INTERFACE: HttpInterface = {
  title: 'engine-platform',
  version: VERSION,
  description: 'Manages people, organizations, projects, releases and engines.',
  groups: GROUPS,
  refusals: REFUSALS,
  error: ErrorBody,
  errorExample: { request_id: '01980000-0000-7000-8000-000000000000' },
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'session',
      description: 'of `POST /api/v1/auth/login`; `__Host-session` under https',
    },
    key: { type: 'http', scheme: 'bearer', description: 'an API key, `eng_key_…`' },
    keyHeader: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'the same key' },
  },
  pathParameters: {
    oid: 'Id of the organization.',
    pid: 'Id of the project.',
    uid: 'Id of the user, or of the membership.',
    parent_id: 'Id of the parent.',
    sub_id: 'Id of the sub-organization.',
    nid: 'Id of the notification.',
    rid: 'Id or number of the release.',
    sid: 'Id of the test suite.',
    did: 'Id of the delivery.',
    digest: 'SHA-256 of the content, in hexadecimal.',
    chain: 'Chain of receipts: `<instance id>/<UUID>`, percent-encoded.',
    instance: 'Chain of receipts: `<instance id>/<UUID>`, percent-encoded.',
    name: 'Name of the ruleset.',
    'environments/eid': 'Id or name of the environment.',
    'executions/eid': 'Id of the execution of the release.',
    'cases/cid': 'Id of the case.',
    'comments/cid': 'Id of the comment.',
    'saves/seq': 'Number of the save.',
    'versions/seq': 'Number of the version.',
    ':instance/seq': 'Number of the receipt in its chain.',
    'facts/name': 'Name of the fact.',
    'concepts/name': 'Name of the concept.',
    'contracts/name': 'Name of the contract.',
    'sub-rules/name': 'Name of the sub-rule.',
    'api-keys/id': 'Id of the API key.',
    'connect-tokens/id': 'Id of the connect token.',
    'history/id': 'Id of the entry in the history.',
    'invitations/id': 'Id of the invitation.',
    'orgs/id': 'Id of the organization.',
    'release-policies/id': 'Id of the release policy.',
    'roles/id': 'Id of the role.',
    'servers/id': 'Id of the engine.',
    'sessions/id': 'Id of the session.',
    'replays/id': 'Id of the replay.',
    'shadows/id': 'Id of the shadow.',
    'templates/id': 'Id of the template.',
    'webhooks/id': 'Id of the webhook.',
  },
  headerSchemas: {
    'idempotency-key': { minLength: 1, maxLength: 255 },
  },
}

function operationOf(route: Route): Operation {
  const { headers, isIdempotent, body, passes, reads, consumes, right } = route
  const sent = body ?? passes
  return {
    ...route,
    ...(sent === undefined ? {} : { body: sent }),
    consumes: consumes ?? ['application/json', ...Object.keys(reads ?? {})],
    description: descriptionOf(route),
    isOpen: right === 'none' || right === 'server',
    ...(isIdempotent === true ? { headers: { ...headers, ...IDEMPOTENCY } } : {}),
    refusals: refusalsOf(route),
    ...(isProxied(route) && { ownRefusals: PROXIED_REFUSALS }),
  }
}

const IDEMPOTENCY = {
  'idempotency-key': 'for 24 h the same key has the first answer given again; 409 with another body',
} as const

function descriptionOf({ right, alias }: Route): string {
  const who = callersOf(right)
  return alias === undefined ? who : `${who} Alias: \`${alias.replaceAll(/:(\w+)/g, '{$1}')}\`.`
}

function callersOf(right: Right): string {
  if (right === 'none') return 'No credentials are needed.'
  if (right === 'any') return 'For a person or an API key.'
  if (right === 'person') return 'For a person who is signed in.'
  if (right === 'key') return 'For a program with an API key.'
  if (right === 'server') return 'For an engine, by its own token.'
  return right === 'member' ? 'For each member of the organization.' : `Needs the right \`${right}\`.`
}

/** The statuses with which a route may refuse a request. */
function refusalsOf(route: Route): readonly number[] {
  const { method, path, right, body, passes, hasUnknowns, hasConflicts, isIdempotent } = route
  const isProbe = !path.startsWith('/api/')
  const isUnsafe = method !== 'GET'
  const hasBody = (body ?? passes) !== undefined
  const rows: readonly (readonly [number, boolean])[] = [
    [400, true],
    [401, right !== 'none' || path.includes('/auth/') || path.includes('/invitations/')],
    [403, !isProbe && (isUnsafe || right !== 'none')],
    [404, path.includes(':') || hasUnknowns === true],
    [408, hasBody],
    [409, hasConflicts === true || isIdempotent === true],
    [413, hasBody],
    [415, hasBody],
    [422, isProxied(route) && isUnsafe],
    [429, !isProbe],
    [500, true],
    [502, isProxied(route)],
    [503, true],
    [504, !isProbe],
  ]
  return rows.filter(([, applies]) => applies).map(([status]) => status)
}
