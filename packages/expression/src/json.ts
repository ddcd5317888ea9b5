import { JsonFailure, type JsonProblem, JsonScanner } from './json-scanner.ts'
import { normalizeInteger, type Value } from './value.ts'

export { positionOf } from './json-position.ts'
export type { JsonProblem } from './json-scanner.ts'

/** A JSON document is nested at most this deep. */
export const JSON_DEPTH = 128

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'failed'; readonly problem: JsonProblem }

export interface ParseJsonOptions {
  /** A key that occurs twice in one object: `refuse` the document, or keep the `last` as `JSON.parse` does. */
  readonly duplicateKeys: 'refuse' | 'last'
}

/**
 * Parse JSON text (RFC 8259). Integers beyond ±(2^53 - 1) are exact (`bigint`); a number beyond the range of doubles, and
 * nesting beyond `JSON_DEPTH`, is a problem. For ordinary text this costs `JSON.parse` and a cheap look at the text.
 */
export function parseJson(text: string, { duplicateKeys }: ParseJsonOptions): ParsedJson {
  const isLong = text.length > LONG_TEXT
  if (duplicateKeys === 'refuse' || (isLong && opensDeep(text))) {
    const problem = diagnose(text, duplicateKeys)
    if (problem !== undefined) return { kind: 'failed', problem }
  }
  try {
    const value = hasUnusualNumber(text) ? (JSON.parse(text, exactly) as Value) : (JSON.parse(text) as Value)
    if (isLong || !mayBeDeep(text) || !isDeeper(value, JSON_DEPTH)) return { kind: 'parsed', value }
  } catch {
    // What is wrong is found below.
  }
  return failed(text, duplicateKeys)
}

function failed(text: string, duplicateKeys: 'refuse' | 'last'): ParsedJson {
  const problem = diagnose(text, duplicateKeys)
  // What V8 refuses the scanner refuses too; should they ever differ, the text is still refused.
  return { kind: 'failed', problem: problem ?? new JsonScanner(text).problem('malformed-json', 'this is not JSON', 0) }
}

/** The JSON text of a value, without spaces, integers exact. Throws `RangeError` for values nested some thousand deep. */
export function stringifyJson(value: Value): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? (JSON as JsonWithRaw).rawJSON(String(member)) : member,
    )
  }
}

/** `JSON.rawJSON` of ECMAScript 2026, which the compiler's library does not know yet. */
type JsonWithRaw = typeof JSON & { rawJSON(text: string): unknown }

/** An exponent that may leave the range of doubles. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3}/

/** Whether a number may be an unsafe integer or beyond the doubles: true for some texts without one, never the reverse. */
function hasUnusualNumber(text: string): boolean {
  return hasLongInteger(text) || LARGE_EXPONENT.test(text)
}

/** The fewest digits of an unsafe integer: 2^53 has 16. */
const UNSAFE_DIGITS = 16

/** Any run of 16 digits has one at an index that 16 divides: only those are looked at. */
function hasLongInteger(text: string): boolean {
  for (let at = 0; at < text.length; at += UNSAFE_DIGITS) {
    if (isDigit(text.charCodeAt(at)) && isInLongInteger(text, at)) return true
  }
  return false
}

/** Digits behind a `.` are a fraction; those before one matter only where they are enough to leave the doubles. */
function isInLongInteger(text: string, at: number): boolean {
  let start = at
  while (isDigit(text.charCodeAt(start - 1))) start--
  if (text.charCodeAt(start - 1) === DOT) return false
  let end = at + 1
  while (isDigit(text.charCodeAt(end))) end++
  return end - start >= (text.charCodeAt(end) === DOT ? LARGE_DIGITS : UNSAFE_DIGITS)
}

/** With fewer digits than this and an exponent of two digits a number stays within the doubles. */
const LARGE_DIGITS = 200
const DOT = 46

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function exactly(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  if (!Number.isFinite(value)) throw new RangeError(source)
  return /^-?\d+$/.test(source) ? normalizeInteger(BigInt(source)) : value
}

/**
 * Characters from which on a text is held to the depth before it is parsed, character by character: V8 needs no stack for
 * nesting, but memory. Of shorter texts the value is looked at, which is several times faster.
 */
const LONG_TEXT = 256 * 1024

/** Whether a value has more than this many levels of objects and lists. */
function isDeeper(value: Value, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object' && isDeeper(item, levels - 1))
  const members = value as { readonly [key: string]: Value }
  // What JSON.parse makes inherits nothing that is enumerable.
  for (const key in members) {
    const member = members[key] as Value
    if (typeof member === 'object' && isDeeper(member, levels - 1)) return true
  }
  return false
}

/** Whether there are enough opening brackets, those in strings included. */
function mayBeDeep(text: string): boolean {
  if (text.length <= JSON_DEPTH) return false
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
      if (++count > JSON_DEPTH) return true
  }
  return false
}

/** Whether brackets outside of strings are nested too deep. */
function opensDeep(text: string): boolean {
  const { length } = text
  let depth = 0
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at)
    // The bit 32 tells `{` from `[` and `}` from `]`; no other character of JSON outside of strings has these codes.
    if ((code | 32) === 123) {
      if (++depth > JSON_DEPTH) return true
    } else if ((code | 32) === 125) depth--
    else if (code === 34) at = endOfString(text, at)
  }
  return false
}

/** The closing quote of the string that opens here, or the end of the text. */
function endOfString(text: string, open: number): number {
  const { length } = text
  for (let at = open + 1; at < length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) return at
    if (code === 92) at++
  }
  return length
}

/** What is wrong with a text, and where; undefined when nothing is. */
function diagnose(text: string, duplicateKeys: 'refuse' | 'last'): JsonProblem | undefined {
  try {
    new JsonScanner(text, { depth: JSON_DEPTH, refuseDuplicates: duplicateKeys === 'refuse' }).document()
    return undefined
  } catch (error) {
    if (error instanceof JsonFailure) return error.problem
    throw error
  }
}
