import type { ErrorDetail } from '@engine/api'
import { nearest } from '@engine/expression'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { describe, EngineError, quoted } from './errors.ts'

/** The maximum of reported faults of one body; beyond it one fault stands for all. */
const MOST_FAULTS = 20

/**
 * Hold a request body to its schema. Fields that the schema does not name are ignored. Throws `EngineError` that names
 * every fault with its place and what would be right.
 */
export function requireShape(schema: TSchema, body: unknown): void {
  refuseFaults(shapeFaults(schema, body))
}

/**
 * A request body in the one form that its schema knows: an optional member that is `null` is one that was not sent, and an
 * integer is a number, however it was written. Clients made from the description send both.
 */
export function inOneForm<T>(schema: TSchema, body: T): T {
  const { properties, required = [] } = schema as ObjectSchema
  if (properties === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  let formed: Record<string, unknown> | undefined
  for (const [name, member] of Object.entries(properties)) {
    if (!Object.hasOwn(body, name)) continue
    const sent: unknown = (body as Readonly<Record<string, unknown>>)[name]
    const isAbsent = sent === null && !required.includes(name)
    const value = typeof sent === 'bigint' && member.type === 'integer' ? Number(sent) : inOneForm(member, sent)
    if (!isAbsent && value === sent) continue
    const changed = formed ?? { ...(body as Readonly<Record<string, unknown>>) }
    if (isAbsent) delete changed[name]
    else changed[name] = value
    formed = changed
  }
  return formed === undefined ? body : (formed as T)
}

/** The parts of a TypeBox schema of an object. */
interface ObjectSchema {
  readonly properties?: Readonly<Record<string, TSchema & { readonly type?: string }>>
  readonly required?: readonly string[]
}

/** Throws `EngineError` that names every fault; nothing when there is none. */
export function refuseFaults(details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new EngineError('invalid-request', summary(details), { details })
}

/** The problems of a value by its schema; none when empty. */
export function shapeFaults(schema: TSchema, value: unknown): readonly ErrorDetail[] {
  const validator = validatorOf(schema)
  const long = overlong(schema, value)
  if (long.length > 0) return long
  return validator.Check(value) ? [] : faultsOf(validator, schema, withNumbers(value))
}

/**
 * A body whose own members are numbers where they are integers beyond 2^53: one number, one answer, whether it is written
 * `1e16` or with all its digits. Every integer of a request has a maximum below.
 */
function withNumbers(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const members = Object.entries(body)
  if (!members.some(([, member]) => typeof member === 'bigint')) return body
  return Object.fromEntries(
    members.map(([key, member]: [string, unknown]) => [key, typeof member === 'bigint' ? Number(member) : member]),
  )
}

/** Each schema is compiled once, when it is first needed: most servers never see most kinds of request. */
const validators = new WeakMap<TSchema, Validator>()

function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = Compile(schema)
  validators.set(schema, made)
  return made
}

function summary(details: readonly ErrorDetail[]): string {
  return details
    .map(({ path, message }) => (path === '' ? `the body ${message}` : `${quoted(path)} ${message}`))
    .join('; ')
}

/** The fields of TypeBox's errors that messages are made of. */
interface SchemaFault {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
}

/** Lists with too many items, and maps with too many members, come first and alone: looking at each of them takes seconds. */
function overlong(schema: TSchema, body: unknown): readonly ErrorDetail[] {
  const { properties = {} } = schema as {
    readonly properties?: Readonly<Record<string, { readonly maxItems?: number; readonly maxProperties?: number }>>
  }
  return Object.entries(properties).flatMap(([name, { maxItems = Infinity, maxProperties = Infinity }]) => {
    const part = isRecord(body) && Object.hasOwn(body, name) ? body[name] : undefined
    const [most, noun] = Array.isArray(part) ? [maxItems, 'items'] : [maxProperties, 'members']
    const size = Array.isArray(part) ? part.length : most < Infinity && isRecord(part) ? Object.keys(part).length : 0
    return size <= most ? [] : [{ path: `/${name}`, message: `must have at most ${most} ${noun}, found ${size}` }]
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function faultsOf(validator: Validator, schema: TSchema, body: unknown): readonly ErrorDetail[] {
  const [, faults] = validator.Errors(body)
  return (faults as readonly SchemaFault[])
    .filter((fault) => !isAside(fault))
    .flatMap((fault) => detailsOf(fault, schema, body))
    .slice(0, MOST_FAULTS)
}

/** Of nullable types only the other type is named. */
function isAside({ keyword, params }: SchemaFault): boolean {
  return keyword === 'anyOf' || (keyword === 'type' && 'type' in params && params.type === 'null')
}

function detailsOf(fault: SchemaFault, schema: TSchema, body: unknown): readonly ErrorDetail[] {
  const { keyword, instancePath: path } = fault
  const parameters = fault.params as Readonly<Record<string, unknown>>
  const found = valueAt(body, path)
  if (keyword === 'required')
    return (parameters['requiredProperties'] as readonly string[]).map((name) => missing(schema, found, path, name))
  return [{ path, message: (MESSAGES[keyword] ?? UNEXPECTED)(parameters, found) }]
}

/** Members that are compared with the name of a missing one. */
const MOST_COMPARED = 100

function missing(schema: TSchema, found: unknown, path: string, name: string): ErrorDetail {
  const properties = valueAt(schema, `${path.replaceAll('/', '/properties/')}/properties`) ?? {}
  const strangers = Object.keys(found as object).filter((key) => !Object.hasOwn(properties, key))
  const guess = strangers.slice(0, MOST_COMPARED).find((stranger) => nearest(stranger, [name]) !== undefined)
  const detail = { path: `${path}/${name}`, message: 'is missing' }
  if (guess === undefined) return detail
  return { ...detail, message: `is missing: ${quoted(guess)} was given instead`, suggestion: name }
}

type Message = (parameters: Readonly<Record<string, unknown>>, found: unknown) => string

const MESSAGES: Readonly<Record<string, Message>> = {
  type: ({ type }, found) => `must be ${NOUNS[String(type)] ?? String(type)}, found ${describe(found)}`,
  enum: ({ allowedValues }, found) =>
    `must be one of ${(allowedValues as readonly unknown[]).map((value) => quoted(String(value))).join(', ')}, found ${describe(found)}`,
  minimum: ({ limit }, found) => `must be at least ${String(limit)}, found ${String(found)}`,
  maximum: ({ limit }, found) => `must be at most ${String(limit)}, found ${String(found)}`,
  minItems: ({ limit }) => `must have at least ${String(limit)} item${limit === 1 ? '' : 's'}`,
}

const UNEXPECTED: Message = (_, found) => `is not what is expected here, found ${describe(found)}`

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
  for (const key of pointer.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  return value
}
