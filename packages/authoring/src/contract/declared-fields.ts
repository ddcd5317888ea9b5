import { type Field, printPath, quote, type Segment, stringifyJson, NO_SPAN, type Value } from '@engine/expression'
import type { DeclaredFields, DeclaredValues } from '../engine/declared-types.ts'
import { fieldPath } from '../place.ts'
import { type Contract, type InputField, isWithin } from './contract.ts'
import {
  checkedType,
  type Concepts,
  digitsText,
  type FieldType,
  hasType,
  NO_CONCEPTS,
  parseType,
  typeText,
} from '@engine/ruleset'

/** Nesting levels of concepts whose fields are suggested. */
const MAX_DEPTH = 5
/** Maximum number of suggested names, including fields of concepts. */
const MAX_NAMES = 20_000

/** The target of a path. */
type Found =
  | { readonly kind: 'type'; readonly type: FieldType }
  /** A value that the contract does not restrict. */
  | { readonly kind: 'open' }
  /** A prefix of declared fields. */
  | { readonly kind: 'parent' }
  | { readonly kind: 'undeclared' }

const OPEN: Found = { kind: 'open' }
const UNDECLARED: Found = { kind: 'undeclared' }

/**
 * The fields that expressions may read (specification 4.10, first trigger), with their types for checking. A field has
 * its type when present, so `age > "x"` is wrong for an optional field too. Below `object` and `any` every path is
 * allowed; a concept has its fields, and array items have the item type. A lookup costs the length of the path.
 */
export function declaredFields(contract: Contract, concepts: Concepts = NO_CONCEPTS): DeclaredFields {
  const declared = new Map<string, { readonly field: InputField; readonly type: FieldType }>()
  const parents = new Set<string>()
  for (const field of contract.input.fields) {
    const path = fieldPath(field.name)
    const type = parseType(field.type)
    if (path === undefined || type === undefined) continue
    declared.set(path, { field, type })
    for (const { index } of path.matchAll(/[.[]/g)) parents.add(path.slice(0, index))
  }
  const find = (path: Field['path']) => {
    let found: Found = { kind: 'parent' }
    for (const [index, segment] of path.entries()) {
      const name = textOf(path.slice(0, index + 1))
      const own = declared.get(name)
      if (own !== undefined) found = { kind: 'type', type: own.type }
      else if (found.kind !== 'parent') found = below(found, segment, concepts)
      else if (segment.kind !== 'name') found = OPEN
      else found = parents.has(name) ? found : UNDECLARED
    }
    return found
  }
  /** The lists that a path with a wildcard can give. */
  const listAt = (path: Field['path']): DeclaredValues | undefined => {
    const found = find(path)
    if (found.kind !== 'type') return undefined
    const type: FieldType = { kind: 'array', item: found.type }
    return valuesOf({ name: '', type: typeText(type) }, type, concepts)
  }
  return {
    names: namesOf(declared, concepts),
    defaults: defaultsOf(declared),
    typeAt(path) {
      const found = find(path)
      if (path.some(({ kind }) => kind === 'wildcard')) return checkedType({ kind: 'array', item: ANY })
      return found.kind === 'type' ? checkedType(found.type) : undefined
    },
    declares: (path) => find(path).kind !== 'undeclared',
    valuesAt(path) {
      const known = declared.get(textOf(path))
      if (known !== undefined) return valuesOf(known.field, known.type, concepts)
      if (path.some(({ kind }) => kind === 'wildcard')) return listAt(path)
      // Within a declared field: a field of a concept, an array item.
      const found = find(path)
      return found.kind === 'type'
        ? valuesOf({ name: '', type: typeText(found.type) }, found.type, concepts)
        : undefined
    },
  }
}

const ANY: FieldType = { kind: 'any' }

function defaultsOf(declared: ReadonlyMap<string, { readonly field: InputField }>): ReadonlyMap<string, Value> {
  const given = Array.from(declared, ([path, { field }]) => [path, field.default] as const)
  return new Map(given.filter((entry): entry is readonly [string, Value] => entry[1] !== undefined))
}

const textOf = (path: Field['path']) => printPath({ kind: 'field', path, span: NO_SPAN })

/** The target of a segment from a value of known or unknown type. */
function below(found: Found, segment: Segment, concepts: Concepts): Found {
  if (found.kind !== 'type') return found
  const { type } = found
  switch (type.kind) {
    case 'any':
    case 'object':
      return OPEN
    case 'array':
      return segment.kind === 'name' ? UNDECLARED : typed(type.item)
    case 'concept': {
      const fields = concepts.get(type.name)
      if (fields === undefined || segment.kind !== 'name') return OPEN
      const field = fields.find(({ name }) => name === segment.name)
      const inner = field && parseType(field.type)
      return inner === undefined ? (field === undefined ? UNDECLARED : OPEN) : typed(inner)
    }
    case 'string':
    case 'number':
    case 'integer':
    case 'decimal':
    case 'boolean':
      return UNDECLARED
  }
}

const typed = (type: FieldType): Found => ({ kind: 'type', type })

/** The allowed values of a field; undefined when unrestricted. */
function valuesOf(field: InputField, type: FieldType, concepts: Concepts): DeclaredValues | undefined {
  const { minimum, maximum } = field
  if (type.kind === 'any') return undefined
  return {
    words: wordsOf(field),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    has: (value) => hasType(value, type, concepts) && isWithin(field, value),
  }
}

function wordsOf(field: InputField): string {
  const { enum: values, minimum, maximum } = field
  const limits = [values, minimum, maximum, field.digits, field.decimals].some((limit) => limit !== undefined)
  return limits ? allowedText(field) : `of the type ${quote(field.type)}`
}

/** Describes the allowed values of a field. */
export function allowedText(field: InputField): string {
  const { enum: values, minimum, maximum } = field
  const bounds = [minimum === undefined ? '' : `at least ${minimum}`, maximum === undefined ? '' : `at most ${maximum}`]
  const list = values === undefined ? '' : `one of ${values.map((value) => quote(stringifyJson(value))).join(', ')}`
  const digits = (['digits', 'decimals'] as const).map((limit) =>
    field[limit] === undefined ? '' : `of ${digitsText(field, limit)}`,
  )
  return [list, ...bounds, ...digits].filter((part) => part !== '').join(' and ')
}

function namesOf(declared: ReadonlyMap<string, { readonly type: FieldType }>, concepts: Concepts): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (path: string, type: FieldType, depth: number) => {
    if (names.size >= MAX_NAMES) return
    names.add(path)
    if (type.kind !== 'concept' || depth >= MAX_DEPTH) return
    for (const field of concepts.get(type.name) ?? []) {
      const inner = parseType(field.type)
      if (inner !== undefined) add(`${path}.${field.name}`, inner, depth + 1)
    }
  }
  for (const [path, { type }] of declared) add(path, type, 0)
  return names
}
