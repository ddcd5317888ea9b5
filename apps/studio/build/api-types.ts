/** The parts of an OpenAPI 3.1 document that the types of a client are made of. */
interface Schema {
  readonly $ref?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly type?: string | readonly string[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>
interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const VERBS = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head', 'trace'] as const

/** What pages do not call: probes, engines, decisions, and each project route again at its short path. */
const LEFT_OUT = /^\/(?:health|metrics)|^\/api\/v1\/(?:internal|engine|projects|auth\/me|mcp)(?:\/|$)/

/** Types of an API for `openapi-fetch`: `paths` with bodies and parameters of each operation, and the schemas by name. */
export function apiTypes({ paths, components }: ApiDocument): string {
  return [
    '// Made by tests/studio/api-types.test.ts from the OpenAPI document of the platform. Not to be edited.',
    'export interface paths {',
    ...Object.entries(paths)
      .filter(([path]) => !LEFT_OUT.test(path))
      .flatMap(([path, item]) => [`  ${JSON.stringify(path)}: {`, ...pathItem(item), '  }']),
    '}',
    'export interface components {',
    '  schemas: {',
    ...Object.entries(components.schemas).map(([name, schema]) => `    ${key(name)}: ${typeOf(schema)}`),
    '  }',
    '}',
    '',
  ].join('\n')
}

function pathItem(item: Readonly<Record<string, Operation>>): readonly string[] {
  const none = '    parameters: { query?: never; header?: never; path?: never; cookie?: never }'
  return [none, ...VERBS.map((verb) => operation(verb, item[verb]))]
}

function operation(verb: string, found: Operation | undefined): string {
  if (found === undefined) return `    ${verb}?: never`
  const { requestBody, responses } = found
  const body =
    requestBody === undefined
      ? 'requestBody?: never'
      : `requestBody${requestBody.required === true ? '' : '?'}: { content: ${content(requestBody.content)} }`
  const answers = Object.entries(responses).map(
    ([status, { content: one }]) =>
      `${/^\d+$/.test(status) ? status : JSON.stringify(status)}: { headers: { [name: string]: unknown }; ${
        one === undefined ? 'content?: never' : `content: ${content(one)}`
      } }`,
  )
  return `    ${verb}: { parameters: { ${parameters(found)} }; ${body}; responses: { ${answers.join('; ')} } }`
}

function parameters({ parameters: all = [] }: Operation): string {
  return ['query', 'header', 'path', 'cookie']
    .map((place) => {
      const own = all.filter((one) => one.in === place)
      if (own.length === 0) return `${place}?: never`
      const isNeeded = own.some(({ required }) => required === true)
      const members = own.map(
        ({ name, required, schema }) => `${key(name)}${required === true ? '' : '?'}: ${typeOf(schema)}`,
      )
      return `${place}${isNeeded ? '' : '?'}: { ${members.join('; ')} }`
    })
    .join('; ')
}

const content = (found: Content) =>
  `{ ${Object.entries(found)
    .map(([media, { schema }]) => `${JSON.stringify(media)}: ${typeOf(schema)}`)
    .join('; ')} }`

const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return `components['schemas'][${JSON.stringify(schema.$ref.split('/').at(-1))}]`
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ')
  const { type } = schema
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ ...schema, type: one })).join(' | ')
  if (type === 'integer') return 'number'
  if (type === 'string' || type === 'number' || type === 'boolean' || type === 'null') return type
  if (type === 'array') return `(${schema.items === undefined ? 'unknown' : typeOf(schema.items)})[]`
  return type === 'object' || schema.properties !== undefined ? objectType(schema) : 'unknown'
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => `${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  )
  if (members.length > 0) return `{ ${members.join('; ')} }`
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  return `{ [key: string]: ${values} }`
}
