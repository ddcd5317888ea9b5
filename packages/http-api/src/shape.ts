import { escapedKey, keysOfPointer, nearest, quote } from '@engine/expression'
import { type FaultDetail, HttpError } from '@engine/http-server'
import type { TSchema } from 'typebox'
import { isJson, type Json } from './components.ts'
import { Compile, type Validator } from 'typebox/schema'

/** Maximum number of reported faults of one body; if there are more, a final fault stands for them. */
const MAX_FAULTS = 20

/**
 * Validate a request body against its schema. Unknown fields are ignored. Throws `HttpError` that lists every fault
 * with its position and the expected value.
 */
export function requireShape(schema: TSchema, body: unknown): void {
  refuseFaults(shapeFaults(schema, body))
}

/**
 * Normalizes a request body: an optional member that is `null` counts as absent, unless its schema allows null, and an
 * integer becomes a number, however it was written. Generated clients send both forms.
 */
export function inOneForm(schema: TSchema, body: unknown): unknown {
  const { properties, required = [] }: ObjectSchema = schema
  if (properties === undefined || !isJson(body) || Array.isArray(body)) return body
  let formed: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(properties)) {
    if (!Object.hasOwn(body, name)) continue
    const sent = body[name]
    const isAbsent = sent === null && !required.includes(name) && !takesNull(member)
    const value = typeof sent === 'bigint' && member.type === 'integer' ? Number(sent) : inOneForm(member, sent)
    if (!isAbsent && value === sent) continue
    const changed = formed ?? { ...body }
    if (isAbsent) delete changed[name]
    else changed[name] = value
    formed = changed
  }
  return formed ?? body
}

/** Whether null is a separate value. */
function takesNull({ anyOf, type }: { readonly type?: string; readonly anyOf?: readonly TSchema[] }): boolean {
  return type === 'null' || (anyOf?.some((one) => takesNull(one)) ?? false)
}

/** The parts of a TypeBox schema of an object. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { readonly type?: string }>>
  readonly required?: readonly string[]
}

/** The parts of a TypeBox schema that allow unknown members. */
interface NestedSchema extends ObjectSchema {
  readonly type?: string
  readonly anyOf?: readonly TSchema[]
  readonly items?: TSchema
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly additionalProperties?: unknown
  readonly patternProperties?: unknown
}

/**
 * Unknown members of a body at any depth: a misspelt optional one would have no effect. Schemas of records, and those
 * with `additionalProperties`, accept any member. At most 20, in document order; no suggestions are searched beyond
 * that.
 *
 * @internal
 */
export function strangerFaults(schema: TSchema, value: unknown): readonly FaultDetail[] {
  const faults: FaultDetail[] = []
  addStrangers(schema, value, '', faults)
  return faults
}

function addStrangers(schema: TSchema, value: unknown, path: string, faults: FaultDetail[]): void {
  if (!isJson(value) || faults.length >= MAX_FAULTS) return
  if (Array.isArray(value)) {
    const alternatives = alternativesOf(schema, 'array')
    const items = alternatives.flatMap((one) => one.items ?? [])
    // A list that is too long is rejected for that, without examining its items.
    if (items.length < alternatives.length || alternatives.some(({ maxItems = Infinity }) => value.length > maxItems))
      return
    const either = eitherOf(items)
    if (either === undefined) return
    for (const [index, item] of value.entries()) {
      if (faults.length >= MAX_FAULTS) return
      addStrangers(either, item, `${path}/${index}`, faults)
    }
    return
  }
  const alternatives = alternativesOf(schema, 'object')
  if (alternatives.length === 0 || alternatives.some((one) => takesAnyMember(one))) return
  const names = alternatives.flatMap(({ properties = {} }) => Object.keys(properties))
  for (const name in value) {
    if (faults.length >= MAX_FAULTS) return
    const known = eitherOf(
      alternatives.flatMap(({ properties = {} }) => (Object.hasOwn(properties, name) ? (properties[name] ?? []) : [])),
    )
    if (known === undefined) faults.push(unknownMember(path, name, names))
    else addStrangers(known, value[name], pointerTo(path, name), faults)
  }
}

/** The schemas for values of a type: a union, such as a nullable type, may have several. */
function alternativesOf(schema: TSchema, type: 'array' | 'object'): readonly NestedSchema[] {
  const nested: NestedSchema = schema
  if (nested.anyOf !== undefined) return nested.anyOf.flatMap((one) => alternativesOf(one, type))
  // A schema without a type accepts any value.
  return nested.type === undefined || nested.type === type ? [nested] : []
}

const takesAnyMember = ({ properties, additionalProperties, patternProperties }: NestedSchema): boolean =>
  properties === undefined || additionalProperties === true || patternProperties !== undefined

/** Merges several schemas, removing duplicates, which would otherwise double with each level. */
function eitherOf(schemas: readonly TSchema[]): TSchema | undefined {
  const [first, ...others] = new Set(schemas)
  return first === undefined || others.length === 0 ? first : { anyOf: [first, ...others] }
}

function unknownMember(path: string, name: string, names: readonly string[]): FaultDetail {
  const suggestion = nearest(name, names)
  const hint = suggestion === undefined ? '' : `: did you mean ${quote(suggestion)}?`
  return {
    path: pointerTo(path, name.slice(0, 80)),
    message: `is unknown${hint}`,
    code: 'unknown-field',
    ...(suggestion === undefined ? {} : { suggestion }),
  }
}

const pointerTo = (path: string, name: string) => `${path}/${escapedKey(name)}`

/**
 * All faults of a body whose schema has every member that it may have: unknown members, then those by its schema. Where
 * unknown members alone fill the list, nothing else is examined.
 */
export function bodyFaults(schema: TSchema, value: unknown): readonly FaultDetail[] {
  const strangers = strangerFaults(schema, value)
  return strangers.length < MAX_FAULTS ? [...strangers, ...shapeFaults(schema, value)] : strangers
}

/** Throws `HttpError` that lists every fault; returns normally when there is none. */
export function refuseFaults(details: readonly FaultDetail[]): void {
  if (details.length > 0) throw new HttpError('invalid-request', summary(details), { details })
}

/** The problems of a value by its schema; none when empty. */
export function shapeFaults(schema: TSchema, value: unknown): readonly FaultDetail[] {
  const validator = validatorOf(schema)
  const long = overlong(schema, value)
  if (long.length > 0) return long
  return validator.Check(value) ? [] : faultsOf(validator, schema, withNumbers(value))
}

/**
 * Converts members that are integers beyond 2^53 to numbers, so that `1e16` and the same number with all its digits are
 * treated alike. Every integer of a request has a smaller maximum.
 */
function withNumbers(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const members = Object.entries(body)
  if (!members.some(([, member]) => typeof member === 'bigint')) return body
  return Object.fromEntries(
    members.map(([key, member]: [string, unknown]) => [key, typeof member === 'bigint' ? Number(member) : member]),
  )
}

/** Each schema is compiled on first use: most servers never receive most kinds of requests. */
const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = Compile(schema)
  validators.set(schema, made)
  return made
}

function summary(details: readonly FaultDetail[]): string {
  return details
    .map(({ path, message }) => (path === '' ? `the body ${message}` : `${quote(path)} ${message}`))
    .join('; ')
}

/** The fields of TypeBox's errors that appear in messages. */
interface SchemaFault {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
}

/**
 * Lists with too many items, and maps with too many members, at any depth. They are reported alone: validating each of
 * their items takes seconds. The content of a list that is too long is not examined.
 */
function overlong(schema: TSchema, value: unknown): readonly FaultDetail[] {
  const faults: FaultDetail[] = []
  addOverlong(schema, value, '', faults)
  return faults
}

function addOverlong(schema: TSchema, value: unknown, path: string, faults: FaultDetail[]): void {
  if (!isJson(value) || faults.length >= MAX_FAULTS) return
  if (Array.isArray(value)) {
    const alternatives = alternativesOf(schema, 'array')
    if (refuseSize(path, value.length, largest(alternatives, 'maxItems'), 'items', faults)) return
    const items = eitherOf(alternatives.flatMap((one) => one.items ?? []))
    if (items === undefined || !hasBounds(items)) return
    for (const [index, item] of value.entries()) addOverlong(items, item, `${path}/${index}`, faults)
    return
  }
  const alternatives = alternativesOf(schema, 'object')
  const most = largest(alternatives, 'maxProperties')
  if (most < Infinity && refuseSize(path, Object.keys(value).length, most, 'members', faults)) return
  if (alternatives.every(({ properties }) => properties === undefined)) return
  // By the names of the schema: a value may have very many members.
  for (const name of new Set(alternatives.flatMap(({ properties = {} }) => Object.keys(properties)))) {
    const part = Object.hasOwn(value, name) ? value[name] : undefined
    if (!isJson(part)) continue
    const known = eitherOf(alternatives.flatMap(({ properties = {} }) => properties[name] ?? []))
    if (known !== undefined && hasBounds(known)) addOverlong(known, part, pointerTo(path, name), faults)
  }
}

/** The largest size that one of the schemas of a value allows. */
function largest(alternatives: readonly NestedSchema[], keyword: 'maxItems' | 'maxProperties'): number {
  return alternatives.length === 0 ? Infinity : Math.max(...alternatives.map((one) => one[keyword] ?? Infinity))
}

function refuseSize(path: string, size: number, most: number, noun: string, faults: FaultDetail[]): boolean {
  if (size > most) faults.push({ path, message: `must have at most ${most} ${noun}, found ${size}` })
  return size > most
}

const bounded = new WeakMap<TSchema, boolean>()

/** Whether a schema limits the size of a list or map at any depth: other values need no walk. */
function hasBounds(schema: TSchema): boolean {
  const known = bounded.get(schema)
  if (known !== undefined) return known
  const lists = alternativesOf(schema, 'array')
  const objects = alternativesOf(schema, 'object')
  const isBounded =
    lists.some(({ maxItems, items }) => maxItems !== undefined || (items !== undefined && hasBounds(items))) ||
    objects.some(
      ({ maxProperties, properties = {} }) =>
        maxProperties !== undefined || Object.values(properties).some((one) => hasBounds(one)),
    )
  bounded.set(schema, isBounded)
  return isBounded
}

function faultsOf(validator: Validator, schema: TSchema, body: unknown): readonly FaultDetail[] {
  const [, faults] = validator.Errors(body)
  const told = faults.filter((fault) => !isAside(fault))
  return withChoices(told, schema)
    .flatMap((fault) => detailsOf(fault, schema, body))
    .slice(0, MAX_FAULTS)
}

/**
 * A union of literals reports a fault for each of the first ones: they are merged into one that lists all accepted
 * values.
 */
function withChoices(faults: readonly SchemaFault[], schema: TSchema): readonly SchemaFault[] {
  const told = new Set<string>()
  return faults.flatMap((fault) => {
    if (fault.keyword !== 'const') return [fault]
    if (told.has(fault.instancePath)) return []
    told.add(fault.instancePath)
    const [, union] = /^#(.*)\/anyOf\/\d+$/.exec(fault.schemaPath) ?? []
    const anyOf = union === undefined ? undefined : valueAt(schema, `${union}/anyOf`)
    const allowedValues = Array.isArray(anyOf)
      ? anyOf.flatMap((one) => (isJson(one) && 'const' in one ? [one['const']] : []))
      : ['allowedValue' in fault.params ? fault.params.allowedValue : undefined]
    return [{ ...fault, keyword: 'enum', params: { allowedValues } }]
  })
}

/** For nullable types only the other type is reported. */
function isAside({ keyword, params }: SchemaFault): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && 'type' in params && params.type === 'null')
}

function detailsOf(fault: SchemaFault, schema: TSchema, body: unknown): readonly FaultDetail[] {
  const { keyword, instancePath: path } = fault
  const parameters: Json =
    keyword === 'pattern' ? { ...fault.params, meaning: meaningOf(fault, schema) } : { ...fault.params }
  const found = valueAt(body, path)
  if (keyword === 'required')
    return textsIn(parameters['requiredProperties']).map((name) => missing(schema, found, path, name))
  return [{ path, message: (MESSAGES[keyword] ?? UNEXPECTED)(parameters, found) }]
}

/** Describes a pattern by the description of its schema. */
function meaningOf({ schemaPath }: SchemaFault, schema: TSchema): string | undefined {
  const place = valueAt(schema, schemaPath.replace(/^#/, ''))
  return isJson(place) && typeof place['description'] === 'string' ? place['description'] : undefined
}

/** Maximum number of members that are compared with the name of a missing one. */
const MAX_COMPARED = 100

/** The texts of a list. */
const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

function missing(schema: TSchema, found: unknown, path: string, name: string): FaultDetail {
  const properties = valueAt(schema, `${path.replaceAll('/', '/properties/')}/properties`)
  const guess = strangersIn(found, properties).find((stranger) => nearest(stranger, [name]) !== undefined)
  const detail = { path: `${path}/${name}`, message: 'is missing' }
  if (guess === undefined) return detail
  return { ...detail, message: `is missing: ${quote(guess)} was given instead`, suggestion: name }
}

function strangersIn(found: unknown, properties: unknown): readonly string[] {
  const strangers: string[] = []
  for (const name in isJson(found) ? found : {}) {
    if (strangers.length >= MAX_COMPARED) break
    if (!isJson(properties) || !Object.hasOwn(properties, name)) strangers.push(name)
  }
  return strangers
}

type Message = (parameters: Json, found: unknown) => string

const MESSAGES: Readonly<Record<string, Message>> = {
  type: ({ type }, found) => `must be ${NOUNS[String(type)] ?? String(type)}, found ${describe(found)}`,
  enum: ({ allowedValues }, found) => {
    const values = Array.isArray(allowedValues) ? allowedValues.map((value) => quote(String(value))) : []
    return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}, found ${describe(found)}`
  },
  exclusiveMinimum: ({ limit }, found) => `must be more than ${String(limit)}, found ${String(found)}`,
  minimum: ({ limit }, found) => `must be at least ${String(limit)}, found ${String(found)}`,
  maximum: ({ limit }, found) => `must be at most ${String(limit)}, found ${String(found)}`,
  format: ({ format }, found) => `must be ${FORMATS[String(format)] ?? String(format)}, found ${describe(found)}`,
  pattern: ({ pattern, meaning }, found) =>
    `must ${typeof meaning === 'string' ? `be ${meaning}` : `match ${quote(String(pattern))}`}, found ${describe(found)}`,
  minLength: ({ limit }) => `must have at least ${String(limit)} character${limit === 1 ? '' : 's'}`,
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} items`,
  minItems: ({ limit }) => `must have at least ${String(limit)} item${limit === 1 ? '' : 's'}`,
}

const UNEXPECTED: Message = (_, found) => `is not valid here, found ${describe(found)}`

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'a time such as `2027-01-31T12:00:00Z`',
  uuid: 'an id',
}

const NOUNS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  boolean: '`true` or `false`',
  integer: 'a whole number',
  number: 'a number',
}

function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const key of keysOfPointer(pointer)) value = isJson(value) ? value[key] : undefined
  return value
}

/** The kind of a value, for messages; scalars are shown. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return '`null`'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return `the string ${quote(value)}`
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
    ? quote(String(value))
    : 'an object'
}
