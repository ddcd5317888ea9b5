import { defined, isList, isNumber, isObject, TYPE, type Type, typeName, type Value } from '@engine/expression/core'

/** The type of a field (specification 2.9), extended by `integer`, `decimal` and `any`. */
export type FieldType =
  | { readonly kind: 'string' | 'number' | 'integer' | 'decimal' | 'boolean' | 'object' | 'any' }
  | { readonly kind: 'array'; readonly item: FieldType }
  | { readonly kind: 'concept'; readonly name: string }

/** Field types of concepts, by name. */
export type Concepts = ReadonlyMap<string, readonly { readonly name: string; readonly type: string }[]>

export const NO_CONCEPTS: Concepts = new Map()

const PLAIN = ['string', 'number', 'integer', 'decimal', 'boolean', 'object', 'any'] as const
const CONCEPT = /^concept:(.+)$/
const ARRAY = /^array<(.*)>$/
/** Maximum nesting of arrays in a type. */
const MAX_DEPTH = 16

/** Parses a type, such as `array<concept:address>`; undefined when it is invalid. */
export function parseType(text: string, depth = 0): FieldType | undefined {
  const plain = PLAIN.find((kind) => kind === text)
  if (plain !== undefined) return { kind: plain }
  const concept = CONCEPT.exec(text)?.[1]
  if (concept !== undefined) return { kind: 'concept', name: concept }
  const inner = ARRAY.exec(text)?.[1]
  const item = inner === undefined || depth >= MAX_DEPTH ? undefined : parseType(inner, depth + 1)
  return item && { kind: 'array', item }
}

/** The text of a type, parseable by `parseType`. */
export function typeText(type: FieldType): string {
  if (type.kind === 'array') return `array<${typeText(type.item)}>`
  return type.kind === 'concept' ? `concept:${type.name}` : type.kind
}

/**
 * The replacement for a type that contracts support and facts do not (specification 2.9 lists those of facts):
 * `array<number>` for `array<integer>`; undefined when facts support the type. `any` has no equivalent.
 */
export function factTypeFor(type: FieldType): { readonly instead: string | undefined } | undefined {
  if (type.kind === 'integer' || type.kind === 'decimal') return { instead: 'number' }
  if (type.kind === 'any') return { instead: undefined }
  const inner = type.kind === 'array' ? factTypeFor(type.item) : undefined
  return inner && { instead: inner.instead === undefined ? undefined : `array<${inner.instead}>` }
}

const BITS: { readonly [Kind in FieldType['kind']]: Type } = {
  string: TYPE.string,
  number: TYPE.number,
  integer: TYPE.number,
  decimal: TYPE.number,
  boolean: TYPE.boolean,
  object: TYPE.object,
  any: TYPE.any,
  array: TYPE.array,
  concept: TYPE.object,
}

/** The static type for checking expressions. */
export function checkedType({ kind }: FieldType): Type {
  return BITS[kind]
}

/** The concept named by a type, also within arrays. */
export function conceptOf(type: FieldType): string | undefined {
  if (type.kind === 'concept') return type.name
  return type.kind === 'array' ? conceptOf(type.item) : undefined
}

/** The concept named by the text of a type; undefined when there is none or the text is invalid. */
export function conceptNamed(text: string): string | undefined {
  const type = parseType(text)
  return type && conceptOf(type)
}

/** A concept and all concepts that use it, directly or indirectly. Linear in the fields of all concepts. */
export function dependentConcepts(concepts: Concepts, name: string): ReadonlySet<string> {
  const users = new Map<string, string[]>()
  for (const [concept, fields] of concepts)
    for (const { type } of fields) {
      const used = conceptNamed(type)
      if (used === undefined) continue
      const known = users.get(used)
      if (known === undefined) users.set(used, [concept])
      else known.push(concept)
    }
  const found = new Set([name])
  // Iteration also visits names added here.
  for (const one of found) for (const user of users.get(one) ?? []) found.add(user)
  return found
}

/**
 * Whether a value is of a type. Present fields of a concept must have their types; additional fields are allowed.
 * Linear in the size of the value.
 */
export function hasType(value: Value, type: FieldType, concepts: Concepts = NO_CONCEPTS): boolean {
  switch (type.kind) {
    case 'any':
      return true
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value)
    case 'decimal':
      return isNumber(value)
    case 'array':
      return isList(value) && value.every((item) => hasType(item, type.item, concepts))
    case 'concept':
      return isObject(value) && isConcept(value, type.name, concepts)
    case 'string':
    case 'number':
    case 'boolean':
    case 'object':
      return typeName(value) === type.kind
  }
}

function isConcept(value: { readonly [key: string]: Value }, name: string, concepts: Concepts): boolean {
  const fields = concepts.get(name) ?? []
  return fields.every(({ name: key, type }) => {
    const given = Object.hasOwn(value, key) ? defined(value[key]) : undefined
    const known = parseType(type)
    return given === undefined || known === undefined || hasType(given, known, concepts)
  })
}
