import type { ErrorDetail, Keywords, Schema } from '@engine/api'
import { nearest } from '@engine/expression'
import { describe, EngineError, quoted } from './errors.ts'
import { type SchemaFault, schemaFaults } from './schema-faults.ts'

/** The maximum of reported faults of one body; beyond it one fault stands for all. */
const MOST_FAULTS = 20

/**
 * Hold a request body to its schema. Fields that the schema does not name are ignored. Throws `EngineError` that names
 * every fault with its place and what would be right.
 */
export function requireShape(schema: Schema, body: unknown): void {
  refuseFaults(shapeFaults(schema, body))
}

/**
 * A request body in the one form that its schema knows: an optional member that is `null` is one that was not sent, and an
 * integer is a number, however it was written. Clients made from the description send both.
 */
export function inOneForm<T>(schema: Schema, body: T): T {
  const { properties, required = [] } = schema
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

/** Throws `EngineError` that names every fault; nothing when there is none. */
export function refuseFaults(details: readonly ErrorDetail[]): void {
  if (details.length > 0) throw new EngineError('invalid-request', summary(details), { details })
}

/** The problems of a value by its schema; none when empty. */
export function shapeFaults(schema: Schema, value: unknown): readonly ErrorDetail[] {
  const body = withNumbers(value)
  const long = overlong(schema, body)
  if (long.length > 0) return long
  return schemaFaults(schema, body, MOST_FAULTS)
    .filter((fault) => !isAside(fault))
    .flatMap(detailsOf)
    .slice(0, MOST_FAULTS)
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

function summary(details: readonly ErrorDetail[]): string {
  return details
    .map(({ path, message }) => (path === '' ? `the body ${message}` : `${quoted(path)} ${message}`))
    .join('; ')
}

/** Lists with too many items come first and alone: looking at each item of them takes seconds. */
function overlong(schema: Schema, body: unknown): readonly ErrorDetail[] {
  const { properties = {} } = schema
  return Object.entries(properties).flatMap(([name, { maxItems = Infinity }]) => {
    const list = valueAt(body, `/${name}`)
    if (!Array.isArray(list) || list.length <= maxItems) return []
    return [{ path: `/${name}`, message: `must have at most ${maxItems} items, found ${list.length}` }]
  })
}

/** Of nullable types only the other type is named. */
function isAside({ keyword, schema }: SchemaFault): boolean {
  return keyword === 'type' && schema.type === 'null'
}

function detailsOf(fault: SchemaFault): readonly ErrorDetail[] {
  const { keyword, path, found, schema } = fault
  if (fault.missing !== undefined) return fault.missing.map((name) => missing(fault, name))
  return [{ path, message: (MESSAGES[keyword] ?? UNEXPECTED)(schema, found) }]
}

function missing({ schema: { properties = {} }, found, path }: SchemaFault, name: string): ErrorDetail {
  const strangers = Object.keys(found as object).filter((key) => !Object.hasOwn(properties, key))
  const guess = strangers.find((stranger) => nearest(stranger, [name]) !== undefined)
  const detail = { path: `${path}/${name}`, message: 'is missing' }
  if (guess === undefined) return detail
  return { ...detail, message: `is missing: ${quoted(guess)} was given instead`, suggestion: name }
}

type Message = (schema: Schema, found: unknown) => string

const MESSAGES: Readonly<Partial<Record<keyof Keywords, Message>>> = {
  type: ({ type }, found) => `must be ${NOUNS[String(type)] ?? String(type)}, found ${describe(found)}`,
  enum: ({ enum: texts = [] }, found) =>
    `must be one of ${texts.map((text) => quoted(text)).join(', ')}, found ${describe(found)}`,
  minimum: ({ minimum }, found) => `must be at least ${minimum}, found ${String(found)}`,
  maximum: ({ maximum }, found) => `must be at most ${maximum}, found ${String(found)}`,
  minItems: ({ minItems }) => `must have at least ${minItems} item${minItems === 1 ? '' : 's'}`,
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
