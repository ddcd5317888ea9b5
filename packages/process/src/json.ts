import {
  defined,
  LONG_JSON,
  type ParsedJson,
  parseJson,
  type ParseJsonOptions,
  readJson,
  type Serializable,
  stringifyJson,
  type Value,
  writeJson,
} from '@engine/expression'
import type { Awaitable } from './awaitable.ts'
import { inTurns } from './turns.ts'

/** Number of values, and pieces of text, written in one piece: a few milliseconds. */
const MAX_SYNC_VALUES = 16 * 1024
/** Characters of text that cost about as much as one value. */
const CHARACTERS_PER_VALUE = 16
/** Maximum number of nesting levels that are examined; a deeper value counts as large. */
const MAX_EXAMINED_LEVELS = 200

/**
 * The JSON text of a value; a promise for a large one, which is serialized in pieces between other requests. Throws or
 * rejects with a `RangeError` for a value nested some thousand deep, and rejects with a `JsonTooLongError` for a text
 * of more than `most` characters (at least some 300,000).
 */
export function jsonText<Shape>(value: Shape & Serializable<Shape>, most?: number): Awaitable<string>
export function jsonText(value: Value, most = Infinity): Awaitable<string> {
  return isLarge(value) ? inTurns(writeJson(value, { most })) : stringifyJson(value)
}

/** Parses JSON text; a promise for a long one, which is parsed in pieces between other requests. */
export function parsedJson(text: string, options: ParseJsonOptions): Awaitable<ParsedJson> {
  return text.length > LONG_JSON ? inTurns(readJson(text, options)) : parseJson(text, options)
}

/** True if serializing a value takes more than a few milliseconds. */
export function isLarge(value: Value): boolean {
  return room(value, MAX_SYNC_VALUES, MAX_EXAMINED_LEVELS) < 0
}

/** The remaining number of values after writing this one; negative if it is too large. */
function room(value: Value | undefined, most: number, levels: number): number {
  if (typeof value === 'string') return most - 1 - value.length / CHARACTERS_PER_VALUE
  if (typeof value !== 'object' || value === null) return most - 1
  if (levels === 0) return -1
  let left = most - 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = room(defined(value[index]), left, levels - 1)
    return left
  }
  const members = value as { readonly [key: string]: Value }
  for (const key in members) {
    left = room(members[key], left - key.length / CHARACTERS_PER_VALUE, levels - 1)
    if (left < 0) return left
  }
  return left
}
