import { JsonFailure, type JsonProblem, JsonScanner } from './json-scanner.ts'
import { normalizeInteger, type Value } from './value.ts'

export type { JsonProblem } from './json-scanner.ts'

/** A JSON document is nested at most this deep; found before it is parsed, so that no depth overflows a stack. */
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
 * nesting beyond `JSON_DEPTH`, is a problem. For ordinary text this costs `JSON.parse` and one look at each character.
 */
export function parseJson(text: string, { duplicateKeys }: ParseJsonOptions): ParsedJson {
  if (duplicateKeys === 'refuse' || isTooDeep(text)) {
    const problem = diagnose(text, duplicateKeys)
    if (problem !== undefined) return { kind: 'failed', problem }
  }
  try {
    const value = UNUSUAL_NUMBER.test(text) ? (JSON.parse(text, exactly) as Value) : (JSON.parse(text) as Value)
    return { kind: 'parsed', value }
  } catch {
    const problem = diagnose(text, duplicateKeys)
    // What V8 refuses the scanner refuses too; should they ever differ, the text is still refused.
    return { kind: 'failed', problem: problem ?? new JsonScanner(text).problem('malformed-json', 'this is not JSON', 0) }
  }
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

/** Digits enough for an unsafe integer, or an exponent enough to leave the range of doubles; strings too, in passing. */
const UNUSUAL_NUMBER = /\d{16}|\d[eE]\+?\d{3}/

function exactly(this: unknown, _key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value
  const source = context?.source ?? ''
  if (!Number.isFinite(value)) throw new RangeError(source)
  return /^-?\d+$/.test(source) ? normalizeInteger(BigInt(source)) : value
}

/** Whether brackets outside of strings are nested too deep. Counts only as far as it has to. */
function isTooDeep(text: string): boolean {
  if (text.length <= JSON_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34:
        at = endOfString(text, at)
        break
      case 91:
      case 123:
        if (++depth > JSON_DEPTH) return true
        break
      case 93:
      case 125:
        depth--
    }
  }
  return false
}

/** The closing quote of the string that opens here, or the end of the text. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (text.charCodeAt(at - 1 - slashes) === 92) slashes++
    if (slashes % 2 === 0) return at
  }
  return text.length
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
