import type { InputField } from '@engine/authoring'
import { isList, type Value } from '@engine/expression'
import { type Fields, isFields, member } from '@engine/ruleset'

/** Maximum number of fields of one schema, and of nested objects. */
const MAX_FIELDS = 1000
const MAX_DEPTH = 20

/** Keywords that change no verdict of a validator, and those that a contract has. */
const KNOWN = new Set([
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'examples',
  'default',
  'deprecated',
  'format',
  'type',
  'properties',
  'required',
  'enum',
  'items',
  'minimum',
  'maximum',
])

/** Reports a keyword that a contract does not check. */
export type Unchecked = (keyword: string) => void

/**
 * The fields of a JSON Schema of an object; nested objects become dotted paths. Keywords without a form in a contract are
 * reported, and the field accepts more values than the schema. Linear in the size of the schema.
 */
export function schemaFields(schema: Fields, unchecked: Unchecked): readonly InputField[] {
  const fields: InputField[] = []
  collect(schema, { prefix: '', isRequired: true, depth: 0 }, { fields, unchecked })
  return fields
}

interface Position {
  readonly prefix: string
  /** Whether all objects around it are required. */
  readonly isRequired: boolean
  readonly depth: number
}

interface Collected {
  readonly fields: InputField[]
  readonly unchecked: Unchecked
}

function collect(schema: Fields, position: Position, collected: Collected): void {
  const { prefix, isRequired, depth } = position
  reportUnknown(schema, collected.unchecked)
  const required = requiredNames(schema)
  const properties = member(schema, 'properties')
  for (const [name, value] of isFields(properties) ? Object.entries(properties) : []) {
    if (!/^[A-Za-z_]\w*$/.test(name) || !isFields(value)) collected.unchecked(name)
    else if (collected.fields.length >= MAX_FIELDS) return collected.unchecked('properties')
    else {
      const inner = { prefix: `${prefix}${name}`, isRequired: isRequired && required.has(name), depth }
      if (depth < MAX_DEPTH && isPlainObject(value))
        collect(value, { ...inner, prefix: `${inner.prefix}.`, depth: depth + 1 }, collected)
      else collected.fields.push(fieldOf(value, inner, collected.unchecked))
    }
  }
}

function requiredNames(schema: Fields): ReadonlySet<Value> {
  const names = member(schema, 'required')
  return new Set(isList(names) ? names : [])
}

/** An object with members of its own, which is never null. */
function isPlainObject(schema: Fields): boolean {
  const properties = member(schema, 'properties')
  const type = member(schema, 'type')
  return (type === undefined || type === 'object') && isFields(properties) && Object.keys(properties).length > 0
}

function fieldOf(schema: Fields, { prefix: name, isRequired }: Position, unchecked: Unchecked): InputField {
  reportUnknown(schema, unchecked)
  const { type, takesNull } = typeOf(schema, unchecked)
  const values = member(schema, 'enum')
  const isNumber = type === 'number' || type === 'integer'
  const limit = (key: 'minimum' | 'maximum') => {
    const value = member(schema, key)
    if (value === undefined) return {}
    if (isNumber && typeof value === 'number') return { [key]: value }
    return unchecked(key) ?? {}
  }
  return {
    name,
    type,
    ...(isRequired && !takesNull && { required: true }),
    ...(isList(values) && { enum: values.filter((value) => value !== null) }),
    ...limit('minimum'),
    ...limit('maximum'),
  }
}

interface FoundType {
  readonly type: string
  readonly takesNull: boolean
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object'])

function typeOf(schema: Fields, unchecked: Unchecked, depth = 0): FoundType {
  const given = member(schema, 'type')
  const types = isList(given) ? given : given === undefined ? [] : [given]
  const takesNull = types.includes('null')
  const [type, ...others] = types.filter((one) => one !== 'null')
  if (others.length > 0) unchecked('type')
  if (others.length > 0 || type === undefined) return { type: 'any', takesNull: takesNull || type === undefined }
  if (typeof type === 'string' && PLAIN.has(type)) {
    if (depth > 0 && type === 'object' && isFields(member(schema, 'properties'))) unchecked('properties')
    return { type, takesNull }
  }
  if (type !== 'array') {
    unchecked('type')
    return { type: 'any', takesNull: true }
  }
  const items = member(schema, 'items')
  if (!isFields(items) || depth >= MAX_DEPTH) return { type: 'array<any>', takesNull }
  reportUnknown(items, unchecked)
  for (const key of ['enum', 'minimum', 'maximum']) if (member(items, key) !== undefined) unchecked(key)
  return { type: `array<${typeOf(items, unchecked, depth + 1).type}>`, takesNull }
}

function reportUnknown(schema: Fields, unchecked: Unchecked): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const isEmpty = keyword === 'additionalProperties' && value === true
    if (!KNOWN.has(keyword) && !isEmpty) unchecked(keyword)
  }
}
