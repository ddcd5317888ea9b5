import { isDecimal, numberOfText } from './decimal/decimal.ts'

/*
 * The structured clone algorithm, which copies messages between threads, turns a class instance into an object without
 * members. A decimal is therefore sent as a `String` object, which the algorithm preserves and no JSON value contains.
 */

/** A message whose decimals survive a structured clone; the message itself if it has none. Linear in its size. */
export function toCloneable<Message>(message: Message): Message {
  return replaced(message, (part) => (isDecimal(part) ? Object(String(part)) : undefined)) as Message
}

/** The message that `toCloneable` made cloneable. */
export function fromCloneable<Message>(message: Message): Message {
  return replaced(message, (part) => (isStringObject(part) ? numberOfText(part.valueOf()) : undefined)) as Message
}

/** Independent of the realm, which may differ after a clone. */
const isStringObject = (part: object): part is { valueOf(): string } =>
  Object.prototype.toString.call(part) === '[object String]'

type Replace = (part: object) => unknown

function replaced(part: unknown, replace: Replace): unknown {
  if (typeof part !== 'object' || part === null) return part
  const other = replace(part)
  if (other !== undefined) return other
  if (Array.isArray(part)) return listOf(part, replace)
  if (part instanceof Map) return mapOf(part, replace)
  const prototype: unknown = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null ? membersOf(part, replace) : part
}

function listOf(items: readonly unknown[], replace: Replace): readonly unknown[] {
  let copy: unknown[] | undefined
  for (const [index, item] of items.entries()) {
    const other = replaced(item, replace)
    if (other === item) continue
    copy ??= [...items]
    copy[index] = other
  }
  return copy ?? items
}

function mapOf(map: ReadonlyMap<unknown, unknown>, replace: Replace): ReadonlyMap<unknown, unknown> {
  const entries = [...map]
  const others = listOf(entries, replace) as typeof entries
  return others === entries ? map : new Map(others)
}

function membersOf(object: object, replace: Replace): object {
  const entries = Object.entries(object)
  // `Object.fromEntries` defines `__proto__` as an ordinary member.
  const others = entries.map(([key, member]) => [key, replaced(member, replace)] as const)
  return others.every(([, member], index) => member === entries[index]?.[1]) ? object : Object.fromEntries(others)
}
