import { isObject, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { withoutSignature } from './signature.ts'

/** A document has no canonical JSON: what would be signed could be read as something else. The message has the place. */
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
 * The signed message (specification 5.7): canonical JSON of a document without its `_signature`, to be signed as UTF-8. It is
 * RFC 8785 (keys in the order of their UTF-16 code units) for everything that RFC 8785 carries exactly. Beyond 2^53, where it
 * would round, an integer is written with all its digits, and a floating-point number with an exponent, so that 1e20 and
 * 100000000000000000000 are signed as the two numbers that they are. Throws `UnsignableRuleset` on texts with half a
 * surrogate pair, which have no UTF-8.
 *
 * Takes n log n in the size of the document: its keys are sorted, everything else is written once.
 */
export function canonicalJson(document: RulesetDocument): string {
  return written(withoutSignature(document), '')
}

function written(value: Value, path: string): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return numberText(value, path)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return quoted(value, path)
  if (!isObject(value)) return `[${value.map((item, index) => written(item, `${path}/${index}`)).join(',')}]`
  const members = Object.keys(value)
    .sort()
    .map((key) => `${quoted(key, path)}:${written(value[key] as Value, `${path}/${escaped(key)}`)}`)
  return `{${members.join(',')}}`
}

/** As ECMAScript writes it, but with an exponent from 2^53 on and not only from 1e21 on. */
function numberText(value: number, path: string): string {
  if (!Number.isFinite(value)) throw new UnsignableRuleset(path, `the number ${value} has no JSON`)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? value.toExponential() : String(value)
}

/** RFC 8785 and ECMAScript escape the same characters in the same way. */
function quoted(text: string, path: string): string {
  if (!text.isWellFormed())
    throw new UnsignableRuleset(path, 'a text with half a surrogate pair (`\\uD800` to `\\uDFFF`) cannot be signed')
  return JSON.stringify(text)
}

/** RFC 6901. */
const escaped = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
