import {
  LONG_JSON,
  type ParsedJson,
  parseJson,
  type ParseJsonOptions,
  readJson,
  stringifyJson,
  type Value,
  writeJson,
} from '@engine/expression'
import type { Awaitable } from './awaitable.ts'
import { inTurns } from './turns.ts'

/** Values and pieces of text that are written at once, in a few milliseconds. */
const LARGE = 16 * 1024
/** Characters of a text that cost about as much as a value. */
const PIECE = 16
/** Levels; whatever is deeper is looked at no further and counts as large. */
const DEEP = 200

/**
 * The JSON text of a value; a promise of a large one, which is written in turns with other requests. Throws or rejects with
 * a `RangeError` for a value nested some thousand deep, and rejects with a `JsonTooLongError` for a text of more than `most`
 * characters (at least some 300,000).
 */
export function jsonText(value: Value, most = Infinity): Awaitable<string> {
  return isLarge(value) ? inTurns(writeJson(value, { most })) : stringifyJson(value)
}

/** The value of a JSON text; a promise of that of a long one, which is read in turns with other requests. */
export function parsedJson(text: string, options: ParseJsonOptions): Awaitable<ParsedJson> {
  return text.length > LONG_JSON ? inTurns(readJson(text, options)) : parseJson(text, options)
}

/** Whether a value takes more than a few milliseconds to be written. */
export function isLarge(value: Value): boolean {
  return room(value, LARGE, DEEP) < 0
}

/** The rest of a number of values after this one is written; negative when it is too large. */
function room(value: Value | undefined, most: number, levels: number): number {
  if (typeof value === 'string') return most - 1 - value.length / PIECE
  if (typeof value !== 'object' || value === null) return most - 1
  if (levels === 0) return -1
  let left = most - 1
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left >= 0; index++) left = room(value[index] as Value, left, levels - 1)
    return left
  }
  const members = value as { readonly [key: string]: Value }
  for (const key in members) {
    left = room(members[key], left - key.length / PIECE, levels - 1)
    if (left < 0) return left
  }
  return left
}
