/** The type of a schema's values; there is nothing of it at run time. */
declare const VALUE: unique symbol
const OPTIONAL = Symbol('optional')

/** Keywords of JSON Schema (2020-12) and OpenAPI 3.1, as far as this service uses them. */
export interface Keywords {
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly discriminator?: { readonly propertyName: string }
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'boolean' | 'null'
  readonly const?: string | true
  readonly enum?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Properties
  readonly required?: readonly string[]
  /** A schema: of all members. False: no others than those of `properties`. */
  readonly additionalProperties?: boolean | Schema
  readonly maxProperties?: number
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** A JSON Schema, and the TypeScript type of what it describes. */
export interface Schema<Value = unknown> extends Keywords {
  readonly [VALUE]?: Value
}

/** Of a member that may be left out. */
export interface OptionalSchema<Value = unknown> extends Schema<Value> {
  readonly [OPTIONAL]: true
}

type Properties = Readonly<Record<string, Schema>>

/** Of objects with these members, and others beside them unless `additionalProperties` is false. */
export interface ObjectSchema<Members extends Properties = Properties> extends Schema<ObjectOf<Members>> {
  readonly properties: Members
}

type OptionalNames<Members> = {
  [Name in keyof Members]: Members[Name] extends OptionalSchema ? Name : never
}[keyof Members]

type ObjectOf<Members extends Properties> = {
  readonly [Name in Exclude<keyof Members, OptionalNames<Members>>]: Static<Members[Name]>
} & { readonly [Name in OptionalNames<Members>]?: Static<Members[Name]> }

/** The values of a schema, which are read and never changed. */
export type Static<Described> = Described extends Schema<infer Value> ? Value : never

type Options = Omit<Keywords, 'type' | 'properties' | 'required'>

/**
 * Schemas by the name of their type. They are plain JSON Schema, and the description of the service as it stands: one source
 * for it, for what requests are held to, and for the types. Importing a library for that took a third of a server's start.
 */
export const Type = {
  String: (options: Options = {}): Schema<string> => ({ type: 'string', ...options }),
  Integer: (options: Options = {}): Schema<number> => ({ type: 'integer', ...options }),
  Boolean: (options: Options = {}): Schema<boolean> => ({ type: 'boolean', ...options }),
  Null: (options: Options = {}): Schema<null> => ({ type: 'null', ...options }),
  /** Any value. */
  Unknown: (options: Options = {}): Schema => options,
  Literal: <Value extends string | true>(value: Value, options: Options = {}): Schema<Value> => ({
    type: value === true ? 'boolean' : 'string',
    const: value,
    ...options,
  }),
  /** One of several texts. */
  Enum: <const Values extends readonly string[]>(values: Values, options: Options = {}): Schema<Values[number]> => ({
    enum: values,
    ...options,
  }),
  Union: <Alternatives extends readonly Schema[]>(
    alternatives: Alternatives,
    options: Options = {},
  ): Schema<Static<Alternatives[number]>> => ({ anyOf: alternatives, ...options }),
  Array: <Item extends Schema>(items: Item, options: Options = {}): Schema<readonly Static<Item>[]> => ({
    type: 'array',
    items,
    ...options,
  }),
  Object: <Members extends Properties>(properties: Members, options: Options = {}): ObjectSchema<Members> => {
    const required = Object.keys(properties).filter((name) => !isOptional(properties[name]))
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options }
  },
  /** Objects with any names, and values of one schema. */
  Record: <Value extends Schema>(
    values: Value,
    options: Options = {},
  ): Schema<Readonly<Record<string, Static<Value>>>> => ({
    type: 'object',
    additionalProperties: values,
    ...options,
  }),
  /** Of a member that may be left out. */
  Optional: <Member extends Schema>(member: Member): OptionalSchema<Static<Member>> =>
    // A symbol is no part of the JSON.
    ({ ...member, [OPTIONAL]: true }) as OptionalSchema<Static<Member>>,
} as const

function isOptional(schema: Schema | undefined): boolean {
  return schema !== undefined && OPTIONAL in schema
}
