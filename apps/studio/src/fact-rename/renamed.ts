import { isObject, type Value } from '@engine/expression'
import type { components } from '../api/schema.ts'

type ContractDocument = components['schemas']['ContractDocument']

/** A field after the rename of a fact: `order` to `cart` makes `cart.total` of `order.total`. Others keep their names. */
export function renamedField(field: string, from: string, to: string): string {
  return field === from || field.startsWith(`${from}.`) ? to + field.slice(from.length) : field
}

/** A contract with the renamed fields, in its next major version: callers must send the new name. */
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
 * An input with the value of a renamed field at its new path. Unchanged where it has no such field, or has one at the new path
 * already.
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

/** The last key of a path renamed in its place. */
function withKey(value: Value, [first = '', ...rest]: readonly string[], key: string): Value {
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]): [string, Value] =>
    name !== first ? [name, inner] : rest.length === 0 ? [key, inner] : [name, withKey(inner, rest, key)],
  )
  return Object.fromEntries(entries)
}

/** Remove the value at a path, and objects that become empty. Undefined: nothing is left. */
function without(value: Value, [first = '', ...rest]: readonly string[]): Value | undefined {
  if (!isObject(value)) return value
  const entries = Object.entries(value).flatMap(([name, inner]): [string, Value][] => {
    if (name !== first) return [[name, inner]]
    const left = rest.length === 0 ? undefined : without(inner, rest)
    return left === undefined ? [] : [[name, left]]
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** Set a value at a path. A value in its way is kept instead. */
function withValue(value: Value, [first = '', ...rest]: readonly string[], set: Value): Value {
  if (!isObject(value)) return value
  const inner =
    rest.length === 0 ? set : withValue(Object.hasOwn(value, first) ? (value[first] ?? null) : {}, rest, set)
  return { ...value, [first]: inner }
}
