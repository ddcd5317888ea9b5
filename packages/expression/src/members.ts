import type { ObjectValue, Value } from './value.ts'

/** Key lists of large objects: an engine needs microseconds a key to list them, every time anew. */
const listed = new WeakMap<object, readonly string[]>()
const LARGE = 1000

/** The keys of an object, in order. Of a large object they are listed once. */
export function keysOf(object: ObjectValue): readonly string[] {
  const known = listed.get(object)
  if (known !== undefined) return known
  const keys = Object.keys(object)
  if (keys.length >= LARGE) listed.set(object, keys)
  return keys
}

/** Define an own member, whatever its name. */
export function setMember(object: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}
