import { isObject, type Value } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import canonicalize from 'canonicalize'
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
 * The signed message (specification 5.7): canonical JSON (RFC 8785, keys in the order of their UTF-16 code units) of a
 * document without its `_signature`, to be signed as UTF-8. Throws `UnsignableRuleset` on what RFC 8785 cannot carry:
 * integers beyond 2^53, which other programs would round, and texts with half a surrogate pair.
 */
export function canonicalJson(document: RulesetDocument): string {
  const signed = withoutSignature(document)
  refuseInexact(signed, '')
  return canonicalize(signed) as string
}

function refuseInexact(value: Value, path: string): void {
  if (typeof value === 'bigint' || (typeof value === 'number' && isRoundedInteger(value)))
    throw new UnsignableRuleset(path, `the integer ${value} is beyond 2^53 and cannot be signed: write it as a text`)
  if (typeof value === 'string') refuseBroken(value, path)
  if (Array.isArray(value)) return value.forEach((item: Value, index) => refuseInexact(item, `${path}/${index}`))
  if (!isObject(value)) return
  for (const [key, member] of Object.entries(value)) {
    refuseBroken(key, path)
    refuseInexact(member, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
}

/** `1e20` is written `100000000000000000000` and then read as an exact integer; from 1e21 on there is an exponent. */
function isRoundedInteger(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
}

function refuseBroken(text: string, path: string): void {
  if (!text.isWellFormed())
    throw new UnsignableRuleset(path, 'a text with half a surrogate pair (`\\uD800` to `\\uDFFF`) cannot be signed')
}
