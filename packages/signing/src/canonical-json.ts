import {
  defined,
  decimalOf,
  escapedKey,
  isDecimal,
  isObject,
  type JsonForm,
  numbersOf,
  type Piecewise,
  scalarText,
  type Value,
  writeJson,
} from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { withoutSignature } from './signature.ts'

/**
 * A document has no canonical JSON: its signed text could be read as something else. The message contains the position.
 */
export class UnsignableRuleset extends Error {
  override readonly name = 'UnsignableRuleset'
  /** JSON pointer (RFC 6901). */
  readonly path: string
  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

/**
 * The signed message (specification 5.7): canonical JSON of a document without its `_signature`, to be signed as UTF-8.
 * Identical to RFC 8785 (keys in UTF-16 code unit order) for everything that RFC 8785 represents exactly. Beyond 2^53,
 * where it would round, integers are written with all their digits and floating-point numbers with an exponent, so that
 * 1e20 and 100000000000000000000 are signed as different numbers; in a document that computes with decimals they are the
 * same number, and are signed with one text. Throws `UnsignableRuleset` for texts with a lone
 * surrogate, which have no UTF-8.
 *
 * Takes n log n in the size of the document, because its keys are sorted.
 */
export function canonicalJson(document: RulesetDocument): string {
  const writing = canonicalWriting(document)
  for (;;) {
    const text = writing.advance(Infinity)
    if (text !== undefined) return text
  }
}

/** Like `canonicalJson`, but in pieces, for a large document. */
export function canonicalWriting(document: RulesetDocument): Piecewise<string> {
  const signed = withoutSignature(document)
  const writing = writeJson(signed, { form: numbersOf(signed) === 'decimal' ? DECIMAL_FORM : SIGNED_FORM })
  return {
    advance(characters) {
      try {
        return writing.advance(characters)
      } catch (error) {
        throw error instanceof Unwritable ? unsignable(signed, '') : error
      }
    },
  }
}

/**
 * The canonical JSON layout for any value: texts without UTF-8, which cannot be signed, are escaped. RFC 8785 and
 * ECMAScript escape the same characters in the same way.
 */
export const CANONICAL_FORM: JsonForm = { keys: (object) => Object.keys(object).sort(), scalar: scalarText }

const SIGNED_FORM: JsonForm = {
  ...CANONICAL_FORM,
  scalar(value) {
    if (reasonAgainst(value) !== undefined) throw new Unwritable()
    return scalarText(value)
  },
}

/**
 * Numbers that are equal as decimals have the same text: that of ECMAScript if a double represents them exactly,
 * otherwise all digits.
 */
const DECIMAL_FORM: JsonForm = {
  ...SIGNED_FORM,
  scalar: (value) =>
    typeof value === 'number' || typeof value === 'bigint' ? decimalText(value) : SIGNED_FORM.scalar(value),
}

function decimalText(value: number | bigint): string {
  const double = Number(value)
  if (!Number.isFinite(double)) return SIGNED_FORM.scalar(value)
  return typeof value === 'number' || decimalOf(double) === value ? String(double) : String(value)
}

/** A value has no canonical JSON. Its position is determined afterwards. */
class Unwritable extends Error {}

function reasonAgainst(value: Value | undefined): string | undefined {
  if (typeof value === 'string' && !value.isWellFormed())
    return 'a text with half a surrogate pair (`\\uD800` to `\\uDFFF`) cannot be signed'
  return typeof value === 'number' && !Number.isFinite(value) ? `the number ${value} has no JSON` : undefined
}

/** The first value, in writing order, without canonical JSON. For a key, the position of its object. */
function unsignable(value: Value, path: string): UnsignableRuleset | undefined {
  const reason = reasonAgainst(value)
  if (reason !== undefined) return new UnsignableRuleset(path, reason)
  if (typeof value !== 'object' || value === null || isDecimal(value)) return undefined
  for (const key of Object.keys(value).sort(isObject(value) ? undefined : byNumber)) {
    const found = isObject(value)
      ? (unsignable(key, path) ?? unsignable(defined(value[key]), `${path}/${escapedKey(key)}`))
      : unsignable(defined(value[Number(key)]), `${path}/${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const byNumber = (left: string, right: string) => Number(left) - Number(right)
