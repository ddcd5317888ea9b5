import type { TSchema } from 'typebox'
import type { Refusal } from './operation.ts'

/** A part of a document, as JSON. */
export type Json = Readonly<Record<string, unknown>>

/** Whether a value has members: an object or a list. */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}

/** Headers of an answer, as OpenAPI describes them. */
export function headersOf(headers: Readonly<Record<string, string>> | undefined): Json {
  if (headers === undefined) return {}
  const rows = Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }])
  return { headers: Object.fromEntries(rows) }
}

/** The parts of a document that several operations share. */
export class Components {
  readonly schemas: Record<string, unknown> = {}
  readonly responses: Record<string, unknown> = {}
  readonly parameters: Record<string, unknown> = {}
  /** The content of each component's schema, by its title. */
  readonly #sources = new Map<string, string>()
  readonly #error: TSchema
  readonly #example: Readonly<Record<string, string>>

  /** @param example members of every example error in addition to `error` and `code` */
  constructor(error: TSchema, example: Readonly<Record<string, string>> = {}) {
    this.#error = error
    this.#example = example
  }

  /** A body of a content type: types other than JSON are texts or bytes, regardless of their schema. */
  body(type: string, schema: TSchema): Json {
    if (type === 'application/json') return { schema: this.schema(schema) }
    return { schema: { type: 'string', ...(type === 'application/octet-stream' ? { format: 'binary' } : {}) } }
  }

  refusal({ name, code, description, example, bodies = [this.#error], headers }: Refusal): Json {
    if (this.responses[name] === undefined) {
      const schemas = bodies.map((one) => this.schema(one))
      const [shown = this.#error] = bodies
      this.responses[name] = {
        description,
        ...headersOf(headers),
        content: {
          'application/json': {
            schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas },
            example: shown === this.#error ? { error: example, code, ...this.#example } : examplesOf(shown)[0],
          },
        },
      }
    }
    return { $ref: `#/components/responses/${name}` }
  }

  /** A header of requests that several operations have. */
  header(name: string, description: string): Json {
    this.parameters[name] ??= { name, in: 'header', description, schema: { type: 'string' } }
    return { $ref: `#/components/parameters/${name}` }
  }

  /** A schema in OpenAPI terms that all client generators support. */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.schema(one))
    return isJson(schema) ? this.#object(schema) : schema
  }

  /** A schema that is an object; one with a title becomes a component. */
  #object({ title, ...rest }: Json): Json {
    if (typeof title !== 'string') return this.#written(rest)
    // Before its parts, one of which may be the same.
    if (!Object.hasOwn(this.schemas, title)) {
      this.schemas[title] = undefined
      this.#sources.set(title, contentOf(rest))
      this.schemas[title] = this.#written(rest)
    } else if (this.#sources.get(title) !== contentOf(rest)) throw new TypeError(`two schemas have the title ${title}`)
    return { $ref: `#/components/schemas/${title}` }
  }

  #written(schema: Json): Json {
    const { anyOf, patternProperties, properties, items, additionalProperties, discriminator, ...others } = schema
    const { const: constant, ...rest } = others
    return {
      ...withDefaultInWords(rest),
      ...(rest['enum'] === undefined ? {} : { type: 'string' }),
      // oapi-codegen would otherwise generate a type with a single-value enum and a check for each word.
      ...(typeof constant === 'string' ? { enum: [constant], 'x-go-type': 'string' } : {}),
      ...(isJson(properties) && Object.keys(properties).length > 0 ? { properties: this.#each(properties) } : {}),
      ...(items === undefined ? {} : { items: this.schema(items) }),
      ...(additionalProperties === undefined ? {} : { additionalProperties: this.schema(additionalProperties) }),
      ...(isJson(patternProperties) ? { additionalProperties: this.schema(Object.values(patternProperties)[0]) } : {}),
      ...(Array.isArray(anyOf) ? this.#alternatives(anyOf.filter(isJson), discriminator) : {}),
    }
  }

  #each(schemas: Json): Json {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.schema(schema)]))
  }

  #alternatives(schemas: readonly Json[], discriminator: unknown): Json {
    if (schemas.every((one) => typeof one['const'] === 'string'))
      return { type: 'string', enum: schemas.map((one) => one['const']) }
    if (isJson(discriminator)) {
      const name = String(discriminator['propertyName'])
      const mapping = schemas.map((one) => [
        member(member(one['properties'], name), 'const'),
        `#/components/schemas/${String(one['title'])}`,
      ])
      return { oneOf: this.schema(schemas), discriminator: { ...discriminator, mapping: Object.fromEntries(mapping) } }
    }
    // Generated Java has no name for a text or an object without fields of its own: any value.
    if (schemas.some(isFreeObject) && schemas.some((one) => one['type'] === 'string')) return {}
    const [first, ...others] = schemas.filter((one) => one['type'] !== 'null')
    const isNullable = others.length === 0 && schemas.length === 2
    if (!isNullable || first === undefined || typeof first['type'] !== 'string' || first['title'] !== undefined)
      return { anyOf: this.schema(schemas) }
    return { ...this.#object(first), type: [first['type'], 'null'] }
  }
}

/** The content that distinguishes schemas: a shared schema may have a different description where it is used. */
const contentOf = ({ description: _, ...content }: Json) => JSON.stringify(content)

/**
 * Describes the default in words: generated clients would otherwise send it for absent members, which changes stored
 * rulesets, or require it.
 */
function withDefaultInWords({ default: value, ...rest }: Json): Json {
  if (value === undefined) return rest
  const words = typeof rest['description'] === 'string' ? `${rest['description']}; ` : ''
  return { ...rest, description: `${words}default: ${JSON.stringify(value)}` }
}

/** A member of an object; undefined for any other value. */
const member = (value: unknown, name: string): unknown => (isJson(value) ? value[name] : undefined)

function examplesOf(schema: TSchema): readonly unknown[] {
  const { examples }: { readonly examples?: readonly unknown[] } = schema
  return examples ?? []
}

const isFreeObject = ({ type, properties, title }: Json): boolean =>
  type === 'object' && title === undefined && Object.keys(properties ?? {}).length === 0
