import { ErrorBody, type ErrorCode, ReadOnlyRejection, type Schema, SignatureRejection } from '@engine/api'
import { VERSION } from '../version.ts'
import type { Route } from './routes.ts'

/** A part of a document, as JSON. */
type Json = Readonly<Record<string, unknown>>

/** What of the configuration shows in the description. */
export interface Described {
  readonly hasTokens: boolean
  readonly hasTenants: boolean
}

/**
 * The description of routes in OpenAPI 3.1: schemas with a `title` are components of that name, and each operation names
 * every status that it answers with. Linear in the routes and their schemas.
 */
export function openApiOf(routes: readonly Route[], described: Described): Json {
  const components = new Components()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(route, described, components)
  }
  const { hasTokens } = described
  return {
    openapi: '3.1.0',
    info: {
      title: 'engine-server',
      version: VERSION,
      description: 'Stores rulesets, executes them, evaluates expressions and turns rules into database filters.',
      contact: { name: 'the operator of this server' },
      license: { name: 'proprietary', identifier: 'LicenseRef-proprietary' },
    },
    // Where the description was read.
    servers: [{ url: '/', description: 'this server' }],
    tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name, description: GROUPS[name] })),
    security: hasTokens ? [{ token: [] }, { apiKey: [] }] : [],
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      ...(hasTokens
        ? {
            securitySchemes: {
              token: { type: 'http', scheme: 'bearer', description: 'a line of `--api-tokens-file`' },
              apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'the same token' },
            },
          }
        : {}),
    },
  }
}

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

/** A refusal that many routes share. */
interface Refusal {
  readonly name: string
  readonly code: ErrorCode
  readonly description: string
  /** The message of the example. */
  readonly example: string
  /** Other bodies that come with this status. */
  readonly others?: readonly Schema[]
  readonly headers?: Readonly<Record<string, string>>
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
} as const satisfies Readonly<Record<number, Refusal>>

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

/**
 * The schemas of all bodies of an answer with a status.
 *
 * @internal
 */
export function answersOf(route: Route, status: number): readonly Schema[] {
  const own = route.answers[status]
  const refusal: Refusal | undefined = REFUSALS[status as RefusedStatus]
  return [...(own === undefined ? [] : [own]), ...(status < 400 ? [] : [ErrorBody, ...(refusal?.others ?? [])])]
}

function operationOf(route: Route, described: Described, components: Components): Json {
  const { method, summary, group, scope, body, path, consumes = ['application/json'] } = route
  const parameters = parametersOf(route, described)
  return {
    operationId: operationIdOf(method, path),
    summary,
    description: scope === undefined ? 'No token is needed.' : `Needs the scope \`${scope}\`, where tokens are needed.`,
    tags: [group],
    // Otherwise what stands for all routes applies: a token, where the server asks for them.
    ...(scope === undefined ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: Object.fromEntries(consumes.map((type) => [type, components.body(type, body)])),
          },
        }),
    responses: {
      ...successesOf(route, components),
      ...Object.fromEntries(
        refusalsOf(route, described)
          .filter((status) => status !== 503 || route.answers[503] === undefined)
          .map((status) => [status, components.refusal(REFUSALS[status])]),
      ),
    },
  }
}

function successesOf(route: Route, components: Components): Json {
  const own = Object.entries(route.answers).filter(([status]) => Number(status) < 400 || status === '503')
  return Object.fromEntries(
    own.map(([status, schema]) => {
      const description = SUCCESSES[status] ?? 'Done.'
      const headers = headersOf(route.answerHeaders?.[Number(status)])
      if (status === '204' || status === '304') return [status, { description, ...headers }]
      const types =
        status === '200'
          ? { [route.produces ?? 'application/json']: schema, ...route.otherAnswers }
          : { 'application/json': schema }
      const content = Object.entries(types).map(([type, one]) => [type, components.body(type, one)])
      return [status, { description, ...headers, content: Object.fromEntries(content) }]
    }),
  )
}

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  204: 'Done; the answer has no body.',
  304: 'The client has it already.',
  503: 'Not ready.',
}

function headersOf(headers: Readonly<Record<string, string>> | undefined): Json {
  if (headers === undefined) return {}
  const rows = Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  return { headers: Object.fromEntries(rows) }
}

function parametersOf(route: Route, { hasTenants }: Described): readonly Json[] {
  const { path, isServerWide, headers = {}, query = {} } = route
  const parameter = (name: string, place: string, description: string): Json => ({
    name,
    in: place,
    description,
    ...(place === 'path' ? { required: true } : {}),
    schema: name === 'seq' ? SEQ : { type: 'string' },
  })
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => parameter(name, 'path', PATH_PARAMETERS[name] ?? name)),
    ...Object.entries(query === 'any' ? {} : query).map(([name, schema]) => {
      const { description, ...rest } = schema as { readonly description?: string }
      return { name, in: 'query', description, schema: rest }
    }),
    ...Object.entries(headers).map(([name, description]) => parameter(name, 'header', description)),
    ...(hasTenants && !isServerWide
      ? [parameter('x-tenant-id', 'header', 'The tenant whose rulesets are meant; default: `default`.')]
      : []),
  ]
}

const SEQ = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  name: 'Name of the ruleset.',
  id: 'Id of the tenant.',
  seq: 'Number of the version.',
}

/** `getRulesetsName` of `GET /api/v1/rulesets/:name`: the name of the operation in generated clients. */
function operationIdOf(method: string, path: string): string {
  const words = path.replace('/api/v1', '').match(/[a-z]+/gi) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** The parts of a document that several operations share. */
class Components {
  readonly schemas: Record<string, unknown> = {}
  readonly responses: Record<string, unknown> = {}

  /** A body of a content type: other types than JSON are texts or bytes, whatever the JSON of it would be. */
  body(type: string, schema: Schema): Json {
    if (type === 'application/json') return { schema: this.schema(schema) }
    return { schema: { type: 'string', ...(type === 'application/octet-stream' ? { format: 'binary' } : {}) } }
  }

  refusal({ name, code, description, example, others = [], headers }: Refusal): Json {
    if (this.responses[name] === undefined) {
      const schemas = [ErrorBody, ...others].map((one) => this.schema(one))
      this.responses[name] = {
        description,
        ...headersOf(headers),
        content: {
          'application/json': {
            schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
            example: { error: example, code },
          },
        },
      }
    }
    return { $ref: `#/components/responses/${name}` }
  }

  /** A schema in the words of OpenAPI that all generators of clients know. */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.schema(one))
    if (typeof schema !== 'object' || schema === null) return schema
    const { title, ...rest } = schema as Json
    if (typeof title !== 'string') return this.#written(rest)
    // Before its parts, one of which may be the same.
    if (!Object.hasOwn(this.schemas, title)) {
      this.schemas[title] = undefined
      this.schemas[title] = this.#written(rest)
    }
    return { $ref: `#/components/schemas/${title}` }
  }

  #written(schema: Json): Json {
    const { anyOf, properties, items, additionalProperties, discriminator, ...others } = schema
    const { const: constant, ...rest } = others
    return {
      ...withDefaultInWords(rest),
      ...(rest['enum'] === undefined ? {} : { type: 'string' }),
      ...(typeof constant === 'string' ? { enum: [constant] } : {}),
      ...(properties === undefined || Object.keys(properties as Json).length === 0
        ? {}
        : { properties: this.#each(properties as Json) }),
      ...(items === undefined ? {} : { items: this.schema(items) }),
      ...(additionalProperties === undefined ? {} : { additionalProperties: this.schema(additionalProperties) }),
      ...(Array.isArray(anyOf) ? this.#alternatives(anyOf as readonly Json[], discriminator as Json | undefined) : {}),
    }
  }

  #each(schemas: Json): Json {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.schema(schema)]))
  }

  #alternatives(schemas: readonly Json[], discriminator: Json | undefined): Json {
    if (schemas.every((one) => typeof one['const'] === 'string'))
      return { type: 'string', enum: schemas.map((one) => one['const']) }
    if (discriminator !== undefined) {
      const name = String(discriminator['propertyName'])
      const mapping = schemas.map((one) => {
        const word = ((one['properties'] as Json)[name] as Json)['const']
        return [word, `#/components/schemas/${String(one['title'])}`]
      })
      return { oneOf: this.schema(schemas), discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
    }
    // Generated Java has no name for a text or an object without fields of its own: any value.
    if (schemas.some(isFreeObject) && schemas.some((one) => one['type'] === 'string')) return {}
    const [first, ...others] = schemas.filter((one) => one['type'] !== 'null')
    const isNullable = others.length === 0 && schemas.length === 2
    if (!isNullable || first === undefined || typeof first['type'] !== 'string' || first['title'] !== undefined)
      return { anyOf: this.schema(schemas) }
    return { ...(this.schema(first) as Json), type: [first['type'], 'null'] }
  }
}

/**
 * A default as a text: generated clients would send it although the caller left it out, which changes a ruleset that is
 * stored, or would ask the caller for it.
 */
function withDefaultInWords({ default: value, ...rest }: Json): Json {
  if (value === undefined) return rest
  const words = typeof rest['description'] === 'string' ? `${rest['description']}; ` : ''
  return { ...rest, description: `${words}default: ${JSON.stringify(value)}` }
}

const isFreeObject = ({ type, properties, title }: Json): boolean =>
  type === 'object' && title === undefined && Object.keys(properties ?? {}).length === 0
