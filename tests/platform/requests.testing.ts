import fc from 'fast-check'

/** The parts of a schema of the OpenAPI document that requests are made by. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly pattern?: string
  readonly format?: string
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
}

/** One operation of the OpenAPI document. */
export interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

/** A request to an operation. */
export interface GeneratedRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A text is sent unchanged. */
  readonly body: unknown
}

/** Replacements for schemas of the document, by their references. */
export type Resolve = (schema: Schema) => Schema

/** Texts that have broken programs before. */
const HOSTILE = [
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e',
  '%00',
  '%',
  "' or 1=1 --",
  '../..',
  '__proto__',
  'toString',
  'null',
  '-1',
  '1e400',
  'x'.repeat(3000),
  '2026-02-31T00:00:00Z',
  '00000000-0000-0000-0000-000000000000',
]
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...HOSTILE))
/** Values of all kinds. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  { depthSize: 'small' },
  fc.jsonValue({ maxDepth: 3 }),
  text,
  fc.constant(2 ** 53),
  fc.constant(null),
)

/** Ids for the parts of requests. */
export interface Ids {
  /** Valid values for the parameters of the path. */
  readonly fitting: Readonly<Record<string, string>>
  /** Ids of all kinds, each of which may be sent where another kind is expected. */
  readonly all: readonly string[]
}

/** Requests to one operation: mostly of the form that it describes, with parts of them missing, added, or anything at all. */
export function requestsTo(
  path: string,
  { parameters = [], requestBody }: Operation,
  { fitting, all: ids }: Ids,
  resolve: Resolve,
): fc.Arbitrary<GeneratedRequest> {
  const other = fc.oneof({ arbitrary: fc.constantFrom(...ids), weight: 3 }, text, fc.uuid())
  const id = (name: string) => mostly(fc.constant(fitting[name] ?? 'x'), other)
  const named = (place: Parameter['in']) => parameters.filter((parameter) => parameter.in === place)
  const inPath = fc.record(Object.fromEntries(named('path').map(({ name }) => [name, id(name)])))
  const query = fc.record(
    Object.fromEntries(named('query').map(({ name, schema }) => [name, mostly(texts(schema, resolve), text)])),
    { requiredKeys: [] },
  )
  const headers = fc.record(
    Object.fromEntries(named('header').map(({ name }) => [name, fc.oneof(fc.constant('"1"'), headerText)])),
    { requiredKeys: [] },
  )
  const schema = requestBody?.content['application/json']?.schema
  const body = schema === undefined ? fc.constant(undefined) : bodies(schema, ids, resolve)
  const strange = mostly<readonly [string, string] | undefined>(fc.constant(undefined), fc.tuple(text, text))
  return fc.record({ inPath, query, headers, body, strange }).map((parts) => ({
    path: path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => segment(parts.inPath[name] ?? '')) + search(parts),
    headers: {
      ...parts.headers,
      ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: parts.body,
  }))
}

const headerText = fc.string({ unit: fc.constantFrom(...'abc 01"*,W/-'), maxLength: 30 })

/** A client would take `.` and `..` for folders, and nothing for another path. */
const segment = (value: string) =>
  /^\.{0,2}$/.test(value) ? 'x' : encodeURIComponent(value.slice(0, 500).toWellFormed())

function search({
  query,
  strange,
}: {
  readonly query: Readonly<Record<string, string | undefined>>
  readonly strange: readonly [string, string] | undefined
}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const all = strange === undefined ? pairs : [...pairs, strange]
  const encoded = all.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('='))
  return encoded.length === 0 ? '' : `?${encoded.join('&')}`
}

const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: rare, weight: 1 })

/** Valid values of a parameter, as text. */
const texts = (schema: Schema, resolve: Resolve) =>
  valueOf(schema, [], resolve).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))

/** Texts of bodies; some end early. */
function bodies(schema: Schema, ids: readonly string[], resolve: Resolve): fc.Arbitrary<string> {
  const whole = mostly(valueOf(schema, ids, resolve), junk).map((value) => JSON.stringify(value))
  return fc.oneof(
    { arbitrary: whole, weight: 20 },
    whole.map((json) => json.slice(0, -1)),
    fc.constant(''),
  )
}

function valueOf(given: Schema, ids: readonly string[], resolve: Resolve): fc.Arbitrary<unknown> {
  const schema = resolve(given)
  const { anyOf, enum: values, type, items, minItems = 0, maxItems = 5 } = schema
  if ('const' in schema) return mostly<unknown>(fc.constant(schema.const), junk)
  if (values !== undefined) return mostly<unknown>(fc.constantFrom(...values), junk)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => valueOf(one, ids, resolve)))
  switch (type) {
    case 'object':
      return objectOf(schema, ids, resolve)
    case 'array': {
      const few = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) }
      return mostly<unknown>(fc.array(items === undefined ? junk : valueOf(items, ids, resolve), few), junk)
    }
    case 'string':
      return mostly<unknown>(stringOf(schema, ids), junk)
    case 'boolean':
      return mostly<unknown>(fc.boolean(), junk)
    case 'integer':
      return mostly<unknown>(
        fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 1000, 2 ** 31) }),
        junk,
      )
    case 'number':
      return mostly<unknown>(fc.double({ min: schema.minimum ?? -5, max: schema.maximum ?? 1000, noNaN: true }), junk)
    case 'null':
      return fc.constant(null)
    default:
      return junk
  }
}

function objectOf({ properties = {}, required = [] }: Schema, ids: readonly string[], resolve: Resolve) {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueOf(schema, ids, resolve)]),
  )
  const complete = fc.record(members, { requiredKeys: [...required] })
  const partial = fc.record(members, { requiredKeys: [] })
  const extended = fc.tuple(complete, text, junk).map(([body, name, value]) => ({ ...body, [name]: value }))
  return fc.oneof({ arbitrary: complete, weight: 12 }, partial, extended)
}

function stringOf({ minLength = 0, maxLength = 40, pattern, format }: Schema, ids: readonly string[]) {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  const sized = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 300)) }
  const plain = [fc.string(sized), fc.string({ ...sized, unit: 'grapheme' }), fc.emailAddress()]
  return ids.length === 0 ? fc.oneof(...plain) : fc.oneof(...plain, fc.constantFrom(...ids))
}
