import { JSON_DEPTH } from './limits.ts'
import type { Value } from '../value.ts'

/*
 * What may be handed to `JSON.parse`. V8 reads a key with an escape as another key that it has seen before at the same
 * place of an object of the same shape (nodejs/node issue 63785; docs/decisions/0008), so no text with a backslash inside
 * of a key may reach it; and it knows neither exact integers nor a limit on nesting.
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
 * Whether a key of a JSON text holds an escape. Right for every text up to its first mistake, which is as far as
 * `JSON.parse` goes. Costs next to nothing for a text without a backslash.
 */
export function hasEscapedKey(text: string): boolean {
  const { length } = text
  // A backslash is found in the first string that has one: what comes before it has none to be misled by.
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

/** Whether what `JSON.parse` made is what the text says: no number that may be inexact or infinite, no deep nesting. */
export function isExact(value: Value, levels: number = JSON_DEPTH): boolean {
  if (typeof value === 'number') return value < UNSAFE && value > -UNSAFE
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as Value
      if (typeof item === 'object' ? !isExact(item, levels - 1) : typeof item === 'number' && !isExact(item))
        return false
    }
    return true
  }
  const members = value as { readonly [key: string]: Value }
  // What JSON.parse makes inherits nothing that is enumerable.
  for (const key in members) {
    const member = members[key] as Value
    if (typeof member === 'object' ? !isExact(member, levels - 1) : typeof member === 'number' && !isExact(member))
      return false
  }
  return true
}

/**
 * The end of the members from `start` on, of the object or list around it, that `JSON.parse` reads rightly: the offset of
 * a comma between members or of the closing bracket, at most `length` characters on. When not even the first member is
 * known to be whole and harmless, the negated offset at which that was seen. `levels` are left for nesting.
 */
export function harmlessEnd(text: string, start: number, length: number, levels: number): number {
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
    // Digits behind a point are a fraction, however many; an exponent may leave the doubles.
    if (code === DOT) {
      digits = -2 * length
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
      // The bit 32 tells `{` from `[` and `}` from `]`; no other character of JSON outside of strings has these codes.
      if (++open > levels) break
    } else if ((code | 32) === 125 && --open < 0) return at
  }
  return end ?? -at
}

/** The offset of what is no white space of JSON. */
export function skipSpace(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at
    at++
  }
}
