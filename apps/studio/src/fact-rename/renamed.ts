import { isObject, type Value } from '@engine/expression'
import type { components } from '../api/schema.ts'

type ContractDocument = components['schemas']['ContractDocument']

/**
 * The name of a field after a fact is renamed: `order` to `cart` turns `order.total` into `cart.total`. Other fields
 * keep their names.
 */
export function renamedField(field: string, from: string, to: string): string {
  return field === from || field.startsWith(`${from}.`) ? to + field.slice(from.length) : field
}

/** A contract with the renamed fields, in a new major version, since callers must send the new name. */
export function renamedContract(
  { name, version, description, input, outputs }: ContractDocument,
  from: string,
  to: string,
): ContractDocument {
  const fields = input.fields.map((field) => ({ ...field, name: renamedField(field.name, from, to) }))
  const next = nextMajor(version)
  return { name, version: next, ...(description !== undefined && { description }), input: { fields }, outputs }
}

const nextMajor = (version: string) => `${Number.parseInt(version, 10) + 1}.0.0`

/**
 * An input with the value of a renamed field at its new path. Returned unchanged if the field is absent, or if the new
 * path already has a value.
 */
export function renamedInput(input: Value, from: string, to: string): Value {
  if (!isObject(input)) return input
  const [old, next] = [from.split('.'), to.split('.')]
  if (valueIn(input, old) === undefined || valueIn(input, next) !== undefined) return input
  const shared = old.length === next.length && old.slice(0, -1).every((part, index) => part === next[index])
  if (shared) return withKey(input, old, next.at(-1) ?? '')
  const value = valueIn(input, old) ?? null
  return withValue(without(input, old) ?? {}, next, value)
}

function valueIn(value: Value, [first, ...rest]: readonly string[]): Value | undefined {
  if (first === undefined) return value
  return isObject(value) && Object.hasOwn(value, first) ? valueIn(value[first] ?? null, rest) : undefined
}

/** Renames the last key of a path, in its position. */
function withKey(value: Value, [first = '', ...rest]: readonly string[], key: string): Value {
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, Value] =>
    name !== first ? [name, inner] : rest.length === 0 ? [key, inner] : [name, withKey(inner, rest, key)],
  )
  return Object.fromEntries(entries)
}

/** Remove the value at a path, and objects that become empty. Undefined if nothing remains. */
function without(value: Value, [first = '', ...rest]: readonly string[]): Value | undefined {
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Value][] => {
    if (name !== first) return [[name, inner]]
    const left = rest.length === 0 ? undefined : without(inner, rest)
    return left === undefined ? [] : [[name, left]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Set the value at a path, unless a value on the path blocks it. */
function withValue(value: Value, [first = '', ...rest]: readonly string[], set: Value): Value {
  if (!isObject(value)) return value
  const inner =
    rest.length === 0 ? set : withValue(Object.hasOwn(value, first) ? (value[first] ?? null) : {}, rest, set)
  return { ...value, [first]: inner }
}
