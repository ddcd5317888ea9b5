import type { Keywords, Schema } from '@engine/api'
import { isObject, type Value } from '@engine/expression'

/** A keyword of a schema that a value does not keep. */
export interface SchemaFault {
  readonly keyword: keyof Keywords
  /** JSON pointer to the value; of a missing member, to the object. */
  readonly path: string
  readonly found: unknown
  /** Where the keyword stands. */
  readonly schema: Schema
  /** Of `required`: the members that are missing. */
  readonly missing?: readonly string[]
}

/**
 * Where a value differs from its schema; nothing when it fits. Of alternatives that all do not fit, the faults of each.
 * Linear in the value for each level of alternatives, and it ends with the first `most` faults.
 */
export function schemaFaults(schema: Schema, value: unknown, most: number): readonly SchemaFault[] {
  const faults: SchemaFault[] = []
  for (const fault of faultsAt(schema, value, '')) {
    faults.push(fault)
    if (faults.length >= most) break
  }
  return faults
}

function* faultsAt(schema: Schema, value: unknown, path: string): Generator<SchemaFault> {
  const { type, anyOf } = schema
  if (type !== undefined && !IS_OF_TYPE[type](value)) return yield { keyword: 'type', path, found: value, schema }
  if (anyOf !== undefined) return yield* noneOf(anyOf, value, path)
  for (const keyword of KEYWORDS) if (!keeps[keyword](schema, value)) yield { keyword, path, found: value, schema }
  if (Array.isArray(value)) yield* itemFaults(schema, value, path)
  else if (type === 'object') yield* memberFaults(schema, value as Readonly<Record<string, unknown>>, path)
}

const IS_OF_TYPE: Readonly<Record<NonNullable<Schema['type']>, (value: unknown) => boolean>> = {
  object: (value) => isObject(value as Value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

/** Whether a value of the right type keeps a keyword, which may be absent. */
const keeps = {
  const: (schema, value) => schema.const === undefined || value === schema.const,
  enum: (schema, value) => schema.enum === undefined || schema.enum.includes(value as string),
  minimum: (schema, value) => schema.minimum === undefined || (value as number) >= schema.minimum,
  maximum: (schema, value) => schema.maximum === undefined || (value as number) <= schema.maximum,
  maxLength: (schema, value) => schema.maxLength === undefined || (value as string).length <= schema.maxLength,
  pattern: (schema, value) => schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(value as string),
  minItems: (schema, value) => schema.minItems === undefined || (value as readonly unknown[]).length >= schema.minItems,
  maxItems: (schema, value) => schema.maxItems === undefined || (value as readonly unknown[]).length <= schema.maxItems,
  maxProperties: (schema, value) =>
    schema.maxProperties === undefined || Object.keys(value as object).length <= schema.maxProperties,
} as const satisfies Partial<Record<keyof Keywords, (schema: Schema, value: unknown) => boolean>>

const KEYWORDS = Object.keys(keeps) as readonly (keyof typeof keeps)[]

/** Alternatives are few and do not nest: each is looked at until one fits. */
function* noneOf(alternatives: readonly Schema[], value: unknown, path: string): Generator<SchemaFault> {
  const faults: SchemaFault[] = []
  for (const alternative of alternatives) {
    const before = faults.length
    for (const fault of faultsAt(alternative, value, path)) faults.push(fault)
    if (faults.length === before) return
  }
  yield* faults
}

function* itemFaults({ items }: Schema, value: readonly unknown[], path: string): Generator<SchemaFault> {
  if (items === undefined || isAnything(items)) return
  for (const [index, item] of value.entries()) yield* faultsAt(items, item, `${path}/${index}`)
}

function* memberFaults(schema: Schema, value: Readonly<Record<string, unknown>>, path: string): Generator<SchemaFault> {
  const { properties = {}, required = [], additionalProperties: others = true } = schema
  const missing = required.filter((name) => !Object.hasOwn(value, name))
  if (missing.length > 0) yield { keyword: 'required', path, found: value, schema, missing }
  for (const [name, member] of Object.entries(properties))
    if (Object.hasOwn(value, name)) yield* faultsAt(member, value[name], pointer(path, name))
  if (others === true || (others !== false && isAnything(others))) return
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) continue
    if (others === false) yield { keyword: 'additionalProperties', path: pointer(path, name), found: member, schema }
    else yield* faultsAt(others, member, pointer(path, name))
  }
}

/** Lists of 100,000 inputs are not looked at one by one for nothing. */
function isAnything({ type, anyOf, enum: texts, const: constant }: Schema): boolean {
  return type === undefined && anyOf === undefined && texts === undefined && constant === undefined
}

function pointer(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
