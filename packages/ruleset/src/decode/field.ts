import { quote, type Value } from '@engine/expression'
import { faults } from '../problems.ts'
import { refuse, suggest } from './decoding.ts'
import type { Decoding } from './decoding.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'

/** A JSON object of the document. */
export type Fields = { readonly [key: string]: Value }

/** Longest id, name or code. */
export const MAX_LABEL = 256
/** Longest message or description. */
export const MAX_TEXT = 65_536

export function isFields(value: Value | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

/** An own member, so that `constructor` and the like are ordinary names; undefined when there is none. */
export function member(fields: Fields, key: string): Value | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** A member that may be left out: `null` is the same as leaving it out, since generated clients send it for every absent one. */
export function optionalMember(fields: Fields, key: string): Value | undefined {
  return member(fields, key) ?? undefined
}

/** What stands there, for messages: scalars as they are written, the rest by type. */
export function described(value: Value | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `the text ${quote(value)}`
  if (typeof value !== 'object' || value === null) return quote(String(value))
  return isList(value) ? 'a list' : 'an object'
}

/** Text of `least` to `most` characters. `fallback` takes the place of a missing member; without it, missing is a fault. */
export interface TextRule {
  readonly least: number
  readonly most: number
  readonly fallback?: string
}

/** Reads a text member; undefined after a fault. */
export function textMember(
  decoding: Decoding,
  place: Place | undefined,
  fields: Fields,
  key: string,
  rule: TextRule,
): string | undefined {
  const value = rule.fallback === undefined ? member(fields, key) : optionalMember(fields, key)
  if (value === undefined) return rule.fallback ?? refuse(decoding, at(place, key), faults.missing(key, 'a text'))
  return text(decoding, at(place, key), value, rule)
}

/** A text within its limits; undefined after a fault. */
export function text(
  decoding: Decoding,
  place: Place,
  value: Value | undefined,
  { least, most }: TextRule,
): string | undefined {
  if (typeof value !== 'string') return refuse(decoding, place, faults.wrongType('a text', described(value)))
  if (value.length < least) return refuse(decoding, place, faults.empty())
  if (value.length > most) return refuse(decoding, place, faults.tooLong(most, value.length))
  return value
}

/** Text or null, null also when the member is missing; undefined after a fault. */
export function nullableTextMember(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  key: string,
  rule: TextRule,
): string | null | undefined {
  const value = member(fields, key)
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') {
    return refuse(decoding, at(place, key), faults.wrongType('a text or null', described(value)))
  }
  return text(decoding, at(place, key), value, rule)
}

/** A whole number within bounds, or the fallback when the member is missing; undefined after a fault. */
export function integerMember(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  key: string,
  { low, high, fallback }: { readonly low: number; readonly high: number; readonly fallback: number },
): number | undefined {
  const value = optionalMember(fields, key)
  if (value === undefined) return fallback
  if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value
  return refuse(decoding, at(place, key), faults.outOfRange(low, high, described(value)))
}

/** True or false, false when the member is missing; undefined after a fault. */
export function booleanMember(decoding: Decoding, place: Place, fields: Fields, key: string): boolean | undefined {
  const value = optionalMember(fields, key)
  if (value === undefined) return false
  if (typeof value === 'boolean') return value
  return refuse(decoding, at(place, key), faults.wrongType('`true` or `false`', described(value)))
}

/** One of a few words; undefined after a fault. */
export function wordMember<Word extends string>(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  key: string,
  words: ReadonlySet<Word>,
  fallback: Word | undefined,
): Word | undefined {
  const value = fallback === undefined ? member(fields, key) : optionalMember(fields, key)
  if (value === undefined) {
    return fallback ?? refuse(decoding, at(place, key), faults.missing(key, oneOf(words)))
  }
  for (const word of words) if (word === value) return word
  if (typeof value !== 'string')
    return refuse(decoding, at(place, key), faults.wrongType(oneOf(words), described(value)))
  return refuse(decoding, at(place, key), faults.notOneOf(value, [...words], suggest(decoding, value, words)))
}

function oneOf(words: ReadonlySet<string>): string {
  return `one of ${[...words].map(quote).join(', ')}`
}

/** A list of at most `most` items, empty when the member is missing; undefined after a fault. `what`: "branches". */
export function listMember(
  decoding: Decoding,
  place: Place,
  fields: Fields,
  key: string,
  { what, most }: { readonly what: string; readonly most: number },
): readonly Value[] | undefined {
  const value = optionalMember(fields, key)
  if (value === undefined) return []
  if (!isList(value)) return refuse(decoding, at(place, key), faults.wrongType(`a list of ${what}`, described(value)))
  if (value.length > most) return refuse(decoding, at(place, key), faults.tooMany(what, most, value.length))
  return value
}

/** An object; undefined after a fault. `what` says which: "a branch". */
export function fieldsAt(decoding: Decoding, place: Place, value: Value | undefined, what: string): Fields | undefined {
  if (isFields(value)) return value
  return refuse(decoding, place, faults.wrongType(what, described(value)))
}
