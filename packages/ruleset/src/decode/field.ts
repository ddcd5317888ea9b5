import { isList, isObject, quote, type Value } from '@engine/expression/core'
import { faults } from '../problems.ts'
import { refuse, suggest } from './decoding.ts'
import type { Decoding } from './decoding.ts'
import { at } from './place.ts'
import type { Place } from './place.ts'

/** A JSON object of the document. */
export type Fields = { readonly [key: string]: Value }

/** Maximum length of an id, name or code. */
export const MAX_LABEL = 256
/** Maximum length of a message or description. */
export const MAX_TEXT = 65_536

/** Whether a value of a document is an object. */
export function isFields(value: Value | undefined): value is Fields {
  return isObject(value)
}

/** An own member, so that `constructor` and others are ordinary names; undefined when absent. */
export function member(fields: Fields, key: string): Value | undefined {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

/** An optional member: `null` means absent, since generated clients send it for every absent member. */
export function optionalMember(fields: Fields, key: string): Value | undefined {
  return member(fields, key) ?? undefined
}

/** A value as described in messages: scalars literally, others by type. */
export function described(value: Value | undefined): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string') return `the text ${quote(value)}`
  return isList(value) ? 'a list' : isFields(value) ? 'an object' : quote(String(value))
}

/**
 * The minimum and maximum length of a text. `fallback` replaces a missing member; without it, a missing member is a
 * fault.
 */
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

/** A text within its length limits; undefined after a fault. */
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

/** Text or null, also null when missing; undefined after a fault. */
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

/** An integer within bounds, or the fallback when missing; undefined after a fault. */
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

/** A boolean, false when missing; undefined after a fault. */
export function booleanMember(decoding: Decoding, place: Place, fields: Fields, key: string): boolean | undefined {
  const value = optionalMember(fields, key)
  if (value === undefined) return false
  if (typeof value === 'boolean') return value
  return refuse(decoding, at(place, key), faults.wrongType('`true` or `false`', described(value)))
}

/** One of a set of words; undefined after a fault. */
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
  return `one of ${[...words].map((word) => quote(word)).join(', ')}`
}

/** A list of at most `most` items, empty when missing; undefined after a fault. `what`: "branches". */
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

/** An object; undefined after a fault. `what` describes it in faults: "a branch". */
export function fieldsAt(decoding: Decoding, place: Place, value: Value | undefined, what: string): Fields | undefined {
  if (isFields(value)) return value
  return refuse(decoding, place, faults.wrongType(what, described(value)))
}
