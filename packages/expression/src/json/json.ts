import { hasEscapedKey, isExact, isShownByDoubles, UNSAFE_DIGITS } from './safe-text.ts'
import { hasDecimalDocument, withDecimalDocuments } from './documents.ts'
import { JsonFailure, type JsonProblem } from './problem.ts'
import type { ValueAllowance } from './limits.ts'
import { JsonReader } from './reader.ts'
import { type JsonForm, JsonWriter } from './writer.ts'
import type { NumberReading } from '../runtime.ts'
import type { Serializable, Value } from '../value.ts'

export { type JsonForm, scalarText } from './writer.ts'

export { numbersOf } from './documents.ts'
export { escapedKey, keysOfPointer } from './pointer.ts'
export { jsonPositions } from './positions.ts'
export { jsonTextEnd } from './text-end.ts'
export { ValueAllowance } from './limits.ts'
export type { JsonProblem } from './problem.ts'

export type ParsedJson =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'failed'; readonly problem: JsonProblem }

/** Limits and strictness of `parseJson`. */
export interface ParseJsonOptions {
  /**
   * A key that occurs twice in one object: `refuse` rejects the document, `last` keeps the last one like `JSON.parse`.
   */
  readonly duplicateKeys: 'refuse' | 'last'
  /** Charged for each value that is read. Default: unlimited. */
  readonly values?: ValueAllowance | undefined
  /**
   * `decimal`: all digits are kept, as for decimal rulesets (docs/numbers.md). `document`: the same within each object
   * whose `config.numbers` is `decimal`, and doubles elsewhere. `exact`: the values that `stringifyJson` wrote, of
   * either kind. Default `double`.
   */
  readonly numbers?: NumberReading | 'document' | undefined
}

/** Work done in pieces so that other requests can run in between. */
export interface Piecewise<Result> {
  /** Continue for about this many characters. Returns the result once it is complete. */
  advance(characters: number): Result | undefined
}

/** Characters of a text that is parsed in one piece, in some 20 ms at most; parse longer texts in pieces. */
export const LONG_JSON = 256 * 1024

/**
 * Parse JSON text (RFC 8259). Integers beyond ±(2^53 - 1) are exact (`bigint`); a number beyond the range of doubles,
 * nesting beyond `JSON_DEPTH` and an object with more than `JSON_MEMBERS` members are problems. For ordinary text this
 * costs `JSON.parse` and one pass over the value. All JSON text is parsed here: `JSON.parse` alone confuses keys
 * (docs/decisions/0008).
 */
export function parseJson(text: string, options: ParseJsonOptions): ParsedJson {
  const { duplicateKeys, values, numbers } = options
  if (duplicateKeys === 'last' && values === undefined && text.length <= LONG_JSON && !hasEscapedKey(text)) {
    try {
      const value = JSON.parse(text) as Value
      if (isExact(value) && (isDouble(numbers) || isShownByDoubles(text))) return { kind: 'parsed', value }
    } catch {
      // The reader below finds and reports the error.
    }
  }
  const reading = readJson(text, options)
  for (;;) {
    const parsed = reading.advance(Infinity)
    if (parsed !== undefined) return parsed
  }
}

const isDouble = (numbers: ParseJsonOptions['numbers']) => numbers === undefined || numbers === 'double'

/**
 * The value of a JSON text that must be valid, such as a manifest or a message from another part of the program: exactly the
 * value that `stringifyJson` wrote. Throws `SyntaxError`.
 */
export function jsonValue(text: string): Value {
  const parsed = parseJson(text, { duplicateKeys: 'last', numbers: 'exact' })
  if (parsed.kind === 'failed') throw new SyntaxError(parsed.problem.message)
  return parsed.value
}

/** `parseJson` in pieces. */
export function readJson(
  text: string,
  { duplicateKeys, values, numbers = 'double' }: ParseJsonOptions,
): Piecewise<ParsedJson> {
  const isRefusing = duplicateKeys === 'refuse'
  if (numbers !== 'document') return piecewise(new JsonReader(text, isRefusing, values, numbers))
  return readDocuments(text, isRefusing, piecewise(new JsonReader(text, isRefusing, values, 'double')))
}

function piecewise(reader: JsonReader): Piecewise<ParsedJson> {
  return {
    advance(characters) {
      try {
        return reader.advance(characters) ? { kind: 'parsed', value: reader.value } : undefined
      } catch (error) {
        if (error instanceof JsonFailure) return { kind: 'failed', problem: error.problem }
        throw error
      }
    },
  }
}

/** The first pass finds the decimal documents. If a number has many digits, a second pass parses them. */
function readDocuments(text: string, isRefusing: boolean, first: Piecewise<ParsedJson>): Piecewise<ParsedJson> {
  let doubles: Value | undefined
  let second: Piecewise<ParsedJson> | undefined
  return {
    advance(characters) {
      if (second === undefined) {
        const parsed = first.advance(characters)
        if (parsed?.kind !== 'parsed' || isShownByDoubles(text) || !hasDecimalDocument(parsed.value)) return parsed
        doubles = parsed.value
        second = piecewise(new JsonReader(text, isRefusing, undefined, 'decimal'))
        if (characters !== Infinity) return undefined
      }
      const parsed = second.advance(characters)
      return parsed?.kind === 'parsed'
        ? { kind: 'parsed', value: withDecimalDocuments(doubles as Value, parsed.value) }
        : parsed
    },
  }
}

/**
 * The JSON text of a value, without spaces. Parsing it yields the same value: exact integers keep their digits, and
 * doubles from 2^53 on have an exponent. Throws `RangeError` for values nested some thousand deep.
 */
export function stringifyJson<Shape>(value: Shape & Serializable<Shape>): string
export function stringifyJson(value: Value): string {
  try {
    const text = JSON.stringify(value)
    if (!hasLongInteger(text)) return text
  } catch (error) {
    // Caused by a bigint; written below.
    if (!(error instanceof TypeError)) throw error
  }
  const writing = writeJson(value)
  for (;;) {
    const text = writing.advance(Infinity)
    if (text !== undefined) return text
  }
}

/** The JSON text exceeds the caller's limit. */
export class JsonTooLongError extends Error {
  override readonly name = 'JsonTooLongError'
}

/** Layout of the written text. */
export interface WriteJsonOptions {
  /** Maximum length of the text in characters. Default: unlimited. */
  readonly most?: number
  /** Default: keys in their own order, scalars as `stringifyJson` prints them. */
  readonly form?: JsonForm
}

/**
 * `stringifyJson` in pieces. `advance` throws `RangeError` for values nested some thousand deep, and `JsonTooLongError` as
 * soon as the text has more than `most` characters.
 */
export function writeJson<Shape>(value: Shape & Serializable<Shape>, options?: WriteJsonOptions): Piecewise<string>
export function writeJson(value: Value, { most = Infinity, form }: WriteJsonOptions = {}): Piecewise<string> {
  const writer = new JsonWriter(value, form)
  return {
    advance(characters) {
      const isComplete = writer.advance(characters)
      if (writer.length > most) throw new JsonTooLongError(`the text has more than ${most} characters`)
      return isComplete ? writer.text : undefined
    },
  }
}

/**
 * Whether a text of `JSON.stringify` may contain an unsafe integer: may be true for a text without one, never the
 * reverse. Any run of 16 digits covers an index divisible by 16: only those are examined, and each run once.
 */
function hasLongInteger(text: string): boolean {
  const { length } = text
  for (let at = 0; at < length; at += UNSAFE_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue
    let start = at
    while (isDigit(text.charCodeAt(start - 1))) start--
    let end = at + 1
    while (isDigit(text.charCodeAt(end))) end++
    // Digits after a point are a fraction.
    if (end - start >= UNSAFE_DIGITS && text.charCodeAt(start - 1) !== DOT) return true
    at = end - (end % UNSAFE_DIGITS)
  }
  return false
}

const DOT = 46

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
