import type { TSchema } from 'typebox'
import { Components, headersOf, type Json } from './components.ts'
import type { HttpInterface, Operation } from './operation.ts'

/**
 * The description of operations in OpenAPI 3.1: schemas with a `title` are components of that name, and each operation
 * lists all its response statuses. Linear in the operations and their schemas.
 */
export function openApiOf(api: HttpInterface, operations: readonly Operation[]): Json {
  const { title, version, description, groups, securitySchemes, basePath = '/' } = api
  const components = new Components(api.error, api.errorExample)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][operation.method.toLowerCase()] = operationOf(operation, api, components)
  }
  const schemes = Object.keys(securitySchemes)
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      contact: { name: 'the operator of this server' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the URL of the description.
    servers: [{ url: basePath, description: 'this server' }],
    tags: [...new Set(operations.map(({ group }) => group))].map((name) => ({ name, description: groups[name] })),
    security: schemes.map((name) => ({ [name]: [] })),
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      ...(Object.keys(components.parameters).length === 0 ? {} : { parameters: components.parameters }),
      ...(schemes.length === 0 ? {} : { securitySchemes }),
    },
  }
}

/** The schemas of all bodies of an operation's response with a status; empty when it does not use the status. */
export function answersOf(
  { error, refusals }: Pick<HttpInterface, 'error' | 'refusals'>,
  { answers, refusals: possible, ownRefusals }: Pick<Operation, 'answers' | 'refusals' | 'ownRefusals'>,
  status: number,
): readonly TSchema[] {
  const own = answers[status]
  if (own !== undefined && isNoRefusal(status)) return [own]
  return possible.includes(status) ? ((ownRefusals?.[status] ?? refusals[status])?.bodies ?? [error]) : []
}

/** Whether the operation itself provides the body of this status, including failing probes. */
const isNoRefusal = (status: number): boolean => status < 400 || status === 503

function operationOf(operation: Operation, api: HttpInterface, components: Components): Json {
  const { method, path, summary, description, group, isOpen } = operation
  const parameters = parametersOf(operation, api, components)
  return {
    operationId: operationIdOf(method, path),
    summary,
    description,
    tags: [group],
    // Otherwise the default for all operations applies: credentials, if the server requires them.
    ...(isOpen ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(operation, components),
    responses: { ...successesOf(operation, components), ...refusalsOf(operation, api, components) },
  }
}

function bodyOf(
  { body, isBodyOptional, consumes = ['application/json'], bodyExamples = {} }: Operation,
  components: Components,
): Json {
  if (body === undefined) return {}
  const content = Object.fromEntries(
    consumes.map((type) => {
      const example = bodyExamples[type]
      return [type, { ...components.body(type, body), ...(example === undefined ? {} : { example }) }]
    }),
  )
  return { requestBody: { required: isBodyOptional !== true, content } }
}

function successesOf(operation: Operation, components: Components): Json {
  const { answers, answerHeaders, produces = 'application/json', otherAnswers } = operation
  const own = Object.entries(answers).filter(([status]) => isNoRefusal(Number(status)))
  return Object.fromEntries(
    own.map(([status, schema]: readonly [string, TSchema & { readonly type?: string }]) => {
      const description = SUCCESSES[status] ?? 'Done.'
      const headers = headersOf(answerHeaders?.[Number(status)])
      if (BODILESS.has(status) || schema.type === 'null') return [status, { description, ...headers }]
      const types = status === '200' ? { [produces]: schema, ...otherAnswers } : { 'application/json': schema }
      const content = Object.entries(types).map(([type, one]) => [type, components.body(type, one)])
      return [status, { description, ...headers, content: Object.fromEntries(content) }]
    }),
  )
}

/** Statuses without a response body. */
const BODILESS: ReadonlySet<string> = new Set(['204', '302', '304'])

const SUCCESSES: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the body says where to follow its progress.',
  204: 'Done; the answer has no body.',
  302: 'To another address.',
  304: 'The client has it already.',
  503: 'Not ready.',
}

function refusalsOf(
  { refusals, ownRefusals = {}, answers }: Operation,
  api: HttpInterface,
  components: Components,
): Json {
  const common = refusals.filter((status) => status !== 503 || answers[503] === undefined)
  return Object.fromEntries(
    common.flatMap((status) => {
      const refusal = ownRefusals[status] ?? api.refusals[status]
      return refusal === undefined ? [] : [[status, components.refusal(refusal)]]
    }),
  )
}

function parametersOf(operation: Operation, api: HttpInterface, components: Components): readonly Json[] {
  const { path, headers = {}, commonHeaders = [], query = {} } = operation
  return [
    ...pathParametersOf(path, api),
    ...Object.entries(query === 'any' ? {} : query).map(([name, schema]) => queryParameter(name, schema, headers)),
    ...Object.entries(headers).map(([name, description]) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string', ...api.headerSchemas?.[name] },
    })),
    ...commonHeaders.map((name) => components.header(name, api.commonHeaders?.[name] ?? name)),
  ]
}

function pathParametersOf(path: string, { pathParameters, pathSchemas }: HttpInterface): readonly Json[] {
  const segments = path.split('/')
  return segments.flatMap((segment, index) => {
    if (!segment.startsWith(':')) return []
    const name = segment.slice(1)
    const description = pathParameters[`${segments[index - 1]}/${name}`] ?? pathParameters[name] ?? name
    return [{ name, in: 'path', description, required: true, schema: pathSchemas?.[name] ?? { type: 'string' } }]
  })
}

function queryParameter(name: string, schema: TSchema, headers: Readonly<Record<string, string>>): Json {
  const { description, ...rest }: { readonly description?: string; readonly anyOf?: readonly TSchema[] } = schema
  const isHeaderToo = Object.hasOwn(headers, name.replaceAll('_', '-'))
  return {
    name,
    in: 'query',
    description,
    // oapi-codegen would otherwise generate two fields with the same name.
    ...(isHeaderToo ? { 'x-go-name': `${goName(name)}Query` } : {}),
    schema: rest.anyOf === undefined ? rest : { type: 'string', enum: rest.anyOf.map(constantOf) },
  }
}

const constantOf = (schema: { readonly const?: unknown }) => schema.const

const goName = (name: string) => name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `getRulesetsName` of `GET /api/v1/rulesets/:name`: the name of the operation in generated clients. */
function operationIdOf(method: string, path: string): string {
  const words = path.replace('/api/v1', '').match(/[a-z]+/gi) ?? []
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
