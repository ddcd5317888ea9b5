import { JSON_DEPTH } from './limits.ts'
import type { NumberReading } from '../runtime.ts'
import { defined } from '../defined.ts'
import { isList, type Value } from '../value.ts'

/*
 * Determines which text is safe to pass to `JSON.parse`. V8 may read a key with an escape as a different key that it
 * has seen before at the same position of an object of the same shape (nodejs/node issue 63785; docs/decisions/0008),
 * so no text with a backslash inside a key may reach it; it also has neither exact integers nor a limit on nesting.
 */

const QUOTE = 34
const COMMA = 44
const DOT = 46
const COLON = 58
const BACKSLASH = 92
const LOWER_E = 101
const UPPER_E = 69

/** The fewest digits of an integer that a double does not hold exactly: 2^53 has 16. */
export const UNSAFE_DIGITS = 16

const UNSAFE = 2 ** 53

/**
 * Whether a key of a JSON text contains an escape. Correct up to the first syntax error, which is as far as
 * `JSON.parse` reads. Almost free for a text without a backslash.
 */
export function hasEscapedKey(text: string): boolean {
  const { length } = text
  // A backslash is found in the first string that contains one: no earlier string contains one.
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    for (; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) break
      if (code === BACKSLASH) at++
    }
    at = skipSpace(text, at + 1)
    if (text.charCodeAt(at) === COLON) return true
  }
  return false
}

/**
 * Whether the result of `JSON.parse` is exactly the value of the text: no number that may be inexact or infinite, no
 * deep nesting.
 */
export function isExact(value: Value, levels: number = JSON_DEPTH): boolean {
  if (typeof value === 'number') return value < UNSAFE && value > -UNSAFE
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (isList(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = defined(value[index])
      if (typeof item === 'object' ? !isExact(item, levels - 1) : typeof item === 'number' && !isExact(item))
        return false
    }
    return true
  }
  const members = value as { readonly [key: string]: Value }
  // Results of JSON.parse inherit no enumerable properties.
  for (const key in members) {
    const member = defined(members[key])
    if (typeof member === 'object' ? !isExact(member, levels - 1) : typeof member === 'number' && !isExact(member))
      return false
  }
  return true
}

/**
 * Whether each number of a JSON text has at most 15 digits and no negative exponent, so that the doubles which
 * `JSON.parse` makes of them have the same shortest text; may be false for other texts. Any run of 16 digits and points
 * covers an index divisible by 16: only those are examined.
 */
export function isShownByDoubles(text: string): boolean {
  if (text.includes('e-') || text.includes('E-')) return false
  for (let at = 0; at < text.length; at += UNSAFE_DIGITS) {
    if (!isDigitOrPoint(text.charCodeAt(at))) continue
    let start = at
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (isDigitOrPoint(text.charCodeAt(end))) end++
    if (end - start >= UNSAFE_DIGITS) return false
  }
  return true
}

function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === DOT
}

/**
 * The end of the members from `start` on, of the enclosing object or list, that `JSON.parse` reads correctly: the
 * offset of a comma between members or of the closing bracket, at most `length` characters ahead. When not even the
 * first member is known to be complete and safe, the negated offset at which that was detected. `levels` is the
 * remaining nesting. For decimals a fraction of many digits is not safe.
 */
export function harmlessEnd(
  text: string,
  start: number,
  length: number,
  levels: number,
  numbers: NumberReading,
): number {
  const limit = Math.min(text.length, start + length)
  let end: number | undefined
  let open = 0
  let digits = 0
  let at = start
  for (; at < limit; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) {
      if (++digits >= UNSAFE_DIGITS) break
      continue
    }
    // Any number of digits after a point are a fraction; an exponent may exceed the range of doubles.
    if (code === DOT) {
      if (numbers === 'double') digits = -2 * length
      continue
    }
    if ((code === LOWER_E || code === UPPER_E) && digits !== 0) break
    digits = 0
    if (code === QUOTE) {
      let isEscaped = false
      for (at++; at < limit; at++) {
        const inner = text.charCodeAt(at)
        if (inner === QUOTE) break
        if (inner === BACKSLASH) {
          isEscaped = true
          at++
        }
      }
      if (isEscaped && text.charCodeAt(skipSpace(text, at + 1)) === COLON) break
    } else if (code === COMMA) {
      if (open === 0) end = at
    } else if ((code | 32) === 123) {
      // Bit 32 distinguishes `{` from `[` and `}` from `]`; no other JSON character outside strings has these codes.
      if (++open > levels) break
    } else if ((code | 32) === 125 && --open < 0) return at
  }
  return end ?? -at
}

/** The offset of the next character that is not JSON white space. */
export function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at
    at++
  }
}
