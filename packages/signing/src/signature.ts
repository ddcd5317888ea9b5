import { isObject } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'

/** The field of a document that holds its signature. */
export const SIGNATURE_FIELD = '_signature'

/** Length of a signature of Ed25519 in bytes (RFC 8032). */
export const SIGNATURE_BYTES = 64

/** Specification 2.7. */
export interface Signature {
  /** Base64 of 32 bytes. */
  readonly public_key: string
  /** Base64 of 64 bytes. */
  readonly signature: string
  /** ISO 8601 UTC; not covered by the signature, so it must not be relied on. */
  readonly signed_at?: string
}

/** `_signature` exists but does not have the shape of specification 2.7. */
export class MalformedSignature extends Error {
  override readonly name = 'MalformedSignature'
  /** JSON pointer (RFC 6901). */
  readonly path: string
  constructor(member: string, message: string) {
    super(message)
    this.path = `/${SIGNATURE_FIELD}${member}`
  }
}

/** The embedded signature; undefined if there is none. Throws `MalformedSignature`. */
export function signatureOf(document: RulesetDocument): Signature | undefined {
  const value = document[SIGNATURE_FIELD]
  if (value === undefined) return undefined
  if (!isObject(value))
    throw new MalformedSignature('', 'must be an object with `algorithm`, `public_key` and `signature`')
  const { algorithm, public_key: key, signature, signed_at: at } = value
  if (algorithm !== 'ed25519') throw new MalformedSignature('/algorithm', 'must be `ed25519`')
  if (typeof key !== 'string') throw new MalformedSignature('/public_key', 'must be a base64 text')
  if (typeof signature !== 'string') throw new MalformedSignature('/signature', 'must be a base64 text')
  return { public_key: key, signature, ...(typeof at === 'string' ? { signed_at: at } : {}) }
}

/** The signed content: the document without its signature. */
export function withoutSignature(document: RulesetDocument): RulesetDocument {
  const { [SIGNATURE_FIELD]: _, ...rest } = document
  return rest
}

/** The document with its signature replaced. */
export function embedded(document: RulesetDocument, { public_key, signature, signed_at }: Signature): RulesetDocument {
  return {
    ...withoutSignature(document),
    [SIGNATURE_FIELD]: {
      algorithm: 'ed25519',
      public_key,
      signature,
      ...(signed_at === undefined ? {} : { signed_at }),
    },
  }
}
