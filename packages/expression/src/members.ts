import type { Budget } from './budget.ts'
import type { ObjectValue, Value } from './value.ts'

/** Key lists of large objects: V8 needs a good part of a microsecond per key, each time that they are listed. */
const listed = new WeakMap<object, readonly string[]>()
const LARGE = 1000
/** Units per key to list a large object. */
const LISTING = 10

/** The keys of an object, in order. Those of a large object are cached. Charges the listing. */
export function keysOf(object: ObjectValue, budget: Budget | undefined): readonly string[] {
  const known = listed.get(object)
  if (known !== undefined) return known
  const keys = Object.keys(object)
  if (keys.length < LARGE) budget?.spend(keys.length)
  else {
    listed.set(object, keys)
    budget?.spend(LISTING * keys.length)
  }
  return keys
}

/** Define an own member, regardless of its name. */
export function setMember(object: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}
